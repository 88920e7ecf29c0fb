import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import { decodeUtf8, escapedByteAt } from '../../codec/bytes/utf8.ts'
import { fileProblem, type FileProblem, outsideFleet, wrongKind } from '../../model/file-problem.ts'
import { FileError } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import { findRepository } from '../committed/find-repository.ts'
import type { Reading } from './reading.ts'

/** An entry of a folder, links followed. */
export interface FolderEntry {
  readonly name: string
  /** Absolute. */
  readonly path: string
  readonly type: 'file' | 'directory'
}

/** Larger files are no configuration; reading them would only take long. */
const MAX_BYTES = 16 * 1024 * 1024

const TOO_LARGE: FileProblem = {
  reason: 'it is larger than 16 MiB',
  hint: 'Remove content that is not configuration, or split the file: no more is read of a file that people write.',
}

/**
 * Files and folders of a folder of the fleet by name, as far as `isWanted`; what leads out of the fleet, or is neither,
 * is noted as a problem.
 */
export async function listFolder(
  folder: string,
  reading: Reading,
  isWanted: (name: string) => boolean = () => true,
): Promise<readonly FolderEntry[]> {
  const listed: FolderEntry[] = []
  for (const { name, type } of (await attempt(folder, reading, () => reading.files.entries(folder))) ?? []) {
    if (name.startsWith('.') || !isWanted(name)) continue
    const path = joinPath(folder, name)
    // only links, and what is neither, may be something else than they are listed as, or lead elsewhere
    const followed = type === 'file' || type === 'directory' ? type : await typeOf(path, reading)
    if (followed !== undefined) listed.push({ name, path, type: followed })
  }
  return listed
}

/** The type of a path of the fleet once links are followed; undefined after noting a problem. */
export async function typeOf(path: string, reading: Reading): Promise<'file' | 'directory' | undefined> {
  const real = await attempt(path, reading, () => reading.files.realPath(path))
  if (real === undefined) return undefined
  if (!isInside(reading.realRoot, real)) {
    noteOutside(path, reading)
    return undefined
  }
  const stat = await attempt(path, reading, () => reading.files.stat(real))
  if (stat?.type === 'file' || stat?.type === 'directory') return stat.type
  if (stat !== undefined) noteUnreadable(path, wrongKind(stat.type), reading)
  return undefined
}

/**
 * The text of stackmason.yaml, which may be a link to a file of its repository: without one, of its own folder.
 * Undefined after noting a problem.
 */
export async function readFleetSource(file: string, reading: Reading): Promise<Source | undefined> {
  const { files, root, realRoot } = reading
  if ((await files.stat(file))?.type === 'link') {
    const real = await attempt(file, reading, () => files.realPath(file))
    if (real === undefined) return undefined
    const repository = await findRepository(root, { files })
    if (!isInside(repository === undefined ? realRoot : await files.realPath(repository), real)) {
      noteOutside(file, reading)
      return undefined
    }
  }
  return readSource(file, reading)
}

/** A file's text, its name relative to the fleet's folder; undefined after noting a problem. */
export async function readSource(path: string, reading: Reading): Promise<Source | undefined> {
  const bytes = await attempt(path, reading, () => readUpTo(path, reading))
  if (bytes === undefined) return undefined
  if (bytes === 'too large') {
    noteUnreadable(path, TOO_LARGE, reading)
    return undefined
  }
  const text = decodeUtf8(bytes).replace(/^\uFEFF/, '')
  const source = { name: shownPath(path, reading), text, path }
  const start = escapedByteAt(text)
  if (start === undefined) return source
  const message = 'the file is not UTF-8 text'
  reading.problems.push({
    code: 'CONFIG_SYNTAX',
    severity: 'error',
    message,
    at: { source, start, end: start + 1 },
    hint: 'Save it with UTF-8 encoding.',
  })
  return undefined
}

/** Nothing of a file that is too large comes into memory; only a link takes a look at what it leads to. */
async function readUpTo(path: string, { files }: Reading): Promise<Uint8Array | 'too large'> {
  const there = await files.stat(path)
  const stat = there?.type === 'link' ? await files.stat(await files.realPath(path)) : there
  if ((stat?.size ?? 0) > MAX_BYTES) return 'too large'
  const bytes = await files.read(path)
  return bytes.length > MAX_BYTES ? 'too large' : bytes
}

/** A path as people see it: relative to the fleet's folder. */
export function shownPath(path: string, reading: Pick<Reading, 'root'>): string {
  return relativePath(reading.root, path)
}

async function attempt<T>(path: string, reading: Reading, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    noteUnreadable(path, fileProblem(error), reading)
    return undefined
  }
}

function noteOutside(path: string, reading: Reading): void {
  reading.problems.push(outsideFleet(path, shownPath(path, reading)))
}

function noteUnreadable(path: string, { reason, hint }: FileProblem, reading: Reading): void {
  const message = `${shownPath(path, reading)} cannot be read: ${reason}`
  reading.problems.push({ code: 'FILE_UNREADABLE', severity: 'error', message, file: path, hint })
}
