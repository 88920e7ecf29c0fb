import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { type FolderHashes, SharedLists } from '../../src/write/folder-hashes.ts'
import { isAtOrBelow } from '../../src/write/read-tree.ts'
import { formatWrittenFiles, parseWrittenFiles } from '../../src/write/written-files.ts'
import { WrittenRecord } from '../../src/write/written-record.ts'
import { ports } from './trees.ts'

const [A, B] = ['a'.repeat(64), 'b'.repeat(64)]
const lists = (): SharedLists<string> => new SharedLists(ports.crypto)
const textOf = (parts: Iterable<Uint8Array>): string => Array.from(parts, decodeUtf8).join('')
const format = (folders: ReadonlyMap<string, FolderHashes>): string => textOf(formatWrittenFiles(folders))
const open = (text: string): WrittenRecord => new WrittenRecord(encodeUtf8(text), lists())
const listed = (files: FolderHashes | undefined): unknown => files && Object.fromEntries(files)

const name = fc.constantFrom('a', 'b', 'a-b', 'a.b', 'a0', 'aa', 'é')
const path = fc.array(name, { maxLength: 3 }).map((parts) => parts.join('/'))
const hashes = fc
  .uniqueArray(fc.tuple(name, fc.constantFrom(A, B)), { minLength: 1, maxLength: 4, selector: ([own]) => own })
  .map((files) => new Map(files.map(([own, hash]) => [`${own}.yaml`, hash])))
const tree = fc
  .uniqueArray(fc.tuple(path, hashes), { maxLength: 12, selector: ([own]) => own })
  .map((folders) => new Map(folders))

test('of every folder the same is found as in all of it', () => {
  fc.assert(
    fc.property(tree, path, (folders, other) => {
      const record = open(format(folders))
      for (const folder of [...folders.keys(), other])
        expect(listed(record.get(folder))).toEqual(listed(folders.get(folder)))
    }),
    { seed: 20 },
  )
})

test('the folders below a few are found as in all of it', () => {
  const below = fc.uniqueArray(
    path.filter((one) => one !== ''),
    { minLength: 1, maxLength: 3 },
  )
  let some = 0
  fc.assert(
    fc.property(tree, below, (folders, few) => {
      const wanted = [...folders.keys()].filter((folder) => few.some((one) => isAtOrBelow(folder, one)))
      if (wanted.length > 0) some++
      expect(new Set(open(format(folders)).foldersBelow(new Set(few)))).toEqual(new Set(wanted))
    }),
    { numRuns: 500, seed: 21 },
  )
  expect(some).toBeGreaterThan(100)
})

test('what is replaced is where it belongs, and nothing else is touched', () => {
  let same = 0
  fc.assert(
    fc.property(
      tree,
      tree,
      fc.uniqueArray(path, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      (before, run, scopes, isEqual) => {
        const isOfRun = (folder: string): boolean => scopes.some((scope) => isAtOrBelow(folder, scope))
        const rendered = new Map([...(isEqual ? before : run)].filter(([folder]) => isOfRun(folder)))
        const root = before.get('')
        if (root !== undefined && !isOfRun('')) rendered.set('', root)
        const expected = format(new Map([...[...before].filter(([folder]) => !isOfRun(folder)), ...rendered]))
        const after = open(format(before)).after(scopes, rendered)
        if (after === undefined) same++
        expect(after === undefined ? format(before) : textOf(after.bytes)).toBe(expected)
      },
    ),
    { numRuns: 1000, seed: 19 },
  )
  expect(same).toBeGreaterThan(100)
})

test('more folders than a few are found in all of it', () => {
  const folders = new Map(Array.from({ length: 200 }, (_, index) => [`c/${String(index)}`, new Map([['x.yaml', A]])]))
  const record = open(format(folders))
  for (const folder of folders.keys()) expect(listed(record.get(folder))).toEqual({ 'x.yaml': A })
  expect(record.get('c/200')).toBe(undefined)
  expect(textOf(record.after([''], new Map())?.bytes ?? [])).toBe('')
})

const line = (hash: string, file: string): string => `${hash}  ${file}\n`

test.each([
  ['the line ends of Windows', line(A, 'a/x.yaml').replace('\n', '\r\n') + line(B, 'b/x.yaml').replace('\n', '\r\n')],
  ['no end', line(A, 'a/x.yaml') + line(B, 'b/x.yaml').trimEnd()],
  ['another order', line(B, 'b/x.yaml') + line(A, 'a/x.yaml')],
  ['a line twice', line(A, 'a/x.yaml') + line(A, 'b/x.yaml') + line(B, 'b/x.yaml')],
])('a record with %s is put right when something changes', (_, text) => {
  const after = open(text).after(['a'], new Map([['a', new Map([['x.yaml', B]])]]))
  expect(textOf(after?.bytes ?? [])).toBe(line(B, 'a/x.yaml') + line(B, 'b/x.yaml'))
})

test('lines that are none are passed over', () => {
  const record = open(`x\n${line(A, 'a/x.yaml')}\n${A}\n${line(B, 'b/x.yaml')}`)
  const all = parseWrittenFiles(encodeUtf8(`x\n${line(A, 'a/x.yaml')}\n${A}\n${line(B, 'b/x.yaml')}`), lists())
  for (const folder of ['a', 'b', 'c'])
    expect([undefined, JSON.stringify([...(all.get(folder) ?? [])])]).toContain(
      record.get(folder) === undefined ? undefined : JSON.stringify([...(record.get(folder) ?? [])]),
    )
})
