import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { StackmasonError, type Diagnostic } from '../../../src/model/diagnostic.ts'
import { dict, GoInt, type ParamType, type Value } from '../../../src/model/value.ts'
import { builtinFunctions } from '../../../src/render/engine/builtins.ts'
import { chunkText, createEngine } from '../../../src/render/engine/engine.ts'
import type { FunctionTable } from '../../../src/render/engine/function.ts'
import { lateBoundFunctions } from '../../../src/render/engine/late-bound.ts'
import { defaultLimits } from '../../../src/render/engine/limits.ts'
import { chartFunctions, runtimeFunctions } from '../../../src/render/functions/registry.ts'
import { createTokenTable } from '../../../src/model/token.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { foldFindings } from '../../../src/report/fold-findings.ts'
import { formatFinding } from '../../../src/report/format-finding.ts'
import { formatJsonReport } from '../../../src/report/report.ts'
import { createPalette } from '../../../src/report/palette.ts'
import { createShortenPath } from '../../../src/report/shorten-path.ts'

/** What no error may show, as a word, in capitals, in parts of ten characters, and as digits. */
const WORD = 'kanarie739'
const DIGITS = '7391739'

const pem = (type: string): string => `-----BEGIN ${type}-----\nAAAA\n-----END ${type}-----\n`
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Texts that break each grammar which a function reads, around the canary. */
const texts: readonly string[] = [
  WORD,
  '',
  ...[
    '{{ % }}',
    '{{ .x.% }}',
    '{{ .%.x }}',
    '{{ "% }}',
    '{{ "%" | nope% }}',
    '{{ $% }}',
    '{{ include "%" . }}',
    '{{ template "%" . }}',
    '{{ define "%" }}{{ .x.y }}{{ end }}{{ template "%" }}',
    '{{ define "%" }}{{ fromJson 1 }}{{ end }}{{ include "%" . }}',
    '{{ if % }}',
    '{{/* %',
    '{{ `%',
    '{{ % := 1 }}',
    '{{ 1% }}',
    "{{ '%' }}",
    '{{ block "%" }}',
    '{{ (%',
    '{{ .x | index .% }}',
    '{{ index "%" 99 }}',
    '%: [',
    '%: : x',
    '"%',
    '*%',
    '!% x',
    '{"%": ',
    '[%',
    '% = ',
    '[%]\n[%]',
    '%[',
    '(%',
    '(?P<%',
    '\\%\\8',
    '%)',
    '%*+?{%',
    '%d %[%]d %!%',
    '>=%',
    '>=1.%.x.y',
    '1.2.%',
    '1.2.3-%!',
    '1.2.3-0%.01',
    'http://%:x@[%',
    'http://%:%%zz@host',
    'http://a:b%c@host:%',
    'http://[::%]/',
    ':%',
    '%\n%',
    '1%',
    '1h%',
    '%h',
    '%%zz',
    'Europe/%',
    '%:x',
    'dt%',
    '%.%.%',
    '%/%',
  ].map((form) => form.replaceAll('%', WORD)),
  base64(WORD),
  base64(pem(WORD)),
  pem(WORD),
  pem(`${WORD} PRIVATE KEY`),
  base64(pem(`${WORD} PRIVATE KEY`)),
  `${DIGITS}.${DIGITS}.${DIGITS}`,
  `${DIGITS.repeat(6)}.1.1`,
  DIGITS.repeat(6),
  `0x${DIGITS}`,
  '2006-01-02',
  '1.2.3',
]

const numbers: readonly Value[] = [
  new GoInt(BigInt(DIGITS)),
  new GoInt(-BigInt(DIGITS)),
  new GoInt(0n),
  new GoInt(1n),
  new GoInt(BigInt(DIGITS), 'int64'),
  new GoInt(BigInt(DIGITS), 'uint8'),
]
const floats: readonly Value[] = [Number(DIGITS), -Number(DIGITS) - 0.5, Number(`7.391739e300`), Number.NaN, 0]
const lists = (): readonly Value[] => [
  [WORD],
  [[WORD], dict([[WORD, WORD]])],
  [Number(DIGITS), null, true],
  [],
  texts.slice(0, 20),
]
const maps = (): readonly Value[] => [
  dict([[WORD, WORD]]),
  dict([['x', dict([[WORD, [WORD]]])]]),
  dict([
    ['scheme', WORD],
    ['userinfo', `${WORD}:%zz`],
    ['host', [WORD]],
  ]),
  dict(),
]

function valuesOf(type: ParamType): readonly Value[] {
  switch (type) {
    case 'string':
      return texts
    case 'int':
      return numbers.filter((value) => value instanceof GoInt && value.kind === 'int')
    case 'int64':
      return numbers.filter((value) => value instanceof GoInt && value.kind === 'int64')
    case 'float64':
      return floats
    case 'list':
    case 'strings':
      return lists()
    case 'map':
      return maps()
    case 'bool':
      return [true, false]
    case 'any':
    case 'object':
    case 'bytes':
    case 'time':
      return [null, true, ...texts.slice(0, 4), ...numbers, ...floats, ...lists(), ...maps()]
  }
}

const { crypto } = createNodePorts()
const shorten = createShortenPath('/')

/** All that people and programs see of what a template ended with, and of its findings. */
function reported(template: string, data: Value, functions: FunctionTable = chartFunctions): string {
  const findings: Diagnostic[] = []
  const engine = createEngine({
    functions,
    lateBound: functions === chartFunctions,
    limits: { ...defaultLimits, steps: 100_000, built: 1_000_000 },
    crypto,
    tokens: createTokenTable(),
    generate: 'token',
    onFinding: (finding) => findings.push(finding),
  })
  try {
    chunkText(
      engine.execute(
        engine.createSet([engine.parse({ name: 'templates/t.yaml', text: template })]),
        'templates/t.yaml',
        data,
      ),
    )
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    findings.push(...error.diagnostics)
  }
  const text = foldFindings(findings).map((finding) =>
    formatFinding(finding, { palette: createPalette('plain'), shorten }),
  )
  return text.join('') + [...formatJsonReport({ kind: 'Test', content: {}, findings }, shorten)].join('')
}

function leaks(report: string): readonly string[] {
  return report.split('\n').filter((line) => /kanarie|739|S2FuYXJpZ|a2FuYXJpZ/i.test(line))
}

/** What they say is the chart's own words, of which secrets are masked where all findings are. */
const spokesmen = new Set(['fail', 'required'])
/** Each call takes 32 MiB. */
const slow = new Set(['derivePassword'])

const definitions = [
  ...[...chartFunctions.values(), ...builtinFunctions, ...lateBoundFunctions].map((definition) => ({
    ...definition,
    table: chartFunctions,
  })),
  ...[...runtimeFunctions.values()].map((definition) => ({ ...definition, table: runtimeFunctions })),
].filter(({ name }) => !spokesmen.has(name))

describe('an error or a finding of a function shows no value that it was given:', () => {
  it.each(definitions.map((definition) => [definition.name, definition] as const))('%s', (name, definition) => {
    const { params, variadic, table } = definition
    const types = [...params, ...(variadic === undefined ? [] : [variadic, variadic])]
    const fitting = fc.tuple(...types.map((type) => fc.constantFrom(...valuesOf(type))))
    const anything = fc.array(fc.constantFrom(...valuesOf('any')), { maxLength: types.length + 1 })
    const call = fc.record({ args: fc.oneof({ weight: 5, arbitrary: fitting }, anything), isPiped: fc.boolean() })
    fc.assert(
      fc.property(call, ({ args, isPiped }) => {
        const data = dict(args.map((arg, index) => [`a${index}`, arg]))
        const names = args.map((_, index) => `$.a${index}`)
        const last = isPiped ? names.pop() : undefined
        const action = [name, ...names].join(' ')
        expect(leaks(reported(`{{ ${last === undefined ? action : `${last} | ${action}`} }}`, data, table))).toEqual([])
      }),
      { seed: 739, numRuns: slow.has(name) ? 3 : Math.min(600, Math.max(120, texts.length * types.length)) },
    )
  })
})

describe('an error of the engine shows no value:', () => {
  it.each([
    '{{ range .s }}{{ end }}',
    '{{ range .f }}{{ end }}',
    '{{ range $k, $v := .n }}{{ end }}',
    '{{ range (semver "1.2.3") }}{{ end }}',
    '{{ .s.x }}',
    '{{ .n.x }}',
    '{{ .l.x }}',
    '{{ .m.x.y.z }}',
    '{{ (index .m .s).x }}',
    '{{ index .l .n }}',
    '{{ index .m .n }}',
    '{{ index .m .s .s .s }}',
    '{{ slice .l .n }}',
    '{{ slice .s 5 2 }}',
    '{{ slice .s .n .n }}',
    '{{ eq .m .m }}',
    '{{ eq .m .l }}',
    '{{ eq .s .n }}',
    '{{ lt .s .n }}',
    '{{ lt .m .m }}',
    '{{ call .s }}',
    '{{ .s | call }}',
    '{{ .n | call }}',
    '{{ len .n }}',
    '{{ include .s . }}',
    '{{ .s | include }}',
    '{{ printf "%p" .m }}',
    '{{ (semver "1.2.3").SetPrerelease (print .s "!") }}',
    '{{ (semver "1.2.3").SetMetadata (print .s "!") }}',
    '{{ (semver "1.2.3").Compare .s }}',
    '{{ (toDate "2006" "2020").Format .n }}',
    '{{ (toDate "2006" "2020").Sub .s }}',
    '{{ (toDate "2006" "2020").Nope .s }}',
    '{{ dict .s 1 | dig .s .s .s }}',
    '{{ get (dict "a" .s) .n }}',
    '{{ define "x" }}{{ include .s . }}{{ end }}{{ include "x" . }}',
    '{{ define "x" }}{{ tpl .t . }}{{ end }}{{ template "x" . }}',
    '{{ tpl (print "{{ include \\"" .s "\\" . }}") . }}',
    '{{ tpl (print "{{ define \\"" .s "\\" }}{{ fromYaml 1 }}{{ end }}{{ include \\"" .s "\\" . }}") . }}',
    '{{ tpl (print "{{ tpl \\"{{ " .s "\\" . }}") . }}',
    '{{ tpl (print "\\n\\n{{ range \\"" .s "\\" }}{{ end }}") . }}',
    '{{ tpl (print .s ": {{ now }} {{ genCA \\"" .s "\\" 1 }} {{ dateInZone \\"2006\\" now \\"" .s "\\" }}") . }}',
    '{{ $x := .s }}{{ range until 100000 }}{{ tpl (print "{{ \\"" $x "\\" }}") $ }}{{ end }}',
    '{{ define "r" }}{{ include "r" . }}{{ end }}{{ include "r" .s }}',
    '{{ repeat 10000000 .s }}',
  ])('%s', (template) => {
    const data = dict([
      ['s', WORD],
      ['t', `${WORD}: {{ .x.${WORD} }}`],
      ['n', new GoInt(BigInt(DIGITS))],
      ['f', Number(DIGITS)],
      ['l', [WORD, Number(DIGITS)]],
      ['m', dict([[WORD, WORD]])],
    ])
    const report = reported(template, data)
    expect(report).toContain('"severity"')
    expect(leaks(report)).toEqual([])
  })
})
