import { dictAt, fieldAt, textAt } from '../../model/field.ts'
import type { Dict } from '../../model/value.ts'
import { parseCommitted } from './parse-committed.ts'

/**
 * Whether the tree suspends a cluster. `files` are the GitOps tool's objects of the cluster as they are committed, by their path relative to `folder`.
 * @throws StackmasonError OBJECT_INVALID when one is damaged
 */
export function isSuspendedInTree(files: ReadonlyMap<string, string>, folder: string): boolean {
  return [...files].some(
    ([path, text]) =>
      /^(?:flux-kustomization|application)-.*\.yaml$/.test(path) &&
      isSuspendedUnit(parseCommitted(text, `${folder}/${path}`)),
  )
}

function isSuspendedUnit(object: Dict): boolean {
  const group = textAt(object, 'apiVersion').split('/')[0]
  if (group === 'kustomize.toolkit.fluxcd.io') return fieldAt(object, 'spec', 'suspend') === true
  // the unit of the objects for the GitOps tool is never suspended
  return (
    group === 'argoproj.io' &&
    textAt(object, 'kind') === 'Application' &&
    dictAt(object, 'spec', 'syncPolicy', 'automated') === undefined
  )
}
