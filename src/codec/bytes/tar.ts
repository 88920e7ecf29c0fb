import { withoutTrailingSlashes } from '../path.ts'
import { decodeUtf8, encodeUtf8 } from './utf8.ts'

/** The type of an entry; `link` is a symbolic link, `special` everything that is neither file, folder nor link. */
export type TarEntryType = 'file' | 'directory' | 'link' | 'hard-link' | 'special'

/** One entry, its path exactly as written in the archive (a folder's trailing slash removed). */
export interface TarEntry {
  readonly path: string
  readonly type: TarEntryType
  /** Empty unless `type` is `file`; a view of the archive's bytes. */
  readonly bytes: Uint8Array
}

/** Bounds of {@link readTar}. */
export interface TarLimits {
  readonly maxEntries: number
  readonly maxFileBytes: number
}

/** Why an archive was not read. */
export type TarProblem = 'damaged' | 'too-many-entries' | 'file-too-large'

/** Thrown by {@link readTar}. `path` is the entry meant, when it is known. */
export class TarError extends Error {
  readonly problem: TarProblem
  readonly path?: string

  constructor(problem: TarProblem, message: string, path?: string) {
    super(message)
    this.name = 'TarError'
    this.problem = problem
    if (path !== undefined) this.path = path
  }
}

const BLOCK = 512
/** Extended headers hold paths; anything longer is an attack on memory. */
const MAX_HEADER_BYTES = 1 << 20
/** The longest path that systems accept (PATH_MAX of Linux). */
const MAX_PATH = 4096

/** The fields of extended headers for the entry that follows them. */
interface Extension {
  path?: string
  size?: number
  sparse?: boolean
}

/**
 * Reads a tar archive: ustar, pax (path and size) and GNU long names. Checks nothing about paths: see
 * `read-archive.ts`. A missing end mark is accepted, as Go's archive/tar does.
 * @throws TarError
 */
export function readTar(bytes: Uint8Array, limits: TarLimits): readonly TarEntry[] {
  const entries: TarEntry[] = []
  let extension: Extension = {}
  let at = 0
  while (at < bytes.length) {
    const header = slice(bytes, at, BLOCK, 'a header')
    at += BLOCK
    if (header.every((byte) => byte === 0)) break
    checkSum(header)
    const flag = String.fromCharCode(header[156] ?? 0)
    const isHeader = 'xgLK'.includes(flag)
    const size = (isHeader ? undefined : extension.size) ?? readNumber(header, 124, 12)
    const path = extension.path ?? headerPath(header)
    if (isHeader && size > MAX_HEADER_BYTES) throw new TarError('damaged', `an extended header has ${size} bytes`)
    if (size > limits.maxFileBytes) throw new TarError('file-too-large', `it has ${size} bytes`, path)
    const type = entryType(flag, path, size)
    // Links, folders, devices and pipes have no body, whatever their header says.
    const stored = '123456'.includes(flag) ? 0 : size
    const body = slice(bytes, at, stored, path)
    at += Math.ceil(stored / BLOCK) * BLOCK
    if (at > bytes.length) throw new TarError('damaged', 'it ends inside the padding', path)
    if (path.length > MAX_PATH) throw new TarError('damaged', `an entry has a path of ${path.length} characters`)
    if (isHeader) {
      extension = { ...extension, ...readExtension(flag, body) }
      continue
    }
    if (entries.length >= limits.maxEntries)
      throw new TarError('too-many-entries', `it has more than ${limits.maxEntries} entries`)
    entries.push({
      path: type === 'directory' ? withoutTrailingSlashes(path) : path,
      type: extension.sparse === true ? 'special' : type,
      bytes: type === 'file' ? body : new Uint8Array(),
    })
    extension = {}
  }
  return entries
}

function slice(bytes: Uint8Array, at: number, length: number, what: string): Uint8Array {
  if (at + length > bytes.length) throw new TarError('damaged', `it ends inside ${what}`)
  return bytes.subarray(at, at + length)
}

/** Old writers summed signed bytes; both sums are accepted, as by every reader. */
function checkSum(header: Uint8Array): void {
  const stored = readNumber(header, 148, 8)
  let unsigned = 0
  let signed = 0
  header.forEach((byte, index) => {
    const value = index >= 148 && index < 156 ? 0x20 : byte
    unsigned += value
    signed += value < 128 ? value : value - 256
  })
  if (stored !== unsigned && stored !== signed) throw new TarError('damaged', 'a header has a wrong checksum')
}

/** Octal digits, or base 256 when the first bit is set (GNU, for sizes from 8 GiB on). */
function readNumber(header: Uint8Array, start: number, length: number): number {
  const field = header.subarray(start, start + length)
  if (((field[0] ?? 0) & 0x80) !== 0) {
    const value = field.reduce((sum, byte, index) => sum * 256 + (index === 0 ? byte & 0x7f : byte), 0)
    if (!Number.isSafeInteger(value)) throw new TarError('damaged', 'a header has a number that is too large')
    return value
  }
  const text = cString(field).trim()
  if (text === '') return 0
  if (!/^[0-7]+$/.test(text)) throw new TarError('damaged', 'a header has a number that is not octal')
  return Number.parseInt(text, 8)
}

function cString(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return decodeUtf8(end === -1 ? bytes : bytes.subarray(0, end))
}

function headerPath(header: Uint8Array): string {
  const name = cString(header.subarray(0, 100))
  // Only POSIX headers have a prefix; GNU's magic is `ustar  ` and has times in its place.
  const isPosix = cString(header.subarray(257, 263)) === 'ustar'
  const prefix = isPosix ? cString(header.subarray(345, 500)) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

function entryType(flag: string, path: string, size: number): TarEntryType {
  switch (flag) {
    case '0':
    case '\0':
    case '7':
      if (!path.endsWith('/')) return 'file'
      return size === 0 ? 'directory' : 'special'
    case '1':
      return 'hard-link'
    case '2':
      return 'link'
    case '5':
      return 'directory'
    default:
      return 'special'
  }
}

function readExtension(flag: string, body: Uint8Array): Extension {
  if (flag === 'L') return { path: cString(body) }
  // K names the target of a link, and links are refused; g (global) applies to no entry, as in Go's archive/tar.
  return flag === 'x' ? readPax(body) : {}
}

/** Records of the form `<length> <key>=<value>\n`, the length counting the whole record. */
function readPax(body: Uint8Array): Extension {
  const extension: Extension = {}
  let at = 0
  while (at < body.length && body[at] !== 0) {
    const space = body.indexOf(0x20, at)
    const digits = space === -1 ? '' : decodeUtf8(body.subarray(at, space))
    const end = at + Number(digits)
    if (!/^[1-9]\d{0,6}$/.test(digits) || end > body.length || body[end - 1] !== 0x0a || end <= space + 1)
      throw new TarError('damaged', 'a pax header does not parse')
    const record = decodeUtf8(body.subarray(space + 1, end - 1))
    const equals = record.indexOf('=')
    if (equals < 1) throw new TarError('damaged', 'a pax header does not parse')
    const key = record.slice(0, equals)
    const value = record.slice(equals + 1)
    if (key === 'path' && value !== '') extension.path = paxPath(value)
    if (key === 'size') extension.size = paxSize(value)
    if (key.startsWith('GNU.sparse.')) extension.sparse = true
    at = end
  }
  return extension
}

function paxPath(value: string): string {
  if (value.includes('\0')) throw new TarError('damaged', 'a path has a zero byte')
  return value
}

function paxSize(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new TarError('damaged', 'a pax header has a size that is not a number')
  return Number(value)
}

/** A file for {@link writeTar}. */
export interface TarFile {
  readonly path: string
  readonly bytes: Uint8Array
  /** Absent: mode 0644, else 0755. */
  readonly isExecutable?: true
}

/**
 * Writes files as a tar archive in the order given: ustar headers, a pax path where a path needs one. Equal files give
 * equal bytes: no times, no owners.
 */
export function writeTar(files: readonly TarFile[]): Uint8Array {
  const blocks: Uint8Array[] = []
  for (const { path, bytes, isExecutable } of files) {
    const mode = isExecutable === true ? '0000755' : '0000644'
    const split = splitPath(path)
    if (split === undefined) {
      const record = paxRecord('path', path)
      blocks.push(
        writeHeader({ name: 'pax', prefix: '' }, { size: record.length, flag: 'x', mode: '0000644' }),
        record,
        padding(record.length),
      )
    }
    blocks.push(
      writeHeader(split ?? { name: 'long-path', prefix: '' }, { size: bytes.length, flag: '0', mode }),
      bytes,
      padding(bytes.length),
    )
  }
  blocks.push(new Uint8Array(2 * BLOCK))
  return concat(blocks)
}

interface SplitPath {
  readonly name: string
  readonly prefix: string
}

/** The path as name and prefix of a ustar header; undefined when it does not fit or is not ASCII. */
function splitPath(path: string): SplitPath | undefined {
  if (!/^[\x20-\x7e]*$/.test(path)) return undefined
  if (path.length <= 100) return { name: path, prefix: '' }
  for (let slash = path.indexOf('/'); slash !== -1 && slash <= 155; slash = path.indexOf('/', slash + 1)) {
    const name = path.slice(slash + 1)
    if (slash > 0 && name !== '' && name.length <= 100) return { name, prefix: path.slice(0, slash) }
  }
  return undefined
}

function paxRecord(key: string, value: string): Uint8Array {
  const rest = encodeUtf8(` ${key}=${value}\n`)
  let length = rest.length + 1
  while (String(length).length + rest.length !== length) length = String(length).length + rest.length
  return concat([encodeUtf8(String(length)), rest])
}

function writeHeader(
  path: SplitPath,
  { size, flag, mode }: { readonly size: number; readonly flag: string; readonly mode: string },
): Uint8Array {
  const header = new Uint8Array(BLOCK)
  const put = (text: string, at: number): void => header.set(encodeUtf8(text), at)
  put(path.name, 0)
  put(`${mode}\0`, 100)
  put('0000000\0', 108)
  put('0000000\0', 116)
  put(`${size.toString(8).padStart(11, '0')}\0`, 124)
  put('00000000000\0', 136)
  put('        ', 148)
  put(flag, 156)
  put('ustar\x0000', 257)
  put('0000000\0', 329)
  put('0000000\0', 337)
  put(path.prefix, 345)
  const sum = header.reduce((total, byte) => total + byte, 0)
  put(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return header
}

function padding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK)
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((total, part) => total + part.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
