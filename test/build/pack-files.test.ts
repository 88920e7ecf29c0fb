import { expect, test } from 'vitest'
import { packChart, packFiles } from '../../src/build/pack-files.ts'
import { encodeUtf8, decodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { readTar } from '../../src/codec/bytes/tar.ts'
import { gunzipSync } from 'node:zlib'

const limits = { maxEntries: 100, maxFileBytes: 1000 }

function file(path: string): { readonly path: string; readonly bytes: Uint8Array } {
  return { path, bytes: encodeUtf8(`text of ${path}`) }
}

function listed(packed: Uint8Array): readonly string[] {
  return readTar(new Uint8Array(gunzipSync(packed)), limits).map(({ path, type, bytes }) => {
    expect([type, decodeUtf8(bytes)]).toEqual(['file', `text of ${path.replace(/^demo\//, '')}`])
    return path
  })
}

const paths = [
  'b.yaml',
  'a/z.yaml',
  'a.yaml',
  'A.yaml',
  'a/b/c.yaml',
  'ä.yaml',
  '.helmignore',
  'a-b/x.yaml',
  'B/long'.padEnd(150, 'x'),
]

test('files stand folder by folder in byte order, whatever order they come in', () => {
  const packed = packFiles(paths.map(file))
  expect(packFiles(paths.toReversed().map(file))).toEqual(packed)
  expect(listed(packed)).toEqual([
    '.helmignore',
    'A.yaml',
    'B/long'.padEnd(150, 'x'),
    'a/b/c.yaml',
    'a/z.yaml',
    'a-b/x.yaml',
    'a.yaml',
    'b.yaml',
    'ä.yaml',
  ])
})

test('a chart lies below its name', () => {
  expect(listed(packChart([file('Chart.yaml'), file('templates/a.yaml')], 'demo'))).toEqual([
    'demo/Chart.yaml',
    'demo/templates/a.yaml',
  ])
})

test('entries have no time, no owner and one mode', () => {
  const tar = gunzipSync(packFiles([file('a')]))
  const field = (start: number, length: number): string => tar.subarray(start, start + length).toString('latin1')
  expect({
    mode: field(100, 8),
    uid: field(108, 8),
    gid: field(116, 8),
    time: field(136, 12),
    names: field(265, 64),
  }).toEqual({
    mode: '0000644\0',
    uid: '0000000\0',
    gid: '0000000\0',
    time: '00000000000\0',
    names: '\0'.repeat(64),
  })
})
