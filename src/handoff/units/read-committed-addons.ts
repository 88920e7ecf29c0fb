import { itemsAt, textAt } from '../../model/field.ts'
import type { CommittedAddons } from '../../model/handoff.ts'
import { parseCommitted } from '../steps/parse-committed.ts'

const PRUNE = 'kustomize.toolkit.fluxcd.io/prune'
const INDEX = 'kustomization.yaml'

/**
 * Reads how a committed tree divides a cluster's addons among units. `files` are all below the folder `addons` of the cluster, by their path relative to
 * it; `base` is its path in the output folder.
 * @throws StackmasonError OBJECT_INVALID for a file that holds no object
 */
export function readCommittedAddons(base: string, files: ReadonlyMap<string, string>): CommittedAddons {
  const index = files.get(INDEX)
  const resources = index === undefined ? [] : itemsAt(parseCommitted(index, `${base}/${INDEX}`), 'resources')
  const folders = resources.filter((resource): resource is string => typeof resource === 'string')
  const isLetGo = (folder: string): boolean =>
    [...files].every(
      ([path, text]) =>
        !path.startsWith(`${folder}/`) ||
        !isObjectFile(path.slice(folder.length + 1)) ||
        textAt(parseCommitted(text, `${base}/${path}`), 'metadata', 'annotations', PRUNE) === 'disabled',
    )
  return {
    together: new Set(folders.map(addonName)),
    letGo: new Set(folders.filter(isLetGo).map(addonName)),
  }
}

function isObjectFile(name: string): boolean {
  return name.endsWith('.yaml') && !name.startsWith('.') && name !== INDEX
}

/** `<NN>-<addon>` without its number, which changes when addons before it come or go. */
export function addonName(folder: string): string {
  return folder.replace(/^\d+-/, '')
}
