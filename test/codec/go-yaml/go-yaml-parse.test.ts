import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { parseGoYaml, YamlError } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { Dict, dict, GoInt } from '../../../src/model/value.ts'
import { errorRows, parseRows } from '../tables/go-yaml-parse-rows.ts'

function caught(text: string): YamlError {
  try {
    parseGoYaml(text)
  } catch (error) {
    if (error instanceof YamlError) return error
    throw error
  }
  throw new Error('no error')
}

/** True if the text gives a value, or an error that points into the text. */
function isHandled(text: string): boolean {
  try {
    return formatGoJson(parseGoYaml(text)) !== ''
  } catch (error) {
    if (error instanceof YamlError) return error.offset <= text.length
    throw error
  }
}

describe('parseGoYaml', () => {
  it.each(parseRows)('reads %j as Go does', (input, want) => {
    expect(formatGoJson(parseGoYaml(input))).toBe(want)
  })

  it.each(errorRows)('refuses %j as Go does', (input, want) => {
    expect(caught(input).message).toBe(want)
  })

  const offsets: readonly (readonly [string, number])[] = [
    ['a: 1\nb: c: d\n', 9],
    ['a: 1\r\nb: c: d\r\n', 10],
    ['\ufeffa: 1\r\n\r\nb: c: d', 13],
    ['a: [1, 2', 8],
    ['a: *x', 3],
    ['x: 1\ny: !!int z', 8],
    ['a: \u0001', 3],
  ]
  it.each(offsets)('says where %j is wrong', (input, offset) => {
    expect(caught(input).offset).toBe(offset)
  })

  it('makes a new map for every alias', () => {
    const value = parseGoYaml('a: &x {k: v}\nb: *x\n')
    const [first, second] = value instanceof Dict ? [...value.values()] : []
    expect(value).toEqual(dict([['a', dict([['k', 'v']])], ['b', dict([['k', 'v']])]])) // prettier-ignore
    expect(first).not.toBe(second)
  })

  it('keeps a token as it is', () => {
    expect(parseGoYaml('host: http://\udbff\ue000:\udbff\ue001/')).toEqual(dict([['host', 'http://\udbff\ue000:\udbff\ue001/']])) // prettier-ignore
  })

  const integers: readonly (readonly [string, unknown])[] = [
    ['3', new GoInt(3n, 'int64')],
    ['-9223372036854775808', new GoInt(-9223372036854775808n, 'int64')],
    ['18446744073709551615', new GoInt(18446744073709551615n, 'uint64')],
    ['9007199254740993', new GoInt(9007199254740993n, 'int64')],
    ['18446744073709551616', 18446744073709552000],
    ['3.0', new GoInt(3n, 'int64')],
    ['1e3', new GoInt(1000n, 'int64')],
    ['1e20', 1e20],
    ['1.5', 1.5],
    ['0644', new GoInt(420n, 'int64')],
    ['"3"', '3'],
  ]
  it.each(integers)('keeps the integer %s when told to', (input, want) => {
    expect(parseGoYaml(input, { integers: 'int' })).toEqual(want)
  })
})

describe('limits', () => {
  it('refuses aliases that multiply, in no time', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 12; level++) {
      const inner = Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')
      lines.push(`a${level}: &a${level} [${inner}]`)
    }
    expect(caught(lines.join('\n')).message).toBe(
      'error converting YAML to JSON: yaml: document contains excessive aliasing',
    )
  })

  it('reads aliases that do not', () => {
    const uses = Array.from({ length: 2000 }, (_, index) => `k${index}: *x`).join('\n')
    const value = parseGoYaml(`x: &x {a: 1, b: 2}\n${uses}\n`)
    expect(value instanceof Dict ? value.size : 0).toBe(2001)
  })

  it.each(['[', '{', '{a: ', '- ', '? ', 'a: [', '[[],', '&a [', '!!seq ['])('refuses %j over and over', (piece) => {
    expect(() => parseGoYaml(piece.repeat(50_000))).toThrow(YamlError)
  })

  it('refuses indentation without end', () => {
    const text = Array.from({ length: 3000 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')
    expect(caught(text).message).toContain('exceeded max depth')
  })

  it('refuses depth that aliases make', () => {
    const lines = ['a0: &a0 [x]']
    for (let level = 1; level < 1200; level++) lines.push(`a${level}: &a${level} [*a${level - 1}]`)
    expect(() => parseGoYaml(lines.join('\n'))).toThrow(YamlError)
  })

  it('takes linear time for long scalars and many keys', () => {
    const long = 'x'.repeat(1_000_000)
    for (const text of [long, `"${long}"`, `'${long}'`, `|\n ${long}`, '1'.repeat(1_000_000), '- \n'.repeat(300_000)]) {
      parseGoYaml(text)
    }
    expect(() => parseGoYaml(`${long}: 1`)).toThrow(YamlError)
  })
})

describe('any text', () => {
  const marks =
    'a·b·: ·:·- ·-·\n·\n  ·\n ·\n- · ·\t·#·{·}·[·]·,·? ·|·>·|2·>-\n·&x ·*x·!!int ·!!str ·!·\'·"·\\·---·\n---\n·...·%·<<: '
  const texts = '1·0x·.5·~·true·\r\n·\u2028·\x85·é·😀·\ufeff·\udc80·\udbff\ue000·\0·\x7f'
  const pieces = fc.constantFrom(...`${marks}·${texts}`.split('·'))
  it('gives a value or a YamlError', () => {
    const property = fc.property(fc.array(pieces, { maxLength: 25 }), (parts) => isHandled(parts.join('')))
    expect(fc.defaultReportMessage(fc.check(property, { seed: 5, numRuns: 20_000 }))).toBeUndefined()
  })
})
