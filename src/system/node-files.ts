import {
  mkdir,
  open,
  lstat,
  readdir,
  readFile,
  realpath,
  rename,
  rmdir,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { dirname, sep } from 'node:path'
import { FileError, type FileErrorReason, type Files, type FileStat, type FileType } from '../model/ports.ts'

const REASONS: ReadonlyMap<string, FileErrorReason> = new Map([
  ['ENOENT', 'not-found'],
  ['EACCES', 'not-permitted'],
  ['EPERM', 'not-permitted'],
  ['EROFS', 'not-permitted'],
  ['ENOTDIR', 'wrong-type'],
  ['EISDIR', 'wrong-type'],
  ['ELOOP', 'wrong-type'],
  ['ENOSPC', 'no-space'],
  ['EDQUOT', 'no-space'],
])

/** The files of this machine through node:fs. */
export function createNodeFiles(): Files {
  return {
    read: (path) => guard(path, async () => plainBytes(await readFile(path))),
    entries: (path) =>
      guard(path, async () => {
        const found = await readdir(path, { withFileTypes: true })
        const entries = found.map((entry) => ({ name: entry.name, type: fileType(entry) }))
        return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
      }),
    stat: (path) => guard(path, () => statOrNothing(path)),
    realPath: (path) => guard(path, async () => (await realpath(path)).replaceAll(sep, '/')),
    write: (path, bytes, durability) =>
      guard(path, async () => {
        const put = durability === 'durable' ? () => writeDurably(path, 'w', bytes) : () => writeFile(path, bytes)
        // most folders are there already
        if ((await put().then(() => '', unlessCode('ENOENT'))) === '') return
        await mkdir(dirname(path), { recursive: true })
        await put()
      }),
    rename: (from, to) => guard(to, () => rename(from, to)),
    remove: (path) =>
      guard(path, async () => {
        await unlink(path).catch(unlessCode('ENOENT'))
      }),
    removeEmptyDirectory: (path) =>
      guard(path, async () => {
        const failed = await rmdir(path).then(() => '', unlessCode('ENOENT', 'ENOTEMPTY', 'EEXIST'))
        return failed === '' || failed === 'ENOENT'
      }),
    makeDirectory: (path) =>
      guard(path, async () => {
        await mkdir(path, { recursive: true })
      }),
    touch: (path) =>
      guard(path, async () => {
        const now = new Date()
        await utimes(path, now, now).catch(unlessCode('ENOENT'))
      }),
    createExclusive: (path, bytes) =>
      guard(path, async () => (await writeDurably(path, 'wx', bytes).then(() => '', unlessCode('EEXIST'))) === ''),
  }
}

async function guard<Result>(path: string, run: () => Promise<Result>): Promise<Result> {
  try {
    return await run()
  } catch (cause) {
    const code = codeOf(cause)
    if (code === undefined) throw cause
    throw new FileError(REASONS.get(code) ?? 'other', path, { cause })
  }
}

async function writeDurably(path: string, flag: 'w' | 'wx', bytes: Uint8Array): Promise<void> {
  const file = await open(path, flag)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function statOrNothing(path: string): Promise<FileStat | undefined> {
  try {
    const stat = await lstat(path)
    return { type: fileType(stat), size: stat.size, modified: stat.mtimeMs }
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw error
  }
}

/** Makes a rejection handler that returns the error's code when it is one of `codes` and throws anything else on. */
function unlessCode(...codes: readonly string[]): (error: unknown) => string {
  return (error) => {
    const code = codeOf(error)
    if (code !== undefined && codes.includes(code)) return code
    throw error
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

function fileType(entry: {
  isFile: () => boolean
  isDirectory: () => boolean
  isSymbolicLink: () => boolean
}): FileType {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isFile()) return 'file'
  return entry.isDirectory() ? 'directory' : 'other'
}

/** A Buffer's methods differ from Uint8Array's (`slice` shares memory), so none leaves this room. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}
