import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { hasGeneratedHead } from '../../codec/text/generated-head.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { itemsAt } from '../../model/field.ts'
import { KUSTOMIZATION_FILE } from '../../model/tree-path.ts'
import { Dict, type Value } from '../../model/value.ts'
import { parseCommitted } from './parse-committed.ts'

/** Files by path relative to the output folder. */
type Files = ReadonlyMap<string, string>

/** Where committed files do not fit together. */
export interface Break {
  /** The path to restore: a file, or a folder; relative to the output folder. */
  readonly path: string
  /** The problem with it. */
  readonly reason: string
}

/** The committed files of one cluster, and how paths of the output folder are shown. */
export interface CommittedFiles {
  /** Below the cluster's folder. */
  readonly content: Files
  /** The GitOps tool's objects for it. */
  readonly handoff: Files
  readonly display: (path: string) => string
}

/**
 * Finds files in kept folders of a cluster that somebody removed, emptied or edited, so that the folders do not fit
 * together any more: an object that is left out would leave the running cluster. `base` is the cluster's folder.
 * @throws StackmasonError OBJECT_INVALID for a file that holds no object
 */
export function findBroken(base: string, { content, handoff, display }: CommittedFiles): readonly Break[] {
  const breaks = [...breaksOf(content, display), ...breaksOf(handoff, display)]
  if (breaks.length > 0) return breaks
  const applied = new Map(
    [...handoff].flatMap(([path, text]) =>
      foldersNamedIn(parseCommitted(text, path), base).map((folder) => [folder, path] as const),
    ),
  )
  // the tree of a tool that was not there before
  if (applied.size === 0) return []
  const folders = new Set([...content.keys()].map(dirName))
  const included = includedIn(folders, content)
  const misapplied = [...applied].flatMap(([folder, by]): readonly Break[] => {
    const index = joinPath(folder, KUSTOMIZATION_FILE)
    if (!folders.has(folder)) {
      const isLeft = [...folders].some((other) => other.startsWith(`${folder}/`))
      return [
        {
          path: isLeft ? index : folder,
          reason: `this ${isLeft ? 'file' : 'folder'} is gone, and ${display(by)} applies it`,
        },
      ]
    }
    if (!included.has(folder)) return []
    const reason = `this file lists ${baseName(folder)}, which ${display(by)} applies by itself`
    return [{ path: joinPath(dirName(folder), KUSTOMIZATION_FILE), reason }]
  })
  const left = [...folders].flatMap((folder): readonly Break[] => {
    if (
      applied.has(folder) ||
      included.has(folder) ||
      misapplied.some(({ path }) => folder.startsWith(`${dirName(path)}/`))
    )
      return []
    const holder = joinPath(dirName(folder), KUSTOMIZATION_FILE)
    if (content.has(holder))
      return [
        { path: holder, reason: `this file does not list ${baseName(folder)}, and nothing else applies that folder` },
      ]
    const [first = ''] = handoff.keys()
    return [{ path: dirName(first), reason: `nothing in this folder applies ${display(folder)}` }]
  })
  return [...misapplied, ...left]
}

/**
 * Finds what is left of a cluster whose Cluster, or its placeholder from a decommission, is gone: a decommission takes
 * that out last.
 */
export function findLeft(base: string, { content, handoff, display }: CommittedFiles): readonly Break[] {
  const applying = [...handoff].filter(([path, text]) => foldersNamedIn(parseCommitted(text, path), base).length > 0)
  const [file] = [...applying, ...content].map(([path]) => path)
  return file === undefined
    ? []
    : [
        {
          path: `${base}/cluster`,
          reason: `this folder says nothing of its Cluster, and ${display(file)} is still there`,
        },
      ]
}

function includedIn(folders: ReadonlySet<string>, files: Files): ReadonlySet<string> {
  return new Set([...folders].flatMap((folder) => listedIn(folder, files).map((name) => joinPath(folder, name))))
}

/** Lists that differ from what lies there. @throws StackmasonError OBJECT_INVALID for a list that holds no object */
export function breaksOf(files: Files, display: CommittedFiles['display']): readonly Break[] {
  const folders = [...new Set([...files.keys()].map(dirName))].toSorted(compareBytes)
  return folders.flatMap((folder): readonly Break[] => {
    const path = joinPath(folder, KUSTOMIZATION_FILE)
    if (!files.has(path)) return [{ path, reason: 'this file is gone: nothing says what of the folder is applied' }]
    const listed = new Set(listedIn(folder, files))
    const missing = [...listed].filter(
      (name) => !files.has(joinPath(folder, name)) && !folders.includes(joinPath(folder, name)),
    )
    const unlisted = [...files].flatMap(([file, text]) => {
      const name = baseName(file)
      const isOurs =
        dirName(file) === folder &&
        name !== KUSTOMIZATION_FILE &&
        name.endsWith('.yaml') &&
        !name.startsWith('.') &&
        hasGeneratedHead(text)
      return isOurs && !listed.has(name) ? [name] : []
    })
    return [
      ...missing.map((name) => ({
        path: joinPath(folder, name),
        reason: `this file is gone, and ${display(path)} lists it`,
      })),
      ...unlisted.map((name) => ({ path, reason: `this file does not list ${name}, which lies beside it` })),
    ]
  })
}

function listedIn(folder: string, files: Files): readonly string[] {
  const path = joinPath(folder, KUSTOMIZATION_FILE)
  const text = files.get(path)
  return text === undefined ? [] : resourcesOf(parseCommitted(text, path))
}

/** The files and folders that a kustomization.yaml lists. */
export function resourcesOf(kustomization: Dict): readonly string[] {
  return itemsAt(kustomization, 'resources').flatMap((name) => (typeof name === 'string' ? [name] : []))
}

/** Folders below `base` that a GitOps tool's object names, whatever its template calls the field. */
export function foldersNamedIn(value: Value, base: string, isPath = false): readonly string[] {
  if (typeof value === 'string') {
    const at = value.lastIndexOf(`${base}/`)
    const isText = (isPath ? /[\n\r]/ : /\s/).test(value)
    return at === -1 || isText || (at > 0 && value[at - 1] !== '/') ? [] : [value.slice(at)]
  }
  if (value instanceof Dict) return [...value].flatMap(([name, field]) => foldersNamedIn(field, base, name === 'path'))
  return Array.isArray(value) ? value.flatMap((item: Value) => foldersNamedIn(item, base)) : []
}
