import { OWNER_FILE } from '../model/tree-path.ts'
import { joinPath } from '../codec/path.ts'
import type { DirectoryEntry, Files, FileType } from '../model/ports.ts'
import { CONTROL_FOLDER } from './control-folder.ts'
import { mapConcurrently } from './map-concurrently.ts'

/** The content of the output folder. Links are listed, never followed. */
export interface TreeListing {
  /** The entries of the output folder and of those that are not known, by path relative to it. */
  readonly entries: ReadonlyMap<string, readonly DirectoryEntry[]>
  /** Folders that hold a tree of their own. */
  readonly inner: readonly string[]
}

/**
 * The content of one folder, with the bytes of the files that matter: those to be written, and all that may be ours.
 */
export interface FolderState {
  readonly path: string
  readonly types: ReadonlyMap<string, FileType>
  readonly bytes: ReadonlyMap<string, Uint8Array>
}

/** A listing of nothing. */
export const noListing: TreeListing = { entries: new Map([['', []]]), inner: [] }

/** Where a tree is listed, and how far. */
export interface ListOptions {
  readonly output: string
  readonly scopes: readonly string[]
  /** True for a folder whose entries nobody asks for: most have been looked at before. */
  readonly isKnown: (path: string) => boolean
  /** True for a folder below which nothing is unknown: it is passed over. */
  readonly isSettled: (path: string) => boolean
}

/** Lists every folder at or below `scopes`, the output folder itself, and those on the way to a scope. */
export async function listTree(
  { output, scopes, isKnown, isSettled }: ListOptions,
  files: Files,
): Promise<TreeListing> {
  const listing = new Map<string, readonly DirectoryEntry[]>()
  const inner: string[] = []
  let level: readonly string[] = ['']
  while (level.length > 0) {
    const found = await mapConcurrently(level, async (path) => {
      const entries = await files.entries(joinPath(output, path))
      if (path === '' || !isKnown(path)) listing.set(path, entries)
      if (path !== '' && entries.some(({ name }) => name === OWNER_FILE)) inner.push(path)
      return entries
        .filter((entry) => entry.type === 'directory' && !(path === '' && entry.name === CONTROL_FOLDER))
        .map((entry) => (path === '' ? entry.name : `${path}/${entry.name}`))
        .filter(
          (folder) =>
            !isSettled(folder) && scopes.some((scope) => isAtOrBelow(folder, scope) || isAtOrBelow(scope, folder)),
        )
    })
    level = found.flat()
  }
  return { entries: listing, inner }
}

/** True if a folder of the tree is `folder` or lies below it; `''` is the whole tree. */
export function isAtOrBelow(path: string, folder: string): boolean {
  return folder === '' || path === folder || path.startsWith(`${folder}/`)
}

/** A folder to read, and what its files are expected to hold. */
export interface ExpectedFolder {
  readonly path: string
  readonly entries: readonly DirectoryEntry[]
  readonly expected?: ReadonlyMap<string, { readonly bytes?: Uint8Array }> | undefined
}

/** Reads what a plan for the folder needs to know. */
export async function readFolderState(
  folder: ExpectedFolder,
  options: { readonly output: string; readonly files: Files },
): Promise<FolderState> {
  const types = new Map(folder.entries.map((entry) => [entry.name, entry.type]))
  const bytes = new Map<string, Uint8Array>()
  for (const [name, type] of types) {
    if (type !== 'file' || !(name.endsWith('.yaml') || name === OWNER_FILE)) continue
    const path = joinPath(options.output, folder.path, name)
    const known = folder.expected?.get(name)?.bytes
    bytes.set(name, await (known === undefined ? options.files.read(path) : options.files.readKnown(path, known)))
  }
  return { path: folder.path, types, bytes }
}
