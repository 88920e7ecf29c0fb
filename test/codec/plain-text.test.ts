import { describe, expect, test } from 'vitest'
import { readPlain, writePlain } from '../../src/codec/plain-text.ts'
import { dict, elementType, GoBytes, GoInt, typedList } from '../../src/model/value.ts'

describe('a plain value as text', () => {
  test.each([
    { name: 'numbers', value: [0, -0, 1.5, NaN, Infinity, -Infinity, 1e21] },
    { name: 'texts, with tokens and bytes that are no UTF-8', value: ['', 'é', '\uDBFF\uE000', '\uDCFF'] },
    { name: 'fields that are undefined', value: { a: undefined, b: null, c: true } },
    {
      name: 'Go values',
      value: dict([
        ['b', new GoInt(2n ** 63n, 'uint64')],
        ['a', new GoBytes(Uint8Array.of(0, 255))],
      ]),
    },
    { name: 'maps, sets, bytes', value: [new Map([['b', 1]]), new Set(['b', 'a']), Uint8Array.of(1, 2, 3, 4)] },
    { name: 'a field of an odd name', value: JSON.parse('{"__proto__": 1}') as unknown },
  ])('keeps $name', ({ value }) => {
    const text = writePlain(value)
    expect(readPlain(text)).toStrictEqual(value)
    expect(writePlain(readPlain(text))).toBe(text)
  })

  test('keeps the types of maps and lists', () => {
    const typed = dict()
    typed.goType = 'common.Values'
    const read = readPlain(writePlain([typed, typedList('string', ['a'])]))
    expect(read).toStrictEqual([typed, ['a']])
    expect(Array.isArray(read) ? elementType(read[1] as []) : undefined).toBe('string')
  })

  test('writes fields in one order, and entries of maps in theirs', () => {
    expect(writePlain({ b: 1, a: 2 })).toBe(writePlain({ a: 2, b: 1 }))
    const maps = [
      dict([
        ['a', 1],
        ['b', 2],
      ]),
      dict([
        ['b', 2],
        ['a', 1],
      ]),
    ]
    expect(new Set(maps.map(writePlain)).size).toBe(2)
  })

  test('writes what stands in several places once, and reads it as one', () => {
    const source = { name: 'x.yaml', text: 'x'.repeat(100) }
    const text = writePlain({ a: source, b: [source] })
    expect(text.split(source.text)).toHaveLength(2)
    const read = readPlain(text) as { readonly a: unknown; readonly b: readonly unknown[] }
    expect(read.b[0]).toBe(read.a)
    expect(writePlain([new GoInt(1n), new GoInt(1n)])).toBe(writePlain(Array.from({ length: 2 }).fill(new GoInt(1n))))
  })

  test.each([
    { value: { a: [new Map([['b', () => 0]])] }, at: '.a[0].b' },
    { value: { a: new Date(0) }, at: '.a' },
    { value: [new (class Own extends Map {})()], at: '[0]' },
    { value: { a: Symbol('x') }, at: '.a' },
  ])('refuses what is none: $at', ({ value, at }) => {
    expect(() => writePlain(value)).toThrow(`${at} is no plain value`)
  })

  test.each([
    '{}',
    '[]',
    '["text"]',
    '["is",null,1]',
    '["other"]',
    '["int","float","1"]',
    '["bytes","!"]',
    '["list","x","1"]',
  ])('refuses another text: %s', (text) => {
    expect(() => readPlain(text)).toThrow('not the text of a plain value')
  })
})
