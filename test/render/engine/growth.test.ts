import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { formatNode } from '../../../src/render/engine/format-node.ts'
import { chunkText } from '../../../src/render/engine/output.ts'
import { testGrowth } from '../../support/growth.ts'
import { sampleEngine } from './sample.ts'
import { parseTemplate } from '../../../src/render/engine/parser.ts'

const shapes: readonly { readonly what: string; readonly make: (count: number) => string }[] = [
  { what: 'variables', make: (count) => '{{ $x := 1 }}'.repeat(count) },
  {
    what: 'other variables',
    make: (count) => Array.from({ length: count }, (_, i) => `{{$x${i} := 1}}{{$x0}}`).join(''),
  },
  { what: 'fields', make: (count) => `{{ $ ${'.a'.repeat(count)} }}` },
  { what: 'words on one line', make: (count) => `{{ print ${'1 '.repeat(count)} }}` },
  { what: 'else-ifs', make: (count) => `{{ if 2 }}${'{{ else if 2 }}'.repeat(count)}{{ end }}` },
  { what: 'withs', make: (count) => `{{ with 0 }}${'{{ else with 0 }}'.repeat(count)}{{ end }}` },
  { what: 'comments', make: (count) => '{{/* x */}}'.repeat(count) },
  { what: 'lines', make: (count) => '{{ 1 }}\n'.repeat(count) },
  { what: 'trimmed spaces', make: (count) => ' '.repeat(count) + '{{- 1 -}}' + ' '.repeat(count) },
]

describe('a template of twice the size takes twice the work:', () => {
  testGrowth(shapes, (text) => parseTemplate({ name: 't', text }, { isFunction: () => true }))
})

describe('a template that nests without end is refused, and not by the stack', () => {
  test.each([
    { what: 'parentheses', text: `{{ print ${'(print '.repeat(50_000)} 1 ${')'.repeat(50_000)} }}` },
    { what: 'open parentheses', text: `{{ ${'print ('.repeat(50_000)}` },
    { what: 'parentheses alone', text: `{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}` },
    { what: 'ifs', text: '{{ if 1 }}'.repeat(50_000) + '{{ end }}'.repeat(50_000) },
    { what: 'open ifs', text: '{{ if 1 }}'.repeat(50_000) },
    { what: 'ranges', text: '{{ range . }}'.repeat(50_000) + '{{ end }}'.repeat(50_000) },
    { what: 'withs in else', text: '{{ with 0 }}{{ else }}'.repeat(50_000) + '{{ end }}'.repeat(50_000) },
    { what: 'blocks', text: '{{ block "a" . }}'.repeat(50_000) + '{{ end }}'.repeat(50_000) },
  ])('$what', ({ text }) => {
    const engine = sampleEngine()
    const found = ((): unknown => {
      try {
        return engine.execute(engine.createSet([engine.parse({ name: 't', text })]), 't', null)
      } catch (error) {
        return error
      }
    })()
    expect(found instanceof StackmasonError ? found.diagnostics.map(({ code }) => code) : found).toEqual([
      expect.stringMatching(/^TEMPLATE_(?:PARSE|LIMIT_DEPTH)$/),
    ])
  })

  test('a pipe of any length needs no stack', () => {
    const engine = sampleEngine()
    const text = `{{ 1 ${'| print '.repeat(20_000)} }}`
    expect(chunkText(engine.execute(engine.createSet([engine.parse({ name: 't', text })]), 't', null))).toBe('1')
  })
})

describe('a chain without end', () => {
  test.each(['if', 'with'])('of else %s needs no stack', (kind) => {
    const text = `{{ ${kind} 0 }}a${`{{ else ${kind} 0 }}b`.repeat(20_000)}{{ else }}c{{ end }}`
    const engine = sampleEngine()
    const parsed = engine.parse({ name: 't', text })
    expect(chunkText(engine.execute(engine.createSet([parsed]), 't', null))).toBe('c')
    const [node] = parsed.definitions[0]?.body.nodes ?? []
    expect(node === undefined ? '' : formatNode(node)).toMatch(/^\{\{\w+ 0\}\}a\{\{else\}\}.*(?:\{\{end\}\}){20001}$/s)
  })

  test('keeps what its arms declare', () => {
    const engine = sampleEngine()
    const text =
      '{{ with $x := 0 }}{{ else with $y := 0 }}{{ else with $z := 3 }}{{ $x }}{{ $y }}{{ $z }}{{ . }}{{ end }}'
    expect(chunkText(engine.execute(engine.createSet([engine.parse({ name: 't', text })]), 't', null))).toBe('0033')
  })
})
