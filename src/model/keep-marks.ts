import { textAt } from './field.ts'
import type { Value } from './value.ts'

/**
 * Annotations by which an object stays in its cluster when it leaves the tree: marks of Flux, Argo CD and Helm.
 * `Delete=false` is none: it only counts when a whole Application is deleted, Argo CD prunes the object all the same.
 */
const marks: readonly { readonly annotation: string; readonly value: RegExp }[] = [
  { annotation: 'kustomize.toolkit.fluxcd.io/prune', value: /^disabled$/i },
  { annotation: 'kustomize.toolkit.fluxcd.io/reconcile', value: /^disabled$/i },
  { annotation: 'argocd.argoproj.io/sync-options', value: /(?:^|,)\s*Prune=false\s*(?:,|$)/ },
  { annotation: 'helm.sh/resource-policy', value: /(?:^|,)\s*keep\s*(?:,|$)/ },
]

/** True if an object is marked to stay where it is applied when it leaves the tree. */
export function isMarkedToStay(object: Value): boolean {
  return marks.some(({ annotation, value }) => value.test(textAt(object, 'metadata', 'annotations', annotation)))
}

/** The option of an object about its deletion by Argo CD: alone (`Prune`), or with its Application (`Delete`). */
export function deletionMark(object: Value, option: 'Prune' | 'Delete'): 'false' | 'confirm' | undefined {
  const options = textAt(object, 'metadata', 'annotations', 'argocd.argoproj.io/sync-options')
    .split(',')
    .map((one) => one.trim())
  return options.includes(`${option}=false`) ? 'false' : options.includes(`${option}=confirm`) ? 'confirm' : undefined
}
