import { textAt, withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { hasHoles, protectHoles } from './protect-holes.ts'

const PRUNE = 'kustomize.toolkit.fluxcd.io/prune'
const SUBSTITUTE = 'kustomize.toolkit.fluxcd.io/substitute'

/** What holds for all objects of a unit. */
export interface AnnotationMode {
  /** Flux fills in holes, so every text of the unit passes its substitution. */
  readonly isSubstituted: boolean
  /** Objects that must never be pruned say so; not while their cluster is decommissioned. */
  readonly isProtected: boolean
}

/** Gives a manifest what Flux must see on it. */
export type AnnotateManifest = (manifest: Manifest, mode: AnnotationMode) => Manifest

/**
 * Makes an annotator: what must never be pruned says so; in a unit with holes every object without any is kept from substitution, and those with holes
 * are rewritten to survive it. A manifest that many clusters share stays shared.
 */
export function createAnnotator(): AnnotateManifest {
  const known = new Map<string, WeakMap<Manifest, Manifest>>()
  return (manifest, mode) => {
    const key = `${String(mode.isSubstituted)} ${String(mode.isProtected)}`
    const results = known.get(key) ?? new WeakMap<Manifest, Manifest>()
    known.set(key, results)
    const result = results.get(manifest) ?? annotate(manifest, mode)
    results.set(manifest, result)
    return result
  }
}

function annotate(manifest: Manifest, { isSubstituted, isProtected }: AnnotationMode): Manifest {
  const kept = isProtected && isKept(manifest) ? annotated(manifest, PRUNE) : manifest
  if (!isSubstituted) return kept
  return hasHoles(kept) ? protectHoles(kept) : annotated(kept, SUBSTITUTE)
}

/** Losing one of these takes everything below it along. */
const keptKinds: ReadonlySet<string> = new Set([
  'Namespace',
  'CustomResourceDefinition.apiextensions.k8s.io',
  'Cluster.cluster.x-k8s.io',
])

/** `helm.sh/resource-policy` as Helm reads it (pkg/action/resource_policy.go). */
function isKept({ apiVersion, kind, object }: Manifest): boolean {
  const slash = apiVersion.indexOf('/')
  const policy = textAt(object, 'metadata', 'annotations', 'helm.sh/resource-policy')
  return (
    keptKinds.has(slash === -1 ? kind : `${kind}.${apiVersion.slice(0, slash)}`) ||
    policy.trim().toLowerCase() === 'keep'
  )
}

function annotated(manifest: Manifest, annotation: string): Manifest {
  return { ...manifest, object: withField(manifest.object, ['metadata', 'annotations', annotation], 'disabled') }
}
