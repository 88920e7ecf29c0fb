import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CANARY, leaks, makeFleet, MAP, VALUES } from './canary-fleet.ts'
import { runCli } from './run-cli.ts'

const metadata = (more: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\n${more}`

/**
 * Templates that fail over a value whose name does not say that it is secret, so that no mask knows it. The values are
 * `plain` and `map`, which has it as a key.
 */
const templates: Readonly<Record<string, string>> = {
  range: '{{ range .Values.plain }}{{ end }}',
  'a field': '{{ .Values.plain.x }}',
  'a key': '{{ index .Values.map.x.y .Values.plain }}',
  'a date': '{{ mustToDate "2006" .Values.plain }}',
  'a layout': '{{ mustToDate .Values.plain "x" }}',
  'a duration': '{{ mustDateModify .Values.plain now }}',
  'a version': '{{ semver .Values.plain }}',
  'a constraint': '{{ semverCompare .Values.plain "1.2.3" }}',
  include: '{{ include .Values.plain . }}',
  'a function in tpl': '{{ tpl (printf "{{ %s }}" .Values.plain) . }}',
  'a field in tpl': '{{ tpl (printf "{{ .x.%s.y }}" .Values.plain) . }}',
  'a template in tpl': '{{ tpl (printf "{{ template %q }}" .Values.plain) . }}',
  'a regular expression': '{{ mustRegexFind (print .Values.plain "(") "x" }}',
  'a URL': '{{ urlParse (print "http://" .Values.plain "%zz") }}',
  'an IP address': '{{ genSelfSignedCert "a" (list .Values.plain) nil 1 }}',
  'a key in PEM': '{{ genCAWithKey "a" 1 .Values.plain }}',
  JSON: '{{ mustFromJson .Values.plain }}',
  'a time zone': metadata(
    'data: {a: {{ dateInZone "2006" (toDate "2006" "2020") (print "Europe/" .Values.plain) | quote }}}\n',
  ),
  'a comparison': '{{ eq .Values.map .Values.map }}',
  'a table': '{{ .Values.Table .Values.plain }}',
  'YAML that is none': '{{ .Values.plain }}: : x',
  'a kind': 'apiVersion: v1\nkind: "{{ .Values.plain }} x"\nmetadata: {name: a}\n',
  'an apiVersion': 'apiVersion: "{{ .Values.plain }} x/v1"\nkind: ConfigMap\nmetadata: {name: a}\n',
  'a name': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Values.plain }}"}\n',
  'a name of an unknown kind': 'apiVersion: a.example/v1\nkind: Thing\nmetadata: {name: "{{ .Values.plain }}"}\n',
  'a name twice': '---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Values.plain }}"}\n'.repeat(2),
  'a namespace': metadata('  namespace: "{{ .Values.plain }}"\n'),
  'a label': metadata('  labels: {"{{ .Values.plain }} x": a}\n'),
  'an annotation': metadata('  annotations: {"{{ .Values.plain }} x": [a]}\n'),
  'a key of data': metadata('data: {"{{ .Values.plain }} x": a}\n'),
}

describe('a value whose name says nothing stays unseen:', () => {
  test.each(Object.entries(templates))('%s', { timeout: 120_000 }, async (_, template) => {
    const cwd = await makeFleet({ [VALUES]: `message: x\nplain: ${CANARY}\nmap: {x: {y: {${CANARY}: ${CANARY}}}}\n` })
    const map = await readFile(join(cwd, MAP), 'utf8')
    const isDocument = template.includes('apiVersion')
    await writeFile(join(cwd, MAP), isDocument ? template : map.replace('{{ .Values.message | quote }}', template))
    const text = await runCli(['render'], { cwd })
    const json = await runCli(['render', '-o', 'json'], { cwd })
    expect(`${text.stdout}${text.stderr}`).toMatch(/^(?:error|warning) [A-Z_]+ /m)
    expect(leaks(`${text.stdout}${text.stderr}${json.stdout}${json.stderr}`)).toEqual([])
  })
})
