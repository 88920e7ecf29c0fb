import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatGoJson, JsonError, parseGoJson } from '../../../src/codec/json/go-json.ts'
import { dict, GoBytes, goInt, GoInt, GoObject, typedList, type Value } from '../../../src/model/value.ts'
import { GoStruct } from '../../../src/render/chart/go-struct.ts'
import { jsonRows } from '../tables/go-json-rows.ts'

class Version extends GoObject {
  readonly goType = '*semver.Version'
  readonly kind = 'ptr'
  field(): undefined {
    return undefined
  }
  toText(): string {
    return '1.2.3'
  }
}

function outcomeOf(text: string): { readonly want: string } | { readonly wantError: string } {
  try {
    return { want: formatGoJson(parseGoJson(text)) }
  } catch (error) {
    if (error instanceof JsonError) return { wantError: error.message }
    throw error
  }
}

function caught(text: string): JsonError {
  try {
    parseGoJson(text)
  } catch (error) {
    if (error instanceof JsonError) return error
    throw error
  }
  throw new Error('no error')
}

describe('parseGoJson', () => {
  it.each(jsonRows)('reads $input as Go does', ({ input, want, wantError }) => {
    expect(outcomeOf(input)).toEqual(wantError === undefined ? { want } : { wantError })
  })

  it.each([
    ['[1 x]', 3],
    ['{"a":1,}', 7],
    ['[1', 2],
  ])('says where %j is wrong', (input, offset) => {
    expect(caught(input).offset).toBe(offset)
  })

  it('keeps tokens', () => {
    expect(parseGoJson('["\udbff\ue000"]')).toEqual(['\udbff\ue000'])
  })

  it('refuses text that is nested without end', () => {
    expect(() => parseGoJson('['.repeat(100_000))).toThrow(JsonError)
    expect(() => parseGoJson('{"a":'.repeat(100_000))).toThrow(JsonError)
  })

  it('survives any text', () => {
    const letters = fc.constantFrom(...'{}[]",:\\u0123456789eE+-.tfn \n'.split(''))
    const text = fc.string({ unit: letters, maxLength: 30 })
    const property = fc.property(text, (input) => Object.keys(outcomeOf(input)).length === 1)
    expect(fc.defaultReportMessage(fc.check(property, { seed: 4, numRuns: 5000 }))).toBeUndefined()
  })
})

describe('formatGoJson', () => {
  const rows: readonly { readonly name: string; readonly value: Value; readonly want: string }[] = [
    { name: 'nil', value: null, want: 'null' },
    { name: 'keys in byte order', value: dict([['b', 1], ['B', 2], ['é', 3], ['', 4], ['😀', 5], ['\uffee', 6]]), want: '{"":4,"B":2,"b":1,"é":3,"\uffee":6,"😀":5}' }, // prettier-ignore
    {
      name: 'integers',
      value: [goInt(3), new GoInt(18446744073709551615n, 'uint64')],
      want: '[3,18446744073709551615]',
    },
    { name: 'bytes', value: new GoBytes(Uint8Array.from([1, 2, 255])), want: '"AQL/"' },
    { name: 'a typed list', value: typedList('string', ['a']), want: '["a"]' },
    { name: 'an object', value: dict([['v', new Version()]]), want: '{"v":"1.2.3"}' },
    { name: 'HTML', value: '<a> & </a>', want: '"\\u003ca\\u003e \\u0026 \\u003c/a\\u003e"' },
    { name: 'control characters', value: '\0\b\t\n\v\f\r\x1b\x7f', want: '"\\u0000\\b\\t\\n\\u000b\\f\\r\\u001b\x7f"' },
    { name: 'line separators', value: '\u2028\u2029', want: '"\\u2028\\u2029"' },
    { name: 'invalid bytes', value: 'a\udc80b', want: '"a\\ufffdb"' },
    { name: 'a token', value: 'x\udbff\ue000<', want: '"x\udbff\ue000\\u003c"' },
    { name: 'keys like those of prototypes', value: dict([['__proto__', dict([['x', 1]])]]), want: '{"__proto__":{"x":1}}' }, // prettier-ignore
  ]
  it.each(rows)('writes $name', ({ value, want }) => {
    expect(formatGoJson(value)).toBe(want)
  })

  it("keeps a struct's fields in Go's order, and indents it as a map", () => {
    const fields = [{ name: 'Z', json: 'Version', value: 'v1' }, { name: 'A', json: 'Major', value: '1' }] // prettier-ignore
    const value = dict([['k', new GoStruct({ goType: 'x.Kube', kind: 'struct', fields })]])
    expect(formatGoJson(value)).toBe('{"k":{"Version":"v1","Major":"1"}}')
    expect(formatGoJson(value, { indent: '  ' })).toBe('{\n  "k": {\n    "Version": "v1",\n    "Major": "1"\n  }\n}')
  })

  it('leaves HTML alone when told to', () => {
    expect(formatGoJson('<a>\u2028', { escapeHtml: false })).toBe('"<a>\\u2028"')
  })

  it('indents', () => {
    const value = dict([['a', [1, dict(), []]], ['b', dict([['c', null]])]]) // prettier-ignore
    const want = '{\n  "a": [\n    1,\n    {},\n    []\n  ],\n  "b": {\n    "c": null\n  }\n}'
    expect(formatGoJson(value, { indent: '  ' })).toBe(want)
  })

  it.each([
    [NaN, 'json: unsupported value: NaN'],
    [Infinity, 'json: unsupported value: +Inf'],
    [-Infinity, 'json: unsupported value: -Inf'],
  ])('refuses %d', (value, message) => {
    expect(() => formatGoJson([value])).toThrow(new JsonError(message))
  })

  it('refuses a value that contains itself', () => {
    const loop = dict()
    loop.set('self', [loop])
    expect(() => formatGoJson(loop)).toThrow(JsonError)
  })
})
