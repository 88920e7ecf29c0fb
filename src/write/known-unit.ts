import type { Crypto } from '../model/ports.ts'
import type { FolderHashes } from './folder-hashes.ts'
import { isObjectFile } from './plan-folder.ts'
import { isAtOrBelow } from './read-tree.ts'
import { type FolderContent, type KnownContent, listFolder } from './serialize-folder.ts'
import { sha256 } from './sha256.ts'
import { formatWrittenFiles } from './written-files.ts'

/** A folder without its files. */
export type FolderOutline = Pick<FolderContent<KnownContent>, 'path' | 'objects' | 'own'>

/** A folder, and how many files it has. */
export interface SizedOutline extends FolderOutline {
  /** Names of the folders in it that it lists. */
  readonly includes: readonly string[]
  readonly files: number
  /** How many of the files hold an object. */
  readonly objectFiles: number
}

/**
 * The result of an earlier run for a unit: of its files only hashes are known, and those only when they are asked for.
 */
export interface KnownUnit {
  readonly outline: readonly SizedOutline[]
  /**
   * Folders that hold all that the unit has, and nothing else, and sha256 of the lines that the record of written files
   * has for each, hex. None where its files lie among others.
   */
  readonly trees: ReadonlyMap<string, string>
  readonly folders: () => readonly FolderContent<KnownContent>[]
  /** The same with the bytes of all files: asked where one of them is not on disk. */
  readonly again: MakeAgain
}

/** The folders of a unit once more, with the bytes of all files. */
export type MakeAgain = () => Promise<readonly FolderContent[]>

/** The trees of a unit, and what is in them. */
type UnitTrees = Pick<KnownUnit, 'outline' | 'trees'>

/**
 * The trees of a unit by the lines of their files, given the folders in which nobody else's files lie; none where a
 * folder lies outside of these, or lists one that is not of the unit.
 */
export function treesOf(
  folders: readonly FolderContent<KnownContent>[],
  apart: readonly string[],
  crypto: Crypto,
): UnitTrees {
  const isApart = folders.every(({ path }) => apart.some((tree) => isAtOrBelow(path, tree)))
  const listed = isApart ? listFolders(folders, crypto) : undefined
  if (listed === undefined) return { outline: folders.map(outlineOf), trees: new Map() }
  const trees = apart.flatMap((tree) => {
    const own = listed.filter(({ path, files }) => files.size > 0 && isAtOrBelow(path, tree))
    return own.length === 0 ? [] : [[tree, sha256(formatWrittenFiles(new Map(own.map(hashesOf))), crypto)] as const]
  })
  return { outline: listed.map(outlineOf), trees: new Map(trees) }
}

/** The paths of all files that folders are to have; undefined where that depends on others. */
export function filesOf(
  folders: readonly FolderContent<KnownContent>[],
  crypto: Crypto,
): readonly string[] | undefined {
  return listFolders(folders, crypto)?.flatMap(({ path, files }) =>
    Array.from(files.keys(), (name) => `${path}/${name}`),
  )
}

function outlineOf({ path, objects, own, list, files }: FolderContent<KnownContent>): SizedOutline {
  const objectFiles = [...files.keys()].filter(isObjectFile).length
  const includes = list?.includes ?? []
  return { path, objects, includes, files: files.size, objectFiles, ...(own !== undefined && { own }) }
}

/** Folders with what they list, each one of them; undefined where one lists another folder, or cannot be written. */
function listFolders(
  folders: readonly FolderContent<KnownContent>[],
  crypto: Crypto,
): readonly FolderContent<KnownContent>[] | undefined {
  const byPath = new Map(folders.map((folder) => [folder.path, folder]))
  const isKnown = ({ path, list }: FolderContent<KnownContent>): boolean =>
    list === undefined || list.includes.every((name) => byPath.has(`${path}/${name}`))
  if (!folders.every(isKnown)) return undefined
  const filled = ({ path, list }: FolderContent<KnownContent>): readonly string[] =>
    (list?.includes ?? []).filter((name) => {
      const folder = byPath.get(`${path}/${name}`)
      return folder !== undefined && (folder.objects > 0 || filled(folder).length > 0)
    })
  const listed = folders.map((folder) => {
    const { list } = folder
    if (list === undefined) return folder
    return { ...listFolder(folder, { ...list, includes: filled(folder) }, crypto), list }
  })
  return listed.some(({ problems }) => problems !== undefined) ? undefined : listed
}

function hashesOf({ path, files }: FolderContent<KnownContent>): readonly [string, FolderHashes] {
  return [path, new Map(Array.from(files, ([name, file]) => [name, file.sha256]))]
}
