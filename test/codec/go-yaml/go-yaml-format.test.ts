import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatGoJson, JsonError, parseGoJson } from '../../../src/codec/json/go-json.ts'
import { formatGoYaml, formatGoYamlV3 } from '../../../src/codec/go-yaml/go-yaml-format.ts'
import { parseGoYaml, YamlError } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { Dict, dict, GoBytes, goInt, GoInt, typedList, type Value } from '../../../src/model/value.ts'
import { keyRows, numberRows, stringRows } from '../tables/go-yaml-format-rows.ts'

/** What Go's error prints as in the tables. */
function outcomeOf(format: (value: Value) => string, value: Value): string {
  try {
    return format(value)
  } catch (error) {
    if (error instanceof JsonError || error instanceof YamlError) return `ERROR ${error.message}`
    throw error
  }
}

describe('strings', () => {
  it.each(stringRows)('writes %j as Go does', (text, v2, v3) => {
    const value = dict([['k', text]])
    expect(outcomeOf(formatGoYaml, value)).toBe(v2)
    expect(outcomeOf(formatGoYamlV3, value)).toBe(v3)
  })

  it.each(keyRows)('writes %j as a key as Go does', (key, v2, v3) => {
    const value = dict([[key, ['v']]])
    expect(outcomeOf(formatGoYaml, value)).toBe(v2)
    expect(outcomeOf(formatGoYamlV3, value)).toBe(v3)
  })
})

describe('numbers', () => {
  it.each(numberRows)('writes %d as Go does', (value, _json, v2, v3) => {
    expect(formatGoYaml(value)).toBe(v2)
    expect(formatGoYamlV3(value)).toBe(v3)
  })

  it('writes integers as they are', () => {
    const value = [
      goInt(1000000),
      new GoInt(-9223372036854775808n, 'int64'),
      new GoInt(18446744073709551615n, 'uint64'),
    ]
    expect(formatGoYaml(value)).toBe('- 1000000\n- -9223372036854775808\n- 18446744073709551615\n')
  })

  it('refuses NaN in toYaml only', () => {
    expect(() => formatGoYaml([NaN])).toThrow('error marshaling into JSON: json: unsupported value: NaN')
    expect(formatGoYamlV3([NaN, Infinity, -Infinity])).toBe('- .nan\n- .inf\n- -.inf\n')
  })
})

describe('layout', () => {
  const rows: readonly { readonly name: string; readonly json: string; readonly v2: string; readonly v3: string }[] = [
    { name: 'nil', json: 'null', v2: 'null\n', v3: 'null\n' },
    { name: 'an empty map', json: '{}', v2: '{}\n', v3: '{}\n' },
    { name: 'an empty list', json: '[]', v2: '[]\n', v3: '[]\n' },
    { name: 'text at the top', json: '"a\\nb"', v2: '|-\n  a\n  b\n', v3: '|-\n  a\n  b\n' },
    { name: 'a list below a key', json: '{"a":[1,2]}', v2: 'a:\n- 1\n- 2\n', v3: 'a:\n  - 1\n  - 2\n' },
    {
      name: 'maps in a list',
      json: '[{"a":1,"b":2},{"c":3}]',
      v2: '- a: 1\n  b: 2\n- c: 3\n',
      v3: '- a: 1\n  b: 2\n- c: 3\n',
    },
    {
      name: 'lists in lists',
      json: '[[1,[2,3]],[]]',
      v2: '- - 1\n  - - 2\n    - 3\n- []\n',
      v3: '- - 1\n  - - 2\n    - 3\n- []\n',
    },
    {
      name: 'a list in a map in a list',
      json: '[{"a":[1],"b":{"c":{}}}]',
      v2: '- a:\n  - 1\n  b:\n    c: {}\n',
      v3: '- a:\n    - 1\n  b:\n    c: {}\n',
    },
    {
      name: 'blocks in lists',
      json: '["a\\nb\\n",{"k":"x\\ny"}]',
      v2: '- |\n  a\n  b\n- k: |-\n    x\n    y\n',
      v3: '- |\n  a\n  b\n- k: |-\n    x\n    y\n',
    },
    {
      name: 'a map below a long key',
      json: `{"${'k'.repeat(129)}":{"a":[1]}}`,
      v2: `? ${'k'.repeat(129)}\n: a:\n  - 1\n`,
      v3: `? ${'k'.repeat(129)}\n: a:\n    - 1\n`,
    },
    {
      name: 'keys with numbers',
      json: '{"x10":1,"x9":2,"1.10":3,"1.9":4,"b":5,"B":6,"":7}',
      v2: '"": 7\n"1.9": 4\n"1.10": 3\nB: 6\nb: 5\nx9: 2\nx10: 1\n',
      v3: '"": 7\n"1.9": 4\n"1.10": 3\nB: 6\nb: 5\nx9: 2\nx10: 1\n',
    },
  ]
  it.each(rows)('writes $name', ({ json, v2, v3 }) => {
    expect(formatGoYaml(parseGoJson(json))).toBe(v2)
    expect(formatGoYamlV3(parseGoJson(json))).toBe(v3)
  })

  it('writes bytes as base64, or as numbers', () => {
    const value = new GoBytes(Uint8Array.from([1, 255]))
    expect(formatGoYaml(value)).toBe('Af8=\n')
    expect(formatGoYamlV3(value)).toBe('- 1\n- 255\n')
  })

  it('writes typed lists as any list', () => {
    expect(formatGoYaml(typedList('string', ['a', 'true']))).toBe('- a\n- "true"\n')
  })

  it('refuses a value that contains itself', () => {
    const loop = dict()
    loop.set('self', loop)
    expect(() => formatGoYaml(loop)).toThrow(JsonError)
    expect(() => formatGoYamlV3(loop)).toThrow(JsonError)
  })
})

describe('invalid UTF-8', () => {
  const wrapped = `${'YYBhgGGA'.repeat(8)}YYBhgG\n  GAYYBhgGGA\n`
  it('is replaced on the way through JSON', () => {
    expect(formatGoYaml('a\udc80b')).toBe('a\uFFFDb\n')
  })

  it('is !!binary in toYamlPretty', () => {
    expect(formatGoYamlV3(dict([['k', 'a\udc80b']]))).toBe('k: !!binary YYBi\n')
    expect(formatGoYamlV3(dict([['k', 'a\udc80'.repeat(30)]]))).toBe(`k: !!binary |\n  ${wrapped}`)
  })
})

describe('tokens', () => {
  it.each([
    ['\udbff\ue000', 'k: \udbff\ue000\n'],
    ['http://\udbff\ue000:\udbff\ue001/', 'k: http://\udbff\ue000:\udbff\ue001/\n'],
    ['a: \udbff\ue000', "k: 'a: \udbff\ue000'\n"],
    ['\t\udbff\ue000', 'k: "\\t\udbff\ue000"\n'],
    ['\udbff\ue000\nx', 'k: |-\n  \udbff\ue000\n  x\n'],
  ])('stay in %j', (text, want) => {
    expect(formatGoYaml(dict([['k', text]]))).toBe(want)
    expect(formatGoYamlV3(dict([['k', text]]))).toBe(want)
  })
})

describe('what is written', () => {
  const text = fc.oneof(
    fc.string({ maxLength: 12 }),
    fc.string({ unit: fc.constantFrom(...Array.from('ab: -#\n"\'\\{}[],&*!|>%@`?01.\t é')), maxLength: 100 }),
    fc.constantFrom(...stringRows.map(([row]) => row)),
  )
  const value = fc.letrec<{ value: Value }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      text,
      fc.constantFrom<Value>(null, true, false, 0, 1.5, -7),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(text, tie('value')), { maxLength: 4 }).map((entries) => new Dict(entries)),
    ),
  })).value

  it('is read as what it was, line breaks of U+0085 aside', () => {
    const property = fc.property(value, (input) => {
      const json = formatGoJson(input)
      // these are refused, or a plain << merges
      fc.pre(!/[\x7f-\x9f\ufffe\uffff]|"<<"|"\\u003c\\u003c"/.test(json))
      return formatGoJson(parseGoYaml(formatGoYaml(input))) === json
    })
    expect(fc.defaultReportMessage(fc.check(property, { seed: 6, numRuns: 3000 }))).toBeUndefined()
  })
})
