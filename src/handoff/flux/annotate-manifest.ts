import { textAt, withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { hasHoles, protectHoles } from './protect-holes.ts'

const PRUNE = 'kustomize.toolkit.fluxcd.io/prune'
const SUBSTITUTE = 'kustomize.toolkit.fluxcd.io/substitute'

/** Whether the object's unit is substituted. */
export type Substitution = 'none' | 'holes'

/** Gives a manifest what Flux must see on it. */
export type AnnotateManifest = (manifest: Manifest, substitution: Substitution) => Manifest

/**
 * Makes an annotator: what must never be pruned says so; in a unit with holes every object without any is kept from substitution, and those with holes
 * are rewritten to survive it. A manifest that many clusters share stays shared.
 */
export function createAnnotator(): AnnotateManifest {
  const known: Readonly<Record<Substitution, WeakMap<Manifest, Manifest>>> = {
    none: new WeakMap(),
    holes: new WeakMap(),
  }
  return (manifest, substitution) => {
    const before = known[substitution].get(manifest)
    if (before !== undefined) return before
    const kept = isKept(manifest) ? annotated(manifest, PRUNE) : manifest
    const result = substitution === 'none' ? kept : hasHoles(kept) ? protectHoles(kept) : annotated(kept, SUBSTITUTE)
    known[substitution].set(manifest, result)
    return result
  }
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
