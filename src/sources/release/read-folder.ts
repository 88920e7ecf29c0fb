import { joinPath, isInside } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import type { ChartFile } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { unreadable } from '../../model/file-problem.ts'
import { FileError, type DirectoryEntry, type Files, type FileStat } from '../../model/ports.ts'
import type { Span } from '../../model/source.ts'
import { originPath } from './origin-path.ts'

/** A folder that nothing read through it may lead out of. */
export interface Folder {
  /** As the user wrote it, or an address; for messages. */
  readonly path: string
  /** With every link resolved. */
  readonly root: string
}

/** The files that a folder is read from: this machine's, or those of a commit. */
export type FolderFiles = Pick<Files, 'read' | 'entries' | 'stat' | 'realPath'>

/** Bounds on what is read from a folder. */
export interface FolderLimits {
  readonly files: number
  readonly fileBytes: number
  readonly totalBytes: number
}

/** Far above any real release (scs: 40 files, 2 MB), far below what would hurt. */
export const folderLimits: FolderLimits = { files: 20_000, fileBytes: 64 * 1024 * 1024, totalBytes: 256 * 1024 * 1024 }

/** Opens a folder. @throws StackmasonError FILE_UNREADABLE */
export async function openFolder(path: string, files: FolderFiles, at?: Span): Promise<Folder> {
  return withFileErrors(at, async () => {
    const root = await files.realPath(path)
    const stat = await files.stat(root)
    if (stat?.type !== 'directory') throw notOfType(path, stat)
    return { path, root }
  })
}

/**
 * The folder below `parent`; its files may not lead out of `parent`. @throws StackmasonError FILE_UNREADABLE,
 * FILE_OUTSIDE
 */
export async function openSubfolder(parent: Folder, name: string, files: FolderFiles): Promise<Folder> {
  const path = originPath(parent.path, name)
  const root = await resolveInside(parent, name, files)
  const { root: real } = await openFolder(root, files)
  return { path, root: real }
}

/**
 * Lists the entries of the folder, by name; links as links: their targets are checked when they are read. @throws
 * StackmasonError FILE_UNREADABLE
 */
export async function listFolder(folder: Folder, files: FolderFiles): Promise<readonly DirectoryEntry[]> {
  return withFileErrors(undefined, () => files.entries(folder.root))
}

/** One file of the folder. @throws StackmasonError FILE_UNREADABLE, FILE_OUTSIDE, RELEASE_TOO_LARGE */
export async function readFolderFile(
  folder: Folder,
  name: string,
  files: FolderFiles,
  { maxBytes = folderLimits.fileBytes }: { readonly maxBytes?: number } = {},
): Promise<Uint8Array> {
  const shown = originPath(folder.path, name)
  const real = await resolveInside(folder, name, files)
  return withFileErrors(undefined, async () => {
    const stat = await files.stat(real)
    if (stat?.type === 'directory' && (await files.stat(joinPath(folder.root, name)))?.type === 'link')
      throw linkToFolder(shown)
    if (stat?.type !== 'file') throw notOfType(shown, stat)
    if (stat.size > maxBytes) throw tooLarge(shown, `more than ${maxBytes} bytes`)
    return files.read(real)
  })
}

/**
 * Every file below the folder, in byte order of the paths, hidden ones included (they count into csctl's hash). A link
 * to a file inside is read as that file, as csctl does; a link to a folder is refused, which csctl cannot read either.
 * @throws StackmasonError FILE_UNREADABLE, FILE_OUTSIDE, RELEASE_TOO_LARGE
 */
export async function readFolderTree(
  folder: Folder,
  files: FolderFiles,
  limits: FolderLimits = folderLimits,
): Promise<readonly ChartFile[]> {
  return readTree(folder, files, { limits, leavesOut: () => false })
}

/** The folder that `stackmason build` and `csctl create` write to where nobody names one. */
const BUILD_OUTPUT = '.release'

/**
 * Every file of a provider directory, as {@link readFolderTree}, without what was built in it, which would change its
 * hash, and with it the version of the next build; and without what git keeps there, which changes with each commit and
 * may hold credentials.
 * @throws StackmasonError FILE_UNREADABLE, FILE_OUTSIDE, RELEASE_TOO_LARGE
 */
export async function readProviderTree(folder: Folder, files: FolderFiles): Promise<readonly ChartFile[]> {
  return readTree(folder, files, {
    limits: folderLimits,
    leavesOut: (path) => path === BUILD_OUTPUT || /(?:^|\/)\.git$/.test(path),
  })
}

interface TreeOptions {
  readonly limits: FolderLimits
  readonly leavesOut: (path: string) => boolean
}

async function readTree(
  folder: Folder,
  files: FolderFiles,
  { limits, leavesOut }: TreeOptions,
): Promise<readonly ChartFile[]> {
  const found: ChartFile[] = []
  let total = 0
  const visit = async (below: string): Promise<void> => {
    for (const { name, type } of await withFileErrors(undefined, () => files.entries(joinPath(folder.root, below)))) {
      const path = below === '' ? name : `${below}/${name}`
      if (leavesOut(path)) continue
      if (type === 'directory') {
        await visit(path)
        continue
      }
      if (found.length >= limits.files) throw tooLarge(folder.path, `more than ${limits.files} files`)
      const bytes = await readFolderFile(folder, path, files, { maxBytes: limits.fileBytes })
      total += bytes.length
      if (total > limits.totalBytes) throw tooLarge(folder.path, `more than ${limits.totalBytes} bytes`)
      found.push({ path, bytes })
    }
  }
  await visit('')
  return found.toSorted((a, b) => compareBytes(a.path, b.path))
}

async function resolveInside(folder: Folder, name: string, files: FolderFiles): Promise<string> {
  const shown = originPath(folder.path, name)
  const real = await withFileErrors(undefined, async () => {
    try {
      return await files.realPath(joinPath(folder.root, name))
    } catch (error) {
      throw error instanceof FileError
        ? new FileError(error.reason, shown, { cause: error, found: error.found })
        : error
    }
  })
  if (isInside(folder.root, real)) return real
  throw new StackmasonError({
    code: 'FILE_OUTSIDE',
    severity: 'error',
    message: `${shown} is a link that leads out of ${folder.path}`,
    file: shown,
    hint: 'Put a copy of what it leads to in its place.',
  })
}

function linkToFolder(shown: string): StackmasonError {
  return new StackmasonError({
    code: 'FILE_UNREADABLE',
    severity: 'error',
    message: `${shown} is a link to a folder; in a release only links to files are followed`,
    file: shown,
    hint: 'Put a copy of the folder in its place: csctl reads no such link either.',
  })
}

/** The error for something larger than any release. */
export function tooLarge(file: string, what: string): StackmasonError {
  return new StackmasonError({
    code: 'RELEASE_TOO_LARGE',
    severity: 'error',
    message: `${file} holds ${what}, which no release does`,
    file,
  })
}

function notOfType(path: string, stat: FileStat | undefined): FileError {
  return stat === undefined ? new FileError('not-found', path) : new FileError('wrong-type', path, { found: stat.type })
}

async function withFileErrors<Result>(at: Span | undefined, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    const problem = unreadable(error, { what: error.path, file: error.path })
    throw new StackmasonError(at === undefined ? problem : { ...problem, at }, { cause: error })
  }
}
