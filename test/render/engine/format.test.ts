import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createTokenTable } from '../../../src/model/token.ts'
import { GoBytes, GoInt, GoObject, dict, goInt, typedList, type Value } from '../../../src/model/value.ts'
import { FunctionError } from '../../../src/render/engine/function.ts'
import {
  formatFloat,
  formatPrint,
  formatPrintf,
  formatPrintln,
  formatValue,
  quoteGo,
  toDisplay,
} from '../../../src/render/engine/format.ts'
import { isPrintable } from '../../../src/codec/text/printable.ts'
import { TokenRefusedError } from '../../../src/render/engine/token-refused.ts'
import { parseArgument, parseRows } from './format-rows.ts'

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

const tokens = createTokenTable()
const host = tokens.add({ kind: 'runtime', type: 'host', path: 'a' })
const port = tokens.add({ kind: 'runtime', type: 'port', path: 'b' })
const isIntegerToken = (token: string): boolean => {
  const spec = tokens.get(token)
  return spec?.type === 'port' || spec?.type === 'integer'
}

// The rows were written by a Go 1.26 program that ran fmt.Sprintf over a grid and over random formats.
describe('formatPrintf gives what Go gives', () => {
  const text = readFileSync(new URL('./format.rows.jsonl', import.meta.url), 'utf8')
  const rows = parseRows(text)
  test('the table is there', () => {
    expect(rows).toHaveLength(900)
  })
  test.each(rows.map((row) => ({ format: row[0], args: row[1], want: row[2] })))(
    '$format of $args',
    ({ format, args, want }) => {
      expect(formatPrintf(format, args.map(parseArgument))).toBe(want)
    },
  )
})

const readable: readonly (readonly [format: string, args: readonly Value[], want: string])[] = [
  ['plain', [], 'plain'],
  ['%s-%s', ['a', 'b'], 'a-b'],
  ['%s', [3], '%!s(float64=3)'],
  ['%d', [3], '%!d(float64=3)'],
  ['%d', [goInt(3)], '3'],
  ['%d', ['x'], '%!d(string=x)'],
  ['%s', [null], '%!s(<nil>)'],
  ['%v', [null], '<nil>'],
  ['%s', [], '%!s(MISSING)'],
  ['%s', ['a', 'b'], 'a%!(EXTRA string=b)'],
  ['%s', ['a', null, 1], 'a%!(EXTRA <nil>, float64=1)'],
  ['%', [], '%!(NOVERB)'],
  ['%[3]d', [goInt(1)], '%!d(BADINDEX)'],
  ['%[2]s %[1]s', ['a', 'b'], 'b a'],
  ['%*d', ['x', goInt(1)], '%!(BADWIDTH)1'],
  ['%.*f', [1.5, 2], '%!(BADPREC)2.000000'],
  ['%*d', [goInt(-4), goInt(1)], '1   '],
  [
    '%v',
    [
      dict([
        ['b', 2],
        ['a', 'x'],
        ['c', null],
      ]),
    ],
    'map[a:x b:2 c:<nil>]',
  ],
  ['%v', [[goInt(1), 'a', null, [true]]], '[1 a <nil> [true]]'],
  ['%#v', [dict([['a', [1, 'x', null]]])], 'map[string]interface {}{"a":[]interface {}{1, "x", interface {}(nil)}}'],
  ['%T %T %T', [1, dict(), typedList('string', [])], 'float64 map[string]interface {} []string'],
  ['%5.2f|%-8s|%05d|%x', [3.14159, 'ab', goInt(42), 'hi'], ' 3.14|ab      |00042|6869'],
  ['%s %v', [new GoBytes(Uint8Array.of(97, 98)), new GoBytes(Uint8Array.of(97, 98))], 'ab [97 98]'],
  ['%q', ['a\udcff\n'], '"a\\xff\\n"'],
  ['%5s|', ['\udcc3\udca9'], '    \udcc3\udca9|'.replace('\udcc3\udca9', 'é')],
  ['%s %v %q', [new Version(), new Version(), new Version()], '1.2.3 1.2.3 "1.2.3"'],
  ['100%%', [], '100%'],
  ['%!', [], '%!!(MISSING)'],
  ['%v', [new GoInt(255n, 'uint8')], '255'],
]

test.each(readable)('formatPrintf(%s) %#', (format, args, want) => {
  expect(formatPrintf(format, args)).toBe(want)
})

test.each([
  [[], ''],
  [[goInt(1), goInt(2), 'a', 'b', goInt(3), 1.5, null, true, ['x'], ''], '1 2ab3 1.5 <nil> true [x]'],
  [['a', goInt(1), goInt(2), 'b', null, null], 'a1 2b<nil> <nil>'],
  [[new GoBytes(Uint8Array.of(97, 98)), 'x', new GoBytes(Uint8Array.of(99))], '[97 98]x[99]'],
] satisfies readonly [Value[], string][])('formatPrint %#', (args, want) => {
  expect(formatPrint(args)).toBe(want)
})

test('formatPrintln puts spaces everywhere and ends the line', () => {
  expect(formatPrintln([goInt(1), 'a', null, 1e6])).toBe('1 a <nil> 1e+06\n')
  expect(formatPrintln([])).toBe('\n')
})

test.each([
  [0, '0'],
  [-0, '-0'],
  [3, '3'],
  [999999, '999999'],
  [1000000, '1e+06'],
  [1234567, '1.234567e+06'],
  [123456.7, '123456.7'],
  [1234567.8, '1.2345678e+06'],
  [0.0001, '0.0001'],
  [0.00001, '1e-05'],
  [1e20, '1e+20'],
  [1e100, '1e+100'],
  [5e-324, '5e-324'],
  [12345678901234567e3, '1.2345678901234567e+19'],
  [Infinity, '+Inf'],
  [-Infinity, '-Inf'],
  [NaN, 'NaN'],
])('formatFloat(%d)', (value, want) => {
  expect(formatFloat(value)).toBe(want)
})

test('a template action prints nil as no value, but nil inside as nil', () => {
  expect(toDisplay(null)).toBe('<no value>')
  expect(toDisplay([null])).toBe('[<nil>]')
  expect(toDisplay('text')).toBe('text')
  expect(formatValue(null)).toBe('<nil>')
})

test('printable code points are those of Go', () => {
  let count = 0
  let sum = 0
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (!isPrintable(codePoint)) continue
    count++
    sum = (sum * 31 + codePoint) % 1000003
  }
  expect([count, sum]).toEqual([148998, 720425])
})

describe('tokens', () => {
  test.each([
    ['%s', `a${host}b`, `a${host}b`],
    ['%v', `a${host}b`, `a${host}b`],
    ['%q', `a"${host}b`, `"a\\"${host}b"`],
    ['%v', [host], `[${host}]`],
    ['%d', port, port],
    ['%s:6443', host, `${host}:6443`],
  ] satisfies [string, Value, string][])('%s passes %#', (format, arg, want) => {
    expect(formatPrintf(format, [arg], { isIntegerToken })).toBe(want)
  })

  test.each([
    ['%5s', host],
    ['%-5v', host],
    ['%.3s', host],
    ['%x', host],
    ['%#q', host],
    ['%d', host],
    ['%d', `1${port}`],
    ['%+d', port],
    ['%5d', port],
    ['%t', host],
    ['%10v', [host]],
    [`%${host}`, 1],
  ] satisfies [string, Value][])('%s is refused %#', (format, arg) => {
    expect(() => formatPrintf(format, [arg], { isIntegerToken })).toThrow(TokenRefusedError)
  })

  test('an integer token needs the table to be known as one', () => {
    expect(() => formatPrintf('%d', [port])).toThrow(TokenRefusedError)
  })

  test('quoteGo keeps tokens, and is not misled by private-use characters beyond the mark', () => {
    expect(quoteGo(`${host}\n`)).toBe(`"${host}\\n"`)
    expect(quoteGo('\u{10fc80}')).toBe('"\\U0010fc80"')
    expect(formatPrintf('%3s', ['\u{10fc80}'])).toBe('  \u{10fc80}')
  })
})

describe('limits', () => {
  test('a value that contains itself is refused', () => {
    const map = dict()
    map.set('self', map)
    expect(() => formatValue(map)).toThrow(FunctionError)
  })

  test('a value that grows without bound when printed is refused', () => {
    let list: Value[] = ['x'.repeat(1000)]
    for (let level = 0; level < 40; level++) list = [list, list]
    expect(() => formatValue(list)).toThrow('formatted text is too large')
  })

  test('work is charged as it is done', () => {
    let charged = 0
    formatPrintf('%100d', [goInt(1)], { charge: (amount) => (charged += amount) })
    expect(charged).toBeGreaterThanOrEqual(100)
  })

  test('an address is never printed', () => {
    expect(() => formatPrintf('%p', [dict()])).toThrow(FunctionError)
    expect(formatPrintf('%p', ['x'])).toBe('%!p(string=x)')
  })
})
