import type { PathStep } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'

/** The parts of a file that stackmason itself writes, by the step that does it. */
export type OwnWork =
  | 'head'
  | 'head-source'
  | 'namespace'
  | 'instance-label'
  | 'flux-not-substituted'
  | 'flux-not-pruned'
  | 'flux-force-off'
  | 'values-guard'
  | 'argocd-sync-options'
  | 'argocd-sync-wave'
  | 'argocd-compare-options'
  | 'argocd-health'
  | 'kept'
  | 'built-in-template'
  | 'stackmason'

const byKey: ReadonlyMap<string, OwnWork> = new Map([
  ['clusterstack.x-k8s.io/instance', 'instance-label'],
  ['kustomize.toolkit.fluxcd.io/substitute', 'flux-not-substituted'],
  ['kustomize.toolkit.fluxcd.io/prune', 'flux-not-pruned'],
  ['kustomize.toolkit.fluxcd.io/force', 'flux-force-off'],
  ['stackmason.dev/values', 'values-guard'],
  ['argocd.argoproj.io/sync-options', 'argocd-sync-options'],
  ['argocd.argoproj.io/sync-wave', 'argocd-sync-wave'],
  ['argocd.argoproj.io/compare-options', 'argocd-compare-options'],
  ['argocd.argoproj.io/ignore-healthcheck', 'argocd-health'],
])

/** Which line of the head of a generated file this is; undefined for any other line. */
export function ownHead(text: string, line: number): OwnWork | undefined {
  if (line > 2 || !text.startsWith('# ')) return undefined
  return line === 1 ? 'head' : 'head-source'
}

/** Which step of stackmason wrote the entry at `path`, which stands in no input; a map is what its first entry is. */
export function ownWork(path: readonly PathStep[], value: Value | undefined): OwnWork {
  const [field, key] = path
  if (field === 'metadata' && key === 'namespace') return 'namespace'
  for (const step of path) {
    const known = byKey.get(String(step))
    if (known !== undefined) return known
  }
  const [first] = value instanceof Dict ? value : []
  return first === undefined ? 'stackmason' : ownWork([...path, first[0]], first[1])
}
