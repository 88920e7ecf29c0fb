import { parseTreeFolder } from './tree-path.ts'

/**
 * An addon's name, of its folder: those of a release are numbered, and the number changes when stages before it come or
 * go.
 */
export function addonName(folder: string): string {
  const name = folder.slice(folder.lastIndexOf('/') + 1)
  return isOwn(folder) ? name : name.replace(/^\d+-/, '')
}

/** True if a folder holds an addon of the cluster's own, or all of them. */
export function isOwn(folder: string): boolean {
  const parsed = parseTreeFolder(folder)
  return parsed?.kind === 'addons' && parsed.owner === 'cluster'
}

/**
 * The key that distinguishes units of addons: the path of the folder that holds all of them, or of the addon alone,
 * without its number.
 */
export function addonUnitKey(folder: string, isAlone: boolean): string {
  const parent = folder.slice(0, folder.lastIndexOf('/'))
  return isAlone ? `${parent}/${addonName(folder)}` : parent
}
