import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64, encodeBase64 } from '../../../src/codec/bytes/base64.ts'

describe('base64', () => {
  it('agrees with the platform', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 20 }), (bytes) => {
        const text = Buffer.from(bytes).toString('base64')
        expect(encodeBase64(bytes)).toBe(text)
        expect(decodeBase64(text)).toEqual(bytes)
      }),
      { seed: 3, numRuns: 500 },
    )
  })

  it.each(['a', 'ab', 'abc', 'ab=c', '=', '====', 'a===', 'ab cd===', 'äbcd', 'YQ==YQ=='])('refuses %j', (text) => {
    expect(decodeBase64(text)).toBeUndefined()
  })

  it('skips line breaks', () => {
    expect(decodeBase64('aGVs\r\nbG8=\n')).toEqual(Uint8Array.from(Buffer.from('hello')))
  })
})
