import { parseGoYaml, YamlError } from '../../codec/go-yaml/go-yaml-parse.ts'
import type { FileIds } from '../../diff/plan-reading.ts'
import { itemsAt } from '../../model/field.ts'
import { KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import type { OpenTree } from './open-tree.ts'

/** A tree, and what of it nobody applies. */
export interface ListedTree {
  readonly tree: OpenTree
  /** Files of the tree that are in none of its lists. */
  readonly unlisted: ReadonlySet<string>
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
  if (lists.size === 0) return { tree, unlisted: new Set() }
  const named = new Map<string, ReadonlySet<string>>()
  for (const [path, text] of await tree.read(lists)) {
    const names = resourcesIn(text)
    if (names !== undefined) named.set(path.slice(0, path.lastIndexOf('/')), names)
  }
  const unlisted = new Set<string>()
  const files = new Map<string, string>()
  for (const [path, id] of tree.files)
    if (isUnlisted(path, named)) unlisted.add(path)
    else files.set(path, id)
  return { tree: { ...tree, files: files satisfies FileIds }, unlisted }
}

function isUnlisted(path: string, named: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  const slash = path.lastIndexOf('/')
  const [folder, file] = [path.slice(0, slash), path.slice(slash + 1)]
  const names = named.get(folder)
  return names !== undefined && file.endsWith('.yaml') && file !== KUSTOMIZATION_FILE && !names.has(file)
}

/** Undefined for what is no list, which says nothing. */
function resourcesIn(text: string): ReadonlySet<string> | undefined {
  try {
    const names = itemsAt(parseGoYaml(text), 'resources').filter((name) => typeof name === 'string')
    return names.length === 0 ? undefined : new Set(names)
  } catch (error) {
    if (error instanceof YamlError) return undefined
    throw error
  }
}
