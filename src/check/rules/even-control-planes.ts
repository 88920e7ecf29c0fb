import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { shownName } from '../../model/shown-name.ts'
import { GoInt } from '../../model/value.ts'
import { classOf } from '../class-of.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'
import { type NotedField, noteObject } from '../unit-origin.ts'

const KUBEADM = 'KubeadmControlPlaneTemplate'
const REPLICAS = ['spec', 'topology', 'controlPlane', 'replicas'] as const

/** Numbers of control planes that no control plane with an etcd of its own can have. */
export const evenControlPlanes: Rule = {
  code: 'CONTROL_PLANE_EVEN',
  severity: 'error',
  explanation: [
    'No control plane, or an even number of them: KubeadmControlPlane refuses it, because etcd needs a majority. A class whose control plane is of another kind, or that may use an etcd of its own (`etcd.external` in the template, a patch of `etcd` in the class), is not judged.',
  ],
  begin: () => ({
    note: (unit): EtcdNote | undefined => {
      const [stacked, even] = [stackedTemplates(unit), evenNumber(unit)]
      return stacked.length === 0 && even === undefined ? undefined : { stacked, even }
    },
    end: (notes: readonly Noted<EtcdNote>[]) => {
      const stacked = new Set(notes.flatMap(({ note }) => note.stacked))
      return notes.flatMap(({ note: { even }, of }): readonly RuleFinding[] =>
        even === undefined || !stacked.has(even.template)
          ? []
          : [{ message: even.message, noted: even.field, hint: 'Write an odd number.', of }],
      )
    },
  }),
}

interface EtcdNote {
  /** Templates of control planes that run etcd themselves. */
  readonly stacked: readonly string[]
  readonly even: EvenNumber | undefined
}

/** A number of control planes that is refused where etcd runs on them. */
interface EvenNumber {
  readonly message: string
  readonly field: NotedField
  /** Says whether it does. */
  readonly template: string
}

function evenNumber(unit: CheckedUnit): EvenNumber | undefined {
  const found = classOf(unit)
  if (found === undefined) return undefined
  const { manifest, clusterClass, className } = found
  const replicas = fieldAt(manifest.object, ...REPLICAS)
  const reference =
    dictAt(clusterClass, 'spec', 'controlPlane', 'ref') ?? dictAt(clusterClass, 'spec', 'controlPlane', 'templateRef')
  if (!(replicas instanceof GoInt) || replicas.value % 2n !== 0n || textAt(reference ?? null, 'kind') !== KUBEADM)
    return undefined
  const [folder] = unit.folders
  return {
    message: `class ${shownName(className)} runs etcd on its control planes, of which there cannot be ${String(replicas.value)}`,
    field: { object: noteObject(manifest, folder?.path ?? ''), path: REPLICAS },
    template: `${textAt(clusterClass, 'metadata', 'namespace')}/${textAt(reference ?? null, 'name')}`,
  }
}

/** The templates of control planes in a stack that run etcd themselves, for all that can be told. */
function stackedTemplates({ kind, folders }: CheckedUnit): readonly string[] {
  if (kind !== 'stack') return []
  const manifests = folders.flatMap((folder) => folder.manifests)
  const isPatched = manifests.some(
    (manifest) =>
      manifest.kind === 'ClusterClass' &&
      itemsAt(manifest.object, 'spec', 'patches').some((patch) =>
        itemsAt(patch, 'definitions').some((definition) =>
          itemsAt(definition, 'jsonPatches').some((entry) => /etcd|clusterConfiguration$/.test(textAt(entry, 'path'))),
        ),
      ),
  )
  if (isPatched) return []
  const etcd = ['spec', 'template', 'spec', 'kubeadmConfigSpec', 'clusterConfiguration', 'etcd', 'external'] as const
  return manifests
    .filter((manifest) => manifest.kind === KUBEADM && dictAt(manifest.object, ...etcd) === undefined)
    .map(({ namespace = '', name }) => `${namespace}/${name}`)
}
