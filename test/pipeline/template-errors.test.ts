import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { StackmasonError, type Diagnostic } from '../../src/model/diagnostic.ts'
import { positionAt } from '../../src/model/source.ts'
import { template, type TemplateOptions } from '../../src/pipeline/commands/template.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { realHelm } from '../support/helm.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { helmArguments } from './template-probes.ts'

const ports = createNodePorts()
const helm = realHelm('comparing refusals of charts with helm')

interface Row {
  readonly name: string
  readonly files?: Readonly<Record<string, string>>
  readonly options?: Partial<TemplateOptions>
  readonly want: readonly string[]
}

async function write(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await tempFolder()
  const chart = { 'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n', ...files }
  for (const [path, content] of Object.entries(chart)) {
    await mkdir(dirname(join(folder, 'web', path)), { recursive: true })
    await writeFile(join(folder, 'web', path), content)
  }
  return folder
}

/** `CODE place: message`, the place as people count. */
function describeProblem({ code, at, file, message }: Diagnostic, folder: string): string {
  const position = at === undefined ? undefined : positionAt(at.source, at.start)
  const place = at === undefined ? (file ?? '') : `${at.source.name}:${position?.line}:${position?.column}`
  return `${code} ${place}: ${message}`.replaceAll(`${folder}/`, '')
}

async function refusal(folder: string, options: Partial<TemplateOptions> = {}): Promise<readonly string[]> {
  try {
    await template({ chart: 'web', cwd: folder, ...options }, ports)
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.diagnostics.map((problem) => describeProblem(problem, folder))
  }
  return []
}

const schema = '{"properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["c"]}'
const manifest = (text: string): Readonly<Record<string, string>> => ({ 'templates/a.yaml': text })

/** Charts and values that helm refuses too. */
const rows: readonly Row[] = [
  {
    name: 'no Chart.yaml',
    files: { 'Chart.yaml': '' },
    want: ['CHART_INVALID web/Chart.yaml: chart.metadata.name is required'],
  },
  {
    name: 'a library',
    files: { 'Chart.yaml': 'name: web\nversion: 1.0.0\ntype: library\n' },
    want: ['CHART_NOT_INSTALLABLE web: library charts are not installable'],
  },
  {
    name: 'dependencies that are not there',
    files: {
      'Chart.yaml': 'name: web\nversion: 1.0.0\ndependencies: [{name: a, version: 1.x}, {name: b, version: 1.x}]\n',
    },
    want: ['CHART_DEPENDENCY_MISSING web: found in Chart.yaml, but missing in charts/ directory: a, b'],
  },
  {
    name: 'values of a dependency that are not a map',
    files: { 'charts/db/Chart.yaml': 'name: db\nversion: 1.0.0\n', 'values.yaml': 'db: text\n' },
    want: ['CHART_VALUES_INVALID web: type mismatch on db: string'],
  },
  {
    name: 'a Kubernetes version out of range',
    files: { 'Chart.yaml': 'name: web\nversion: 1.0.0\nkubeVersion: ">=1.31"\n' },
    options: { kubeVersion: '1.30.2-gke.1' },
    want: [
      'CHART_KUBE_VERSION web: chart requires kubeVersion: >=1.31 which is incompatible with Kubernetes v1.30.2-gke.1',
    ],
  },
  {
    name: 'a Kubernetes version that is none',
    options: { kubeVersion: 'one' },
    want: ["CHART_FLAG_UNSUPPORTED : invalid kube version 'one'"],
  },
  {
    name: 'values that the schema refuses, its own and a dependency’s',
    files: {
      'values.yaml': 'a: 1\nb: 1.5\ndb: {a: 2, c: x}\n',
      'values.schema.json': schema,
      'charts/db/Chart.yaml': 'name: db\nversion: 1.0.0\n',
      'charts/db/values.schema.json': schema,
    },
    want: [
      "CHART_VALUES_SCHEMA web/values.schema.json: values of web: missing property 'c'",
      'CHART_VALUES_SCHEMA web/values.schema.json: values of web: a: got number, want string',
      'CHART_VALUES_SCHEMA web/values.schema.json: values of web: b: got number, want integer',
      'CHART_VALUES_SCHEMA web/charts/db/values.schema.json: values of db: a: got number, want string',
    ],
  },
  {
    name: 'a schema that is not JSON',
    files: { 'values.schema.json': '{' },
    want: [
      'CHART_VALUES_SCHEMA web/values.schema.json: values of web: values.schema.json cannot be used: unexpected end of JSON input',
    ],
  },
  {
    name: 'a values file that is not there',
    options: { values: ['none.yaml'] },
    want: ['FILE_UNREADABLE none.yaml: none.yaml cannot be read: it is not there'],
  },
  {
    name: 'a values file that is not YAML',
    files: { 'bad.yaml': 'a: 1\nb: [1\n' },
    options: { values: ['web/bad.yaml'] },
    want: [
      "CHART_VALUES_INVALID web/bad.yaml:3:1: failed to parse web/bad.yaml: error converting YAML to JSON: yaml: line 2: did not find expected ',' or ']'",
    ],
  },
  {
    name: '--set without value',
    options: { set: ['a'] },
    want: ['CHART_VALUES_INVALID : failed parsing --set data: key "a" has no value'],
  },
  {
    name: '--set-json that is none',
    options: { setJson: ['a={'] },
    want: ['CHART_VALUES_INVALID : failed parsing --set-json data: unexpected end of JSON input'],
  },
  {
    name: '--set-file without file',
    options: { setFile: ['a=none'] },
    want: ['FILE_UNREADABLE none: none cannot be read: it is not there'],
  },
  {
    name: 'a name that is none',
    options: { releaseName: 'Web' },
    want: ['USAGE : "Web" is not a release name: lower-case letters, digits, dashes and dots, at most 53 of them'],
  },
  {
    name: '--show-only of nothing',
    files: manifest('kind: A\n'),
    options: { showOnly: ['templates/b.yaml'] },
    want: ['USAGE : could not find template templates/b.yaml in chart'],
  },
  {
    name: 'a template that does not parse',
    files: manifest('kind: A\nname: {{ if }}\n'),
    want: ['TEMPLATE_PARSE web/templates/a.yaml:2:13: missing value for if'],
  },
  {
    name: 'a template that fails inside an include',
    files: {
      ...manifest('{{ include "web.name" . }}'),
      'templates/_b.tpl': '{{ define "web.name" }}\n{{ fail "no name" }}{{ end }}',
    },
    want: ['TEMPLATE_FAIL web/templates/_b.tpl:2:4: no name'],
  },
  {
    name: 'output that is not YAML, at the line of the template',
    files: manifest('kind: A\n---\n# {{ .Release.Name }}\nkind: B\nname: "{{ .Release.Name }}\n'),
    want: [
      'CHART_OUTPUT_INVALID web/templates/a.yaml:5:27: YAML parse error on web/templates/a.yaml: error converting YAML to JSON: yaml: line 3: found unexpected end of stream',
    ],
  },
  {
    name: 'output that is a list',
    files: manifest('- a\n'),
    want: [
      'CHART_OUTPUT_INVALID web/templates/a.yaml:1:1: YAML parse error on web/templates/a.yaml: a document must not be a list',
    ],
  },
  {
    name: 'output that is text',
    files: manifest('hello\n'),
    want: [
      'CHART_OUTPUT_INVALID web/templates/a.yaml:1:1: YAML parse error on web/templates/a.yaml: a document must not be a scalar',
    ],
  },
  {
    name: 'a kind that is a map',
    files: manifest('kind: {a: 1}\n'),
    want: [
      'CHART_OUTPUT_INVALID web/templates/a.yaml:1:1: YAML parse error on web/templates/a.yaml: kind must not be a map',
    ],
  },
  {
    name: 'metadata that is text',
    files: manifest('kind: A\nmetadata: x\n'),
    want: [
      'CHART_OUTPUT_INVALID web/templates/a.yaml:1:1: YAML parse error on web/templates/a.yaml: metadata must not be a scalar',
    ],
  },
  {
    name: 'an annotation that is a list',
    files: manifest('kind: A\nmetadata: {annotations: {a: [1]}}\n'),
    want: [
      'CHART_OUTPUT_INVALID web/templates/a.yaml:1:1: YAML parse error on web/templates/a.yaml: annotation "a" must not be a list',
    ],
  },
  {
    name: 'infinity',
    files: manifest('kind: A\nx: .inf\n'),
    want: [
      'CHART_OUTPUT_INVALID web/templates/a.yaml:1:1: YAML parse error on web/templates/a.yaml: error converting YAML to JSON: json: unsupported value: +Inf',
    ],
  },
]

describe('what helm refuses is refused with code and place', () => {
  test.each(rows)('$name', async ({ files = {}, options, want }) => {
    expect(await refusal(await write(files), options)).toEqual(want)
  })

  test.skipIf(helm === undefined).each(rows)('helm refuses $name', async ({ name, files = {}, options }) => {
    const cwd = await write(files)
    const run = spawnSync(helm ?? '', helmArguments({ name, options: { chart: 'web', ...options } }), {
      cwd,
      encoding: 'utf8',
    })
    expect([run.status, run.stdout]).toEqual([1, ''])
  })
})

describe('what has no meaning here is refused with the reason', () => {
  const flags: readonly Row[] = [
    {
      name: 'flags',
      options: { otherFlags: ['--validate', '--dependency-update', '--unheard-of'] },
      want: [
        'CHART_FLAG_UNSUPPORTED : --validate is not supported: stackmason never asks a cluster',
        'CHART_FLAG_UNSUPPORTED : --dependency-update is not supported: vendor the dependencies into charts/ first, so that equal inputs give equal output',
        'CHART_FLAG_UNSUPPORTED : --unheard-of is not supported: it has no meaning for `stackmason template`',
      ],
    },
    {
      name: 'a template that makes no name',
      options: { nameTemplate: '{{ "A_B" }}' },
      want: ['USAGE : "A_B" is not a release name: lower-case letters, digits, dashes and dots, at most 53 of them'],
    },
    {
      name: 'values from the network',
      options: { values: ['https://example.com/values.yaml'] },
      want: [
        'CHART_FLAG_UNSUPPORTED : https://example.com/values.yaml is not supported: values are read from disk only',
      ],
    },
  ]
  test.each(flags)('$name', async ({ options, want }) => {
    expect(await refusal(await write({}), options)).toEqual(want)
  })
})

test('values may come from standard input, and a name may be a plain template', async () => {
  const cwd = await write(manifest('kind: {{ .Values.kind }}\nname: {{ .Release.Name }}\n'))
  const stdin = new TextEncoder().encode('kind: Piped\n')
  const { output } = await template({ chart: 'web', cwd, values: ['-'], stdin, nameTemplate: 'plain' }, ports)
  expect(output).toBe('---\n# Source: web/templates/a.yaml\nkind: Piped\nname: plain\n')
})

test('a chart of the user is not changed by a render', async () => {
  const cwd = await write({
    'values.yaml': 'a: {b: 1}\n',
    ...manifest('kind: A\nseen: {{ .Values.a.b }}{{ $_ := set .Values.a "b" 2 }}\n'),
  })
  const first = await template({ chart: 'web', cwd }, ports)
  expect(await template({ chart: 'web', cwd }, ports)).toEqual(first)
})
