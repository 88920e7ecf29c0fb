import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { decodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { readArchive, type ArchiveLimits } from '../../../src/sources/archive/read-archive.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { rawTar, type RawEntry } from '../../support/raw-tar.ts'

const ports = createNodePorts()
const pack = (entries: readonly RawEntry[]): Uint8Array => new Uint8Array(gzipSync(rawTar(entries)))

const small: ArchiveLimits = { maxBytes: 4_000_000, maxFileBytes: 3_000_000, maxEntries: 3, maxRatio: 100, maxDepth: 1 }

function outcome(bytes: Uint8Array): string {
  try {
    const files = readArchive(bytes, 'x.tgz', ports, small)
    return files.map((file) => `${file.path}=${decodeUtf8(file.bytes)}`).join(' ')
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return `${error.diagnostics[0]!.code}: ${error.message}`
  }
}

describe('readArchive', () => {
  const noise = new Uint8Array(3_000_001).map((_, index) => (index * 2654435761) >>> 24)
  const rows: readonly { name: string; bytes: Uint8Array; want: string }[] = [
    {
      name: 'files and folders',
      bytes: pack([
        { name: './c/', flag: '5' },
        { name: './c/a', data: '1' },
        { name: 'c//./b', data: '2' },
      ]),
      want: 'c/a=1 c/b=2',
    },
    { name: 'not gzip', bytes: rawTar([{ name: 'a' }]), want: 'ARCHIVE_INVALID: x.tgz is not a gzipped archive' },
    { name: 'nothing at all', bytes: new Uint8Array(), want: 'ARCHIVE_INVALID: x.tgz is not a gzipped archive' },
    {
      name: 'a pointer of Git LFS',
      bytes: new TextEncoder().encode('version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n'),
      want: 'ARCHIVE_INVALID: x.tgz is the pointer of Git LFS to an archive, which is not there',
    },
    {
      name: 'cut short',
      bytes: pack([{ name: 'a', data: 'abc' }]).subarray(0, 40),
      want: 'ARCHIVE_INVALID: x.tgz is damaged: its gzip data does not unpack',
    },
    {
      name: 'gzip without tar',
      bytes: new Uint8Array(gzipSync('hello '.repeat(100))),
      want: 'ARCHIVE_INVALID: x.tgz is damaged: a header has a number that is not octal',
    },
    {
      name: 'tar cut short',
      bytes: new Uint8Array(gzipSync(rawTar([{ name: 'a', data: 'abc' }]).subarray(0, 513))),
      want: 'ARCHIVE_INVALID: x.tgz is damaged: it ends inside a',
    },
    {
      name: 'upwards',
      bytes: pack([{ name: 'c/../../etc/passwd' }]),
      want: 'ARCHIVE_PATH_TRAVERSAL: x.tgz has the entry "c/../../etc/passwd", whose path leads upwards',
    },
    {
      name: 'upwards but inside',
      bytes: pack([{ name: 'c/../c/a' }]),
      want: 'ARCHIVE_PATH_TRAVERSAL: x.tgz has the entry "c/../c/a", whose path leads upwards',
    },
    {
      name: 'a folder upwards',
      bytes: pack([{ name: '../', flag: '5' }]),
      want: 'ARCHIVE_PATH_TRAVERSAL: x.tgz has the entry "..", whose path leads upwards',
    },
    {
      name: 'absolute',
      bytes: pack([{ name: '/etc/passwd' }]),
      want: 'ARCHIVE_PATH_TRAVERSAL: x.tgz has the entry "/etc/passwd", whose path is absolute',
    },
    {
      name: 'a drive',
      bytes: pack([{ name: 'c/C:/a' }]),
      want: 'ARCHIVE_PATH_TRAVERSAL: x.tgz has the entry "c/C:/a", whose path names a drive',
    },
    {
      name: 'a backslash',
      bytes: pack([{ name: 'c\\..\\a' }]),
      want: 'ARCHIVE_PATH_TRAVERSAL: x.tgz has the entry "c\\\\..\\\\a", whose path has a backslash',
    },
    {
      name: 'a file without name',
      bytes: pack([{ name: '.' }]),
      want: 'ARCHIVE_PATH_TRAVERSAL: x.tgz has an entry without a name',
    },
    {
      name: 'a symbolic link',
      bytes: pack([{ name: 'c/a', flag: '2', link: '/etc/passwd' }]),
      want: 'ARCHIVE_LINK: x.tgz has a symbolic link: c/a',
    },
    {
      name: 'a hard link',
      bytes: pack([{ name: 'c/a', flag: '1', link: 'c/b' }]),
      want: 'ARCHIVE_LINK: x.tgz has a hard link: c/a',
    },
    {
      name: 'a device',
      bytes: pack([{ name: 'c/a', flag: '3' }]),
      want: 'ARCHIVE_SPECIAL_FILE: x.tgz has a special file: c/a',
    },
    {
      name: 'a pipe',
      bytes: pack([{ name: 'c/a', flag: '6' }]),
      want: 'ARCHIVE_SPECIAL_FILE: x.tgz has a special file: c/a',
    },
    {
      name: 'one path twice',
      bytes: pack([{ name: 'c/a' }, { name: 'c/./a' }]),
      want: 'ARCHIVE_DUPLICATE_ENTRY: x.tgz holds c/a twice',
    },
    {
      name: 'too many entries',
      bytes: pack([{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }]),
      want: 'ARCHIVE_TOO_LARGE: x.tgz is too large: it has more than 3 entries',
    },
    {
      name: 'a file too large',
      bytes: pack([{ name: 'a', data: noise }]),
      want: 'ARCHIVE_TOO_LARGE: x.tgz is too large: it has 3000001 bytes (a)',
    },
    {
      name: 'all together too large',
      bytes: pack([
        { name: 'a', data: noise.subarray(0, 2_500_000) },
        { name: 'b', data: noise.subarray(0, 2_500_000) },
      ]),
      want: 'ARCHIVE_TOO_LARGE: x.tgz unpacks to more than 4000000 bytes',
    },
    {
      name: 'a ratio too high',
      bytes: pack([{ name: 'a', data: new Uint8Array(2_900_000) }]),
      want: 'ARCHIVE_TOO_LARGE: x.tgz unpacks to more than 100 times its size',
    },
    {
      name: 'a size that lies',
      bytes: pack([{ name: 'a', size: 2 ** 30 }]),
      want: 'ARCHIVE_TOO_LARGE: x.tgz is too large: it has 1073741824 bytes (a)',
    },
  ]
  test.each(rows)('$name', ({ bytes, want }) => {
    expect(outcome(bytes)).toBe(want)
  })
})
