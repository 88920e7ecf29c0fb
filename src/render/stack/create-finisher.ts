import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import { copyDict, dictAt, withField } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { Dict } from '../../model/value.ts'
import { apiVersionRule, kindRule } from '../../model/kubernetes-names.ts'
import { shownApiVersion, shownKind, shownName } from '../../model/shown-name.ts'
import { setInstanceLabel } from './instance-label.ts'
import { groupOf, nearestKind, type ScopeLookup } from './scope.ts'

/** How the objects of one unit are finished. */
export interface FinishOptions {
  /** Namespace of namespaced objects that name none. */
  readonly namespace: string
  readonly scopeOf: ScopeLookup
  /** True if objects get the ownership label of the cluster stack operator. */
  readonly instanceLabel: boolean
}

/** Finishes manifests; see {@link createFinisher}. */
export type Finisher = (manifests: readonly Manifest[], options: FinishOptions) => readonly Manifest[]

/**
 * Makes a function that gives every namespaced object its namespace (its own, else that of the options), takes the
 * namespace off cluster-scoped ones, where the API server would refuse it, and sets the ownership label. A manifest
 * that many clusters share is finished once, and its result shared, so that whoever comes later can know equal objects
 * by identity. Rule: the design's namespaces. The function throws StackmasonError OBJECT_SCOPE_UNKNOWN once for each
 * unknown kind.
 */
export function createFinisher(): Finisher {
  const finished = new WeakMap<Manifest, Map<string, Manifest>>()
  return (manifests, { namespace, scopeOf, instanceLabel }) => {
    const wrong: Diagnostic[] = []
    const unknown = new Map<string, Diagnostic>()
    const made = manifests.map((manifest) => {
      const malformed = malformedType(manifest)
      if (malformed !== undefined) wrong.push(malformed)
      const group = groupOf(manifest.object)
      const scope = scopeOf(group, manifest.kind)
      const of = `${group}/${manifest.kind}`
      if (scope === undefined && malformed === undefined && !unknown.has(of))
        unknown.set(of, unknownScope(manifest, group))
      const key = `${scope === 'Cluster' ? '' : namespace} ${String(instanceLabel)}`
      const known = finished.get(manifest)?.get(key)
      if (known !== undefined) return known
      const scoped = scope === 'Cluster' ? withoutNamespace(manifest) : withNamespace(manifest, namespace)
      const result = instanceLabel ? { ...scoped, object: setInstanceLabel(scoped.object) } : scoped
      const results = finished.get(manifest) ?? new Map<string, Manifest>()
      finished.set(manifest, results.set(key, result))
      return result
    })
    const problems = [...wrong, ...unknown.values()]
    if (problems.length > 0) throw new StackmasonError(problems)
    return made
  }
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

/** The problem of an object whose kind or apiVersion no API server can have. */
function malformedType(manifest: Manifest): Diagnostic | undefined {
  const { kind, apiVersion, name } = manifest
  if (kindRule.allows(kind) && apiVersionRule.allows(apiVersion)) return undefined
  const group = groupOf(manifest.object)
  const isKind = apiVersionRule.allows(apiVersion)
  const near = isKind ? nearestKind(group, kind) : undefined
  return {
    code: 'OBJECT_INVALID',
    severity: 'error',
    message: `${shownKind(kind)} ${shownName(name)}: no API server has this ${isKind ? 'kind' : 'apiVersion'}; allowed are ${(isKind ? kindRule : apiVersionRule).says}`,
    ...placeIn(manifest, isKind ? 'kind' : 'apiVersion'),
    hint:
      near?.group === group
        ? `Did you mean ${near.kind}?`
        : 'Correct it where the message points: in the file, or in the values that the template reads.',
  }
}

function unknownScope(manifest: Manifest, group: string): Diagnostic {
  const near = nearestKind(group, manifest.kind)
  const meant =
    near === undefined
      ? ''
      : near.group === group
        ? `Did you mean kind ${near.kind}? `
        : `${near.kind} is a kind of ${near.group === '' ? 'the core group (`apiVersion: v1`)' : `group ${near.group}`}: correct apiVersion. `
  return {
    code: 'OBJECT_SCOPE_UNKNOWN',
    severity: 'error',
    message: `${near === undefined ? shownKind(manifest.kind) : manifest.kind} "${shownName(manifest.name)}" (${shownApiVersion(manifest.apiVersion)}) of ${manifest.origin.from}, ${manifest.origin.unit}: it is not known whether this kind is namespaced`,
    ...placeIn(manifest, 'kind'),
    hint: `${meant}${meant === '' ? 'Add' : 'Otherwise add'} to spec.scopes of stackmason.yaml: {group: ${group === '' ? '""' : group}, kind: ${manifest.kind}, scope: Namespaced} (or Cluster).`,
  }
}
