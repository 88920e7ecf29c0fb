import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { treeKey } from '../../src/replay/digest-trees.ts'
import { digestOfBytes } from '../../src/replay/digests.ts'
import { packResult, unpackResult } from '../../src/replay/pack-result.ts'
import { formatRecord, parseRecord, recordOf, type RunRecord } from '../../src/replay/run-record.ts'
import type { ObservedPath } from '../../src/replay/observed-paths.ts'
import { noObservations, type Observations } from '../../src/replay/observations.ts'
import { pathsInOrder } from '../../src/replay/sorted-paths.ts'
import { rememberFiles } from '../../src/replay/remembered-files.ts'
import { parseUnitRecords, UnitRecords } from '../../src/replay/unit-records.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { dict, GoInt } from '../../src/model/value.ts'

const { crypto, compression } = createNodePorts()
const [FILE, FOLDER] = [0o100644, 0o040755]

/** As it lies in a file. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts))
}

function signature(mode: number, changed: number): Float64Array {
  return Float64Array.from([mode, 12, changed, changed, 7, 1])
}

/** Adds to what was found at a path. */
function note({ paths }: Observations, path: string, found: Partial<ObservedPath>): void {
  Object.assign(paths.get(path) ?? {}, found)
}

/** A run that began at 10,000 and looked at four paths. */
function record(): RunRecord {
  const observations = noObservations()
  const { paths } = observations
  Object.assign(paths.add('/f/old', signature(FILE, 100)), { isRead: true, hash: 'aa' })
  Object.assign(paths.add('/f/young', signature(FILE, 9000)), { isRead: true, digest: 'd1', hash: 'bb' })
  Object.assign(paths.add('/f/listed', signature(FOLDER, 200)), { isRead: true, entries: 'file/a/b\0directory/c' })
  paths.add('/f/seen', signature(FOLDER, 300))
  observations.places.add('/f')
  observations.links.set('/f/link', '/f/old')
  observations.variables.set('HOME', 'e1')
  observations.packaged.set('read templates/a', 'p1')
  observations.states.set('s', { folder: '/f', state: 'x' })
  observations.states.set('t', { folder: '/f', revision: 'main', state: 'y' })
  observations.untracked.set('u', { folder: '/f', kind: 'new', digest: 'u1' })
  const known = { key: 'k', salt: 's', started: 10_000, settled: new Map([['/f/.own', 'n']]), result: 'r\n"' }
  return recordOf(
    observations,
    { ...known, parts: new Map([['a', 'b']]), identities: Float64Array.from([1, 2, 3]) },
    { before: undefined, crypto },
  )
}

/** Each path as it was. */
function all({ paths }: RunRecord): Uint8Array {
  return new Uint8Array(paths.length).fill(1)
}

describe('the record of a run', () => {
  test('is read as it was written', () => {
    const written = record()
    expect(parseRecord(joined(formatRecord(written, crypto)), crypto)).toEqual(written)
  })

  test('keeps of a folder that nobody listed that it is there', () => {
    expect(record().places).toEqual(['/f', '/f/seen'])
    expect([...record().paths]).toEqual(['/f/listed', '/f/old', '/f/young'])
  })

  test('of which any byte is another is no record', () => {
    const bytes = joined(formatRecord(record(), crypto))
    for (let at = 0; at < bytes.length; at += 13) {
      const damaged = bytes.slice()
      damaged[at] = (damaged[at] ?? 0) ^ 1
      expect(parseRecord(damaged, crypto)).toBeUndefined()
    }
    for (const length of [0, 1, 63, 64, 100, bytes.length - 1])
      expect(parseRecord(bytes.subarray(0, length), crypto)).toBeUndefined()
  })

  test('of another form is no record, though its hash is right', () => {
    const bytes = joined(formatRecord(record(), crypto)).subarray(64)
    const readAs = (form: string): RunRecord | undefined => {
      const body = bytes.slice()
      body.set(encodeUtf8(form))
      return parseRecord(joined([encodeUtf8(digestOfBytes(body, crypto)), body]), crypto)
    }
    expect(readAs('run/1')).toEqual(record())
    for (const form of ['run/2', '7 144', '     ', 'run/1 0 0 0 9'.padEnd(64), 'run/1'.padEnd(64)])
      expect(readAs(form)).toBeUndefined()
  })

  test.each<[string, (written: RunRecord) => Partial<RunRecord>]>([
    ['fewer paths than numbers', ({ paths }) => ({ paths: pathsInOrder(paths.slice(0, 2)) })],
    ['more paths than numbers', ({ paths }) => ({ paths: pathsInOrder([...paths, '/f/z']) })],
    [
      'numbers of young hashes beyond its paths',
      () => ({ young: { numbers: Uint32Array.of(1, 1, 1, 1), digests: ['d'] } }),
    ],
    ['signatures that are cut off', ({ signatures }) => ({ signatures: signatures.subarray(1) })],
  ])('with %s is no record, though its hash is right', (_, change) => {
    const written = record()
    expect(parseRecord(joined(formatRecord({ ...written, ...change(written) }, crypto)), crypto)).toBeUndefined()
  })

  test('whose numbers lie on no bound is no record, also where bytes share their memory', () => {
    const head = joined(formatRecord(record(), crypto).slice(5))
    const sizes = encodeUtf8(`run/1 7 8 4 ${String(head.length)}`.padEnd(64))
    const body = joined([sizes, new Uint8Array(7 + 8 + 4), head])
    expect(parseRecord(Buffer.from(joined([encodeUtf8(digestOfBytes(body, crypto)), body])), crypto)).toBeUndefined()
  })

  test('knows files and folders whose signature is the same, and was old then', () => {
    const remembered = rememberFiles(record(), all(record()))
    expect(remembered.hashOf('/f/old', signature(FILE, 100))).toBe('aa')
    expect(remembered.hashOf('/f/old', signature(FILE, 101))).toBeUndefined()
    expect(remembered.hashOf('/f/young', signature(FILE, 9000))).toBeUndefined()
    expect(remembered.hashOf('/f/other', signature(FILE, 100))).toBeUndefined()
    expect(remembered.entriesOf('/f/listed', signature(FOLDER, 200))).toEqual([
      { name: 'a/b', type: 'file' },
      { name: 'c', type: 'directory' },
    ])
    expect(remembered.entriesOf('/f/listed', signature(FOLDER, 201))).toBeUndefined()
    expect(remembered.entriesOf('/f/seen', signature(FOLDER, 300))).toBeUndefined()
  })
})

describe('a tree of a record', () => {
  /** A tree of two folders and two files; `change` is made before it is recorded. */
  function observed(change: (of: Observations) => void = () => undefined): Observations {
    const observations = noObservations()
    const { paths, trees } = observations
    for (const [path, mode] of [
      ['/out/a', FOLDER],
      ['/out/a/b', FOLDER],
      ['/out/a/b/x.yaml', FILE],
      ['/out/a/b.yaml', FILE],
      ['/out/a-c', FOLDER],
    ] as const)
      paths.add(path, signature(mode, 100)).isRead = true
    for (const [path, found] of [
      ['/out/a', { entries: 'directory/b\0file/b.yaml' }],
      ['/out/a/b', { entries: 'file/x.yaml' }],
      ['/out/a/b.yaml', { hash: 'h1' }],
      ['/out/a/b/x.yaml', { hash: 'h2' }],
    ] as const)
      note(observations, path, found)
    trees.set(key, tree)
    change(observations)
    return observations
  }
  const tree = { base: '/out', folder: 'a' }
  const key = treeKey(tree)
  const known = { key: 'k', salt: 's', started: 10_000, settled: new Map<string, string>() }
  const recorded = (observations: Observations, before?: RunRecord): RunRecord =>
    recordOf(observations, { ...known, parts: new Map(), identities: new Float64Array() }, { before, crypto })
  const lines = digestOfBytes(encodeUtf8('h1  a/b.yaml\nh2  a/b/x.yaml\n'), crypto)

  test('has the digest of its lines, and of its files nothing else is kept', () => {
    const { trees, hashes, entries, paths } = recorded(observed())
    expect([...trees]).toEqual([[key, lines]])
    expect([hashes.size, entries.size]).toEqual([0, 0])
    expect([...paths]).toEqual(['/out/a', '/out/a-c', '/out/a/b', '/out/a/b.yaml', '/out/a/b/x.yaml'])
  })

  test.each<[string, (of: Observations) => void]>([
    ['a link', (of) => note(of, '/out/a/b', { entries: 'link/x.yaml' })],
    ['a file that was not read', (of) => note(of, '/out/a/b.yaml', { hash: undefined })],
    ['a folder that was not listed', (of) => note(of, '/out/a/b', { entries: undefined })],
  ])('has none with %s', (_, change) => {
    expect([...recorded(observed(change)).trees]).toEqual([])
  })

  test('is known as long as each of its paths is as it was', () => {
    const record = recorded(observed())
    const at = (path: string): number => record.paths.indexOf(path) ?? -1
    const digestWith = (change: (same: Uint8Array) => void): string | undefined => {
      const same = all(record)
      change(same)
      return rememberFiles(record, same).treeAt(key, '/out/a')?.digest
    }
    expect(digestWith(() => undefined)).toBe(lines)
    expect(digestWith((same) => same.fill(0, at('/out/a-c'), at('/out/a-c') + 1))).toBe(lines)
    for (const path of ['/out/a', '/out/a/b', '/out/a/b.yaml', '/out/a/b/x.yaml'])
      expect(digestWith((same) => same.fill(0, at(path), at(path) + 1))).toBeUndefined()
  })

  test('is not known of a file that was young, nor once something is changed', () => {
    const young = recorded(observed(({ paths }) => paths.get('/out/a/b.yaml')?.signature.set(signature(FILE, 9000))))
    expect(rememberFiles(young, all(young)).treeAt(key, '/out/a')).toBeUndefined()
    const record = recorded(observed())
    const remembered = rememberFiles(record, all(record))
    expect(remembered.signatureOf('/out/a')).toEqual(signature(FOLDER, 100))
    remembered.forget()
    expect(remembered.treeAt(key, '/out/a')).toBeUndefined()
    expect(remembered.signatureOf('/out/a')).toBeUndefined()
  })

  test('is recorded again as it was, by the paths of the record before', () => {
    const before = recorded(observed())
    const carried = rememberFiles(before, all(before)).treeAt(key, '/out/a')
    const observations = noObservations()
    observations.trees.set(key, { ...tree, ...(carried !== undefined && { carried }) })
    const { paths, signatures, trees } = recorded(observations, before)
    expect([...trees]).toEqual([[key, lines]])
    expect([...paths]).toEqual(['/out/a', '/out/a/b', '/out/a/b.yaml', '/out/a/b/x.yaml'])
    expect(signatures.subarray(0, 6)).toEqual(signature(FOLDER, 100))
    expect(signatures.subarray(18)).toEqual(signature(FILE, 100))
  })
})

describe('records of units', () => {
  const digest = (number: number): string => String(number).padStart(64, '0')
  const read = (bytes: Uint8Array, key = 'key'): UnitRecords => parseUnitRecords(bytes, key, { crypto, compression })
  const written = (records: UnitRecords): Uint8Array => joined(records.format('key', crypto))
  const keep = (records: UnitRecords, number: number, body = `body ${number}`): void => {
    records.keep(digest(number), { family: digest(1000 + number), head: `head ${number}`, body })
  }
  const kept = (numbers: readonly number[]): UnitRecords => {
    const records = new UnitRecords(compression)
    for (const number of numbers) keep(records, number)
    return records
  }
  const numbers = (from: number, to: number): readonly number[] =>
    Array.from({ length: to - from }, (_, index) => from + index)
  /** The results that records have, of the first hundred. */
  const held = (records: UnitRecords): readonly number[] =>
    numbers(0, 100).filter((number) => records.get(digest(number))?.head === `head ${number}`)

  test('keep what was asked for or added, for one program', () => {
    const first = new UnitRecords(compression)
    first.keep(digest(1), { family: digest(7), head: 'one', body: '1' })
    first.keep(digest(2), { family: digest(8), head: 'two words', body: '' })
    const bytes = written(first)
    const second = read(bytes)
    expect(second.get(digest(2))?.head).toBe('two words')
    expect(second.get(digest(2))?.body()).toBe('')
    expect(second.get(digest(3))).toBeUndefined()
    expect(second.like(digest(7))?.head).toBe('one')
    expect(second.like(digest(7))?.body()).toBe('1')
    expect(second.like(digest(1))).toBeUndefined()
    expect(second.changes).toBe(1)
    second.keep(digest(4), { family: digest(9), head: 'four', body: 'body\\t4' })
    expect(second.changes).toBe(2)
    expect(read(written(second)).get(digest(1))).toBeUndefined()
    expect(read(written(second)).get(digest(4))?.body()).toBe('body\\t4')
    expect(read(bytes, 'other').get(digest(1))).toBeUndefined()
    expect(read(bytes.subarray(0, -1)).get(digest(1))).toBeUndefined()
    expect(read(new Uint8Array()).get(digest(1))).toBeUndefined()
    expect(read(written(new UnitRecords(compression))).isEmpty).toBe(true)
  })

  test('are the same however many lie together', () => {
    for (const count of [1, 31, 32, 33, 64, 100])
      expect(held(read(written(kept(numbers(0, count)))))).toEqual(numbers(0, count))
  })

  test('are found in any order', () => {
    const records = read(written(kept(numbers(0, 100))))
    for (const number of [99, 0, 64, 31, 32, 0]) expect(records.get(digest(number))?.body()).toBe(`body ${number}`)
    expect(records.like(digest(1040))?.body()).toBe('body 40')
  })

  test('are as before where nothing is another', () => {
    const bytes = written(kept(numbers(0, 100)))
    const again = read(bytes)
    held(again)
    expect(again.changes).toBe(0)
    expect(written(again)).toEqual(bytes)
  })

  test('of several runs stand together', () => {
    const second = read(written(kept(numbers(0, 90))))
    for (const number of numbers(5, 100)) {
      if (number === 40) keep(second, 40, 'another')
      else if (number >= 90) keep(second, number)
      else second.get(digest(number))
    }
    expect(second.changes).toBe(15)
    const third = read(written(second))
    expect(held(third)).toEqual(numbers(5, 100))
    expect(third.get(digest(40))?.body()).toBe('another')
  })

  test('are those that were kept last', () => {
    const records = kept(numbers(0, 40))
    keep(records, 3, 'later')
    const after = read(written(records))
    expect(after.get(digest(3))?.body()).toBe('later')
    expect(held(after)).toEqual(numbers(0, 40))
  })

  test('take less room than their texts', () => {
    const records = new UnitRecords(compression)
    for (const number of numbers(0, 100)) keep(records, number, `${'the same '.repeat(1000)}${number}`)
    expect(written(records).length).toBeLessThan(50_000)
  })
})

describe('a packed result', () => {
  const source = { name: 'values/a.yaml', text: 'password: hush\n', path: '/f/values/a.yaml' }
  const inArchive = { name: 'templates/a.yaml', text: 'kind: A\n', path: '/f/a.tgz!/templates/a.yaml' }
  const result = {
    findings: [
      { message: 'one', at: { source, start: 0, end: 8 } },
      {
        message: 'two',
        at: { source, start: 1, end: 2 },
        trace: [{ what: 'x', at: { source: inArchive, start: 0, end: 1 } }],
      },
    ],
    holds: new Map([['a', 'b']]),
    more: dict([['list', [dict([['n', new GoInt(3n, 'int')]])]]]),
    nothing: undefined,
  }

  test('names the files of people in place of their texts', async () => {
    const { text, shown } = packResult(result, (path) => path === source.path)
    expect(text).not.toContain('hush')
    expect(text).toContain('kind: A')
    // the line that a report shows
    expect(shown).toContain('password: hush')
    const unpacked = await unpackResult(text, async (path) => `text of ${path}`)
    const there = { ...source, text: 'text of /f/values/a.yaml' }
    const [one, two] = result.findings
    expect(unpacked).toEqual({
      ...result,
      findings: [
        { ...one, at: { ...one?.at, source: there } },
        { ...two, at: { ...two?.at, source: there } },
      ],
    })
  })

  test('keeps values as they are', async () => {
    const { text } = packResult(result, () => false)
    expect(await unpackResult(text, () => Promise.reject(new Error('nothing is read')))).toEqual(result)
  })

  test('is refused where it is no packed result', async () => {
    await expect(unpackResult('{}', async () => '')).rejects.toThrow('not the text of a plain value')
  })
})
