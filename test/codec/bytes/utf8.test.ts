import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeUtf8, encodeUtf8, utf8Length } from '../../../src/codec/bytes/utf8.ts'

const rows: readonly { readonly name: string; readonly bytes: readonly number[]; readonly text: string }[] = [
  { name: 'nothing', bytes: [], text: '' },
  { name: 'ASCII', bytes: [0x61, 0x0a, 0x00], text: 'a\n\0' },
  { name: 'two, three and four bytes', bytes: [0xc3, 0xa9, 0xe6, 0x97, 0xa5, 0xf0, 0x9f, 0x98, 0x80], text: 'é日😀' },
  { name: 'a byte order mark, kept', bytes: [0xef, 0xbb, 0xbf, 0x61], text: '\ufeffa' },
  { name: 'a lone continuation byte', bytes: [0x61, 0x80, 0x62], text: 'a\udc80b' },
  { name: 'a cut character', bytes: [0xe6, 0x97], text: '\udce6\udc97' },
  { name: 'a cut character before text', bytes: [0xf0, 0x9f, 0x98, 0x61], text: '\udcf0\udc9f\udc98a' },
  { name: 'an overlong form', bytes: [0xc0, 0xaf], text: '\udcc0\udcaf' },
  { name: 'an overlong form of three bytes', bytes: [0xe0, 0x80, 0xaf], text: '\udce0\udc80\udcaf' },
  { name: 'an encoded surrogate', bytes: [0xed, 0xa0, 0x80], text: '\udced\udca0\udc80' },
  { name: 'beyond Unicode', bytes: [0xf4, 0x90, 0x80, 0x80], text: '\udcf4\udc90\udc80\udc80' },
  { name: 'bytes that never occur', bytes: [0xfe, 0xff], text: '\udcfe\udcff' },
]

describe('decodeUtf8 and encodeUtf8', () => {
  it.each(rows)('keep $name', ({ bytes, text }) => {
    expect(decodeUtf8(Uint8Array.from(bytes))).toBe(text)
    expect([...encodeUtf8(text)]).toEqual(bytes)
    expect(utf8Length(text)).toBe(bytes.length)
  })

  it('lose no byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const text = decodeUtf8(bytes)
        expect(encodeUtf8(text)).toEqual(bytes)
        expect(utf8Length(text)).toBe(bytes.length)
      }),
      { seed: 1, numRuns: 2000 },
    )
  })

  it('write the mark of a token as three bytes', () => {
    expect(encodeUtf8('a\udbff\ue000').length).toBe(7)
    expect(utf8Length('a\udbff\ue000')).toBe(7)
  })
})
