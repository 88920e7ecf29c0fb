import { describe, expect, it } from 'vitest'
import { StackmasonError, type Diagnostic } from '../../../src/model/diagnostic.ts'
import { createTokenTable } from '../../../src/model/token.ts'
import { dict, goInt, type Value } from '../../../src/model/value.ts'
import { chunkText, removeNoValue, type Chunk, type Engine } from '../../../src/render/engine/engine.ts'
import { say } from '../../../src/render/engine/error-text.ts'
import { formatGoError } from '../../../src/render/engine/format-error.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../../../src/render/engine/function.ts'
import { TemplateError } from '../../../src/render/engine/template-error.ts'
import { sampleData, sampleEngine, sampleFunctions } from './sample.ts'

type Files = readonly (readonly [name: string, text: string])[]

function execute(files: Files, options: { readonly engine?: Engine; readonly data?: Value } = {}): readonly Chunk[] {
  const { engine = sampleEngine(), data = sampleData() } = options
  const set = engine.createSet(files.map(([name, text]) => engine.parse({ name, text })))
  return engine.execute(set, files[0]?.[0] ?? '', data)
}

function failure(run: () => unknown): StackmasonError {
  try {
    run()
  } catch (error) {
    if (error instanceof StackmasonError) return error
    throw error
  }
  throw new Error('it did not fail')
}

describe('createSet', () => {
  it.each<{ readonly name: string; readonly files: Files; readonly want: string }>([
    {
      name: 'the last definition wins',
      files: [
        ['a', '{{ include "x" . }}{{ define "x" }}1{{ end }}'],
        ['b', '{{ define "x" }}2{{ end }}'],
        ['c', '{{ define "x" }}3{{ end }}'],
      ],
      want: '3',
    },
    {
      name: 'a blank definition does not replace another',
      files: [
        ['a', '{{ include "x" . }}{{ define "x" }}1{{ end }}'],
        ['b', '{{ define "x" }} {{/* nothing */}}\n{{ end }}'],
      ],
      want: '1',
    },
    {
      name: 'a blank definition is replaced',
      files: [
        ['a', '{{ include "x" . }}{{ define "x" }} {{ end }}'],
        ['b', '{{ define "x" }}2{{ end }}'],
      ],
      want: '2',
    },
    {
      name: 'of blank definitions the first stays',
      files: [
        ['a', '[{{ include "x" . }}]{{ define "x" }} {{ end }}'],
        ['b', '{{ define "x" }}{{ end }}'],
      ],
      want: '[ ]',
    },
    {
      name: 'a file is a template by its name',
      files: [
        ['a', '{{ include "b" .s }}'],
        ['b', '<{{ . }}>'],
      ],
      want: '<abc>',
    },
    {
      name: 'a definition can stand for a later file of definitions alone',
      files: [
        ['a', '{{ include "b" . }}'],
        ['c', '{{ define "b" }}defined{{ end }}'],
        ['b', '{{ define "y" }}{{ end }}'],
      ],
      want: 'defined',
    },
    {
      name: 'a block is overridden by a later file',
      files: [
        ['a', '{{ block "x" . }}default{{ end }}'],
        ['b', '{{ define "x" }}own{{ end }}'],
      ],
      want: 'own',
    },
  ])('$name', ({ files, want }) => {
    expect(chunkText(execute(files))).toBe(want)
  })

  it('shares parsed templates between engines and sets', () => {
    const text = '{{ define "x" }}{{ . }}{{ end }}{{ include "x" .s }}'
    const parsed = sampleEngine().parse({ name: 't', text })
    const outputs = [1, 2].map((n) => {
      const engine = sampleEngine()
      const own = engine.parse({ name: 'own', text: `{{ define "x" }}${n}{{ end }}` })
      return chunkText(engine.execute(engine.createSet([parsed, own]), 't', sampleData()))
    })
    expect(outputs).toEqual(['1', '2'])
  })
})

describe('execute', () => {
  it('says which template is missing', () => {
    const error = failure(() => sampleEngine().execute(sampleEngine().createSet([]), 'x/y.yaml', null))
    expect(error.diagnostics).toEqual([
      {
        code: 'TEMPLATE_EXECUTION',
        severity: 'error',
        message: 'template: no template "x/y.yaml" associated with template "gotpl"',
      },
    ])
  })

  it('knows no late-bound function unless asked for', () => {
    const engine = sampleEngine({ lateBound: false })
    const names = ['include', 'tpl', 'required', 'fail', 'lookup']
    const messages = names.map((name) => failure(() => engine.parse({ name: 't', text: `{{ ${name} }}` })).message)
    expect(messages).toEqual(names.map((name) => `function "${name}" not defined`))
  })

  it('lets the table hide functions of Go, and late-bound ones hide both', () => {
    const own = (name: string): readonly [string, FunctionDef] => [
      name,
      { name, params: [], variadic: 'any', tokens: 'pass', call: (args) => `own ${name} ${args.length}` },
    ]
    const functions = new Map([...sampleFunctions, own('len'), own('and'), own('fail')])
    const text = '{{ len 1 2 }},{{ and 0 (str "a") }}'
    expect(chunkText(execute([['t', text]], { engine: sampleEngine({ functions }) }))).toBe('own len 2,own and 2')
    const engine = sampleEngine({ functions })
    expect(failure(() => execute([['t', '{{ fail "x" }}']], { engine })).diagnostics[0]?.code).toBe('TEMPLATE_FAIL')
    const plain = sampleEngine({ functions, lateBound: false })
    expect(chunkText(execute([['t', '{{ fail "x" }}']], { engine: plain }))).toBe('own fail 1')
  })

  it('treats names of JavaScript as ordinary keys', () => {
    const text = [
      '{{ .__proto__ }}|{{ .constructor }}|{{ .toString }}|{{ .hasOwnProperty }}|{{ index . "__proto__" }}',
      '{{ range $k, $v := mkd "__proto__" 1 "constructor" 2 }}{{ $k }}={{ $v }};{{ end }}',
      '{{ (mkd "__proto__" "own").__proto__ }}{{ .s.length | print }}',
    ]
    expect(chunkText(execute([['t', text.slice(0, 2).join('\n')]]))).toBe(
      '<no value>|<no value>|<no value>|<no value>|<no value>\n__proto__=1;constructor=2;',
    )
    expect(failure(() => execute([['t', text[2] ?? '']])).message).toBe(
      "can't evaluate field length in type interface {}",
    )
  })

  it('leaves the data as it was', () => {
    const data = dict([['l', ['b', 'a']]])
    execute([['t', '{{ range .l }}{{ . }}{{ end }}{{ slice .l 1 }}{{ $x := .l }}']], { data })
    expect([...data]).toEqual([['l', ['b', 'a']]])
  })
})

describe('chunks', () => {
  it('say where each piece comes from', () => {
    const files: Files = [
      ['a', 'x: {{ .s }}\n{{ template "t" .f }}{{ include "t" 2 | print }}{{ if .t }} end{{ end }}'],
      ['b', '{{ define "t" }}[{{ . }}]{{ end }}'],
    ]
    const chunks = execute(files).map(({ text, origin }) => [text, origin?.source.name, origin?.offset])
    expect(chunks).toEqual([
      ['x: ', 'a', 0],
      ['abc', 'a', 6],
      ['\n', 'a', 11],
      ['[', 'b', 16],
      ['1.5', 'b', 20],
      [']', 'b', 24],
      ['[2]', 'a', 36],
      [' end', 'a', 71],
    ])
  })

  it('are none when nothing is written', () => {
    expect(execute([['t', '{{ define "x" }}a{{ end }}{{ $x := 1 }}{{ "" }}']])).toEqual([])
  })
})

describe('removeNoValue', () => {
  const source = { name: 't', text: '' }

  it.each<{ readonly name: string; readonly chunks: readonly string[]; readonly want: readonly string[] }>([
    { name: 'nothing to remove', chunks: ['a', '<no', 'b'], want: ['a', '<no', 'b'] },
    { name: 'a whole chunk', chunks: ['a', '<no value>', 'b'], want: ['a', 'b'] },
    { name: 'inside of a chunk', chunks: ['a<no value>b'], want: ['ab'] },
    { name: 'several in one', chunks: ['<no value>a<no value><no value>b'], want: ['ab'] },
    { name: 'across two', chunks: ['a<no ', 'value>b'], want: ['a', 'b'] },
    { name: 'across many', chunks: ['a<', 'no', ' ', 'value', '>b', 'c'], want: ['a', 'b', 'c'] },
    { name: 'one behind the other', chunks: ['<no val', 'ue><no v', 'alue>', 'x'], want: ['x'] },
    { name: 'what arises by removing stays', chunks: ['<no<no value> value>'], want: ['<no value>'] },
    { name: 'no chunks', chunks: [], want: [] },
  ])('$name', ({ chunks, want }) => {
    const given = chunks.map((text, offset) => ({ text, origin: { source, offset } }))
    const result = removeNoValue(given)
    expect(result.map(({ text }) => text)).toEqual(want)
    expect(chunkText(result)).toBe(chunks.join('').replaceAll('<no value>', ''))
    expect(result.every(({ origin }) => origin?.source === source)).toBe(true)
  })
})

describe('errors', () => {
  it('point at the node, with the chain of templates and what is nil', () => {
    const files: Files = [
      ['app/templates/a.yaml', 'a: 1\nb:\n{{ include "app.labels" . | str }}\n'],
      ['app/templates/_helpers.tpl', '{{ define "app.labels" }}\n  x: {{ .Values.image.none.tag }}\n{{ end }}'],
    ]
    const error = failure(() => execute(files))
    const [diagnostic] = error.diagnostics
    expect(diagnostic).toMatchObject({
      code: 'TEMPLATE_EXECUTION',
      severity: 'error',
      message: 'nil pointer evaluating interface {}.tag',
      hint: '.Values.image.none is not set: set it in the values, or test it with `if` or `with` first.',
    })
    const { at, trace } = diagnostic ?? {}
    expect([at?.source.name, at?.source.text.slice(at.start, at.end)]).toEqual([
      'app/templates/_helpers.tpl',
      '.image.none.tag',
    ])
    expect(trace?.map(({ what, at: place }) => [what, place?.source.name, place?.start])).toEqual([
      ['executing "app.labels" at <.Values.image.none.tag>', 'app/templates/_helpers.tpl', 41],
      ['executing "app/templates/a.yaml" at <include "app.labels" .>', 'app/templates/a.yaml', 11],
    ])
  })

  it('of `template` actions show the caller too', () => {
    const files: Files = [['t', '{{ template "x" . }}{{ define "x" }}{{ .s.y }}{{ end }}']]
    expect(failure(() => execute(files)).diagnostics[0]?.trace?.map(({ what }) => what)).toEqual([
      'executing "x" at <.s.y>',
      'executing "t" at <{{template "x" .}}>',
    ])
  })

  it('give messages of fail and required unwrapped', () => {
    const files: Files = [
      ['t', '{{ include "x" . }}{{ define "x" }}{{ required "set .Values.a: \\"b\\"" .nope }}{{ end }}'],
    ]
    expect(failure(() => execute(files)).diagnostics[0]).toMatchObject({
      code: 'TEMPLATE_FAIL',
      message: 'set .Values.a: "b"',
    })
  })

  it('do not show the text of a tpl, which may come from values', () => {
    const data = dict([['t', 'password {{ .x.y }} {{ nope }}']])
    const error = failure(() => execute([['t', '{{ tpl .t . }}']], { data }))
    expect(error.message).toBe('error calling tpl: cannot parse its text, line 1: function … not defined')
    expect(error).toBeInstanceOf(TemplateError)
    expect(error instanceof TemplateError && formatGoError(error)).toBe(
      'template: t:1:3: executing "t" at <tpl .t .>: error calling tpl: cannot parse template "password {{ .x.y }} {{ nope }}": template: gotpl:1: function "nope" not defined',
    )
  })

  it('name both ends of a long recursion', () => {
    const text =
      '{{ define "r" }}{{ if lt (len .) 300 }}{{ print . "x" | include "r" }}{{ else }}{{ .y }}{{ end }}{{ end }}{{ include "r" "" }}'
    const trace = failure(() => execute([['t', text]])).diagnostics[0]?.trace ?? []
    expect(trace).toHaveLength(100)
    expect([trace[0]?.what, trace.at(-1)?.what]).toEqual(['executing "r" at <.y>', 'executing "t" at <include "r" "">'])
  })

  it('keep the cause of what a function throws', () => {
    const error = failure(() => execute([['t', '{{ oops "x" }}']]))
    expect(error.message).toBe('error calling oops: oops: x')
    expect(error.cause).toBeInstanceOf(FunctionError)
  })
})

describe('the context of functions', () => {
  function probe(
    call: (context: CallContext) => Value,
    text: string,
  ): { readonly output: string; readonly findings: readonly Diagnostic[] } {
    const findings: Diagnostic[] = []
    const definition: FunctionDef = {
      name: 'gen',
      params: [],
      variadic: 'any',
      tokens: 'pass',
      call: (_args, context) => call(context),
    }
    const tokens = createTokenTable()
    const engine = sampleEngine({
      functions: new Map([...sampleFunctions, ['gen', definition]]),
      tokens,
      onFinding: (finding) => findings.push(finding),
    })
    const output = chunkText(execute([['t', text]], { engine }))
    const named = output.replace(/\udbff[\ue000-\uf8ff]/g, (token) => JSON.stringify(tokens.get(token)))
    return { output: named, findings }
  }

  it('identifies a call by template, line and how often the line ran', () => {
    const text =
      '{{ gen }} {{ gen }}\n{{ range 2 }}{{ gen }},{{ end }}\n{{ define "x" }}\n\n{{ gen }}{{ end }}{{ include "x" . }}{{ include "x" . }}'
    expect(probe((context) => `${context.identity()}=${context.identity()}`, text).output).toBe(
      't:1:1=t:1:1 t:1:2=t:1:2\nt:2:1=t:2:1,t:2:2=t:2:2,\n\n\nt:5:1=t:5:1\n\nt:5:2=t:5:2',
    )
  })

  it('defers a secret to a token that names the call', () => {
    const generate = (context: CallContext): string =>
      context.generate({ function: 'gen', arguments: ['8'], identity: context.identity() }, 'value')
    const spec = (run: number): string =>
      JSON.stringify({
        kind: 'generated',
        type: 'string',
        generate: { function: 'gen', arguments: ['8'], identity: `t:1:${run}` },
        part: 'value',
      })
    expect(probe(generate, '{{ range 2 }}{{ gen }};{{ end }}').output).toBe(`${spec(1)};${spec(2)};`)
  })

  it('reports a place once, however often it runs', () => {
    const report = (context: CallContext): Value => {
      context.report({ code: 'TEMPLATE_NOT_DETERMINISTIC', severity: 'warning', message: say`reads the clock` })
      return 'x'
    }
    const { findings } = probe(report, '{{ range 3 }}{{ gen }}{{ end }}{{ gen }}')
    expect(findings.map(({ at }) => at?.start)).toEqual([16, 34])
  })

  it('reports at the calling action, without changing where errors point', () => {
    const report = (context: CallContext): Value => {
      context.report({ code: 'TEMPLATE_NOT_DETERMINISTIC', severity: 'warning', message: say`reads the clock` })
      return goInt(1)
    }
    const text = '{{ define "x" }}{{ gen 1 }}{{ end }}\n{{ include "x" . }}'
    const { findings } = probe(report, text)
    expect(findings).toMatchObject([
      {
        code: 'TEMPLATE_NOT_DETERMINISTIC',
        message: 'reads the clock',
        at: { start: 19, end: 24 },
        trace: [{ what: 'executing "x" at <gen 1>' }, { what: 'executing "t" at <include "x" .>' }],
      },
    ])
    expect(failure(() => probe(report, '{{ gen | str }}')).diagnostics[0]?.trace?.[0]?.what).toBe(
      'executing "t" at <str>',
    )
  })
})
