import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import { fileOf, type Manifest, type RenderedFolder } from '../../model/manifest.ts'
import { pathOf, positionAt, type Span } from '../../model/source.ts'
import type { Locator } from '../explain/locator.ts'
import { spanOfPlace } from '../explain/template-places.ts'
import { pairsOf } from './duplicates.ts'
import { describeManifest } from './patch.ts'

/**
 * Finds objects that two addons of a cluster both bring: kustomize refuses them in one unit, and two units would take
 * them from each other at every sync. `folders` are those of the addons, as they will be applied.
 */
export function findSharedObjects(
  cluster: Pick<Cluster, 'name' | 'namespace' | 'addons' | 'existingSecrets'>,
  folders: readonly RenderedFolder[],
  locator: Pick<Locator, 'originOf'>,
): readonly Diagnostic[] {
  const isExisting = ({ kind, namespace, name }: Manifest): boolean =>
    kind === 'Secret' && cluster.existingSecrets.some((entry) => entry.namespace === namespace && entry.name === name)
  return pairsOf(folders.flatMap(({ manifests }) => manifests)).flatMap(([first, second]): readonly Diagnostic[] => {
    if (isExisting(first)) return []
    const [one, other] = [first, second].map((manifest) => {
      const { unit, from, template } = manifest.origin
      const [written] = locator.originOf(manifest, ['metadata', 'name'])?.templates ?? []
      const at = written && spanOfPlace(written)
      const place = at && `${pathOf(at.source)}:${String(positionAt(at.source, at.start).line)}`
      return { unit, at, text: `${unit} (${place ?? `${template} of ${from}`})` }
    }) as [Place, Place]
    const at = other.at ?? cluster.addons.find(({ name }) => name === other.unit)?.at
    return [
      {
        code: 'OBJECT_DUPLICATE',
        severity: 'error',
        message: `cluster ${cluster.namespace}/${cluster.name}: ${describeManifest(second)} is in two addons, ${one.text} and ${other.text}`,
        ...(at === undefined ? { file: fileOf(second.origin) } : { at }),
        hint: wayOut(cluster, one, other),
      },
    ]
  })
}

interface Place {
  readonly unit: string
  readonly at: Span | undefined
  readonly text: string
}

function wayOut({ name, namespace }: Pick<Cluster, 'name' | 'namespace'>, one: Place, other: Place): string {
  return (
    `Remove the object from one of the two, by its values or in its template, or switch that addon off: ` +
    `\`enabled: false\` for ${one.unit} or ${other.unit} in ${inputPath({ namespace, name }, 'addons.yaml')}.`
  )
}
