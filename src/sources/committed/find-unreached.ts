import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { HANDOFF, KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import type { Dict } from '../../model/value.ts'
import { type Break, foldersNamedIn, resourcesOf } from './find-broken.ts'
import { hasMoreDocuments, parseCommitted } from './parse-committed.ts'

/** A folder of the handoff that others hang on, as a GitOps tool builds it. */
interface Parent {
  readonly breaks: readonly Break[]
  /** Folders that it includes, or whose Applications it holds. */
  readonly applies: ReadonlySet<string>
}

/** The fields of a list that changes nothing of what it lists. */
const PLAIN = new Set(['apiVersion', 'kind', 'resources'])

/**
 * Makes a search for what keeps a GitOps tool that is pointed at `handoff` once from a folder below it, or from what
 * lies there as it is: `files` are all of the handoff, by path relative to the output folder. Folders that many hang on
 * are read once.
 */
export function createReachFinder(files: ReadonlyMap<string, string>): (folder: string) => readonly Break[] {
  const parents = new Map<string, Parent>()
  const parentAt = (path: string): Parent => {
    const known = parents.get(path) ?? readParent(path, files)
    parents.set(path, known)
    return known
  }
  return (folder) => {
    const found: Break[] = [...parentAt(folder).breaks]
    for (let at = folder; at !== HANDOFF; at = dirName(at)) {
      const path = dirName(at)
      const { breaks, applies } = parentAt(path)
      if (breaks.length > 0) found.push(...breaks)
      else if (!applies.has(at))
        found.push({
          path: joinPath(path, KUSTOMIZATION_FILE),
          reason: `nothing that this file lists applies ${baseName(at)}`,
        })
    }
    return found
  }
}

function readParent(path: string, files: ReadonlyMap<string, string>): Parent {
  const index = joinPath(path, KUSTOMIZATION_FILE)
  const breaks: Break[] = []
  const applies = new Set<string>()
  const read = (file: string): Dict | undefined => {
    const text = files.get(file)
    const object = text === undefined ? undefined : parsed(text, file)
    if (object === undefined)
      breaks.push({ path: file, reason: text === undefined ? 'this file is gone' : 'this file holds no object' })
    else if (text !== undefined && hasMoreDocuments(text))
      breaks.push({ path: file, reason: 'this file holds more than one object' })
    return object
  }
  const list = read(index)
  if ([...(list ?? [])].some(([field]) => !PLAIN.has(field)))
    breaks.push({ path: index, reason: 'this file changes what it lists' })
  for (const name of list === undefined ? [] : resourcesOf(list)) {
    const listed = joinPath(path, name)
    if (files.has(joinPath(listed, KUSTOMIZATION_FILE))) applies.add(listed)
    else for (const folder of foldersNamedIn(read(listed) ?? null, path)) applies.add(folder)
  }
  return { breaks, applies }
}

function parsed(text: string, path: string): Dict | undefined {
  try {
    return parseCommitted(text, path)
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}
