import { randomUUID } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  type Dirent,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, sep } from 'node:path'
import {
  FileError,
  type FileErrorReason,
  type FileParts,
  type Files,
  type FileStat,
  type FileType,
  SIGNATURE_LENGTH,
} from '../model/ports.ts'
import { isPrivate, isPrivateAt } from './is-private.ts'
import { makeFolder } from './make-folder.ts'

const REASONS: ReadonlyMap<string, FileErrorReason> = new Map([
  ['ENOENT', 'not-found'],
  ['EACCES', 'not-permitted'],
  ['EPERM', 'not-permitted'],
  ['EROFS', 'read-only'],
  ['ENOTDIR', 'wrong-type'],
  ['EISDIR', 'wrong-type'],
  ['EEXIST', 'wrong-type'],
  ['ELOOP', 'wrong-type'],
  ['ENXIO', 'wrong-type'],
  ['ENOSPC', 'no-space'],
  ['EDQUOT', 'no-space'],
])

/** The most that is read of what is no regular file: it need not end. */
const MAX_STREAM = 128 * 1024 * 1024
const STREAM_CHUNK = 64 * 1024

const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'] as const

/**
 * The files of this machine through node:fs. Each operation is done before its promise is returned: a render touches
 * thousands of small files, and handing each to a thread and back takes ten times what the system needs for it.
 */
export function createNodeFiles(): Files {
  return {
    read: (path, from) => guard(path, () => plainBytes(from === 'stream' ? readStream(path) : readRegular(path))),
    readKnown: (path, known) =>
      guard(path, () => {
        const bytes = readRegular(path)
        return bytes.equals(known) ? known : plainBytes(bytes)
      }),
    entries: (path) =>
      guard(path, () => {
        const entries = readdirSync(path, { withFileTypes: true }).map((entry) => ({
          name: entry.name,
          type: fileType(entry),
        }))
        return entries.sort((a, b) => (a.name < b.name ? -1 : 1))
      }),
    stat: (path) => guard(path, () => statOrNothing(path)),
    signatures: (paths) => Promise.resolve(readSignatures(paths)),
    realPath: (path) => guard(path, () => realpathSync.native(path).replaceAll(sep, '/')),
    write: (path, content, durability) =>
      guard(path, () => {
        const put =
          durability === undefined && content instanceof Uint8Array
            ? () => writeFileSync(path, content)
            : () => writeParts(path, 'w', { content, durability })
        inFolder(path, put)
      }),
    keep: (path, name) =>
      guard(path, () => {
        codeUnlessDone(() => unlinkSync(name), 'ENOENT')
        inFolder(name, () => {
          if (codeUnlessDone(() => linkSync(path, name), ...WITHOUT_LINKS) !== '') copyFileSync(path, name)
        })
      }),
    copyRights: (from, to) => guard(from, () => chmodSync(to, statSync(from).mode & 0o777)),
    rename: (from, to) => guard(to, () => renameSync(from, to)),
    remove: (path) => guard(path, () => void codeUnlessDone(() => unlinkSync(path), 'ENOENT')),
    removeEmptyDirectory: (path) =>
      guard(path, () => {
        const code = codeUnlessDone(() => rmdirSync(path), 'ENOENT', 'ENOTEMPTY', 'EEXIST')
        return code === '' || code === 'ENOENT'
      }),
    makeDirectory: (path) => guard(path, () => makeFolder(path)),
    touch: (path) =>
      guard(path, () => {
        const now = new Date()
        codeUnlessDone(() => utimesSync(path, now, now), 'ENOENT')
      }),
    readOwn: (path) => guard(path, () => readPrivate(path)),
    replaceOwn: (path, content) => guard(path, () => replacePrivate(path, content)),
    createExclusive: (path, bytes) =>
      guard(path, () => codeUnlessDone(() => createWhole(path, bytes), 'EEXIST') === ''),
  }
}

/** Without waiting for a writer: a pipe in the place of a file would hang the program, a device never end. */
function readRegular(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw new FileError('wrong-type', path, { found: fileType(stat) })
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** A whole file, or what comes through anything else until it ends. */
function readStream(path: string): Buffer {
  const file = openSync(path, constants.O_RDONLY)
  try {
    const stat = fstatSync(file)
    if (stat.isFile()) return readFileSync(file)
    const chunks: Buffer[] = []
    let size = 0
    for (;;) {
      const chunk = Buffer.allocUnsafe(STREAM_CHUNK)
      const length = readSync(file, chunk)
      if (length === 0) return Buffer.concat(chunks, size)
      size += length
      if (size > MAX_STREAM) throw new FileError('wrong-type', path, { found: fileType(stat) })
      chunks.push(chunk.subarray(0, length))
    }
  } finally {
    closeSync(file)
  }
}

function readPrivate(path: string): Uint8Array | undefined {
  if (!isPrivateAt(dirname(path), 'folder')) return undefined
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0))
  try {
    return isPrivate(fstatSync(file), 'file') ? plainBytes(readFileSync(file)) : undefined
  } finally {
    closeSync(file)
  }
}

function replacePrivate(path: string, content: FileParts): boolean {
  const folder = dirname(path)
  // those above may be shared
  makeFolder(dirname(folder))
  makeFolder(folder, 0o700)
  if (!isPrivateAt(folder, 'folder')) return false
  const draft = `${path}.${String(process.pid)}`
  // one of a process that was killed
  codeUnlessDone(() => unlinkSync(draft), 'ENOENT')
  writeParts(draft, 'wx', { content, durability: undefined, mode: 0o600 })
  renameSync(draft, path)
  return true
}

/** Milliseconds of work after which timers, signals and answers have their turn. */
const TURN = 50
let lastTurn = 0

async function guard<Result>(path: string, run: () => Result): Promise<Result> {
  try {
    const result = run()
    // a run that only touches files would otherwise hold up all else of its process until it ends
    if (performance.now() - lastTurn > TURN) {
      await new Promise(setImmediate)
      lastTurn = performance.now()
    }
    return result
  } catch (cause) {
    if (cause instanceof FileError) throw cause
    const code = codeOf(cause)
    // no file is at fault: the process, or the system, has too many open
    if (code === undefined || code === 'EMFILE' || code === 'ENFILE') throw cause
    const reason = REASONS.get(code) ?? 'other'
    // a link that leads to nothing is found, too
    const found = reason === 'wrong-type' || reason === 'not-found' ? foundAt(path) : undefined
    throw new FileError(reason, path, { cause, found })
  }
}

/** Makes something in a folder that most often is there already. */
function inFolder(path: string, make: () => void): void {
  if (codeUnlessDone(make, 'ENOENT') === '') return
  makeFolder(dirname(path))
  make()
}

/** The file is there with all of its content or not at all, also when the process is killed. */
function createWhole(path: string, bytes: Uint8Array): void {
  const draft = `${path}.${randomUUID()}`
  try {
    writeParts(draft, 'wx', { content: bytes, durability: 'durable' })
    // some file systems have no links
    if (codeUnlessDone(() => linkSync(draft, path), ...WITHOUT_LINKS) !== '')
      writeParts(path, 'wx', { content: bytes, durability: 'durable' })
  } finally {
    // whoever tidies up may have been faster
    codeUnlessDone(() => unlinkSync(draft), 'ENOENT')
  }
}

interface WrittenParts {
  readonly content: FileParts
  readonly durability: 'durable' | undefined
  readonly mode?: number
}

function writeParts(path: string, flag: 'w' | 'wx', { content, durability, mode }: WrittenParts): void {
  const file = openSync(path, flag, mode)
  try {
    for (const part of content instanceof Uint8Array ? [content] : content) writeFileSync(file, part)
    if (durability === 'durable') fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function statOrNothing(path: string): FileStat | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    return stat === undefined ? undefined : { type: fileType(stat), size: stat.size, modified: stat.mtimeMs }
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return undefined
    throw error
  }
}

function readSignatures(paths: readonly string[]): Float64Array {
  const signatures = new Float64Array(paths.length * SIGNATURE_LENGTH)
  for (const [index, path] of paths.entries()) {
    const stat = lookAt(path)
    if (stat === undefined) continue
    const { mode, size, mtimeMs, ctimeMs, ino, dev } = stat
    signatures.set([mode, size, mtimeMs, ctimeMs, ino, dev], index * SIGNATURE_LENGTH)
  }
  return signatures
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

/** Runs `operation`; returns `''`, or the code that it failed with when that is one of `codes`. */
function codeUnlessDone(operation: () => void, ...codes: readonly string[]): string {
  try {
    operation()
    return ''
  } catch (error) {
    const code = codeOf(error)
    if (code !== undefined && codes.includes(code)) return code
    throw error
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Undefined when a part of the path before the last is no folder. */
function foundAt(path: string): FileType | undefined {
  for (const look of [statSync, lstatSync]) {
    try {
      return fileType(look(path))
    } catch (error) {
      // a loop of links, for the first look
      if (codeOf(error) === undefined) throw error
    }
  }
  return undefined
}

function fileType(entry: Dirent | Stats): FileType {
  if (entry.isSymbolicLink()) return 'link'
  if (entry.isFile()) return 'file'
  if (entry.isDirectory()) return 'directory'
  if (entry.isFIFO()) return 'pipe'
  if (entry.isSocket()) return 'socket'
  return entry.isBlockDevice() || entry.isCharacterDevice() ? 'device' : 'other'
}

/** A Buffer's methods differ from Uint8Array's (`slice` shares memory), so none leaves this room. */
function plainBytes(buffer: Buffer): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength)
}
