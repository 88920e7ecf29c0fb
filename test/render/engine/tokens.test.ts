import { describe, expect, it } from 'vitest'
import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { createTokenTable, type TokenTable } from '../../../src/model/token.ts'
import { dict, type Dict } from '../../../src/model/value.ts'
import { chunkText } from '../../../src/render/engine/engine.ts'
import type { FunctionDef } from '../../../src/render/engine/function.ts'
import { nameTokens } from '../../../src/render/engine/token-search.ts'
import { sampleEngine, sampleFunctions } from './sample.ts'

function tokenData(tokens: TokenTable): Dict {
  const host = tokens.add({ kind: 'runtime', type: 'host', path: 'host' })
  const port = tokens.add({ kind: 'runtime', type: 'port', path: 'port' })
  return dict([
    ['h', host],
    ['p', port],
    ['i', tokens.add({ kind: 'runtime', type: 'integer', path: 'int' })],
    ['id', tokens.add({ kind: 'runtime', type: 'id', path: 'id' })],
    ['t', tokens.add({ kind: 'runtime', type: 'string', path: 'text' })],
    [
      'g',
      tokens.add({
        kind: 'generated',
        type: 'string',
        part: 'value',
        generate: { function: 'randAlphaNum', arguments: ['8'], identity: 'x:1:1' },
      }),
    ],
    ['d', tokens.add({ kind: 'derived', type: 'string', function: 'b64enc', input: host })],
    ['url', `https://${host}:${port}/x`],
    ['l', ['a', host]],
    ['m', dict([['k', host]])],
    ['tpl', `{{ .h }}-${port}`],
    ['quoted', `{{ "${host}" }}`],
    ['inside', `{{ .${host} }}`],
    ['plain', 'abc'],
  ])
}

const knowing: readonly (readonly [string, FunctionDef])[] = [
  ['knows', { name: 'knows', params: [], variadic: 'any', tokens: 'refuse', call: () => 'known' }],
]

function render(text: string): string {
  const tokens = createTokenTable()
  const engine = sampleEngine({ tokens, functions: new Map([...sampleFunctions, ...knowing]) })
  const set = engine.createSet([engine.parse({ name: 't', text })])
  return nameTokens(chunkText(engine.execute(set, 't', tokenData(tokens))), tokens)
}

function refusal(text: string): Diagnostic | undefined {
  try {
    render(text)
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics[0]
    throw error
  }
  return undefined
}

describe('passing', () => {
  it.each([
    { input: '{{ .h }}', want: '<host>' },
    { input: 'a{{ .h }}b{{ .p }}', want: 'a<host>b<port>' },
    { input: '{{ .url }}', want: 'https://<host>:<port>/x' },
    { input: '{{ .d }}', want: '<b64enc of host>' },
    { input: '{{ .g }}', want: '<what randAlphaNum generates>' },
    { input: '{{ .l }}', want: '[a <host>]' },
    { input: '{{ .m }}', want: 'map[k:<host>]' },
    { input: '{{ print .h .p }}', want: '<host><port>' },
    { input: '{{ println .h }}', want: '<host>\n' },
    { input: '{{ printf "%s:%v" .h .p }}', want: '<host>:<port>' },
    { input: '{{ printf "%q" .h }}', want: '"<host>"' },
    { input: '{{ printf .url }}', want: 'https://<host>:<port>/x' },
    { input: '{{ if .h }}set{{ else }}unset{{ end }}', want: 'set' },
    { input: '{{ with .h }}{{ . }}{{ end }}', want: '<host>' },
    { input: '{{ range .l }}{{ . }};{{ end }}', want: 'a;<host>;' },
    { input: '{{ range $k, $v := .m }}{{ $k }}={{ $v }}{{ end }}', want: 'k=<host>' },
    { input: '{{ $x := .h }}{{ $x }}', want: '<host>' },
    { input: '{{ and .h .p }}', want: '<port>' },
    { input: '{{ or .h .p }}', want: '<host>' },
    { input: '{{ or "" .p }}', want: '<port>' },
    { input: '{{ not .h }}', want: 'false' },
    { input: '{{ len .l }}', want: '2' },
    { input: '{{ len .m }}', want: '1' },
    { input: '{{ index .l 1 }}', want: '<host>' },
    { input: '{{ index .m "k" }}', want: '<host>' },
    { input: '{{ slice .l 1 }}', want: '[<host>]' },
    { input: '{{ include "x" .h }}{{ define "x" }}[{{ . }}]{{ end }}', want: '[<host>]' },
    { input: '{{ template "x" .h }}{{ define "x" }}[{{ . }}]{{ end }}', want: '[<host>]' },
    { input: '{{ tpl .tpl . }}', want: '<host>-<port>' },
    { input: '{{ tpl .url . }}', want: 'https://<host>:<port>/x' },
    { input: '{{ tpl .quoted . }}', want: '<host>' },
    { input: '{{ required "needed" .h }}', want: '<host>' },
    { input: '{{ knows .plain 1 }}', want: 'known' },
  ])('renders $input', ({ input, want }) => {
    expect(render(input)).toBe(want)
  })
})

describe('decided', () => {
  it.each([
    { input: '{{ eq .h "" }}', want: 'false' },
    { input: '{{ eq .h "auto" }}', want: 'false' },
    { input: '{{ eq .h "a b" }}', want: 'false' },
    { input: '{{ eq .h "https://10.0.0.1" }}', want: 'false' },
    { input: '{{ ne .h "auto" }}', want: 'true' },
    { input: '{{ ne .h "" }}', want: 'true' },
    { input: '{{ eq "auto" .h }}', want: 'false' },
    { input: '{{ eq .h .h }}', want: 'true' },
    { input: '{{ eq .h "auto" .h }}', want: 'true' },
    { input: '{{ eq .h nil }}', want: 'false' },
    { input: '{{ eq .h .missing }}', want: 'false' },
    { input: '{{ eq .p "" }}', want: 'false' },
    { input: '{{ eq .p "http" }}', want: 'false' },
    { input: '{{ eq .p "0" }}', want: 'false' },
    { input: '{{ eq .i "x" }}', want: 'false' },
    { input: '{{ eq .id "a b" }}', want: 'false' },
    { input: '{{ eq .t "" }}', want: 'false' },
    { input: '{{ eq .g "" }}', want: 'false' },
    { input: '{{ eq .g "too short or long" }}', want: 'false' },
    { input: '{{ eq .url "" }}', want: 'false' },
    { input: '{{ eq .url "http://10.0.0.1:1/x" }}', want: 'false' },
    { input: '{{ eq .url .url }}', want: 'true' },
    { input: '{{ eq .plain "abc" }}', want: 'true' },
    { input: '{{ lt .plain "b" }}', want: 'true' },
  ])('renders $input', ({ input, want }) => {
    expect(render(input)).toBe(want)
  })
})

describe('refused', () => {
  it.each([
    { input: '{{ eq .h "10.0.0.1" }}', want: 'eq cannot compare a value that is only known later: host' },
    { input: '{{ eq .h "kind-control-plane" }}', want: 'eq cannot compare a value that is only known later: host' },
    { input: '{{ ne .h "example.org" }}', want: 'ne cannot compare a value that is only known later: host' },
    { input: '{{ eq .h .p }}', want: 'eq cannot compare a value that is only known later: host, port' },
    { input: '{{ eq .h "auto" "::1" }}', want: 'eq cannot compare a value that is only known later: host' },
    { input: '{{ eq .p "6443" }}', want: 'eq cannot compare a value that is only known later: port' },
    { input: '{{ eq .p 6443 }}', want: 'eq cannot compare a value that is only known later: port' },
    { input: '{{ eq .t "x" }}', want: 'eq cannot compare a value that is only known later: text' },
    {
      input: '{{ eq .g "abcdEF12" }}',
      want: 'eq cannot compare a value that is only known later: what randAlphaNum generates',
    },
    {
      input: '{{ eq .url "https://10.0.0.1:6443/x" }}',
      want: 'eq cannot compare a value that is only known later: host, port',
    },
    { input: '{{ lt .p "7000" }}', want: 'lt would have to know a value that is only known later: port' },
    { input: '{{ le .p "7000" }}', want: 'le would have to know a value that is only known later: port' },
    { input: '{{ gt .p "7000" }}', want: 'gt would have to know a value that is only known later: port' },
    { input: '{{ ge .p "7000" }}', want: 'ge would have to know a value that is only known later: port' },
    { input: '{{ len .h }}', want: 'len cannot measure a value that is only known later: host' },
    { input: '{{ .h | len }}', want: 'len cannot measure a value that is only known later: host' },
    { input: '{{ len .url }}', want: 'len cannot measure a value that is only known later: host, port' },
    { input: '{{ index .m .h }}', want: 'index cannot look up a key that is only known later: host' },
    { input: '{{ index .h 0 }}', want: 'index cannot cut a value that is only known later: host' },
    { input: '{{ slice .h 0 1 }}', want: 'slice cannot measure a value that is only known later: host' },
    { input: '{{ printf "%5s" .h }}', want: 'printf cannot pad or cut a value that is only known later (%s): host' },
    { input: '{{ printf "%.3s" .h }}', want: 'printf cannot pad or cut a value that is only known later (%s): host' },
    { input: '{{ printf "%x" .h }}', want: 'printf cannot format a value that is only known later (%x): host' },
    { input: '{{ printf "%T" .p }}', want: 'printf cannot format a value that is only known later (%T): port' },
    { input: '{{ printf .t }}', want: 'printf cannot take a value that is only known later as its format: text' },
    { input: '{{ html .h }}', want: 'html would have to know a value that is only known later: host' },
    { input: '{{ js .h }}', want: 'js would have to know a value that is only known later: host' },
    { input: '{{ urlquery .h }}', want: 'urlquery would have to know a value that is only known later: host' },
    { input: '{{ include .h . }}', want: 'include needs the name of a template now: host' },
    { input: '{{ knows .h }}', want: 'knows would have to know a value that is only known later: host' },
    { input: '{{ knows .l }}', want: 'knows would have to know a value that is only known later: host' },
    { input: '{{ knows (mkl .m) }}', want: 'knows would have to know a value that is only known later: host' },
    { input: '{{ knows (mkd .p 1) }}', want: 'knows would have to know a value that is only known later: port' },
    { input: '{{ knows .d }}', want: 'knows would have to know a value that is only known later: b64enc of host' },
  ])('refuses $input', ({ input, want }) => {
    const diagnostic = refusal(input)
    expect(diagnostic?.code).toBe('TEMPLATE_TOKEN_REFUSED')
    expect(diagnostic?.message).toBe(want)
    expect(diagnostic?.at?.source.name).toBe('t')
  })

  it('names the line of the template and the chain that led there', () => {
    const text = '{{ define "port" }}\n{{ if gt .p "1" }}{{ end }}{{ end }}a\n{{ include "port" . }}'
    const diagnostic = refusal(text)
    expect(text.slice(diagnostic?.at?.start, diagnostic?.at?.end)).toBe('gt .p "1"')
    expect(diagnostic?.trace?.map(({ what }) => what)).toEqual([
      'executing "port" at <gt .p "1">',
      'executing "t" at <include "port" .>',
    ])
  })

  it.each([
    { input: '{{ range .h }}{{ end }}', want: 'range cannot go over a value that is only known later: host' },
    { input: '{{ fail .url }}', want: 'https://<host>:<port>/x' },
    { input: '{{ num .h }}', want: 'a parameter of type int cannot be a value that is only known later: host' },
    {
      input: '{{ tpl .inside . }}',
      want: 'error calling tpl: cannot parse its text, line 1: bad character …',
    },
  ])('keeps tokens out of the message of $input', ({ input, want }) => {
    expect(refusal(input)?.message).toBe(want)
  })
})
