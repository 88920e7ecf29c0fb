import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { Dict, dict, goInt64, GoInt, type Value } from '../../../src/model/value.ts'
import { stringRows } from '../tables/go-yaml-format-rows.ts'

function formatText(yaml: string): string {
  const object = parseGoYaml(yaml, { integers: 'int' })
  if (!(object instanceof Dict)) throw new Error('not a map')
  return formatManifestYaml(object)
}

describe('formatManifestYaml', () => {
  const rows: readonly { readonly name: string; readonly input: string; readonly want: string }[] = [
    {
      name: 'the head first, the rest in natural order',
      input:
        '{spec: {z: 1, a10: 2, a9: 3}, metadata: {zz: 1, annotations: {b: "1", a: "2"}, labels: {}, namespace: ns, generateName: g, name: x, finalizers: []}, data: {}, kind: K, apiVersion: v1}',
      want: `apiVersion: v1
kind: K
metadata:
  name: x
  generateName: g
  namespace: ns
  labels: {}
  annotations:
    a: "2"
    b: "1"
  finalizers: []
  zz: 1
data: {}
spec:
  a9: 3
  a10: 2
  z: 1
`,
    },
    {
      name: 'metadata further down in natural order',
      input: 'spec: {template: {metadata: {namespace: a, labels: {}, annotations: {}}}}',
      want: 'spec:\n  template:\n    metadata:\n      annotations: {}\n      labels: {}\n      namespace: a\n',
    },
    {
      name: 'lists not indented',
      input: '{args: [a, [b, {c: [d]}]]}',
      want: 'args:\n- a\n- - b\n  - c:\n    - d\n',
    },
    {
      name: 'quotes where the text would be something else',
      input: `{a: "yes", b: "1", c: "", d: 'x: y', e: "- a", f: "2001-01-01", g: "0x1F", h: " x", i: "#", j: "null", k: "a\\tb"}`,
      want: `a: "yes"\nb: "1"\nc: ""\nd: 'x: y'\ne: '- a'\nf: "2001-01-01"\ng: "0x1F"\nh: ' x'\ni: '#'\nj: "null"\nk: "a\\tb"\n`,
    },
    {
      name: 'numbers, bools and nil',
      input: '{a: 1, b: 1.5, c: 1e-7, d: true, e: ~, f: 9007199254740993, g: 1e30, h: -0.25}',
      want: 'a: 1\nb: 1.5\nc: 1e-07\nd: true\ne: null\nf: 9007199254740993\ng: 1e+30\nh: -0.25\n',
    },
    {
      name: 'a script as a block',
      input: '{data: {run.sh: "#!/bin/sh\\n\\tif true; then  \\n  echo \\"x: $y\\" # z\\nfi\\n"}}',
      want: 'data:\n  run.sh: |\n    #!/bin/sh\n    \tif true; then  \n      echo "x: $y" # z\n    fi\n',
    },
    {
      name: 'blocks that end in spaces, or in none or several line breaks',
      input: '{a: "x\\ny  ", b: "x\\ny", c: "x\\n\\n", d: "x\\n  \\n"}',
      want: 'a: |-\n  x\n  y  \nb: |-\n  x\n  y\nc: |+\n  x\n\nd: |\n  x\n    \n',
    },
    {
      name: 'blocks whose indentation has to be named',
      input: '{a: "  x\\ny", b: "\\nx", c: "\\n\\tx\\ny"}',
      want: 'a: |2-\n    x\n  y\nb: |2-\n\n  x\nc: |2-\n\n  \tx\n  y\n',
    },
    {
      name: 'quotes where go-yaml, and Kustomize with it, would not read a block',
      input: '{a: "\\tx\\ny", b: "\\tx\\n"}',
      want: 'a: "\\tx\\ny"\nb: "\\tx\\n"\n',
    },
    {
      name: 'quotes where a block would lose something',
      input: '{a: "x\\r\\ny", b: "\\n", c: "x\\ny\\u2028", d: "x\\n\\u0007", e: " \\n "}',
      want: 'a: "x\\r\\ny"\nb: "\\n"\nc: "x\\ny\\L"\nd: "x\\n\\a"\ne: " \\n "\n',
    },
    { name: 'text of any script', input: '{a: "é日本 😀", b: "😀\\n😀"}', want: 'a: é日本 😀\nb: |-\n  😀\n  😀\n' },
    { name: 'a line of any length', input: `{a: "${'word '.repeat(50)}x"}`, want: `a: ${'word '.repeat(50)}x\n` },
    {
      name: 'a key that would merge',
      input: '{"<<": 1, "a: b": 2, "true": 3}',
      want: `'<<': 1\n'a: b': 2\n"true": 3\n`,
    },
  ]
  it.each(rows)('writes $name', ({ input, want }) => {
    expect(formatText(input)).toBe(want)
    expect(formatText(want)).toBe(want)
  })

  it('writes equal objects alike', () => {
    const orders = [
      [['1k', 1], ['2', 2], ['10', 3]],
      [['10', 3], ['1k', 1], ['2', 2]],
    ] as const // prettier-ignore
    const texts = orders.map((entries) => formatManifestYaml(dict(entries)))
    expect(texts[0]).toBe(texts[1])
  })

  it('keeps tokens', () => {
    expect(formatManifestYaml(dict([['a', 'x\udbff\ue000'], ['b', '\udbff\ue001\ny']]))).toBe('a: x\udbff\ue000\nb: |-\n  \udbff\ue001\n  y\n') // prettier-ignore
  })

  const loop = dict()
  loop.set('self', loop)
  it.each([
    ['NaN', dict([['a', NaN]])],
    ['an infinity', dict([['a', -Infinity]])],
    ['invalid UTF-8', dict([['a', 'x\udc80']])],
    ['invalid UTF-8 in a key', dict([['\udcff', 1]])],
    ['a cycle', loop],
  ])('refuses %s', (_name, object) => {
    let found: unknown
    try {
      formatManifestYaml(object)
    } catch (error) {
      found = error
    }
    expect(found).toBeInstanceOf(StackmasonError)
    expect(found).toMatchObject({ diagnostics: [{ code: 'OBJECT_TYPED_LOSS' }] })
  })

  it.each(stringRows)('loses nothing of %j', (text) => {
    const object = dict([['a', text], ['b', [text, dict([['c', text]])]], [text, [[text]]]]) // prettier-ignore
    expect(parseGoYaml(formatManifestYaml(object), { integers: 'int' })).toEqual(object)
  })

  const anyText = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 8 }).filter((text) => !/\p{Surrogate}/u.test(text)),
    fc.string({
      unit: fc.constantFrom(...Array.from('ab: -#\n\n"\'\\{}[],&*!|>%@`?01.\t é😀\r\u2028\x85')),
      maxLength: 40,
    }),
    fc.string({ unit: fc.constantFrom('a', ' ', '\n', '\t', '#', '-'), maxLength: 20 }),
    fc.constantFrom(...stringRows.map(([row]) => row)),
  )
  const scalar: fc.Arbitrary<Value> = fc.oneof(
    anyText,
    fc.constantFrom(null, true, false),
    fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map((integer) => goInt64(integer)),
    fc.bigInt({ min: 2n ** 63n, max: 2n ** 64n - 1n }).map((integer) => new GoInt(integer, 'uint64')),
    fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((number) => !Number.isInteger(number) || Math.abs(number) > 1e21),
  )
  const { map } = fc.letrec<{ value: Value; map: Dict }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, scalar, fc.array(tie('value'), { maxLength: 4 }), tie('map')),
    map: fc.array(fc.tuple(anyText, tie('value')), { maxLength: 4 }).map((entries) => new Dict(entries)),
  }))

  it('loses nothing of any object', () => {
    const property = fc.property(map, (object) => {
      expect(parseGoYaml(formatManifestYaml(object), { integers: 'int' })).toEqual(object)
    })
    expect(fc.defaultReportMessage(fc.check(property, { seed: 7, numRuns: 4000 }))).toBeUndefined()
  })
})
