import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { parsePositionedYaml, placeOf, type ReadDocument, spanOf } from '../../../src/codec/yaml/positioned-yaml.ts'
import { positionAt, type Span } from '../../../src/model/source.ts'
import { dict, GoInt } from '../../../src/model/value.ts'
import { errorRows, parseRows } from '../tables/go-yaml-parse-rows.ts'

function parse(text: string): ReturnType<typeof parsePositionedYaml> {
  return parsePositionedYaml({ name: 'x.yaml', text })
}

function only(text: string): ReadDocument {
  const [document] = parse(text).documents
  if (document === undefined) throw new Error('no document')
  return document
}

function marked({ source, start, end }: Span): string {
  return source.text.slice(start, end)
}

/** Each problem as `line:column marked text: message`. */
function problemsOf(text: string): readonly string[] {
  return parse(text).problems.map(({ message, at }) => {
    if (at === undefined) return message
    const { line, column } = positionAt(at.source, at.start)
    return `${line}:${column} ${marked(at)}: ${message}`
  })
}

const NO_PAIR = 'this is not a `key: value` pair; is a `:` missing?'
const MISPLACED = 'the text does not fit here; check the indentation, and whether a quote or bracket is out of place'
const TAB = 'a tab cannot be used for indentation; use spaces'
const LIST = 'the list in brackets is not closed, or a comma is missing in it'
const MAP = 'the map in braces is not closed, or a comma is missing in it'
const SECOND = 'a second `: ` in one line; quote the value, or put the inner map on lines of its own'
const GOES_ON = 'this line goes on with the value of the line above; check the indentation of both'

describe('problems', () => {
  const rows: readonly { readonly name: string; readonly input: string; readonly want: readonly string[] }[] = [
    { name: 'nothing', input: '', want: [] },
    { name: 'a sound file', input: 'a: 1\nb: [x, {y: z}]\n', want: [] },
    {
      name: 'a key that stands twice',
      input: 'a: 1\nb:\n  c: 1\n  "c": 2\na: 2\n',
      want: [
        '4:3 "c": the key `c` stands twice in this map, first in line 3',
        '5:1 a: the key `a` stands twice in this map, first in line 1',
      ],
    },
    {
      name: 'a key that stands three times',
      input: 'a: 1\na: 2\na: 3\n',
      want: [
        '2:1 a: the key `a` stands twice in this map, first in line 1',
        '3:1 a: the key `a` stands twice in this map, first in line 1',
      ],
    },
    {
      name: 'a key twice in braces',
      input: '{a: 1, a: 2}',
      want: ['1:8 a: the key `a` stands twice in this map, first in line 1'],
    },
    {
      name: 'a key twice after CRLF',
      input: 'a: 1\r\n\r\na: 2\r\n',
      want: ['3:1 a: the key `a` stands twice in this map, first in line 1'],
    },
    {
      name: 'a key twice after a byte order mark',
      input: '\ufeffa: 1\na: 2\n',
      want: ['2:1 a: the key `a` stands twice in this map, first in line 1'],
    },
    {
      name: 'a key of the second document twice',
      input: 'a: 1\n---\na: 1\na: 2\n',
      want: ['4:1 a: the key `a` stands twice in this map, first in line 3'],
    },
    {
      name: 'a merge twice',
      input: 'x: &x {a: 1}\ny: &y {a: 2}\nz:\n  <<: *x\n  <<: *y\n',
      want: ['5:3 <<: the key `<<` stands twice in this map, first in line 4'],
    },
    {
      name: 'a merge twice in braces, and a third time',
      input: 'x: &x {a: 1}\nz: {<<: *x, b: 1, <<: [*x], <<: {c: 1}}\n',
      want: [
        '2:19 <<: the key `<<` stands twice in this map, first in line 2',
        '2:29 <<: the key `<<` stands twice in this map, first in line 2',
      ],
    },
    { name: 'a merge of several', input: 'x: &x {a: 1}\ny: &y {a: 2}\nz: {<<: [*x, *y], "<<": 3}\n', want: [] },
    { name: 'merges in two maps', input: 'x: &x {a: 1}\ny: {<<: *x}\nz: {<<: *x}\n', want: [] },
    { name: 'a merged key, which is none', input: 'x: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n', want: [] },
    { name: 'a line without a colon', input: 'a: 1\nfoo\nb: 2\n', want: [`2:1 foo: ${NO_PAIR}`] },
    { name: 'a first line without a colon', input: 'foo\nbar: 1\nbaz: 2\n', want: [`1:1 foo: ${NO_PAIR}`] },
    { name: 'a last line without a colon', input: 'a: 1\nfoo', want: [`2:1 foo: ${NO_PAIR}`] },
    { name: 'two colons in a line', input: 'a: b: c\nd: 1\n', want: [`1:5 : c: ${SECOND}`] },
    { name: 'a line that is indented too far', input: 'a: 1\n  b: 2\nc: 3\n', want: [`2:3 b: 2: ${GOES_ON}`] },
    {
      name: 'a line that is indented to nowhere',
      input: 'a:\n  b: 1\n c: 2\nd: 3\n',
      want: ['3:2 c: 2: the indentation fits no line above: 1 space here, no spaces in line 1, 2 spaces in line 2'],
    },
    {
      name: 'several lines that are indented to nowhere',
      input: 'a:\n    b: 1\n  c: 2\n  d: 3\n',
      want: ['3:3 c: 2: the indentation fits no line above: 2 spaces here, no spaces in line 1, 4 spaces in line 2'],
    },
    {
      name: 'a first key that is indented by too little',
      input: 'a:\n  b:\n   c: 1\n    d: 2\n',
      want: [
        '3:4 c: 1: this line is indented by 3 spaces, and the next one by 4 spaces: the keys of one map begin in the same column',
      ],
    },
    { name: 'a key among list items', input: 'a:\n  - b\n  c: d\ne: 1\n', want: [`3:3 c: d: ${MISPLACED}`] },
    {
      name: 'a list in a line',
      input: 'a: - b\n',
      want: ['1:4 - b: a list cannot start in this line; put it on lines of its own'],
    },
    { name: 'a tab', input: 'a:\n\tb: 1\nc: 2\n', want: [`2:1 \tb: 1: ${TAB}`] },
    { name: 'a tab in a block', input: 'a: |\n\tb\n', want: [`2:1 \tb: ${TAB}`] },
    { name: 'a bracket that is not closed', input: 'a: [1, 2\nb: 3\n', want: [`1:4 [1, 2: ${LIST}`] },
    { name: 'a bracket at the end', input: 'a: [\n', want: [`1:4 [: ${LIST}`] },
    { name: 'a brace that is not closed', input: 'a: {b: 1\nc: 2\n', want: [`1:4 {b: 1: ${MAP}`] },
    { name: 'a comma that is missing', input: 'a: ["x" "y"]\n', want: [`1:4 ["x" "y"]: ${LIST}`] },
    { name: 'a quote that is not closed', input: 'a: "x\nb: 1\n', want: ['1:4 "x: the quoted text is not closed'] },
    { name: 'text after a quote', input: "a: 'it's'\nb: 1\n", want: [`1:8 s': ${MISPLACED}`] },
    {
      name: 'an unknown escape',
      input: 'a: "C:\\data"\n',
      want: ['1:7 \\data": an unknown escape in a text in double quotes; use single quotes, or `\\\\` for a backslash'],
    },
    {
      name: 'reserved characters',
      input: 'a: @x\nb: `y`\nc: %z\n',
      want: [
        '1:4 @x: a value cannot start with `@`; quote it',
        '2:4 `y`: a value cannot start with ```; quote it',
        '3:4 %z: a value cannot start with `%`; quote it',
      ],
    },
    {
      name: 'an anchor that is not there',
      input: 'a: *x\n',
      want: ['1:4 *x: no anchor of this name has a complete value before this'],
    },
    {
      name: 'an anchor in itself',
      input: 'a: &x [*x]\n',
      want: ['1:8 *x: no anchor of this name has a complete value before this'],
    },
    { name: 'a merge of text', input: 'a: {<<: b}\n', want: ['1:9 b: only maps can be merged with `<<`'] },
    { name: 'a tag that is not known', input: 'a: !Ref x\n', want: ['1:9 x: the tag before this is not known'] },
    {
      name: 'a tag that does not fit',
      input: 'a: !!int x\n',
      want: ['1:10 x: the value does not fit the tag before it'],
    },
    { name: 'a handle that is not known', input: 'a: !e!x y\n', want: ['1:4 !e!x y: the tag is not known'] },
    { name: 'a map as a key', input: 'a: {{ .Values.x }}\n', want: ['1:5 { .Values.x }: a key must be text'] },
    {
      name: 'no key',
      input: ': 1\n',
      want: [
        '1:1 : 1: the text does not fit here; check the indentation, and whether a quote or bracket is out of place',
      ],
    },
    { name: 'infinity', input: 'a: .inf\n', want: ['1:4 .inf: infinity and NaN cannot be used'] },
    {
      name: 'a control character',
      input: 'a: 1\nb: \u0007\n',
      want: ['2:4 \u0007: a control character is not allowed'],
    },
    {
      name: 'bytes that are not UTF-8',
      input: 'a: \udcff\n',
      want: ['1:4 \udcff: not well-formed YAML: invalid leading UTF-8 octet'],
    },
    {
      name: 'a document without its mark',
      input: '[a]\nb: 1\n',
      want: ['2:1 b: 1: `---` is missing before this document'],
    },
    {
      name: 'several problems',
      input: 'a: b: c\nd:\n  e: [1\n  f: "x" y\ng: @h\ni: 1\ni: 2\n',
      want: [
        `1:5 : c: ${SECOND}`,
        `3:6 [1: ${LIST}`,
        `4:10 y: ${MISPLACED}`,
        '5:4 @h: a value cannot start with `@`; quote it',
        '7:1 i: the key `i` stands twice in this map, first in line 6',
      ],
    },
    {
      name: 'a problem in each document',
      input: 'a: b: c\n---\nd: @e\n---\nf: 1\n',
      want: [`1:5 : c: ${SECOND}`, '3:4 @e: a value cannot start with `@`; quote it'],
    },
  ]
  it.each(rows)('of $name', ({ input, want }) => {
    expect(problemsOf(input)).toEqual(want)
  })

  it('all have a code and a place', () => {
    for (const { code, severity, at } of errorRows.flatMap(([text]) => parse(text).problems)) {
      expect(['CONFIG_SYNTAX', 'CONFIG_DUPLICATE_KEY']).toContain(code)
      expect(severity).toBe('error')
      expect(at).toBeDefined()
    }
  })

  it('leave the rest to be read', () => {
    const { documents } = parse('a: 1\nb: [1\nc:\n  d: "x" y\n  e: 2\n---\nf: @\ng: 3\n')
    expect(documents.map(({ value }) => formatGoJson(value))).toEqual(['{"a":1,"c":{"e":2}}', '{"g":3}'])
  })

  it('end after twenty', () => {
    expect(problemsOf('a: @\n'.repeat(100))).toHaveLength(20)
  })
})

const go = { words: 'bool', integers: 'float64' } as const

describe('values', () => {
  const oldBool = /\b(?:[yYnN]|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)\b/
  const sound = parseRows.filter(([text]) => parse(text).problems.length === 0 && !oldBool.test(text))

  it.each(sound)('of %j are those of Kubernetes', (text) => {
    const first = parse(text).documents[0]?.value ?? null
    expect(first).toEqual(parseGoYaml(text, { integers: 'int' }))
  })

  it('have the words of YAML 1.1 for bools as text', () => {
    const want = dict([['on', ['yes', 'No', 'off', 'y', true, false]]]) // prettier-ignore
    expect(only('on: [yes, No, off, y, true, False]').value).toEqual(want)
  })

  const asGo = parseRows.filter(([text]) => parsePositionedYaml({ name: 'x', text }, go).problems.length === 0)

  it.each(asGo)('of %j have the words of YAML 1.1 where they are asked for', (text) => {
    expect(parsePositionedYaml({ name: 'x', text }, go).documents[0]?.value ?? null).toEqual(parseGoYaml(text))
  })

  it.each(errorRows)('of %j are refused as by Go', (text) => {
    expect(parsePositionedYaml({ name: 'x', text }, { words: 'bool' }).problems).not.toEqual([])
  })

  it('show that a version was not quoted', () => {
    expect(only('[1.30, "1.30", 3, v1]').value).toEqual([1.3, '1.30', new GoInt(3n, 'int64'), 'v1'])
  })

  it('come from every document', () => {
    const { documents } = parse('a\n---\n---\n{b: 1}\n...\n# end\n')
    expect(documents.map(({ value }) => formatGoJson(value))).toEqual(['"a"', 'null', '{"b":1}'])
  })
})

describe('spanOf', () => {
  const text = 'a:\n  b: 1\n  c:\n  l:\n  - x\n  - {y: "z"}\nm: &m\n  k: |\n    v\nn: *m\no:\n  <<: *m\n  p: 2\n'
  const document = only(text)
  const rows: readonly { readonly path: readonly (string | number)[]; readonly value: string; readonly key: string }[] =
    [
      { path: [], value: text.trimEnd(), key: text.trimEnd() },
      { path: ['a', 'b'], value: '1', key: 'b' },
      { path: ['a', 'c'], value: '', key: 'c' },
      { path: ['a', 'l'], value: '- x\n  - {y: "z"}', key: 'l' },
      { path: ['a', 'l', 0], value: 'x', key: 'x' },
      { path: ['a', 'l', 1, 'y'], value: '"z"', key: 'y' },
      { path: ['a', 'l', 7], value: '- x\n  - {y: "z"}', key: '- x\n  - {y: "z"}' },
      {
        path: ['a', 'none', 'deep'],
        value: 'b: 1\n  c:\n  l:\n  - x\n  - {y: "z"}',
        key: 'b: 1\n  c:\n  l:\n  - x\n  - {y: "z"}',
      },
      { path: ['m', 'k'], value: '|\n    v', key: 'k' },
      { path: ['n'], value: '*m', key: 'n' },
      { path: ['n', 'k'], value: '|\n    v', key: 'k' },
      { path: ['o', 'k'], value: '|\n    v', key: 'k' },
      { path: ['o', 'p'], value: '2', key: 'p' },
    ]
  it.each(rows)('$path', ({ path, value, key }) => {
    expect(marked(document.spanOf(path))).toBe(value)
    expect(marked(document.spanOf(path, 'key'))).toBe(key)
  })

  it.each(rows)('$path of a copy that was never read', ({ path, value, key }) => {
    const copy = structuredClone(placeOf(document))
    expect(marked(spanOf(copy, path))).toBe(value)
    expect(marked(spanOf(copy, path, 'key'))).toBe(key)
  })

  it.each(['bool', 'text'] as const)('finds the documents of a copied text, with words as %s', (words) => {
    const source = { name: 'x.yaml', text: 'a: 1\n---\non: x\n---\non: [1, y]\n' }
    const path = [words === 'bool' ? 'true' : 'on', 1]
    const [, , last] = structuredClone(parsePositionedYaml(source, { words }).documents.map(placeOf))
    if (last === undefined) throw new Error('no document')
    const { start, end } = spanOf(last, path)
    expect([start, marked({ source, start, end })]).toEqual([source.text.indexOf('y]'), 'y'])
  })

  it('takes the whole document for one that the text does not have', () => {
    const span = { source: { name: 'x.yaml', text: 'a: 1\n' }, start: 0, end: 4 }
    expect(spanOf({ span, index: 3, words: 'bool' }, ['a'])).toBe(span)
  })

  it('puts a value that is not there behind its key', () => {
    const { start, end } = document.spanOf(['a', 'c'])
    expect([start, end]).toEqual([text.indexOf('c:') + 2, text.indexOf('c:') + 2])
  })

  it('counts in the text as it was given', () => {
    const source = '\ufeffa: 1\r\nb:\r\n  - "x\r\n    y"\r\n'
    expect(marked(only(source).spanOf(['b', 0]))).toBe('"x\r\n    y"')
  })
})

const marks = 'a·b·: ·:·- ·\n·\n  ·\n ·\n- · ·\t·#·{·}·[·]·,·? ·|·>·&x ·*x·!!int ·!·\'·"·\\·\n---\n·...·%·<<: '
const pieces = fc.constantFrom(...`${marks}·1·true·\r\n·\u2028·é·\ufeff·\udc80·\u0007`.split('·'))

describe('limits', () => {
  it('refuses aliases that multiply', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]']
    for (let level = 1; level < 10; level++) {
      const inner = Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ')
      lines.push(`a${level}: &a${level} [${inner}]`)
    }
    expect(problemsOf(lines.join('\n')).join('\n')).toContain(
      'the aliases of this document repeat each other too often',
    )
  })

  it.each(['[', '{a: ', '- ', '"', '&a [', 'a:\n '])('survives %j over and over', (piece) => {
    expect(parse(piece.repeat(20_000)).problems.length).toBeGreaterThan(0)
  })

  it('reads any text as Go does, or finds a problem', () => {
    const property = fc.property(fc.array(pieces, { maxLength: 25 }), (parts) => {
      const text = parts.join('')
      const { documents, problems } = parsePositionedYaml({ name: 'x', text }, { words: 'bool' })
      if (problems.length > 0) return true
      return formatGoJson(documents[0]?.value ?? null) === formatGoJson(parseGoYaml(text, { integers: 'int' }))
    })
    expect(fc.defaultReportMessage(fc.check(property, { seed: 9, numRuns: 10_000 }))).toBeUndefined()
  })

  it('survives any text', () => {
    const property = fc.property(fc.array(pieces, { maxLength: 25 }), (parts) => {
      const text = parts.join('')
      const spans = parse(text).problems.map(({ at }) => at)
      return spans.every((at) => at !== undefined && at.start >= 0 && at.start <= at.end && at.end <= text.length)
    })
    expect(fc.defaultReportMessage(fc.check(property, { seed: 8, numRuns: 10_000 }))).toBeUndefined()
  })
})
