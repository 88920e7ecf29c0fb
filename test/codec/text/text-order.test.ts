import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes, compareNatural, compareNaturalV3, sortNaturally } from '../../../src/codec/text/text-order.ts'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { keyOrderRows } from '../tables/key-order-rows.ts'

function compareBuffers(a: string, b: string): number {
  return Math.sign(Buffer.compare(encodeUtf8(a), encodeUtf8(b)))
}

describe('compareBytes', () => {
  const pairs = [
    ['', ''],
    ['', 'a'],
    ['a', 'B'],
    ['a', 'ab'],
    ['é', 'z'],
    ['\uffff', '😀'],
    ['\ue000', '😀'],
    ['a\u{10ffff}', 'a\uffff'],
    ['\udc80', 'é'],
    ['\udcff', '😀'],
    ['😀', '😁'],
  ] as const
  it.each(pairs)('orders %j and %j as their bytes', (a, b) => {
    expect(Math.sign(compareBytes(a, b))).toBe(compareBuffers(a, b))
    expect(Math.sign(compareBytes(b, a))).toBe(compareBuffers(b, a))
  })

  it('agrees with bytes on any text', () => {
    const text = fc.string({ unit: 'binary', maxLength: 6 })
    const property = fc.property(text, text, (a, b) => Math.sign(compareBytes(a, b)) === compareBuffers(a, b))
    expect(fc.defaultReportMessage(fc.check(property, { seed: 2, numRuns: 3000 }))).toBeUndefined()
  })
})

describe('natural order', () => {
  it.each(keyOrderRows)('orders %j and %j as go-yaml does', (a, b, v2, v3) => {
    expect(Math.sign(compareNatural(a, b))).toBe(v2)
    expect(Math.sign(compareNatural(b, a))).toBe(-v2)
    expect(Math.sign(compareNaturalV3(a, b))).toBe(v3)
  })

  it('gives one result for every order of the input, even where the order is not transitive', () => {
    const orders = [
      ['1k', '2', '10'],
      ['2', '10', '1k'],
      ['10', '1k', '2'],
    ]
    const sorted = orders.map((keys) => sortNaturally(keys, compareNatural).join(' '))
    expect(new Set(sorted).size).toBe(1)
  })
})
