import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { chunkText } from '../../../src/render/engine/engine.ts'
import { defaultLimits } from '../../../src/render/engine/limits.ts'
import { formatGoError, formatHelmError } from '../../../src/render/engine/format-error.ts'
import { formatNode } from '../../../src/render/engine/format-node.ts'
import { parseTemplate } from '../../../src/render/engine/parser.ts'
import { TemplateError } from '../../../src/render/engine/template-error.ts'
import { sampleData, sampleEngine, sampleFunctions } from './sample.ts'

/** The same templates in every run, unless STACKMASON_FUZZ_SEED asks for others and STACKMASON_FUZZ_RUNS for more. */
const parameters = {
  seed: Number(process.env['STACKMASON_FUZZ_SEED'] ?? 20261121),
  numRuns: Number(process.env['STACKMASON_FUZZ_RUNS'] ?? 1500),
}
const timeout = Math.max(120_000, parameters.numRuns * 50)

const limits = { ...defaultLimits, steps: 20_000, output: 200_000, built: 1_000_000, depth: 60 }
const builtins = 'and or not len index slice eq ne lt le gt ge print println printf html js urlquery call'.split(' ')
const lateBound = 'include tpl required fail lookup'.split(' ')
const functions = [...builtins, ...lateBound, ...sampleFunctions.keys()]

const field = fc
  .array(
    fc.constantFrom('s', 'f', 'l', 'm', 'mixed', 'deep', 'x', 'y', 'nul', 'missing', 'caps', 'vals', 'sm', 'Name'),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((names) => names.map((name) => `.${name}`).join(''))
const literal = fc.oneof(
  fc.constantFrom(
    '1',
    '-1',
    '0',
    '1.5',
    '1e9',
    '"a"',
    '""',
    '`b`',
    'true',
    'false',
    'nil',
    "'c'",
    '0x7f',
    '"{{.s}}"',
    '"A"',
  ),
  fc.string({ maxLength: 6 }).map((text) => JSON.stringify(text)),
  fc.bigInt({ min: -(2n ** 64n), max: 2n ** 65n }).map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
)
const variable = fc.constantFrom('$', '$x', '$y', '$x.m', '$y.s')

interface Grammar {
  readonly pipe: string
  readonly operand: string
  readonly list: string
}

/** Templates that mostly parse, with loops and definitions that call each other. */
const grammar = fc.letrec<Grammar>((tie: fc.LetrecTypedTie<Grammar>) => ({
  operand: fc.oneof(
    { maxDepth: 4, depthIdentifier: 'expression' },
    field,
    literal,
    variable,
    fc.constantFrom('.', 'nilf', 'zero', 'mkl'),
    fc.tuple(tie('pipe'), fc.option(field)).map(([pipe, fields]) => `(${pipe})${fields ?? ''}`),
  ),
  pipe: fc
    .array(
      fc
        .tuple(fc.option(fc.constantFrom(...functions)), fc.array(tie('operand'), { maxLength: 3 }))
        .map(([name, args]) => (name === null ? (args[0] ?? '.') : [name, ...args].join(' '))),
      { minLength: 1, maxLength: 3 },
    )
    .map((commands) => commands.join(' | ')),
  list: fc
    .array(
      fc.oneof(
        { maxDepth: 4, depthIdentifier: 'block' },
        fc.constantFrom('text', ' \n', '{{/* c */}}', '{{- "" -}}', '}}', 'é', '<no value>'),
        tie('pipe').map((pipe) => `{{ ${pipe} }}`),
        tie('pipe').map((pipe) => `{{- $x := ${pipe} -}}`),
        tie('pipe').map((pipe) => `{{ $y = ${pipe} }}`),
        fc
          .tuple(tie('pipe'), tie('list'), tie('list'))
          .map(([pipe, yes, no]) => `{{if ${pipe}}}${yes}{{else}}${no}{{end}}`),
        fc.tuple(tie('pipe'), tie('list')).map(([pipe, body]) => `{{with $x := ${pipe}}}${body}{{end}}`),
        fc
          .tuple(fc.constantFrom('', '$x := ', '$x, $y := ', '$x, $y = '), tie('pipe'), tie('list'))
          .map(([variables, pipe, body]) => `{{range ${variables}${pipe}}}${body}{{end}}`),
        tie('pipe').map((pipe) => `{{template "A" ${pipe}}}`),
        fc.constantFrom('{{range 1000000000}}{{end}}', '{{range .l}}{{break}}{{end}}', '{{include "A" .}}'),
      ),
      { maxLength: 4 },
    )
    .map((nodes) => nodes.join('')),
}))

const template = fc
  .tuple(grammar.list, grammar.list)
  .map(([main, definition]) => `{{$x := 1}}{{$y := .}}${main}{{define "A"}}{{$x := 2}}{{$y := .}}${definition}{{end}}`)

/** Text that mostly does not parse. */
const rubbish = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '{{',
        '}}',
        '{{-',
        '-}}',
        ' ',
        '\n',
        '(',
        ')',
        '|',
        ':=',
        '=',
        ',',
        '"',
        '`',
        "'",
        '.',
        '$',
        '/*',
        '*/',
      ),
      fc.constantFrom(
        'if',
        'range',
        'end',
        'else',
        'define',
        'block',
        'template',
        'break',
        'with',
        '0x',
        '1e',
        '..',
        '\\',
      ),
      fc.string({ unit: 'binary', maxLength: 3 }),
      fc.constantFrom('\udcff', '\udbff\ue000', '\ud800', 'é', '😀', '\0'),
    ),
    { maxLength: 25 },
  )
  .map((parts) => parts.join(''))

/** Renders; everything that is not an error for users escapes. */
function tryRender(text: string): string {
  const engine = sampleEngine({ limits })
  try {
    return chunkText(engine.execute(engine.createSet([engine.parse({ name: 't', text })]), 't', sampleData()))
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    if (error.diagnostics.some(({ code }) => code === 'INTERNAL')) throw error
    if (error instanceof TemplateError) return `${formatGoError(error)}\n${formatHelmError(error)}`
    return error.message
  }
}

describe('random templates', () => {
  it(
    'render or fail with an error for users, and do the same again',
    () => {
      fc.assert(
        fc.property(template, (text) => {
          expect(tryRender(text)).toBe(tryRender(text))
        }),
        parameters,
      )
    },
    timeout,
  )

  it(
    'print back to templates that print the same',
    () => {
      const options = { isFunction: (name: string): boolean => functions.includes(name) }
      const print = (text: string): string =>
        parseTemplate({ name: 't', text }, options)
          .definitions.map(({ name, body }) => `${JSON.stringify(name)} ${body.nodes.map(formatNode).join('')}`)
          .join('\n')
      fc.assert(
        fc.property(grammar.list, (list) => {
          const text = `{{$x := 1}}{{$y := .}}${list}`
          let printed: string
          try {
            printed = print(text)
          } catch (error) {
            if (error instanceof StackmasonError) return
            throw error
          }
          expect(print(printed.replace(/^"t" /, ''))).toBe(printed)
        }),
        parameters,
      )
    },
    timeout,
  )

  it(
    'never get past the parser unless they are templates',
    () => {
      fc.assert(
        fc.property(rubbish, (text) => {
          expect(typeof tryRender(text)).toBe('string')
        }),
        parameters,
      )
    },
    timeout,
  )
})
