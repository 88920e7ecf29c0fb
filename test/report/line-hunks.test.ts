import { describe, expect, test } from 'vitest'
import { formatField } from '../../src/report/tree-change/format-field.ts'
import { lineHunks } from '../../src/report/tree-change/line-hunks.ts'

const numbers = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `line ${String(index)}`)
const config = [...numbers(4), 'a: 1', ...numbers(4), 'b: 2', 'c: 3', ...numbers(4)].join('\n')

function shown(before: string, after: string, detail: 'short' | 'all' = 'short'): string {
  return formatField({ path: ['data', 'app.conf'], before, after }, detail).join('\n')
}

describe('a changed text', () => {
  test('is shown by the lines that change, each with the one before and after it', () => {
    expect(shown(config, config.replace('a: 1', 'a: 5').replace('c: 3', 'c: 3\nd: 4'))).toBe(`data["app.conf"]:
    line 3
  - a: 1
  + a: 5
    line 0
  …
    c: 3
  + d: 4
    line 0`)
  })

  test('is shown with more around its changes where all is', () => {
    expect(shown(config, config.replace('a: 1', 'a: 5').replace('c: 3\n', ''), 'all')).toBe(`data["app.conf"]:
    line 1
    line 2
    line 3
  - a: 1
  + a: 5
    line 0
    line 1
    line 2
    line 3
    b: 2
  - c: 3
    line 0
    line 1
    line 2`)
  })

  test('has an end: of what goes and what comes there is some', () => {
    const lines = (letter: string): string =>
      numbers(20)
        .map((line) => `${letter} ${line}`)
        .join('\n')
    expect(shown(`first\n${lines('a')}\nlast`, `first\n${lines('b')}\nlast`)).toBe(`data["app.conf"]:
    first
  - a line 0
  - a line 1
  - a line 2
  + b line 0
  + b line 1
  + b line 2
  … 34 more lines`)
  })

  test('with the same lines in another order says so', () => {
    expect(shown('a\nb\nc', 'b\na\nc')).toBe('data["app.conf"]:\n  the same lines in another order')
  })

  test('of one long line is cut around what differs', () => {
    const json = (value: number): string =>
      `{"first":"${'x'.repeat(200)}","replicas":${String(value)},"last":"${'y'.repeat(200)}"}`
    const around = (value: number): string =>
      String.raw`…xx\",\"replicas\":${String(value)},\"last\":\"${'y'.repeat(41)}…`
    expect(shown(json(2), json(3))).toBe(`data["app.conf"]: ${around(2)} -> ${around(3)}`)
  })

  test.each([
    ['grows', '', 'a\nb'],
    ['shrinks to nothing', 'a\nb', ''],
    ['changes at both ends', 'a\nx\nb', 'c\nx\nd'],
    ['repeats a line', 'a\na\nb\na', 'a\nb\na\na\na'],
    ['is another one', 'a\nb\nc', 'd\ne'],
    ['is long, with lines that are there once', longText(900, 3), longText(900, 5)],
    ['is long, with lines that are there often', longText(900, 3, 7), longText(900, 5, 7)],
  ])('that %s can be told from its lines', (_, before, after) => {
    const { lines, more } = lineHunks({ before, after }, { most: Infinity, context: Infinity })
    const without = (sign: string): string =>
      lines
        .filter((line) => line.sign !== sign)
        .map(({ line }) => line)
        .join('\n')
    expect({ before: without('+'), after: without('-'), more }).toEqual({ before, after, more: 0 })
  })

  test('of thousands of lines costs no more lines than it changes', () => {
    const [before, after] = [longText(5000, 0), longText(5000, 1000)]
    const { lines } = lineHunks({ before, after }, { most: Infinity, context: 0 })
    expect(lines.filter(({ sign }) => sign === '-' || sign === '+')).toHaveLength(10)
  })
})

/** Lines of which each so many-th is another one; `repeated`: so many different lines. */
function longText(count: number, every: number, repeated = count): string {
  return Array.from({ length: count }, (_, index) =>
    every > 0 && index % every === 0 ? `own ${String(every)}` : `line ${String(index % repeated)}`,
  ).join('\n')
}
