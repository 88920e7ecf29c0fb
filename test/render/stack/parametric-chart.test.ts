import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Chart } from '../../../src/model/chart.ts'
import { dict, type Value } from '../../../src/model/value.ts'
import { parameterFunctions } from '../../../src/render/engine/parameter-functions.ts'
import { chartOf, outcomeOf, rendererOf, runOf } from '../../../tools/sibling-renders.ts'

/** Lines below `data` of a ConfigMap, of `.a` and `.b`; `shared`: rendered once for all plain words. */
type Row = readonly [line: string, how: 'shared' | 'alone']

const a = '.Values.a'
const b = '.Values.b'
const rows: readonly Row[] = [
  // text that stands where it stands
  [`x: {{ ${a} }}`, 'shared'],
  [`x: "{{ ${a} }}"`, 'shared'],
  [`x: '{{ ${a} }}'`, 'shared'],
  [`x: {{ ${a} | quote }}`, 'shared'],
  [`x: {{ ${a} | squote }}`, 'shared'],
  [`x: 1{{ ${a} }}`, 'shared'],
  [`x: 0x{{ ${a} }}`, 'shared'],
  [`x: -{{ ${a} }}`, 'shared'],
  [`x: .{{ ${a} }}`, 'shared'],
  [`x: tr{{ ${a} }}`, 'shared'],
  [`x: "<no {{ ${a} }}>"`, 'shared'],
  [`x: {{ printf "%s-%s" ${a} ${b} }}`, 'shared'],
  [`x: {{ printf "%q" ${a} }}`, 'shared'],
  [`x: {{ print ${a} ${b} }}`, 'shared'],
  [`x: |\n    one {{ ${a} }}\n    two: {{ ${b} }}`, 'shared'],
  [`x: >-\n    one {{ ${a} }}\n    two: {{ ${b} }}`, 'shared'],
  [`x: {{ cat ${a} ${b} | quote }} # {{ ${a} }}`, 'shared'],
  [`x: [{{ ${a} }}, {{ ${b} }}]`, 'shared'],
  [`x: {y: {{ ${a} }}}`, 'shared'],
  [`x: {{ ${a} }}: {{ ${b} }}`, 'alone'],
  [`x: {{ ${a} }}#{{ ${b} }}`, 'shared'],
  [`x: !!str {{ ${a} }}`, 'shared'],
  [`x: &{{ ${a} }} y`, 'alone'],
  [`x: "\\x{{ ${a} }}"`, 'alone'],
  [`{{ ${a} }}: x`, 'alone'],
  [`{{ ${a} }}: {{ ${b} }}\n  {{ ${b} }}: {{ ${a} }}`, 'alone'],
  // encoders
  [`{{- toYaml .Values | nindent 2 }}`, 'shared'],
  [`x: |\n    {{- toYaml .Values | nindent 4 }}`, 'shared'],
  [`x: |\n    {{- toYaml (dict "k" (printf "0x%s" ${a})) | nindent 4 }}`, 'shared'],
  [`x: |\n    {{- toYaml (dict "k" (printf "1%s" ${a})) | nindent 4 }}`, 'shared'],
  [`x: |\n    {{- toYaml (printf "%s %s" ${a} ("word " | repeat 20)) | nindent 4 }}`, 'alone'],
  [`x: {{ toJson .Values | quote }}`, 'shared'],
  [`x: {{ toJson .Values }}`, 'shared'],
  [`x: {{ toToml .Values | quote }}`, 'alone'],
  [`x: {{ toYamlPretty .Values | quote }}`, 'shared'],
  [`x: {{ (fromYaml (toYaml .Values)).a }}`, 'shared'],
  [`x: {{ (fromYaml (printf "k: %s" ${a})).k }}`, 'shared'],
  [`x: {{ (fromJson (printf "{\\"k\\": \\"%s\\"}" ${a})).k }}`, 'shared'],
  [`x: {{ fromJson (printf "{\\"k\\": %s}" ${a}) | toJson | quote }}`, 'alone'],
  [`x: {{ hasKey (fromYaml (printf "%s: 1" ${a})) "prod-1" }}`, 'alone'],
  [`x: {{ range $k, $v := fromYaml (printf "%s: 1\\nprod-1: 2" ${a}) }}{{ $v }}{{ end }}`, 'alone'],
  // decisions
  [`x: {{ if ${a} }}set{{ end }}{{ with ${b} }}{{ . }}{{ end }}`, 'shared'],
  [`x: {{ default "none" ${a} }}-{{ coalesce ${b} ${a} }}-{{ empty ${a} }}`, 'shared'],
  [`x: {{ required "it" ${a} }}`, 'shared'],
  [`x: {{ ternary ${a} ${b} true }}`, 'shared'],
  [`x: {{ if eq ${a} "prod-1" }}one{{ else }}other{{ end }}`, 'shared'],
  [`x: {{ if ne ${a} "prod-1" }}{{ ${a} }}{{ end }}`, 'shared'],
  [`x: {{ if eq (printf "x%s" ${a}) "xprod-1" "xkind" }}one{{ else }}other{{ end }}`, 'shared'],
  [`x: {{ if eq (b64enc ${a}) "cHJvZC0x" }}one{{ else }}other{{ end }}`, 'shared'],
  [`x: {{ eq ${a} "" }}`, 'shared'],
  [`x: {{ eq ${a} ${b} }}`, 'alone'],
  [`x: {{ eq ${a} ${a} }}`, 'shared'],
  [`x: {{ lt ${a} "prod-2" }}`, 'alone'],
  [`x: {{ has ${a} (list "prod-1" "kind") }}`, 'shared'],
  [`x: {{ list ${a} "prod-1" "prod-1" | uniq | join "," }}`, 'shared'],
  [`x: {{ without (list "prod-1" "kind") ${a} | join "," }}`, 'shared'],
  [`x: {{ list ${a} ${b} | uniq | join "," }}`, 'alone'],
  [`x: {{ list ${a} ${b} | sortAlpha | join "," }}`, 'alone'],
  [`x: {{ if eq ${a} "prod-1" }}{{ fail "no" }}{{ end }}y`, 'shared'],
  [`x: {{ fail ${a} }}`, 'alone'],
  [`x: {{ if hasPrefix "pr" ${a} }}p{{ end }}`, 'alone'],
  [`x: {{ if contains "1" ${a} }}p{{ end }}`, 'alone'],
  [`x: {{ if contains " " ${a} }}p{{ end }}y`, 'shared'],
  [`x: {{ len ${a} }}`, 'alone'],
  [`x: {{ if regexMatch "^pr" ${a} }}p{{ end }}y`, 'alone'],
  [`x: {{ range $i, $c := splitList "." ${a} }}{{ $c }}{{ end }}y`, 'alone'],
  [`x: {{ range (list ${a} ${b}) }}{{ . }};{{ end }}`, 'shared'],
  [`x: {{ range $k, $v := .Values }}{{ $k }}={{ $v }};{{ end }}`, 'shared'],
  [`x: {{ kindOf ${a} }} {{ typeOf ${a} }} {{ kindIs "string" ${a} }}`, 'shared'],
  [`x: {{ index (dict "prod-1" "y") ${a} }}`, 'alone'],
  [`x: {{ get (dict "prod-1" "y") ${a} }}`, 'alone'],
  [`x: {{ dict ${a} 1 | keys | first }}`, 'alone'],
  [`x: {{ set (dict "prod-1" 1) ${a} 2 | len }}`, 'alone'],
  [`x: {{ (set (dict "k" 1) "k" ${a}).k }}`, 'shared'],
  [`x: {{ merge (dict "k" ${a}) (dict "k" "l" "m" ${b}) | toJson | quote }}`, 'shared'],
  [`x: {{ int ${a} }}`, 'alone'],
  [`x: {{ deepEqual (list ${a}) (list "prod-1") }}`, 'shared'],
  // text that is changed
  [`x: {{ trunc 63 ${a} | trimSuffix "-" }}`, 'shared'],
  [`x: {{ trunc 10 ${a} }}`, 'alone'],
  [`x: {{ printf "%s-%s" ${a} ${b} | trunc 63 }}`, 'alone'],
  [`x: {{ upper ${a} }}{{ lower ${b} }}`, 'shared'],
  [`x: {{ title ${a} }}`, 'alone'],
  [`x: {{ replace "+" "_" ${a} }}`, 'shared'],
  [`x: {{ replace "-" "_" ${a} }}`, 'alone'],
  [`x: {{ trim ${a} }}{{ nospace ${b} }}`, 'shared'],
  [`x: {{ trimAll "-" ${a} }}`, 'shared'],
  [`x: {{ trimPrefix "prod" ${a} }}y`, 'alone'],
  [`x: {{ repeat 3 ${a} }}{{ indent 2 ${b} | trim }}`, 'shared'],
  [`x: {{ b64enc ${a} }}`, 'shared'],
  [`x: {{ printf "id: %s" ${a} | b64enc | quote }}`, 'shared'],
  [`x: {{ b64dec (b64enc ${a}) }}`, 'shared'],
  [`x: {{ sha256sum (toYaml .Values) }}`, 'shared'],
  [`x: {{ sha256sum ${a} | trunc 8 }}y`, 'alone'],
  [`x: {{ if hasPrefix "a" (sha256sum ${a}) }}a{{ end }}y`, 'alone'],
  [`x: {{ b32enc ${a} | quote }}`, 'alone'],
  [`x: {{ sha1sum ${a} }}`, 'shared'],
  [`x: {{ adler32sum ${a} }}y`, 'alone'],
  [`x: {{ htpasswd ${a} ${b} }}`, 'alone'],
  [`x: {{ urlParse ${a} | len }}`, 'alone'],
  [`x: {{ printf "%-20s|" ${a} | quote }}`, 'alone'],
  [`x: {{ printf "%.3s" ${a} | quote }}`, 'alone'],
  // late-bound functions
  [`x: {{ include "words" . }}`, 'shared'],
  [`x: {{ include "dict" (dict "k" ${a} "root" $) }}`, 'shared'],
  [`x: {{ include "words" . | fromYaml | toJson | quote }}`, 'alone'],
  [`x: {{ include "words" . | sha256sum }}`, 'shared'],
  [`x: {{ include ${a} . }}`, 'alone'],
  [`x: {{ tpl "{{ ${a} }}" . }}`, 'shared'],
  [`x: {{ tpl ${a} . }}`, 'shared'],
  [`x: {{ tpl (printf "{{ %q }}" ${a}) . }}`, 'shared'],
  [`x: {{ tpl (printf "{{ .Values.%s }}" ${a}) . }}`, 'alone'],
  [`x: {{ tpl (printf "{{ 1%s }}" ${a}) . }}`, 'alone'],
  [`x: {{ tpl (printf "{{/* %s */}}y" ${a}) . }}`, 'shared'],
  [`x: {{ lookup "v1" "Secret" ${a} ${b} | len }}`, 'shared'],
  [`x: {{ .Files.Get ${a} }}y`, 'alone'],
  [`x: {{ .Capabilities.APIVersions.Has ${a} }}`, 'alone'],
  // heads and names
  [`x: y\nmetadata: {name: "{{ ${a} }}", namespace: {{ ${b} }}, labels: {l: {{ ${a} }}}}\ny: {}`, 'shared'],
  [`x: y\nmetadata: {name: one, annotations: {helm.sh/hook: {{ ${a} }}}}`, 'alone'],
  [`x: y\nmetadata: {name: one, annotations: {helm.sh/hook: "{{ ${a} }},post-install"}}`, 'alone'],
  [`x: y\n---\napiVersion: v1\nkind: {{ ${a} }}\nmetadata: {name: one}`, 'alone'],
  [
    `x: y\n---\napiVersion: v1\nkind: List\nitems: [{apiVersion: v1, kind: Secret, metadata: {name: {{ ${a} }}}}]`,
    'shared',
  ],
  // what is generated
  [`x: "{{ ${a} }}"\nstringData: {p: {{ randAlphaNum 8 }}, q: "{{ ${b} }}"}`, 'shared'],
  [`x: "{{ ${a} }}-{{ (genCA "ca" 10).Cert | b64enc }}"`, 'alone'],
  [`x: {{ (genCA ${a} 10).Cert | quote }}`, 'alone'],
]

const helpers = `{{- define "words" }}{{ .Values.a }}-{{ .Values.b }}{{ end }}
{{- define "dict" }}{{ .k }}{{ .root.Values.b }}{{ end }}
{{- define "prod-1" }}found{{ end }}`

const charts = new Map<string, Chart>()

function chartFor(line: string): Chart {
  const known = charts.get(line)
  if (known !== undefined) return known
  const [first = ''] = line.split('\n---')
  const head = first.includes('metadata:') ? '' : 'metadata: {name: one}\n'
  const kind = line.includes('stringData') ? 'Secret' : 'ConfigMap'
  const chart = chartOf({
    'templates/_helpers.tpl': helpers,
    'templates/a.yaml': `apiVersion: v1\nkind: ${kind}\n${head}data:\n  ${line}\n`,
    'templates/b.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {x: "1"}\n',
  })
  charts.set(line, chart)
  return chart
}

type Words = readonly [a: Value, b: Value]

/** Renders for each in turn, from a memory of those before and alone; returns where the two differ, and runs. */
function compare(
  line: string,
  all: readonly Words[],
): { readonly differences: readonly Words[]; readonly runs: number } {
  const chart = chartFor(line)
  const reusing = rendererOf('on')
  const differences = all.filter((words) => {
    const values = (): ReturnType<typeof dict> =>
      dict([
        ['a', words[0]],
        ['b', words[1]],
      ])
    const shared = outcomeOf(reusing, runOf(chart, values()))
    const alone = outcomeOf(rendererOf('off'), runOf(chart, values()))
    try {
      expect(shared).toEqual(alone)
      return false
    } catch {
      return true
    }
  })
  return { differences, runs: reusing.runs() }
}

const plain: readonly Words[] = [
  ['cluster-001', 'cluster-001.example.com'],
  ['cluster-2', 'cluster-002.example.com'],
  ['kube', '10.0.0.0/16'],
  ['a-rather-long-name-of-a-cluster-0001', '6f1c2b1e-3f4a-4c5d-8e9f-0a1b2c3d4e5f'],
  ['Werk/7_b', 'kube'],
]
/** The texts that templates of rows ask for. */
const asked: readonly Words[] = [
  ['prod-1', 'kube'],
  ['kind', 'prod-1'],
  ['kube', 'kube'],
]
const nasty: readonly Value[] = [
  'true',
  'no',
  'null',
  '~',
  '',
  ' ',
  '0x1',
  '1e3',
  '012',
  '1_000',
  '12:30:45',
  '2001-12-14',
  '.inf',
  'e3',
  'ue',

  'value',
  'y',
  'a: b',
  'a:b',
  'a #b',
  '#',
  '"',
  "'",
  '\\',
  'a\nb',
  '\n',
  '- a',
  '{{',
  '{{ .Values.b }}',
  '}}',
  '*a',
  '&a',
  '!a',
  '%',
  '@',
  '`',
  '[',
  '{a: b}',
  'x'.repeat(64),
  'x'.repeat(63),
  'k'.repeat(2000),
  'é',
  '日本語',
  '\u{1f600}',
  '\u200b',
  'prod',
  'prod-',
  'prod-1',
  'prod-10',
  '-prod',
  '0000000000000000000a',
  'b1010101010101010101',
  'pre-install',
  '---',
  '<no value>',
  '<<',
  '=',
  'a,b',
  '$(x)',
  '${x}',
  'Secret',
  'words',
  'File',
  'a\tb',
  'a\r\nb',
  '\ufeffa',
  '%s',
  null,
  true,
  1,
]

describe('one render stands for many', () => {
  test.each(rows)('%s is %s', (line, how) => {
    const { differences, runs } = compare(line, plain)
    expect(differences).toEqual([])
    const isShared = runs < plain.length
    expect(isShared ? 'shared' : 'alone').toBe(how)
  })

  test.each(rows)('%s, for the words that templates ask for', (line) => {
    expect(compare(line, [...plain.slice(0, 3), ...asked, ...plain.slice(3)]).differences).toEqual([])
  })

  test.each(rows)('%s, for texts that are no plain words', (line) => {
    const isBRead = [b, '.Values |', '.Values }}', '.Values)', 'include', 'tpl'].some((part) => line.includes(part))
    const all = nasty.flatMap((text): readonly Words[] => [
      [text, 'kube'],
      ...(isBRead ? [['kube', text] as const] : []),
    ])
    expect(compare(line, [...plain.slice(0, 2), ...all]).differences).toEqual([])
  })

  const word = fc.oneof(
    fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._/-]{0,12}$/),
    fc.stringMatching(/^[0-9a-fexob._-]{1,24}$/),
    fc.constantFrom(...nasty.filter((text) => typeof text === 'string'), ...plain.flat()),
    fc.string({ maxLength: 8 }),
  )
  const words: fc.Arbitrary<Words> = fc.tuple(word, word)

  test('for any texts', { timeout: 120_000 }, () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...rows.map(([line]) => line)), { minLength: 1, maxLength: 1 }),
        fc.array(words, { minLength: 3, maxLength: 6 }),
        ([line = ''], all) => {
          expect(compare(line, all).differences).toEqual([])
        },
      ),
      { numRuns: 400, seed: 18 },
    )
  })

  test('a function that looks at what it is said to pass on is seen', () => {
    const line = `x: {{ hasKey (fromToml (printf "%q = 1" .Values.a)) "kind" | quote }}`
    const words: readonly Words[] = [...plain, ['kind', 'kube']]
    expect(compare(line, words).differences).toEqual([])
    Set.prototype.add.call(parameterFunctions, 'fromToml')
    try {
      expect(compare(line, words).differences).toEqual([['kind', 'kube']])
    } finally {
      Set.prototype.delete.call(parameterFunctions, 'fromToml')
    }
  })
})
