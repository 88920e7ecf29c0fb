import { describe, expect, test } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { openYaml } from '../../src/edit/open-yaml.ts'
import type { YamlChange, YamlValueChange } from '../../src/edit/yaml-change.ts'
import { Dict, GoInt, type Value } from '../../src/model/value.ts'
import { problemsOf } from '../sources/release/support.ts'

function edited(text: string, changes: readonly YamlChange[]): string {
  return decodeUtf8(openYaml({ name: 'f.yaml', bytes: encodeUtf8(text) }, 'CONFIG_CONFLICT').edit(changes))
}

const entry: Value = new Dict([
  ['code', 'X_Y'],
  ['until', '2027-03-31'],
  ['reason', 'seen: it is "fine"'],
])

function set(path: string, value: Value, document?: number): YamlValueChange {
  return { how: 'set', path: path.split('.'), value, ...(document !== undefined && { document }) }
}

function append(path: string, value: Value, document?: number): YamlChange {
  return { ...set(path, value, document), how: 'append' }
}

const remove = (...path: readonly (string | number)[]): YamlChange => ({ how: 'remove', path })

interface Row {
  readonly name: string
  readonly text: string
  readonly change: YamlChange
  readonly want: string
}

const scalars: readonly Row[] = [
  {
    name: 'plain, between comments',
    text: '# head\na: 1 # one\n\n# about b\nb:   v1   # two\nc: 3\n',
    change: set('b', 'v2'),
    want: '# head\na: 1 # one\n\n# about b\nb:   v2   # two\nc: 3\n',
  },
  { name: 'in double quotes', text: 'a: "v1" # c\n', change: set('a', 'v2'), want: 'a: "v2" # c\n' },
  { name: 'in single quotes', text: "a: 'v1'\n", change: set('a', "it's"), want: "a: 'it''s'\n" },
  { name: 'what needs quotes', text: 'a: v1\n', change: set('a', '1.30'), want: 'a: "1.30"\n' },
  { name: 'a date', text: 'a: v1\n', change: set('a', '2027-03-31'), want: 'a: "2027-03-31"\n' },
  { name: 'yes', text: 'a: v1\n', change: set('a', 'yes'), want: 'a: "yes"\n' },
  { name: 'a line separator', text: 'a: v1\n', change: set('a', 'x\u2028y'), want: 'a: "x\\u2028y"\n' },
  { name: 'a number', text: 'a: 1\n', change: set('a', new GoInt(3n)), want: 'a: 3\n' },
  { name: 'a truth value', text: 'a: false # off\n', change: set('a', true), want: 'a: true # off\n' },
  { name: 'behind an anchor', text: 'a: &x v1\nb: 2\n', change: set('a', 'v2'), want: 'a: &x v2\nb: 2\n' },
  { name: 'behind a tag', text: 'a: !!str 1.30\n', change: set('a', '1.31'), want: 'a: !!str "1.31"\n' },
  { name: 'instead of an alias', text: 'a: &x v1\nb: *x # c\n', change: set('b', 'v2'), want: 'a: &x v1\nb: v2 # c\n' },
  {
    name: 'in flow style',
    text: 'a: {b: [x, {c: v1}]} # c\n',
    change: set('a.d', 'v2'),
    want: 'a: {b: [x, {c: v1}], d: v2} # c\n',
  },
  { name: 'over Windows lines', text: 'a: v1\r\nb: 2\r\n', change: set('a', 'v2'), want: 'a: v2\r\nb: 2\r\n' },
  { name: 'behind a byte order mark', text: '\uFEFFa: v1\n', change: set('a', 'v2'), want: '\uFEFFa: v2\n' },
  { name: 'without final newline', text: 'a: v1', change: set('a', 'v2'), want: 'a: v2' },
  { name: 'where nothing stands', text: 'a:\nb: 2\n', change: set('a', 'v2'), want: 'a: v2\nb: 2\n' },
  { name: 'where only a comment stands', text: 'a: # none yet\n', change: set('a', 'v2'), want: 'a: v2 # none yet\n' },
  { name: 'where null stands', text: 'a: ~ # none yet\n', change: set('a', 'v2'), want: 'a: v2 # none yet\n' },
  { name: 'of the second document', text: 'a: 1\n---\na: 2\n', change: set('a', '3', 1), want: 'a: 1\n---\na: "3"\n' },
  { name: 'under a quoted key', text: '"a b": v1\n', change: set('a b', 'v2'), want: '"a b": v2\n' },
  { name: 'nothing: it is there', text: 'a:   "v1" # c\n', change: set('a', 'v1'), want: 'a:   "v1" # c\n' },
]

const additions: readonly Row[] = [
  { name: 'at the end', text: 'a: 1 # one\n', change: set('b', 'x'), want: 'a: 1 # one\nb: x\n' },
  { name: 'without final newline', text: 'a: 1', change: set('b', 'x'), want: 'a: 1\nb: x' },
  { name: 'over Windows lines', text: 'a: 1\r\n', change: set('b', 'x'), want: 'a: 1\r\nb: x\r\n' },
  {
    name: 'inside, before what follows',
    text: 'spec:\n  a: 1 # one\n  # about spec\n\n# about other\nother: 2\n',
    change: set('spec.b', 'x'),
    want: 'spec:\n  a: 1 # one\n  # about spec\n  b: x\n\n# about other\nother: 2\n',
  },
  {
    name: 'inside, over Windows lines and comments',
    text: 'spec:\r\n    a: 1\r\n    # about spec\r\nother: 2\r\n',
    change: set('spec.b', 'x'),
    want: 'spec:\r\n    a: 1\r\n    # about spec\r\n    b: x\r\nother: 2\r\n',
  },
  {
    name: 'a map of maps',
    text: 'kind: Fleet\nspec:\n  a: 1\n',
    change: set('spec.b.c.d', 'x'),
    want: 'kind: Fleet\nspec:\n  a: 1\n  b:\n    c:\n      d: x\n',
  },
  {
    name: 'to a map in a list',
    text: 'l:\n  - name: a\n    v: 1\n\n  - name: b\n',
    change: { how: 'set', path: ['l', 0, 'w'], value: 'x' },
    want: 'l:\n  - name: a\n    v: 1\n    w: x\n\n  - name: b\n',
  },
  {
    name: 'after text of several lines',
    text: 'spec:\n  a: |\n    x\n\n    y\nb: 2\n',
    change: set('spec.c', 'x'),
    want: 'spec:\n  a: |\n    x\n\n    y\n  c: x\nb: 2\n',
  },
  {
    name: 'after text that keeps its empty lines',
    text: 'spec:\n  a: |+\n    x\n\n\nb: 2\n',
    change: set('spec.c', 'x'),
    want: 'spec:\n  a: |+\n    x\n\n\n  c: x\nb: 2\n',
  },
  {
    name: 'after a value of several lines in quotes',
    text: 'spec:\n  a: "x\n    y" # c\nb: 2\n',
    change: set('spec.c', 'x'),
    want: 'spec:\n  a: "x\n    y" # c\n  c: x\nb: 2\n',
  },
  {
    name: 'after an empty value',
    text: 'a:\n  b: # none\nc: 1\n',
    change: set('a.d', 'x'),
    want: 'a:\n  b: # none\n  d: x\nc: 1\n',
  },
  {
    name: 'below nothing',
    text: 'spec: # soon\nb: 2\n',
    change: set('spec.a', 'x'),
    want: 'spec: # soon\n  a: x\nb: 2\n',
  },
  {
    name: 'below an empty map',
    text: 'spec: {} # soon\nb: 2\n',
    change: set('spec.a', 'x'),
    want: 'spec: # soon\n  a: x\nb: 2\n',
  },
  { name: 'below null', text: 'spec: null\nb: 2\n', change: set('spec.a', 'x'), want: 'spec: {a: x}\nb: 2\n' },
  { name: 'in JSON', text: '{"a": 1}', change: set('b', 'x'), want: '{"a": 1, "b": "x"}' },
  {
    name: 'in flow style over lines',
    text: 'a: {\n  b: 1, # one\n  c: 2 # two\n}\n',
    change: set('a.d', 'x'),
    want: 'a: {\n  b: 1, # one\n  c: 2, d: x # two\n}\n',
  },
  {
    name: 'beside a merge key',
    text: 'base: &b {x: 1}\na:\n  <<: *b\n',
    change: set('a.z', 'v'),
    want: 'base: &b {x: 1}\na:\n  <<: *b\n  z: v\n',
  },
  {
    name: 'in front of the end of a document',
    text: 'a: 1\n# about a\n---\nb: 2\n',
    change: set('c', 'x'),
    want: 'a: 1\n# about a\nc: x\n---\nb: 2\n',
  },
]

const items: readonly Row[] = [
  {
    name: 'an entry to a list of entries',
    text: 'spec:\n  acknowledged:\n    # while we move\n    - code: A\n      until: 2026-01-01 # soon\n      # and then?\n  output: x\n',
    change: append('spec.acknowledged', entry),
    want: 'spec:\n  acknowledged:\n    # while we move\n    - code: A\n      until: 2026-01-01 # soon\n      # and then?\n    - code: X_Y\n      until: "2027-03-31"\n      reason: "seen: it is \\"fine\\""\n  output: x\n',
  },
  {
    name: 'below dashes that are not indented',
    text: 'spec:\n  versions:\n  - v1\n  - v2\n  # about c\n  c: 1\n',
    change: append('spec.versions', 'v3'),
    want: 'spec:\n  versions:\n  - v1\n  - v2\n  - v3\n  # about c\n  c: 1\n',
  },
  {
    name: 'to a list that is missing',
    text: 'kind: Fleet\nspec:\n  a: 1\n\n# end\n',
    change: append('spec.acknowledged', entry),
    want: 'kind: Fleet\nspec:\n  a: 1\n  acknowledged:\n    - code: X_Y\n      until: "2027-03-31"\n      reason: "seen: it is \\"fine\\""\n\n# end\n',
  },
  {
    name: 'to an empty list',
    text: 'a: [] # none\nb: 1\n',
    change: append('a', 'v1'),
    want: 'a: # none\n  - v1\nb: 1\n',
  },
  { name: 'to nothing', text: 'a:\nb: 1\n', change: append('a', 'v1'), want: 'a:\n  - v1\nb: 1\n' },
  { name: 'in flow style', text: 'a: [v1, v2] # c\n', change: append('a', 'v3'), want: 'a: [v1, v2, v3] # c\n' },
  { name: 'in JSON', text: '{"a": ["v1"]}', change: append('a', 'v3'), want: '{"a": ["v1", "v3"]}' },
  { name: 'with a comma at its end', text: 'a: [v1, ]\n', change: append('a', 'v3'), want: 'a: [v1, v3, ]\n' },
  {
    name: 'over Windows lines, at the end of the file',
    text: 'a:\r\n  - v1',
    change: append('a', 'v2'),
    want: 'a:\r\n  - v1\r\n  - v2',
  },
  { name: 'the root', text: '- a\n', change: { how: 'append', path: [], value: 'b' }, want: '- a\n- b\n' },
  {
    name: 'of the second document',
    text: 'l: [1]\n---\nl:\n  - x\n',
    change: append('l', 'z', 1),
    want: 'l: [1]\n---\nl:\n  - x\n  - z\n',
  },
]

describe('sets a value, and every other byte stays', () => {
  test.each(scalars)('$name', ({ text, change, want }) => {
    expect(edited(text, [change])).toBe(want)
  })
})

describe('adds a key, and every other byte stays', () => {
  test.each(additions)('$name', ({ text, change, want }) => {
    expect(edited(text, [change])).toBe(want)
  })
})

describe('appends an item, and every other byte stays', () => {
  test.each(items)('$name', ({ text, change, want }) => {
    expect(edited(text, [change])).toBe(want)
  })
})

test('several changes, each on what those before have left', () => {
  const changes = [append('a', 'x'), append('a', 'u'), set('b.c', 'z'), set('b.c', 'w')]
  expect(edited('# a\nb: {}\n', changes)).toBe('# a\nb:\n  c: w\na:\n  - x\n  - u\n')
})

describe('removes what is not wanted, with the comments about it', () => {
  test.each<Row>([
    {
      name: 'a key',
      text: 'a: 1 # one\n\n# about b\n# and more\nb: 2 # two\n# about c\nc: 3\n',
      change: remove('b'),
      want: 'a: 1 # one\n\n# about c\nc: 3\n',
    },
    {
      name: 'the first: comments above it may be about the file',
      text: '# file\na: 1\nb: 2\n',
      change: remove('a'),
      want: '# file\nb: 2\n',
    },
    { name: 'the last', text: 'a: 1\nb:\n  c: |\n    x\n    y\n', change: remove('b'), want: 'a: 1\n' },
    { name: 'the last, without a final newline', text: 'a: 1\nb: 2', change: remove('b'), want: 'a: 1\n' },
    {
      name: 'what is all of a map',
      text: 'a:\n  b:\n    - c: 1\nd: 2\n',
      change: remove('a', 'b', 0, 'c'),
      want: 'd: 2\n',
    },
    {
      name: 'an item',
      text: 'a:\n  - name: x\n    value: 1\n  # about y\n  - name: y\n    value: 2\n  - name: z\n',
      change: remove('a', 1),
      want: 'a:\n  - name: x\n    value: 1\n  - name: z\n',
    },
    {
      name: 'an item as deep as its key',
      text: 'a:\n- x\n- y # y\nb: 1\n',
      change: remove('a', 1),
      want: 'a:\n- x\nb: 1\n',
    },
    {
      name: 'the first key of an item',
      text: '- a: 1\n  # about b\n  b: 2\n',
      change: remove(0, 'a'),
      want: '- b: 2\n',
    },
    {
      name: 'in flow style',
      text: 'a: {b: 1, c: [x, y, z], d: 2}\n',
      change: remove('a', 'c', 1),
      want: 'a: {b: 1, c: [x, z], d: 2}\n',
    },
    {
      name: 'the last in flow style',
      text: 'a: {b: 1, c: 2} # c\n',
      change: remove('a', 'c'),
      want: 'a: {b: 1} # c\n',
    },
    { name: 'over Windows lines', text: 'a: 1\r\nb: 2\r\nc: 3\r\n', change: remove('b'), want: 'a: 1\r\nc: 3\r\n' },
    { name: 'nothing: it is not there', text: 'a: 1\n', change: remove('b'), want: 'a: 1\n' },
  ])('$name', ({ text, change, want }) => {
    expect(edited(text, [change])).toBe(want)
  })
})

describe('is refused, with the place', () => {
  const cannot = 'this value cannot be changed by itself'
  test.each([
    { name: 'what others share', text: 'a: &x v1\nb: *x\n', change: set('a', 'v2'), want: `f.yaml:1:7 ${cannot}` },
    {
      name: 'a list that others share',
      text: 'a: &x\n  - v1\nb: *x\n',
      change: append('a', 'v2'),
      want: `f.yaml:2:3 ${cannot}`,
    },
    {
      name: 'an alias for a map',
      text: 'a: &x {b: 1}\nc: *x\n',
      change: set('c.b', 'v'),
      want: 'f.yaml:1:11 c is not a map',
    },
    {
      name: 'text of several lines',
      text: 'a: |\n  x\n',
      change: set('a', 'v'),
      want: 'f.yaml:1:4 text of several lines is not replaced',
    },
    {
      name: 'a map',
      text: 'a: {b: 1}\n',
      change: set('a', 'v'),
      want: 'f.yaml:1:4 a map or list is not replaced as a whole',
    },
    { name: 'an item of a text', text: 'a: v\n', change: append('a', 'v'), want: 'f.yaml:1:4 a is not a list' },
    {
      name: 'to remove all of a document',
      text: 'a: {b: 1}\n',
      change: remove('a', 'b'),
      want: 'f.yaml:1:8 nothing would be left of the document',
    },
    {
      name: 'to remove what an alias still needs',
      text: 'a: &x 1\nb: *x\n',
      change: remove('a'),
      want: 'f.yaml:1:7 this value cannot be changed by itself',
    },
    { name: 'a key of a text', text: 'a: v\n', change: set('a.b', 'v'), want: 'f.yaml:1:4 a is not a map' },
    { name: 'a key of a list', text: 'a: [1]\n', change: set('a.b', 'v'), want: 'f.yaml:1:4 a is not a map' },
    {
      name: 'an item that is not there',
      text: 'a: [1]\n',
      change: { how: 'set', path: ['a', 3], value: 'v' } as const,
      want: 'f.yaml:1:4 a is missing',
    },
    {
      name: 'comments in brackets',
      text: 'a: [\n  # none\n]\n',
      change: append('a', 'v'),
      want: 'f.yaml:1:4 what stands between the brackets could be lost',
    },
    {
      name: 'an empty item',
      text: '- \n',
      change: { how: 'set', path: [0, 'a'], value: 'v' } as const,
      want: 'f.yaml:1:2 nothing can be put below this place',
    },
    {
      name: 'another document',
      text: 'a: 1\n',
      change: set('a', '2', 1),
      want: 'f.yaml:1:1 the file has no such document',
    },
    {
      name: 'an empty file',
      text: '# nothing\n',
      change: set('a', 'v'),
      want: 'f.yaml:1:1 the file has no such document',
    },
    {
      name: 'what is merged from elsewhere',
      text: 'base: &b {x: 1}\na:\n  <<: *b\n',
      change: { how: 'replace', path: ['a', 'x'], value: 'v' } as const,
      want: 'f.yaml:1:14 x is missing',
    },
    { name: 'a file that does not parse', text: 'a: [\n', change: set('a', 'v'), want: 'f.yaml:1:4 ' },
    { name: 'a key that is there twice', text: 'a: 1\na: 2\n', change: set('a', 'v'), want: 'f.yaml:2:1 ' },
    {
      name: 'conflicts of git',
      text: '<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n',
      change: set('a', 'v'),
      want: 'f.yaml:',
    },
  ])('$name', async ({ text, change, want }) => {
    const [problem = ''] = await problemsOf(() => edited(text, [change]))
    expect(problem.slice(0, `CONFIG_CONFLICT ${want}`.length)).toBe(`CONFIG_CONFLICT ${want}`)
  })
})
