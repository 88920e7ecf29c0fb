import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { sharingParts } from '../../src/model/sharing-parts.ts'
import { Dict, typedList } from '../../src/model/value.ts'

const seed = 20_261_129

describe('a value that shares its parts', () => {
  test('is the other one where both are equal', () => {
    const other = { name: 'a', units: [{ path: 'x', waits: [] }], none: undefined }
    expect(sharingParts(structuredClone(other), other)).toBe(other)
  })

  test('has of another one what is equal at the same place', () => {
    const other = { name: 'a', units: [{ path: 'x', waits: ['p'] }, { path: 'y' }], charts: ['1', '2'] }
    const shared = sharingParts(
      { name: 'b', units: [{ path: 'z', waits: ['p'] }, { path: 'y' }], charts: ['1', '2'] },
      other,
    )
    expect(shared).toEqual({ name: 'b', units: [{ path: 'z', waits: ['p'] }, { path: 'y' }], charts: ['1', '2'] })
    expect(shared.charts).toBe(other.charts)
    expect(shared.units[0]?.waits).toBe(other.units[0]?.waits)
    expect(shared.units[1]).toBe(other.units[1])
  })

  test.each<readonly [string, unknown, unknown]>([
    ['fields in another order', { a: 1, b: 2 }, { b: 2, a: 1 }],
    ['a field that is undefined, and one that is not there', { a: undefined }, {}],
    ['one that is not there, and one that is undefined', {}, { a: undefined }],
    ['zeros of two signs', [-0], [0]],
    ['a list and an object', ['a'], { 0: 'a' }],
    ['lists of two lengths', ['a'], ['a', 'a']],
    ['a name that objects have from elsewhere', JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}'), {}],
    ['nothing beside an object', null, {}],
  ])('stays what it is: %s', (_, value, other) => {
    const shared = sharingParts(value, other)
    expect(shared).not.toBe(other)
    expect(shared).toStrictEqual(value)
    expect(JSON.stringify(shared)).toBe(JSON.stringify(value))
  })

  test.each([
    ['a map', new Dict([['a', 1]]), new Dict([['a', 1]])],
    ['a set', new Set(['a']), new Set(['a'])],
    ['a list of another type', typedList('string', ['a']), ['a']],
    ['what has no other', { a: 1 }, undefined],
  ])('is not copied: %s', (_, value, other) => {
    expect(sharingParts<unknown>(value, other)).toBe(value)
  })

  test('says the same, whatever the other one is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), fc.jsonValue({ maxDepth: 4 }), (value, other) => {
        const before = [JSON.stringify(value), JSON.stringify(other)]
        expect(sharingParts<unknown>(value, other)).toStrictEqual(value)
        expect([JSON.stringify(value), JSON.stringify(other)]).toEqual(before)
      }),
      { seed, numRuns: 500 },
    )
  })
})
