import { isInside, joinPath, relativePath } from '../../codec/path.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { FileError, type FileErrorReason } from '../../model/ports.ts'
import type { Source } from '../../model/source.ts'
import type { Reading } from './reading.ts'

/** What lies in a folder, links followed. */
export interface FolderEntry {
  readonly name: string
  /** Absolute. */
  readonly path: string
  readonly type: 'file' | 'directory'
}

/** Larger files are no configuration; reading them would only take long. */
const MAX_BYTES = 16 * 1024 * 1024

/** Files and folders of a folder by name; what leads out of the fleet, or is neither, is noted as a problem. */
export async function listFolder(folder: string, reading: Reading): Promise<readonly FolderEntry[]> {
  const listed: FolderEntry[] = []
  for (const { name } of (await attempt(folder, reading, () => reading.files.entries(folder))) ?? []) {
    const path = joinPath(folder, name)
    const type = name.startsWith('.') ? undefined : await typeOf(path, reading)
    if (type !== undefined) listed.push({ name, path, type })
  }
  return listed
}

/** What a path of the fleet is once links are followed; undefined after noting a problem. */
export async function typeOf(path: string, reading: Reading): Promise<'file' | 'directory' | undefined> {
  const real = await attempt(path, reading, () => reading.files.realPath(path))
  if (real === undefined) return undefined
  if (!isInside(reading.realRoot, real)) {
    const message = `${shownPath(path, reading)} leads out of the fleet repository`
    const hint = 'Replace the link with the file itself.'
    reading.problems.push({ code: 'FILE_OUTSIDE', severity: 'error', message, file: path, hint })
    return undefined
  }
  const stat = await attempt(path, reading, () => reading.files.stat(real))
  if (stat?.type === 'file' || stat?.type === 'directory') return stat.type
  if (stat !== undefined) noteUnreadable(path, 'it is neither a file nor a folder', reading)
  return undefined
}

/** A file's text, its name relative to the fleet's folder; undefined after noting a problem. */
export async function readSource(path: string, reading: Reading): Promise<Source | undefined> {
  const bytes = await attempt(path, reading, () => reading.files.read(path))
  if (bytes === undefined) return undefined
  if (bytes.length > MAX_BYTES) {
    noteUnreadable(path, 'it is larger than 16 MiB', reading)
    return undefined
  }
  const text = decodeUtf8(bytes).replace(/^\uFEFF/, '')
  const source = { name: shownPath(path, reading), text, path }
  const start = text.search(/(?<![\uD800-\uDBFF])[\uDC80-\uDCFF]/)
  if (start === -1) return source
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

/** A path as people see it: relative to the fleet's folder. */
export function shownPath(path: string, reading: Pick<Reading, 'root'>): string {
  return relativePath(reading.root, path)
}

const reasons: Readonly<Record<FileErrorReason, string>> = {
  'not-found': 'it is not there',
  'not-permitted': 'permission is denied',
  'wrong-type': 'it is not a file',
  'no-space': 'there is no space left',
  other: 'reading failed',
}

async function attempt<T>(path: string, reading: Reading, work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    noteUnreadable(path, reasons[error.reason], reading)
    return undefined
  }
}

function noteUnreadable(path: string, reason: string, reading: Reading): void {
  const message = `${shownPath(path, reading)} cannot be read: ${reason}`
  reading.problems.push({ code: 'FILE_UNREADABLE', severity: 'error', message, file: path })
}
