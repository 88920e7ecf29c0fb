import { describe, expect, it } from 'vitest'
import { StackmasonError, type Diagnostic } from '../../../src/model/diagnostic.ts'
import { chunkText, type EngineOptions } from '../../../src/render/engine/engine.ts'
import type { FunctionDef } from '../../../src/render/engine/function.ts'
import { defaultLimits, type Limits } from '../../../src/render/engine/limits.ts'
import { countWork } from '../../support/count-work.ts'
import { sampleData, sampleEngine, sampleFunctions } from './sample.ts'

/** A function that builds without telling, one that tells, and a defect. */
const builders: readonly (readonly [string, FunctionDef])[] = [
  [
    'rep',
    {
      name: 'rep',
      params: ['int'],
      tokens: 'pass',
      call: ([n]) => 'x'.repeat(Number(n instanceof Object && 'value' in n ? n.value : 0)),
    },
  ],
  [
    'charge',
    {
      name: 'charge',
      params: ['float64'],
      tokens: 'pass',
      call: ([n], context) => {
        context.charge(Number(n))
        return ''
      },
    },
  ],
  [
    'overflow',
    {
      name: 'overflow',
      params: [],
      tokens: 'pass',
      call: function overflow(args, context): string {
        return `${String(overflow(args, context))}x`
      },
    },
  ],
  ['huge', { name: 'huge', params: [], tokens: 'pass', call: () => 'x'.repeat(2 ** 30) }],
  [
    'broken',
    {
      name: 'broken',
      params: [],
      tokens: 'pass',
      call: () => {
        throw new TypeError('a defect')
      },
    },
  ],
]

function render(text: string, overrides: Partial<EngineOptions> = {}): string {
  const engine = sampleEngine({ functions: new Map([...sampleFunctions, ...builders]), ...overrides })
  return chunkText(engine.execute(engine.createSet([engine.parse({ name: 't', text })]), 't', sampleData()))
}

function failure(text: string, overrides: Partial<EngineOptions> = {}): Diagnostic | undefined {
  try {
    render(text, overrides)
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics[0]
    throw error
  }
  return undefined
}

function limits(changed: Partial<Limits>): Partial<EngineOptions> {
  return { limits: { ...defaultLimits, ...changed } }
}

describe('limits', () => {
  it.each<{
    readonly input: string
    readonly changed?: Partial<Limits>
    readonly code: string
    readonly message: string
    readonly at: string
  }>([
    {
      input: 'a\n{{ range 1000000000 }}{{ end }}',
      code: 'TEMPLATE_LIMIT_STEPS',
      message: 'more than 4000000 steps',
      at: '1000000000',
    },
    {
      input: '{{ range 100000 }}{{ range 100000 }}x{{ end }}{{ end }}',
      changed: { steps: 5000 },
      code: 'TEMPLATE_LIMIT_STEPS',
      message: 'more than 5000 steps',
      at: '100000',
    },
    {
      input: '{{ range 1000000000 }}{{ print . }}{{ end }}',
      changed: { output: 1000 },
      code: 'TEMPLATE_LIMIT_OUTPUT',
      message: 'wrote more than 1000 characters',
      at: 'print .',
    },
    {
      input: '{{ define "a" }}{{ range 100 }}xxxxxxxxxx{{ end }}{{ end }}{{ $x := include "a" . }}',
      changed: { output: 500 },
      code: 'TEMPLATE_LIMIT_OUTPUT',
      message: 'wrote more than 500 characters',
      at: 'xxxxxxxxxx',
    },
    {
      input: '{{ $x := "ab" }}{{ range 100 }}{{ $x = print $x $x }}{{ end }}',
      changed: { built: 100_000 },
      code: 'TEMPLATE_LIMIT_OUTPUT',
      message: 'built more than 100000 characters and elements',
      at: 'print $x $x',
    },
    {
      input: '{{ charge 1e9 }}',
      code: 'TEMPLATE_LIMIT_OUTPUT',
      message: 'built more than 67108864 characters and elements',
      at: 'charge 1e9',
    },
    {
      input: '{{ $d := mkd }}{{ range 60 }}{{ $d = mkd "a" $d "b" $d }}{{ end }}{{ print $d }}',
      changed: { built: 1_000_000 },
      code: 'TEMPLATE_LIMIT_OUTPUT',
      message: 'built more than 1000000 characters and elements',
      at: 'print $d',
    },
    {
      input: '{{ $d := mkd }}{{ range 60 }}{{ $d = mkd "a" $d "b" $d }}{{ end }}{{ $d }}',
      changed: { built: 1_000_000 },
      code: 'TEMPLATE_LIMIT_OUTPUT',
      message: 'built more than 1000000 characters and elements',
      at: '$d',
    },
    {
      input: '{{ define "r" }}{{ include "r" . }}{{ end }}{{ include "r" . }}',
      code: 'TEMPLATE_LIMIT_DEPTH',
      message: 'rendering template has a nested reference name: r: unable to execute template',
      at: 'include "r" .',
    },
    {
      input: '{{ define "r" }}{{ template "r" . }}{{ end }}{{ template "r" . }}',
      code: 'TEMPLATE_LIMIT_DEPTH',
      message: 'templates call each other more than 2000 deep',
      at: '"r" .',
    },
    {
      input:
        '{{ define "a" }}{{ include "b" . }}{{ end }}{{ define "b" }}{{ include "a" . }}{{ end }}{{ include "a" . }}',
      changed: { depth: 20 },
      code: 'TEMPLATE_LIMIT_DEPTH',
      message: 'templates call each other more than 20 deep',
      at: 'include "b" .',
    },
    {
      input: '{{ overflow }}',
      code: 'TEMPLATE_LIMIT_DEPTH',
      message: 'templates or values are nested too deeply',
      at: 'overflow',
    },
    {
      input: '{{ huge }}',
      code: 'TEMPLATE_LIMIT_OUTPUT',
      message: 'built more than is allowed: Invalid string length',
      at: 'huge',
    },
    {
      input: '{{ broken }}',
      code: 'INTERNAL',
      message: expect.stringMatching(/^TypeError at limits\.test\.ts:\d+:\d+$/),
      at: 'broken',
    },
  ])('stops $input', ({ input, changed = {}, code, message, at }) => {
    let diagnostic: Diagnostic | undefined
    const steps = countWork(() => {
      diagnostic = failure(input, limits(changed))
    })
    expect(diagnostic).toMatchObject({ code, message, severity: 'error' })
    expect(diagnostic?.at?.source.text.slice(diagnostic.at.start, diagnostic.at.end)).toBe(at)
    expect(steps).toBeLessThan(100_000_000)
  })

  it.each([
    { what: 'a loop', input: '{{ range 1000000000 }}{{ end }}' },
    { what: 'slow functions', input: '{{ range 1000000000 }}{{ $x := rep 100000 }}{{ end }}' },
    { what: 'a long text', input: `{{ tpl "${'{{.s}}'.repeat(5000)}" . }}` },
  ])('stops $what by the clock', ({ input }) => {
    let now = 0
    const elapsed = (): number => (now += 10)
    const diagnostic = failure(input, { elapsed, ...limits({ milliseconds: 50, built: 1e12 }) })
    expect(diagnostic).toMatchObject({ code: 'TEMPLATE_LIMIT_TIME', message: 'ran for more than 50 ms' })
  })

  it('gives a shared value that is large but not too large', () => {
    const text = '{{ $d := mkd }}{{ range 8 }}{{ $d = mkd "a" $d "b" $d }}{{ end }}{{ print $d }}'
    expect(render(text)).toHaveLength(3830)
  })

  it('takes eight hundred templates inside each other', () => {
    const text =
      '{{ define "r" }}{{ if lt (len .) 800 }}{{ print . "x" | include "r" }}{{ else }}{{ len . }}{{ end }}{{ end }}{{ include "r" "" }}'
    expect(render(text)).toBe('800')
  })

  it('counts each execution by itself', () => {
    const engine = sampleEngine(limits({ steps: 100 }))
    const set = engine.createSet([engine.parse({ name: 't', text: '{{ range 60 }}{{ end }}' })])
    expect([1, 2, 3].map(() => chunkText(engine.execute(set, 't', null)))).toEqual(['', '', ''])
  })

  it('stops every nesting of blocks and calls with a code, never by the stack', () => {
    const bodies = [
      '{{range 1}}'.repeat(100) + '{{include "r" .}}' + '{{end}}'.repeat(100),
      '{{with 1}}'.repeat(200) + '{{include "r" .}}' + '{{end}}'.repeat(200),
      '{{if 1}}'.repeat(240) + '{{template "r" .}}' + '{{end}}'.repeat(240),
      `{{${'print ('.repeat(200)}include "r" .${')'.repeat(200)}}}`,
      `{{${'str ('.repeat(200)}include "r" .${')'.repeat(200)}}}`,
      `{{$x := ${'or 0 ('.repeat(200)}include "r" .${')'.repeat(200)}}}`,
      `{{${'('.repeat(200)}include "r" .${').a'.repeat(200)}}}`,
      `{{tpl "${'{{if 1}}'.repeat(100)}{{include \\"r\\" .}}${'{{end}}'.repeat(100)}" .}}`,
    ]
    const codes = bodies.map((body) => failure(`{{define "r"}}${body}{{end}}{{include "r" .}}`))
    expect(codes.map((diagnostic) => diagnostic?.code)).toEqual(bodies.map(() => 'TEMPLATE_LIMIT_DEPTH'))
    expect(codes.map((diagnostic) => diagnostic?.message)).toEqual(
      bodies.map(() => expect.stringMatching(/^templates call each other more than \d+ deep$/)),
    )
  })
})
