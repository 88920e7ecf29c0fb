import { dictAt, textAt, withField } from '../../model/field.ts'
import type { Unit } from '../../model/handoff.ts'
import { type Manifest, objectKey } from '../../model/manifest.ts'
import { dict, type Value } from '../../model/value.ts'
import { withoutBuildMarks } from '../without-build-marks.ts'
import { SYNC_OPTIONS } from './committed-units.ts'

const SYNC_WAVE = 'argocd.argoproj.io/sync-wave'
const COMPARE_OPTIONS = 'argocd.argoproj.io/compare-options'

/** Argo CD deletes a hook before each sync, or after it, and makes it anew. */
const HOOK_ANNOTATIONS: ReadonlySet<string> = new Set([
  'argocd.argoproj.io/hook',
  'argocd.argoproj.io/hook-delete-policy',
])

const IGNORE_HEALTH = 'argocd.argoproj.io/ignore-healthcheck'

const CLUSTER = 'cluster.x-k8s.io Cluster'

/** Kinds whose removal takes with it what no commit brings back: `<group> <kind>`. */
const irreplaceable: ReadonlySet<string> = new Set([
  CLUSTER,
  'apiextensions.k8s.io CustomResourceDefinition',
  ' Namespace',
  ' PersistentVolume',
  ' PersistentVolumeClaim',
])

/** Kinds of addons that stay in their cluster, rather than hold up all others of their unit. A CRD stays anyway. */
const keptOfAddons: ReadonlySet<string> = new Set([' Namespace', ' PersistentVolume', ' PersistentVolumeClaim'])

/** Kinds that say whether node images are there. */
const imageKinds: ReadonlySet<string> = new Set(['openstack.k-orc.cloud Image', 'stackmason.dev NodeImageGate'])

/** Kinds of ours beside Clusters, where nothing is pruned. */
const keptBesideClusters: ReadonlySet<string> = new Set([
  'stackmason.dev RuntimeValues',
  'stackmason.dev StorageMigration',
])

/** Gives a manifest of a unit what Argo CD must see on it. */
export type AnnotateManifest = (manifest: Manifest, unit: Pick<Unit, 'kind' | 'mayDelete' | 'orphans'>) => Manifest

/**
 * Makes an annotator: objects say how they may be deleted, and in a stack where they stand in the order. Options that
 * the chart has set stay, unless they would allow more deletion; a Cluster that is decommissioned gets none. Neither
 * hooks nor options of the chart make Argo CD delete and make anew what is irreplaceable. A manifest that many clusters
 * share stays shared.
 *
 * A Namespace or volume of an addon is kept, as if Helm were told to: with `Prune=confirm` the sync in which it leaves
 * git applies nothing at all before somebody confirms, the network plugin included (gitops-engine pkg/sync,
 * `pruneConfirmed`).
 *
 * Only stacks get waves, images before the class. Within one wave Argo CD already applies Namespaces and CRDs first and
 * waits until CRDs are served, and more than one wave would make a sync wait for the health of all it applies
 * (gitops-engine pkg/sync `multiStep`): addons would wait for nodes that wait for addons, a RuntimeValues object for
 * the Cluster after it, and a commit that repairs an addon for the addon to be healthy.
 */
export function createAnnotator(): AnnotateManifest {
  const known = {
    stack: new WeakMap<Manifest, Manifest>(),
    cluster: new WeakMap<Manifest, Manifest>(),
    addons: new WeakMap<Manifest, Manifest>(),
  }
  const make = (manifest: Manifest, kind: Unit['kind']): Manifest => annotated(safe(manifest), kind)
  return (manifest, { kind, mayDelete, orphans }) => {
    if (orphans?.has(objectKey(manifest)) === true) return orphan(make(manifest, kind))
    if (mayDelete !== undefined && kindOf(manifest) === CLUSTER) return safe(manifest)
    const cache = known[kind === 'stack' || kind === 'cluster' ? kind : 'addons']
    const result = cache.get(manifest) ?? make(manifest, kind)
    cache.set(manifest, result)
    return result
  }
}

function safe(manifest: Manifest): Manifest {
  return withoutRecreation(withoutBuildMarks(manifest))
}

/** The manifest without what makes Argo CD delete it to make it anew, where nothing brings back what goes with it. */
function withoutRecreation(manifest: Manifest): Manifest {
  const before = dictAt(manifest.object, 'metadata', 'annotations')
  if (before === undefined || !irreplaceable.has(kindOf(manifest))) return manifest
  const options = optionsOf(annotationOf(manifest, SYNC_OPTIONS))
  const safe = options.filter((option) => !/^(?:Force|Replace)\s*=(?!\s*false$)/i.test(option))
  const after = [...before].flatMap(([name, value]): readonly (readonly [string, Value])[] => {
    if (HOOK_ANNOTATIONS.has(name)) return []
    if (name !== SYNC_OPTIONS || safe.length === options.length) return [[name, value]]
    return safe.length === 0 ? [] : [[name, safe.join(',')]]
  })
  if (after.length === before.size && safe.length === options.length) return manifest
  const metadata = [...(dictAt(manifest.object, 'metadata') ?? [])].filter(([name]) => name !== 'annotations')
  const left: typeof metadata = after.length === 0 ? metadata : [...metadata, ['annotations', dict(after)]]
  return { ...manifest, object: withField(manifest.object, ['metadata'], dict(left)) }
}

function annotated(manifest: Manifest, kind: Unit['kind']): Manifest {
  const options = deletionOptions(manifest, kind)
  const wave = kind === 'stack' && imageKinds.has(kindOf(manifest)) ? '-1' : undefined
  const annotations = new Map<string, string>()
  if (options !== undefined) annotations.set(SYNC_OPTIONS, merged(annotationOf(manifest, SYNC_OPTIONS), options))
  if (wave !== undefined && annotationOf(manifest, SYNC_WAVE) === '') annotations.set(SYNC_WAVE, wave)
  // what leaves git and is not pruned must not leave the unit out of sync for ever: people and steps wait for that
  const stays = keptBesideClusters.has(kindOf(manifest)) || options === 'false'
  if (stays) annotations.set(COMPARE_OPTIONS, withOption(annotationOf(manifest, COMPARE_OPTIONS), 'IgnoreExtraneous'))
  // a migration takes its time, and may need a person: nothing may wait for it
  if (kindOf(manifest) === 'stackmason.dev StorageMigration') annotations.set(IGNORE_HEALTH, 'true')
  let { object } = manifest
  for (const [name, value] of annotations) object = withField(object, ['metadata', 'annotations', name], value)
  return annotations.size === 0 ? manifest : { ...manifest, object }
}

/** Another Application takes the object over, and this one must not prune it before. */
function orphan(manifest: Manifest): Manifest {
  const options = optionsOf(annotationOf(manifest, SYNC_OPTIONS)).filter((option) => !option.startsWith('Prune='))
  const text = [...options, 'Prune=false'].join(',')
  return { ...manifest, object: withField(manifest.object, ['metadata', 'annotations', SYNC_OPTIONS], text) }
}

/** The group of an apiVersion; '' for the core group. */
export function groupOf({ apiVersion }: Pick<Manifest, 'apiVersion'>): string {
  const slash = apiVersion.indexOf('/')
  return slash === -1 ? '' : apiVersion.slice(0, slash)
}

function kindOf(manifest: Manifest): string {
  return `${groupOf(manifest)} ${manifest.kind}`
}

function annotationOf({ object }: Manifest, name: string): string {
  return dictAt(object, 'metadata', 'annotations') === undefined ? '' : textAt(object, 'metadata', 'annotations', name)
}

/** The value of Prune and Delete; `false` for what Helm would keep, as it says itself. */
function deletionOptions(manifest: Manifest, unit: Unit['kind']): 'false' | 'confirm' | undefined {
  if (annotationOf(manifest, 'helm.sh/resource-policy').trim().toLowerCase() === 'keep') return 'false'
  if (!irreplaceable.has(kindOf(manifest))) return undefined
  return unit !== 'stack' && unit !== 'cluster' && keptOfAddons.has(kindOf(manifest)) ? 'false' : 'confirm'
}

function optionsOf(annotation: string): readonly string[] {
  return annotation
    .split(',')
    .map((option) => option.trim())
    .filter((option) => option !== '')
}

function withOption(present: string, option: string): string {
  return [...optionsOf(present).filter((one) => one !== option), option].join(',')
}

function merged(present: string, deletion: 'false' | 'confirm'): string {
  const options = optionsOf(present)
  const kept = options.filter((option) => !/^(?:Prune|Delete)=/.test(option))
  const strict = (name: string): string => (options.includes(`${name}=false`) ? 'false' : deletion)
  return [...kept, `Prune=${strict('Prune')}`, `Delete=${strict('Delete')}`].join(',')
}
