import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { readTar, TarError, type TarEntry } from '../../codec/bytes/tar.ts'
import type { ChartFile } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Ports } from '../../model/ports.ts'

/** Bounds of one archive and everything nested in it. */
export interface ArchiveLimits {
  /** Unpacked bytes of the whole. */
  readonly maxBytes: number
  /** Unpacked bytes of one file. */
  readonly maxFileBytes: number
  readonly maxEntries: number
  /** Unpacked to packed bytes; looked at from 1 MiB on, where small repetitive files no longer mislead. */
  readonly maxRatio: number
  /** How deep archives may lie in archives. */
  readonly maxDepth: number
}

/** Helm's own bounds on bytes (100 MiB, 5 MiB a file; pkg/chart/loader/archive) and ours on the rest. */
export const chartLimits: ArchiveLimits = {
  maxBytes: 100 * 1024 * 1024,
  maxFileBytes: 5 * 1024 * 1024,
  maxEntries: 10_000,
  maxRatio: 250,
  maxDepth: 8,
}

const RATIO_FROM = 1024 * 1024

/**
 * Reads a gzipped tar that nobody vouches for. Paths come out relative, with `/`, without `.` parts; folders are left
 * out.
 * @throws StackmasonError ARCHIVE_INVALID, ARCHIVE_PATH_TRAVERSAL, ARCHIVE_LINK, ARCHIVE_SPECIAL_FILE,
 * ARCHIVE_TOO_LARGE, ARCHIVE_DUPLICATE_ENTRY
 */
export function readArchive(
  bytes: Uint8Array,
  origin: string,
  ports: Pick<Ports, 'compression'>,
  limits: ArchiveLimits = chartLimits,
): readonly ChartFile[] {
  return readTarArchive(unpack(bytes, origin, ports, limits), origin, limits)
}

/**
 * Like {@link readArchive}, for a tar that is not compressed.
 * @throws StackmasonError ARCHIVE_INVALID, ARCHIVE_PATH_TRAVERSAL, ARCHIVE_LINK, ARCHIVE_SPECIAL_FILE,
 * ARCHIVE_TOO_LARGE, ARCHIVE_DUPLICATE_ENTRY
 */
export function readTarArchive(
  tar: Uint8Array,
  origin: string,
  limits: Pick<ArchiveLimits, 'maxEntries' | 'maxFileBytes'>,
): readonly ChartFile[] {
  const files = new Map<string, ChartFile>()
  for (const entry of entriesOf(tar, origin, limits)) {
    const path = safePath(entry.path, origin)
    if (entry.type === 'directory') continue
    refuseUnlessFile(entry, path, origin)
    if (path === '') throw refusal('ARCHIVE_PATH_TRAVERSAL', origin, `has an entry without a name`)
    if (files.has(path)) throw refusal('ARCHIVE_DUPLICATE_ENTRY', origin, `holds ${path} twice`)
    files.set(path, { path, bytes: entry.bytes })
  }
  return [...files.values()]
}

function unpack(
  bytes: Uint8Array,
  origin: string,
  ports: Pick<Ports, 'compression'>,
  limits: ArchiveLimits,
): Uint8Array {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw notGzipped(bytes, origin)
  const bound = Math.min(limits.maxBytes, Math.max(RATIO_FROM, bytes.length * limits.maxRatio))
  try {
    return ports.compression.gunzip(bytes, bound)
  } catch (cause) {
    if (cause instanceof RangeError) {
      const what =
        bound === limits.maxBytes
          ? `unpacks to more than ${bound} bytes`
          : `unpacks to more than ${limits.maxRatio} times its size`
      throw refusal('ARCHIVE_TOO_LARGE', origin, what, { cause })
    }
    throw refusal('ARCHIVE_INVALID', origin, 'is damaged: its gzip data does not unpack', { cause })
  }
}

/** The first line of the file that stands for one in Git LFS, whose specification fixes it. */
const LFS_POINTER = 'version https://git-lfs.github.com/spec/v1\n'

function notGzipped(bytes: Uint8Array, origin: string): StackmasonError {
  const beginning = decodeUtf8(bytes.subarray(0, LFS_POINTER.length))
  if (beginning !== LFS_POINTER) return refusal('ARCHIVE_INVALID', origin, 'is not a gzipped archive')
  const what = 'is the pointer of Git LFS to an archive, which is not there'
  const hint =
    'Run `git lfs pull` in its repository; in CI, check out with LFS. What is read from commits cannot lie in LFS.'
  return new StackmasonError({
    code: 'ARCHIVE_INVALID',
    severity: 'error',
    message: `${origin} ${what}`,
    file: origin,
    hint,
  })
}

function entriesOf(
  tar: Uint8Array,
  origin: string,
  limits: Pick<ArchiveLimits, 'maxEntries' | 'maxFileBytes'>,
): readonly TarEntry[] {
  try {
    return readTar(tar, limits)
  } catch (cause) {
    if (!(cause instanceof TarError)) throw cause
    const where = cause.path === undefined ? '' : ` (${cause.path})`
    if (cause.problem === 'damaged')
      throw refusal('ARCHIVE_INVALID', origin, `is damaged: ${cause.message}${where}`, { cause })
    throw refusal('ARCHIVE_TOO_LARGE', origin, `is too large: ${cause.message}${where}`, { cause })
  }
}

function safePath(path: string, origin: string): string {
  const refuse = (why: string): StackmasonError =>
    refusal('ARCHIVE_PATH_TRAVERSAL', origin, `has the entry ${JSON.stringify(path)}, ${why}`)
  if (path.includes('\\')) throw refuse('whose path has a backslash')
  if (path.startsWith('/')) throw refuse('whose path is absolute')
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw refuse('whose path leads upwards')
  if (parts.some((part) => /^[A-Za-z]:/.test(part))) throw refuse('whose path names a drive')
  return parts.join('/')
}

function refuseUnlessFile(entry: TarEntry, path: string, origin: string): void {
  if (entry.type === 'link') throw refusal('ARCHIVE_LINK', origin, `has a symbolic link: ${path}`)
  if (entry.type === 'hard-link') throw refusal('ARCHIVE_LINK', origin, `has a hard link: ${path}`)
  if (entry.type !== 'file') throw refusal('ARCHIVE_SPECIAL_FILE', origin, `has a special file: ${path}`)
}

function refusal(code: Code, origin: string, what: string, options?: ErrorOptions): StackmasonError {
  return new StackmasonError({ code, severity: 'error', message: `${origin} ${what}`, file: origin }, options)
}
