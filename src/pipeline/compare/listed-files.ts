import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import type { FileIds } from '../../diff/plan-reading.ts'
import { joinPath } from '../../codec/path.ts'
import { fieldAt, itemsAt } from '../../model/field.ts'
import { KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import type { OpenTree } from './open-tree.ts'

/** A tree, and what of it nobody applies. */
export interface ListedTree {
  readonly tree: OpenTree
  /** Files of the tree that are in none of its lists. */
  readonly unlisted: ReadonlySet<string>
  /** Lists that name what the tree does not have, such as an address: those names of each. */
  readonly elsewhere: ReadonlyMap<string, readonly string[]>
}

/**
 * Leaves out of two trees the files that the list of their folder does not name: kustomize and GitOps tools apply what
 * is listed. Only lists that differ are looked at; of those that only the new tree has, what they name elsewhere.
 */
export async function applyLists(before: OpenTree, after: OpenTree): Promise<readonly [ListedTree, ListedTree]> {
  const [changed, added] = [new Set<string>(), new Set<string>()]
  for (const [path, id] of after.files) {
    if (nameOf(path) !== KUSTOMIZATION_FILE) continue
    const other = before.files.get(path)
    if (other === undefined) added.add(path)
    else if (other !== id) changed.add(path)
  }
  return [await listedOf(before, changed, new Set()), await listedOf(after, changed, added)]
}

async function listedOf(tree: OpenTree, changed: ReadonlySet<string>, added: ReadonlySet<string>): Promise<ListedTree> {
  if (changed.size + added.size === 0) return { tree, unlisted: new Set(), elsewhere: new Map() }
  const named = new Map<string, ReadonlySet<string>>()
  const elsewhere = new Map<string, readonly string[]>()
  const folders = foldersOf(tree)
  for (const [path, text] of await tree.read(new Set([...changed, ...added]))) {
    const names = resourcesIn(text)
    if (names === undefined) continue
    const folder = folderOf(path)
    if (changed.has(path)) named.set(folder, names)
    const others = [...names].filter((name) => {
      const file = joinPath(folder, name)
      return !tree.files.has(file) && !folders.has(file)
    })
    if (others.length > 0) elsewhere.set(path, others)
  }
  const unlisted = new Set<string>()
  const files = new Map<string, string>()
  for (const [path, id] of tree.files)
    if (isUnlisted(path, named)) unlisted.add(path)
    else files.set(path, id)
  return { tree: { ...tree, files: files satisfies FileIds }, unlisted, elsewhere }
}

/** The folders that files lie in, directly or further below. */
function foldersOf({ files }: OpenTree): ReadonlySet<string> {
  const folders = new Set<string>()
  for (const path of files.keys())
    for (let folder = folderOf(path); folder !== '' && !folders.has(folder); folder = folderOf(folder))
      folders.add(folder)
  return folders
}

/** `''` for a name alone. */
function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0))
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/**
 * True if a list on the way to the file does not name it, or the folder that it is in. `named`: lists by their folder.
 * A list that names no folder says nothing of those below it: units of their own apply them.
 */
function isUnlisted(path: string, named: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const parts = path.split('/')
  const file = parts.pop() ?? ''
  const own = named.get(parts.join('/'))
  if (own !== undefined && file.endsWith('.yaml') && file !== KUSTOMIZATION_FILE && !own.has(file)) return true
  while (parts.length > 1) {
    const folder = parts.pop() ?? ''
    const names = named.get(parts.join('/'))
    if (names !== undefined && !names.has(folder) && !names.has(`./${folder}`) && namesFolders(names)) return true
  }
  return false
}

function namesFolders(names: ReadonlySet<string>): boolean {
  return [...names].some((name) => !name.endsWith('.yaml'))
}

/** Undefined for what is no list, which says nothing. */
function resourcesIn(text: string): ReadonlySet<string> | undefined {
  try {
    const list = parseGoYaml(text)
    if (fieldAt(list, 'resources') === undefined) return undefined
    return new Set(itemsAt(list, 'resources').filter((name) => typeof name === 'string'))
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}
