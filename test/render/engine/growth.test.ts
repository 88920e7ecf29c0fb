import { afterEach, describe, expect, test, vi } from 'vitest'
import { formatNode } from '../../../src/render/engine/format-node.ts'
import { chunkText } from '../../../src/render/engine/output.ts'
import { sampleEngine } from './sample.ts'
import { parseTemplate } from '../../../src/render/engine/parser.ts'

/** Counts the characters and elements that searches look at; what is left of a parser is a loop over its text. */
function countSearches(run: () => void): number {
  let looked = 0
  // oxlint-disable-next-line typescript/unbound-method -- both are called with what they were called on
  const [indexOf, includes] = [String.prototype.indexOf, Array.prototype.includes]
  vi.spyOn(String.prototype, 'indexOf').mockImplementation(function (this: string, text: string, from = 0) {
    const found = indexOf.call(this, text, from)
    looked += (found === -1 ? this.length : found) - from
    return found
  })
  vi.spyOn(Array.prototype, 'includes').mockImplementation(function (this: unknown[], ...args: [unknown, number?]) {
    looked += this.length
    return includes.apply(this, args)
  })
  run()
  vi.restoreAllMocks()
  return looked
}

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
  afterEach(() => {
    vi.restoreAllMocks()
  })

  test.each(shapes)('$what', ({ make }) => {
    const work = (count: number): number =>
      countSearches(() => {
        try {
          parseTemplate({ name: 't', text: make(count) }, { isFunction: () => true })
        } catch (error) {
          if (error instanceof RangeError) throw error
        }
      })
    expect(work(4000)).toBeLessThan(3 * work(2000) + 100)
  })
})

describe('a chain without end', () => {
  test.each(['if', 'with'])('of else %s needs no stack', (kind) => {
    const text = `{{ ${kind} 0 }}a${`{{ else ${kind} 0 }}b`.repeat(50_000)}{{ else }}c{{ end }}`
    const engine = sampleEngine()
    const parsed = engine.parse({ name: 't', text })
    expect(chunkText(engine.execute(engine.createSet([parsed]), 't', null))).toBe('c')
    const [node] = parsed.definitions[0]?.body.nodes ?? []
    expect(node === undefined ? '' : formatNode(node)).toMatch(/^\{\{\w+ 0\}\}a\{\{else\}\}.*(?:\{\{end\}\}){50001}$/s)
  })

  test('keeps what its arms declare', () => {
    const engine = sampleEngine()
    const text =
      '{{ with $x := 0 }}{{ else with $y := 0 }}{{ else with $z := 3 }}{{ $x }}{{ $y }}{{ $z }}{{ . }}{{ end }}'
    expect(chunkText(engine.execute(engine.createSet([engine.parse({ name: 't', text })]), 't', null))).toBe('0033')
  })
})
