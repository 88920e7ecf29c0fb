import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { copyDict, dictAt, withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { Dict } from '../../model/value.ts'
import { groupOf, type ScopeLookup } from './scope.ts'

/**
 * Gives every namespaced object its namespace (its own, else `fallback`) and takes the namespace off cluster-scoped ones, where the API server
 * would refuse it. Rule: the design's namespaces.
 * @throws StackmasonError OBJECT_SCOPE_UNKNOWN once for each unknown kind
 */
export function placeManifests(
  manifests: readonly Manifest[],
  fallback: string,
  scopeOf: ScopeLookup,
): readonly Manifest[] {
  const unknown = new Map<string, Diagnostic>()
  const placed = manifests.map((manifest) => {
    const group = groupOf(manifest.object)
    const scope = scopeOf(group, manifest.kind)
    if (scope === undefined) unknown.set(`${group}/${manifest.kind}`, unknownScope(manifest, group))
    return scope === 'Cluster' ? withoutNamespace(manifest) : withNamespace(manifest, fallback)
  })
  if (unknown.size > 0) throw new StackmasonError([...unknown.values()])
  return placed
}

function withNamespace(manifest: Manifest, fallback: string): Manifest {
  if (manifest.namespace !== undefined) return manifest
  return { ...manifest, namespace: fallback, object: withField(manifest.object, ['metadata', 'namespace'], fallback) }
}

function withoutNamespace(manifest: Manifest): Manifest {
  if (manifest.namespace === undefined) return manifest
  const metadata = copyDict(dictAt(manifest.object, 'metadata') ?? new Dict())
  metadata.delete('namespace')
  const { namespace: _, ...rest } = manifest
  return { ...rest, object: withField(manifest.object, ['metadata'], metadata) }
}

function unknownScope(manifest: Manifest, group: string): Diagnostic {
  return {
    code: 'OBJECT_SCOPE_UNKNOWN',
    severity: 'error',
    message: `${manifest.kind} "${manifest.name}" (${manifest.apiVersion}) of ${manifest.origin.from}, ${manifest.origin.unit}: it is not known whether this kind is namespaced`,
    file: manifest.origin.template,
    hint: `Add to spec.scopes of stackmason.yaml: {group: ${group === '' ? '""' : group}, kind: ${manifest.kind}, scope: Namespaced} (or Cluster).`,
  }
}
