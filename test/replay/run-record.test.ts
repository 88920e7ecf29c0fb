import { describe, expect, test } from 'vitest'
import { packResult, unpackResult } from '../../src/replay/pack-result.ts'
import { formatRecord, parseRecord, recordOf, type RunRecord } from '../../src/replay/run-record.ts'
import { noObservations } from '../../src/replay/observations.ts'
import { rememberFiles } from '../../src/replay/remembered-files.ts'
import { parseUnitRecords, UnitRecords } from '../../src/replay/unit-records.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { dict, GoInt } from '../../src/model/value.ts'

const { crypto } = createNodePorts()
const [FILE, FOLDER] = [0o100644, 0o040755]

function signature(mode: number, changed: number): Float64Array {
  return Float64Array.from([mode, 12, changed, changed, 7, 1])
}

/** A run that began at 10,000 and looked at four paths. */
function record(): RunRecord {
  const observations = noObservations()
  observations.paths.set('/f/old', { signature: signature(FILE, 100), isRead: true })
  observations.paths.set('/f/young', { signature: signature(FILE, 9000), isRead: true, digest: 'd1' })
  observations.paths.set('/f/listed', { signature: signature(FOLDER, 200), isRead: true })
  observations.paths.set('/f/seen', { signature: signature(FOLDER, 300), isRead: false })
  observations.hashes.set('/f/old', 'aa')
  observations.hashes.set('/f/young', 'bb')
  observations.entries.set('/f/listed', 'file/a/b\0directory/c')
  observations.places.add('/f')
  observations.links.set('/f/link', '/f/old')
  observations.variables.set('HOME', 'e1')
  observations.packaged.set('read templates/a', 'p1')
  observations.states.set('s', { folder: '/f', state: 'x' })
  observations.states.set('t', { folder: '/f', revision: 'main', state: 'y' })
  observations.untracked.set('u', { folder: '/f', kind: 'new', digest: 'u1' })
  const known = { key: 'k', salt: 's', started: 10_000, settled: new Map([['/f/.own', 'n']]), result: 'r\n"' }
  return recordOf(observations, { ...known, identities: Float64Array.from([1, 2, 3]) })
}

describe('the record of a run', () => {
  test('is read as it was written', () => {
    const written = record()
    expect(parseRecord(formatRecord(written, crypto), crypto)).toEqual(written)
  })

  test('keeps of a folder that nobody listed that it is there', () => {
    expect(record().places).toEqual(['/f', '/f/seen'])
    expect(record().paths).toEqual(['/f/old', '/f/young', '/f/listed'])
  })

  test('of which any byte is another is no record', () => {
    const bytes = formatRecord(record(), crypto)
    for (let at = 0; at < bytes.length; at += 13) {
      const damaged = bytes.slice()
      damaged[at] = (damaged[at] ?? 0) ^ 1
      expect(parseRecord(damaged, crypto)).toBeUndefined()
    }
    for (const length of [0, 1, 63, 64, 100, bytes.length - 1])
      expect(parseRecord(bytes.subarray(0, length), crypto)).toBeUndefined()
  })

  test('knows files and folders whose signature is the same, and was old then', () => {
    const remembered = rememberFiles(record())
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

describe('records of units', () => {
  test('keep what was asked for or added, for one program', () => {
    const first = new UnitRecords()
    first.keep('d1', 'one')
    first.keep('d2', 'two words')
    const bytes = first.format('key', crypto)
    const second = parseUnitRecords(bytes, 'key', crypto)
    expect(second.get('d2')).toBe('two words')
    expect(second.get('d3')).toBeUndefined()
    expect(second.changes).toBe(1)
    second.keep('d4', 'four')
    expect(second.changes).toBe(2)
    expect(parseUnitRecords(second.format('key', crypto), 'key', crypto).get('d1')).toBeUndefined()
    expect(parseUnitRecords(bytes, 'other', crypto).get('d1')).toBeUndefined()
    expect(parseUnitRecords(bytes.subarray(0, -1), 'key', crypto).get('d1')).toBeUndefined()
    expect(parseUnitRecords(new Uint8Array(), 'key', crypto).get('d1')).toBeUndefined()
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
    expect(shown).toContain(source.text)
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
