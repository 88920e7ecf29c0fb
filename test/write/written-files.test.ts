import { describe, expect, test } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { SharedLists } from '../../src/write/folder-hashes.ts'
import { formatWrittenFiles, parseWrittenFiles } from '../../src/write/written-files.ts'
import { ports } from './trees.ts'

const A = 'a'.repeat(64)
const B = 'b'.repeat(64)
const read = (text: string): ReturnType<typeof parseWrittenFiles> =>
  parseWrittenFiles(encodeUtf8(text), new SharedLists(ports.crypto))
const text = `${A}  .stackmason-tree\n${A}  c/x.yaml\n${A}  c/é/x.yaml\n${B}  d/y.yaml\n${A}  e/x.yaml\n`

describe('the record of written files', () => {
  test('is read and written as it was', () => {
    const record = read(text)
    expect([...(record.get('') ?? [])]).toEqual([['.stackmason-tree', A]])
    expect([...(record.get('c/é') ?? [])]).toEqual([['x.yaml', A]])
    expect(Array.from(formatWrittenFiles(record), decodeUtf8).join('')).toBe(text)
  })

  test('keeps equal folders once', () => {
    const record = read(text)
    expect(record.get('e')).toBe(record.get('c'))
    expect(record.get('d')).not.toBe(record.get('c'))
  })

  test.each([
    ['with the line ends of Windows', text.replaceAll('\n', '\r\n'), 5],
    ['without an end', text.slice(0, -1), 5],
    ['with lines that are none', `${text}x\n\n${A}\n${A}  \n${A} x.yaml\n${A.toUpperCase()}  f/x\n`, 5],
    ['that is empty', '', 0],
  ])('%s', (_, damaged, files) => {
    expect([...read(damaged).values()].reduce((sum, { size }) => sum + size, 0)).toBe(files)
  })
})
