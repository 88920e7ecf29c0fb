import { formatGoJson } from '../../codec/json/go-json.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import { copyDict, dictAt, textAt, withField } from '../../model/field.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { Manifest } from '../../model/manifest.ts'
import { Dict } from '../../model/value.ts'
import { hashedName, shortHash } from '../short-hash.ts'
import { reportHooks, type HookFate } from './report-hooks.ts'

/** Manifests as a GitOps tool may see them, and what became of Helm's hooks. */
export interface TranslatedHooks {
  readonly manifests: readonly Manifest[]
  readonly report: readonly Diagnostic[]
}

const HOOK = 'helm.sh/hook'
/** The annotation that records an object's hook for people; no tool reads it. */
const RECORD = 'stackmason.dev/helm-hook'

/** Events that a GitOps tool does not have. */
const LATE = ['pre-delete', 'post-delete', 'pre-rollback', 'post-rollback'] as const

/** A manifest's hook, translated. `manifest` is absent when it was left out. */
interface Translation {
  readonly events: readonly string[]
  readonly fate: HookFate
  readonly manifest?: Manifest
}

/**
 * Makes a function that takes Helm's hooks out of manifests, because Argo CD acts on `helm.sh/hook` wherever it finds
 * it (gitops-engine pkg/sync/hook) and would delete and make anew such objects at every sync, while Flux applies them
 * all, those of `pre-delete` too. Objects of install and upgrade become ordinary ones, those of tests, deletions and
 * rollbacks are left out. What runs to completion cannot be changed in place: with Flux it is made anew when it
 * changes, or made once if it belongs to installs alone; with Argo CD its name holds a hash. A manifest that many
 * clusters share stays shared.
 */
export function createHookTranslator(tool: GitopsTool): (manifests: readonly Manifest[]) => TranslatedHooks {
  const known = new WeakMap<Manifest, Translation>()
  return (manifests) => {
    const kept: Manifest[] = []
    const hooks: { readonly manifest: Manifest; readonly events: readonly string[]; readonly fate: HookFate }[] = []
    for (const manifest of manifests) {
      if (!isHook(manifest)) {
        kept.push(manifest)
        continue
      }
      const translation = known.get(manifest) ?? translate(manifest, tool)
      known.set(manifest, translation)
      hooks.push({ manifest, events: translation.events, fate: translation.fate })
      if (translation.manifest !== undefined) kept.push(translation.manifest)
    }
    return { manifests: kept, report: hooks.length === 0 ? [] : reportHooks(hooks) }
  }
}

/**
 * Annotations without an event count, too: Argo CD takes the weight of any object for its sync wave (gitops-engine
 * pkg/sync/syncwaves).
 */
function isHook({ object }: Manifest): boolean {
  return [...(dictAt(object, 'metadata', 'annotations') ?? [])].some(([name]) => isOfHook(name))
}

function isOfHook(annotation: string): boolean {
  return annotation === HOOK || annotation.startsWith(`${HOOK}-`)
}

/**
 * Documents beside cluster.yaml: Helm never saw them, and to leave out a Cluster would take it from the tool's hands.
 */
function isBesideCluster({ origin }: Manifest): boolean {
  return origin.unit === 'cluster' && origin.from === origin.template
}

function translate(manifest: Manifest, tool: GitopsTool): Translation {
  const events = textAt(manifest.object, 'metadata', 'annotations', HOOK)
    .split(',')
    .map((event) => event.trim().toLowerCase())
    .filter((event) => event !== '')
  const isAt = (...names: readonly string[]): boolean => events.some((event) => names.includes(event))
  const isAtInstall = isAt('pre-install', 'post-install', 'crd-install')
  const isAtUpgrade = isAt('pre-upgrade', 'post-upgrade')
  const plain = withoutHook(manifest, events)
  if (isBesideCluster(manifest)) return { events, fate: 'beside', manifest: plain }
  if (dictAt(manifest.object, 'metadata', 'annotations')?.has(HOOK) !== true)
    return { events, fate: 'no-event', manifest: plain }
  if (!isAtInstall && !isAtUpgrade) {
    if (isAt('test', 'test-success', 'test-failure')) return { events, fate: 'test' }
    return { events, fate: isAt(...LATE) ? 'never' : 'unknown' }
  }
  if (!runsToCompletion(manifest)) {
    const isKept = manifest.kind === 'PersistentVolumeClaim' || isKeptByChart(plain)
    return { events, fate: isKept ? 'kept' : 'plain', manifest: isKept ? annotated(plain, KEEP) : plain }
  }
  const lasting = withoutTimeToLive(plain)
  if (tool === 'argocd') return { events, fate: argoFate(isAtInstall, isAtUpgrade), manifest: named(lasting) }
  return isAtUpgrade
    ? { events, fate: isAtInstall ? 'again' : 'again-first', manifest: annotated(lasting, FORCE) }
    : { events, fate: 'once', manifest: annotated(lasting, ONCE) }
}

function argoFate(isAtInstall: boolean, isAtUpgrade: boolean): HookFate {
  if (!isAtUpgrade) return 'renamed-once'
  return isAtInstall ? 'renamed' : 'renamed-first'
}

/** Rule: kustomize-controller docs, controlling the apply behaviour of resources. */
const FORCE = ['kustomize.toolkit.fluxcd.io/force', 'enabled'] as const
const ONCE = ['kustomize.toolkit.fluxcd.io/ssa', 'IfNotPresent'] as const
/** Helm never deletes what a hook has made, so neither may a GitOps tool where data are lost. */
const KEEP = ['helm.sh/resource-policy', 'keep'] as const

function isKeptByChart({ object }: Manifest): boolean {
  const [name, value] = KEEP
  return textAt(object, 'metadata', 'annotations', name).trim().toLowerCase() === value
}

function annotated(manifest: Manifest, [name, value]: readonly [string, string]): Manifest {
  return { ...manifest, object: withField(manifest.object, ['metadata', 'annotations', name], value) }
}

function runsToCompletion({ apiVersion, kind }: Manifest): boolean {
  return (kind === 'Job' && apiVersion.startsWith('batch/')) || (kind === 'Pod' && apiVersion === 'v1')
}

function withoutHook(manifest: Manifest, events: readonly string[]): Manifest {
  const annotations = new Dict()
  for (const [name, value] of dictAt(manifest.object, 'metadata', 'annotations') ?? [])
    if (!isOfHook(name)) annotations.set(name, value)
  if (events.length > 0) annotations.set(RECORD, events.join(','))
  return { ...manifest, object: withField(manifest.object, ['metadata', 'annotations'], annotations) }
}

/** A Job that removes itself when it is done would be applied, and run, again and again. */
function withoutTimeToLive(manifest: Manifest): Manifest {
  const spec = dictAt(manifest.object, 'spec')
  if (spec?.has('ttlSecondsAfterFinished') !== true) return manifest
  const lasting = copyDict(spec)
  lasting.delete('ttlSecondsAfterFinished')
  return { ...manifest, object: withField(manifest.object, ['spec'], lasting) }
}

/**
 * Argo CD has no "make anew when it changed" that does not also run at every sync, so what changed is another object,
 * and the old one is pruned.
 */
function named(manifest: Manifest): Manifest {
  const name = hashedName(manifest.name, shortHash(formatGoJson(manifest.object.get('spec') ?? null)))
  return { ...manifest, name, object: withField(manifest.object, ['metadata', 'name'], name) }
}
