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
  /** Lists that name what the tree does not have, such as an address: the first such name of each. */
  readonly elsewhere: ReadonlyMap<string, string>
}

/**
 * Leaves out of two trees the files that the list of their folder does not name: kustomize and GitOps tools apply what
 * is listed. Only lists that differ are looked at.
 */
export async function applyLists(before: OpenTree, after: OpenTree): Promise<readonly [ListedTree, ListedTree]> {
  const lists = new Set(
    [...before.files].flatMap(([path, id]) => {
      const other = after.files.get(path)
      return path.endsWith(`/${KUSTOMIZATION_FILE}`) && other !== undefined && other !== id ? [path] : []
    }),
  )
  return [await listedOf(before, lists), await listedOf(after, lists)]
}

async function listedOf(tree: OpenTree, lists: ReadonlySet<string>): Promise<ListedTree> {
  if (lists.size === 0) return { tree, unlisted: new Set(), elsewhere: new Map() }
  const named = new Map<string, ReadonlySet<string>>()
  const elsewhere = new Map<string, string>()
  for (const [path, text] of await tree.read(lists)) {
    const names = resourcesIn(text)
    if (names === undefined) continue
    const folder = path.slice(0, path.lastIndexOf('/'))
    named.set(folder, names)
    const other = [...names].find((name) => !has(tree, joinPath(folder, name)))
    if (other !== undefined) elsewhere.set(path, other)
  }
  const unlisted = new Set<string>()
  const files = new Map<string, string>()
  for (const [path, id] of tree.files)
    if (isUnlisted(path, named)) unlisted.add(path)
    else files.set(path, id)
  return { tree: { ...tree, files: files satisfies FileIds }, unlisted, elsewhere }
}

/** True for a file of the tree, and for a folder with a list of its own. */
function has({ files }: OpenTree, path: string): boolean {
  return files.has(path) || files.has(`${path}/${KUSTOMIZATION_FILE}`)
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
