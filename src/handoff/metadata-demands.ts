import { Dict, type Value } from '../model/value.ts'
import type { Demands } from './demand.ts'
import { isBuildMark, LOCAL_CONFIG } from './without-build-marks.ts'

/** Says of the value of a label or annotation that it may be there. */
type MarkTest = (value: string) => boolean

/** Argo CD deletes what it replaces, or applies by force, where the API server refuses the change. */
const RECREATING = /^\s*(?:Force|Replace)\s*=(?!\s*false\s*$)/i

const never: MarkTest = () => false

/**
 * Labels and annotations by which a tool deletes an object, makes it anew or does not apply it, and the values that do
 * none of it. Flux reads them in any case, and in labels, too (fluxcd/pkg, ssa/utils `AnyInMetadata`).
 */
const marks: ReadonlyMap<string, MarkTest> = new Map([
  // a person's word: with a time to come it approves of all deletions until then
  ['argocd.argoproj.io/deletion-approved', never],
  ['argocd.argoproj.io/skip-reconcile', (value: string) => value === 'false'],
  ['argocd.argoproj.io/sync-options', (value: string) => !value.split(',').some((option) => RECREATING.test(option))],
  // it says whose the object is, who then prunes it
  ['argocd.argoproj.io/tracking-id', never],
  ['kustomize.toolkit.fluxcd.io/force', (value: string) => /^disabled$/i.test(value)],
  ['kustomize.toolkit.fluxcd.io/reconcile', (value: string) => /^enabled$/i.test(value)],
  ['kustomize.toolkit.fluxcd.io/ssa', (value: string) => /^(?:merge|override)$/i.test(value)],
])

/** Argo CD deletes a hook before each sync, or after it, and with an Application what that has applied. */
const HOOK = /^(?:argocd\.argoproj\.io|helm\.sh)\/hook/

/** Says which label or annotation of a map makes a tool delete an object, make it anew, or not apply it. */
export function refuseMarks(found: Value | undefined): string | undefined {
  for (const [key, value] of found instanceof Dict ? found : []) {
    if (HOOK.test(key) || isBuildMark(key)) return `may not have ${key}`
    const isSafe = marks.get(key)
    if (isSafe === undefined) continue
    if (isSafe === never) return `may not have ${key}`
    if (typeof value !== 'string' || !isSafe(value)) return `may not have this value of ${key}`
  }
  return undefined
}

/**
 * The demands on what stands at `metadata`: no tool deletes the object or makes it anew, or leaves it as it was. Where
 * none of its owners is there, Kubernetes' garbage collector deletes it.
 */
export function metadataDemands(metadata: readonly string[]): Demands {
  return [
    [[...metadata, 'annotations', LOCAL_CONFIG], undefined],
    [[...metadata, 'annotations'], refuseMarks],
    [[...metadata, 'labels'], refuseMarks],
    [[...metadata, 'ownerReferences'], undefined],
  ]
}
