import { dictAt, fieldAt, itemsAt, textAt } from '../../model/field.ts'
import { placeIn } from '../../model/manifest.ts'
import { shownName } from '../../model/shown-name.ts'
import { GoInt } from '../../model/value.ts'
import { classOf } from '../class-of.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import type { Rule, RuleFinding } from '../rule.ts'

const KUBEADM = 'KubeadmControlPlaneTemplate'
const REPLICAS = ['spec', 'topology', 'controlPlane', 'replicas'] as const

/** Numbers of control planes that no control plane with an etcd of its own can have. */
export const evenControlPlanes: Rule = {
  code: 'CONTROL_PLANE_EVEN',
  severity: 'error',
  explanation: [
    'No control plane, or an even number of them: KubeadmControlPlane refuses it, because etcd needs a majority. A class whose control plane is of another kind, or that may use an etcd of its own (`etcd.external` in the template, a patch of `etcd` in the class), is not judged.',
  ],
  begin: () => {
    const pending: { readonly finding: RuleFinding; readonly template: string }[] = []
    const stacked = new Set<string>()
    return {
      unit: (unit) => {
        for (const template of stackedTemplates(unit)) stacked.add(template)
        const even = evenNumber(unit)
        if (even !== undefined) pending.push(even)
        return []
      },
      // clusters come before their stacks
      end: () => pending.filter(({ template }) => stacked.has(template)).map(({ finding }) => finding),
    }
  },
}

/** A number of control planes that is refused where etcd runs on them, and the template that says whether it does. */
function evenNumber(unit: CheckedUnit): { readonly finding: RuleFinding; readonly template: string } | undefined {
  const found = classOf(unit)
  if (found === undefined) return undefined
  const { manifest, clusterClass, className } = found
  const replicas = fieldAt(manifest.object, ...REPLICAS)
  const reference =
    dictAt(clusterClass, 'spec', 'controlPlane', 'ref') ?? dictAt(clusterClass, 'spec', 'controlPlane', 'templateRef')
  if (!(replicas instanceof GoInt) || replicas.value % 2n !== 0n || textAt(reference ?? null, 'kind') !== KUBEADM)
    return undefined
  const finding: RuleFinding = {
    message: `class ${shownName(className)} runs etcd on its control planes, of which there cannot be ${String(replicas.value)}`,
    ...placeIn(manifest, ...REPLICAS),
    hint: 'Write an odd number.',
    // not the unit, which is forgotten
    of: { subject: unit.subject, locate: unit.locate },
  }
  return { finding, template: `${textAt(clusterClass, 'metadata', 'namespace')}/${textAt(reference ?? null, 'name')}` }
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
