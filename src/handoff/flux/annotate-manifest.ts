import { dictAt, textAt, withField } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { Dict, dict } from '../../model/value.ts'
import { withoutBuildMarks } from '../without-build-marks.ts'
import { PRUNE } from './committed-units.ts'
import { guardValues } from './guard-values.ts'
import { hasPlaceholders, placeholderNames, protectPlaceholders } from './protect-placeholders.ts'
import { SUBSTITUTE } from './substitution-off.ts'

const FORCE = 'kustomize.toolkit.fluxcd.io/force'

/** The mode for all objects of a unit. */
export interface AnnotationMode {
  /** The unit may be given variables at any time, so every text of it may pass Flux's substitution. */
  readonly isSubstituted: boolean
  /** The Cluster says that it must never be pruned; not while it is decommissioned. */
  readonly isProtected: boolean
  /** Another unit will take these objects over: this one orphans them, deleting none. */
  readonly isOrphaned?: boolean
}

/** Gives a manifest what Flux must see on it. */
export type AnnotateManifest = (manifest: Manifest, mode: AnnotationMode) => Manifest

/**
 * Makes an annotator: what must never be pruned says so; in a unit that may have variables every object without
 * placeholders is kept from substitution, and those with placeholders are rewritten to survive it. A manifest that many
 * clusters share stays shared.
 */
export function createAnnotator(): AnnotateManifest {
  const known = new Map<string, WeakMap<Manifest, Manifest>>()
  return (manifest, mode) => {
    const key = `${String(mode.isSubstituted)} ${String(mode.isProtected)} ${String(mode.isOrphaned)}`
    const results = known.get(key) ?? new WeakMap<Manifest, Manifest>()
    known.set(key, results)
    const result = results.get(manifest) ?? annotate(manifest, mode)
    results.set(manifest, result)
    return result
  }
}

function annotate(given: Manifest, { isSubstituted, isProtected, isOrphaned = false }: AnnotationMode): Manifest {
  const manifest = withoutBuildMarks(given)
  const isOnItsWayOut = !isProtected && kindOf(manifest) === CLUSTER
  const safe = isLosing(manifest) ? withoutForce(manifest) : manifest
  const kept = isOrphaned || (!isOnItsWayOut && isKept(manifest)) ? annotated(safe, PRUNE) : safe
  if (!isSubstituted) return kept
  return hasPlaceholders(kept)
    ? guardValues(protectPlaceholders(substitutable(kept)), placeholderNames(kept))
    : annotated(kept, SUBSTITUTE)
}

/**
 * Flux leaves an object alone whose label or annotation says so (fluxcd/pkg, kustomize_varsub.go), also where its
 * placeholders would then stay open.
 */
function substitutable(manifest: Manifest): Manifest {
  const metadata = dictAt(manifest.object, 'metadata') ?? new Dict()
  const without = ['labels', 'annotations'].filter((field) => textAt(metadata, field, SUBSTITUTE) === 'disabled')
  const object = without.reduce((before, field) => {
    const kept = [...(dictAt(metadata, field) ?? [])].filter(([key]) => key !== SUBSTITUTE)
    return withField(before, ['metadata', field], dict(kept))
  }, manifest.object)
  return without.length === 0 ? manifest : { ...manifest, object }
}

const CLUSTER = 'Cluster.cluster.x-k8s.io'

/** Losing one of these takes along what no commit brings back. */
const losingKinds: ReadonlySet<string> = new Set([
  CLUSTER,
  'CustomResourceDefinition.apiextensions.k8s.io',
  'Namespace',
  'PersistentVolume',
  'PersistentVolumeClaim',
])

/** It moves between stacks that share it, and machines that run may need it for those that replace them. */
const NODE_IMAGE = 'Image.openstack.k-orc.cloud'

function kindOf({ apiVersion, kind }: Manifest): string {
  const slash = apiVersion.indexOf('/')
  return slash === -1 ? kind : `${kind}.${apiVersion.slice(0, slash)}`
}

function isLosing(manifest: Manifest): boolean {
  return losingKinds.has(kindOf(manifest))
}

/** `helm.sh/resource-policy` as Helm reads it (pkg/action/resource_policy.go). */
function isKept(manifest: Manifest): boolean {
  const policy = textAt(manifest.object, 'metadata', 'annotations', 'helm.sh/resource-policy')
  return isLosing(manifest) || kindOf(manifest) === NODE_IMAGE || policy.trim().toLowerCase() === 'keep'
}

/** With it Flux deletes an object that the API server will not change, to make it anew. */
function withoutForce(manifest: Manifest): Manifest {
  let { object } = manifest
  for (const field of ['annotations', 'labels'])
    if (textAt(object, 'metadata', field, FORCE) !== '')
      object = withField(object, ['metadata', field, FORCE], 'disabled')
  return object === manifest.object ? manifest : { ...manifest, object }
}

function annotated(manifest: Manifest, annotation: string): Manifest {
  return { ...manifest, object: withField(manifest.object, ['metadata', 'annotations', annotation], 'disabled') }
}
