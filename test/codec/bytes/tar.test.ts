import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readTar, TarError, writeTar } from '../../../src/codec/bytes/tar.ts'
import { decodeUtf8, encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { paxRecord, rawTar, type RawEntry } from '../../support/raw-tar.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const limits = { maxEntries: 100, maxFileBytes: 10_000 }
const long = `deep/${'folder/'.repeat(20)}file.yaml`
const longer = `${'x'.repeat(120)}/${'y'.repeat(120)}.yaml`

describe('readTar', () => {
  const rows: readonly {
    name: string
    entries: readonly RawEntry[]
    want: readonly (readonly [string, string, string])[]
  }[] = [
    { name: 'a file', entries: [{ name: 'a/b', data: 'text' }], want: [['a/b', 'file', 'text']] },
    {
      name: 'a file of the oldest format',
      entries: [{ name: 'a', flag: '\0', data: 'x', magic: '' }],
      want: [['a', 'file', 'x']],
    },
    { name: 'a folder by its slash', entries: [{ name: 'a/', flag: '\0' }], want: [['a', 'directory', '']] },
    { name: 'a folder by its flag', entries: [{ name: 'a', flag: '5' }], want: [['a', 'directory', '']] },
    {
      name: 'a folder that claims a size',
      entries: [
        { name: 'a', flag: '5', size: 9 },
        { name: 'b', data: 'x' },
      ],
      want: [
        ['a', 'directory', ''],
        ['b', 'file', 'x'],
      ],
    },
    { name: 'a file with a slash and bytes', entries: [{ name: 'a/', data: 'x' }], want: [['a/', 'special', '']] },
    {
      name: 'the prefix of a POSIX header',
      entries: [{ name: 'b', prefix: 'a', data: 'x' }],
      want: [['a/b', 'file', 'x']],
    },
    {
      name: 'no prefix in a GNU header',
      entries: [{ name: 'b', prefix: 'a', magic: 'ustar  \0', data: 'x' }],
      want: [['b', 'file', 'x']],
    },
    {
      name: 'a pax path',
      entries: [
        { name: 'p', flag: 'x', data: paxRecord('path', 'ä/ö') },
        { name: 'b', data: 'x' },
      ],
      want: [['ä/ö', 'file', 'x']],
    },
    {
      name: 'a pax path counts once',
      entries: [{ name: 'p', flag: 'x', data: paxRecord('path', 'a') }, { name: 'b' }, { name: 'c' }],
      want: [
        ['a', 'file', ''],
        ['c', 'file', ''],
      ],
    },
    {
      name: 'a pax size',
      entries: [
        { name: 'p', flag: 'x', data: paxRecord('size', '3') },
        { name: 'b', data: 'xyz', size: 0 },
        { name: 'c' },
      ],
      want: [
        ['b', 'file', 'xyz'],
        ['c', 'file', ''],
      ],
    },
    {
      name: 'a global pax header is passed over',
      entries: [{ name: 'g', flag: 'g', data: paxRecord('path', 'a') }, { name: 'b' }],
      want: [['b', 'file', '']],
    },
    {
      name: 'a GNU long name',
      entries: [
        { name: '././@LongLink', flag: 'L', data: `${long}\0` },
        { name: 'b', data: 'x' },
      ],
      want: [[long, 'file', 'x']],
    },
    {
      name: 'a sparse file',
      entries: [{ name: 'p', flag: 'x', data: paxRecord('GNU.sparse.major', '1') }, { name: 'b' }],
      want: [['b', 'special', '']],
    },
    {
      name: 'links',
      entries: [
        { name: 'a', flag: '2', link: 'x' },
        { name: 'b', flag: '1', link: 'x' },
      ],
      want: [
        ['a', 'link', ''],
        ['b', 'hard-link', ''],
      ],
    },
    {
      name: 'devices and pipes',
      entries: [
        { name: 'a', flag: '3' },
        { name: 'b', flag: '4' },
        { name: 'c', flag: '6' },
      ],
      want: [
        ['a', 'special', ''],
        ['b', 'special', ''],
        ['c', 'special', ''],
      ],
    },
    {
      name: 'a flag of nobody',
      entries: [
        { name: 'a', flag: 'Z', data: 'x' },
        { name: 'b', data: 'y' },
      ],
      want: [
        ['a', 'special', ''],
        ['b', 'file', 'y'],
      ],
    },
    {
      name: 'a name that is not UTF-8 keeps its bytes',
      entries: [{ name: 'p', flag: 'L', data: new Uint8Array([0x61, 0xff]) }, { name: 'b' }],
      want: [['a\uDCFF', 'file', '']],
    },
  ]
  test.each(rows)('$name', ({ entries, want }) => {
    const read = readTar(rawTar(entries), limits)
    expect(read.map(({ path, type, bytes }) => [path, type, decodeUtf8(bytes)])).toEqual(want)
  })

  test('a missing end mark is fine', () => {
    expect(readTar(rawTar([{ name: 'a' }], 'open'), limits)).toHaveLength(1)
  })

  const base = rawTar([{ name: 'a', data: 'text' }])
  const changed = (at: number): Uint8Array => base.map((byte, index) => (index === at ? byte ^ 1 : byte))
  const broken: readonly { name: string; bytes: Uint8Array; want: string }[] = [
    { name: 'cut inside a header', bytes: base.subarray(0, 300), want: 'damaged: it ends inside a header' },
    { name: 'cut inside a file', bytes: base.subarray(0, 514), want: 'damaged: it ends inside a' },
    { name: 'cut inside the padding', bytes: base.subarray(0, 700), want: 'damaged: it ends inside the padding' },
    { name: 'cut before the padding', bytes: base.subarray(0, 516), want: 'damaged: it ends inside the padding' },
    {
      name: 'a path of slashes alone',
      bytes: rawTar([{ name: 'p', flag: 'x', data: paxRecord('path', `a${'/'.repeat(9000)}b`) }, { name: 'a' }]),
      want: 'damaged: an entry has a path of 9002 characters',
    },
    { name: 'a changed header', bytes: changed(0), want: 'damaged: a header has a wrong checksum' },
    {
      name: 'a size beyond the archive',
      bytes: rawTar([{ name: 'a', size: 9000 }]),
      want: 'damaged: it ends inside a',
    },
    {
      name: 'a size over the limit',
      bytes: rawTar([{ name: 'a', size: 10_001 }]),
      want: 'file-too-large: it has 10001 bytes',
    },
    {
      name: 'a pax size over the limit',
      bytes: rawTar([{ name: 'p', flag: 'x', data: paxRecord('size', '10001') }, { name: 'a' }]),
      want: 'file-too-large: it has 10001 bytes',
    },
    {
      name: 'a huge extended header',
      bytes: rawTar([{ name: 'a', flag: 'x', size: 2 ** 21 }]),
      want: 'damaged: an extended header has 2097152 bytes',
    },
    {
      name: 'too many entries',
      bytes: rawTar(Array.from({ length: 101 }, (_, i) => ({ name: `f${i}` }))),
      want: 'too-many-entries: it has more than 100 entries',
    },
    {
      name: 'a pax record without length',
      bytes: rawTar([{ name: 'p', flag: 'x', data: 'path=x\n' }]),
      want: 'damaged: a pax header does not parse',
    },
    {
      name: 'a pax record that is too long',
      bytes: rawTar([{ name: 'p', flag: 'x', data: '99 path=x\n' }]),
      want: 'damaged: a pax header does not parse',
    },
    {
      name: 'a pax path with a zero byte',
      bytes: rawTar([{ name: 'p', flag: 'x', data: paxRecord('path', 'a\0b') }]),
      want: 'damaged: a path has a zero byte',
    },
  ]
  test.each(broken)('$name', ({ bytes, want }) => {
    let message = 'nothing thrown'
    try {
      readTar(bytes, limits)
    } catch (error) {
      message = error instanceof TarError ? `${error.problem}: ${error.message}` : String(error)
    }
    expect(message).toBe(want)
  })
})

describe('writeTar', () => {
  const files = ['a', 'a/b.yaml', long, longer, 'ümlaut', `${'p/'.repeat(70)}${'n'.repeat(100)}`].map((path) => ({
    path,
    bytes: encodeUtf8(`content of ${path}`),
  }))

  test('what is written reads back', () => {
    const read = readTar(writeTar(files), limits)
    expect(read.map(({ path, bytes }) => ({ path, bytes: decodeUtf8(bytes) }))).toEqual(
      files.map(({ path, bytes }) => ({ path, bytes: decodeUtf8(bytes) })),
    )
  })

  test('equal files give equal bytes', () => {
    expect(writeTar(files)).toEqual(writeTar(files))
  })

  test('the tar of this machine reads it, and its archives are read', async () => {
    const folder = await tempFolder()
    const tree = files.filter(({ path }) => path !== 'a')
    await writeFile(join(folder, 'ours.tar'), writeTar(tree))
    const listed = execFileSync('tar', ['--quoting-style=literal', '-tf', 'ours.tar'], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect(listed.trimEnd().split('\n')).toEqual(tree.map(({ path }) => path))
    for (const { path, bytes } of tree) {
      await mkdir(join(folder, 'in', dirname(path)), { recursive: true })
      await writeFile(join(folder, 'in', path), bytes)
    }
    for (const format of ['gnu', 'pax', 'ustar', 'v7'] as const) {
      const names = tree.map(({ path }) => path).filter((path) => fits(path, format))
      const bytes = execFileSync('tar', [`--format=${format}`, '-C', 'in', '-cf', '-', ...names], { cwd: folder })
      const read = readTar(new Uint8Array(bytes), limits)
      expect([format, read.map(({ path }) => path)]).toEqual([format, names])
    }
  })
})

function fits(path: string, format: 'gnu' | 'pax' | 'ustar' | 'v7'): boolean {
  if (format === 'v7') return path.length < 99
  return format !== 'ustar' || path.length < 200
}
