import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { positionAt } from '../../../src/model/source.ts'
import { createTokenTable, tokenPattern, type TokenTable } from '../../../src/model/token.ts'
import { Dict, GoInt, type Value } from '../../../src/model/value.ts'
import { renderRuntimeValues, type RuntimeFields } from '../../../src/render/stack/runtime-values.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'

const cluster = `
metadata: {name: web, namespace: team, labels: {a: b}}
spec: {topology: {class: x}}
`
const fixed = `
metadata: {name: web, namespace: team}
spec: {controlPlaneEndpoint: {host: api.example, port: 443}}
`

interface Options {
  readonly cluster?: string
  readonly supplied?: Readonly<Record<string, string>>
  readonly fields?: RuntimeFields
}

/** The values as JSON with tokens named, and the assumptions; or the problems. */
function render(text: string, options: Options = {}): unknown {
  const tokens = createTokenTable()
  const at = { source: { name: 'addons.yaml', text: '' }, start: 0, end: 0 }
  const object = parseGoYaml(options.cluster ?? cluster, { integers: 'int' })
  if (!(object instanceof Dict)) throw new TypeError('not a map')
  try {
    const values = renderRuntimeValues(
      { name: 'overwrite.yaml', text },
      {
        cluster: object,
        supplied: new Map(Object.entries(options.supplied ?? {}).map(([path, value]) => [path, { value, at }])),
        runtimeFields: options.fields ?? 'bind',
        tokens,
        crypto: createNodePorts().crypto,
        onFinding: () => undefined,
      },
    )
    const assumed = tokens.assumptions.map(({ path, assumption, origin }) => {
      const { line, column } = positionAt(origin.at.source, origin.at.start)
      return `${line}:${column} ${path} ${JSON.stringify(assumption)}`
    })
    return assumed.length === 0 ? plain(values, tokens) : [plain(values, tokens), ...assumed]
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    return error.diagnostics.map(({ code, message, at: place }) => {
      const { line, column } = place === undefined ? { line: 0, column: 0 } : positionAt(place.source, place.start)
      return `${code} ${line}:${column} ${message}`
    })
  }
}

function plain(value: Value, tokens: TokenTable): unknown {
  if (value instanceof Dict) return Object.fromEntries([...value].map(([key, child]) => [key, plain(child, tokens)]))
  if (Array.isArray(value)) return value.map((child) => plain(child, tokens))
  if (value instanceof GoInt) return Number(value.value)
  if (typeof value !== 'string') return value
  return value.replace(tokenPattern(), (token) => {
    const spec = tokens.get(token)
    if (spec?.kind === 'derived') return `<${spec.function}>`
    if (spec?.kind !== 'runtime') return '<?>'
    return `<${spec.type}${spec.form === undefined ? '' : ' as text'} ${spec.path}>`
  })
}

const host = 'Cluster.spec.controlPlaneEndpoint.host'
const port = 'Cluster.spec.controlPlaneEndpoint.port'

test('a value that is supplied below a map of the document does not reach the document', () => {
  const object = parseGoYaml(cluster, { integers: 'int' })
  if (!(object instanceof Dict)) throw new TypeError('not a map')
  const tokens = createTokenTable()
  const at = { source: { name: 'addons.yaml', text: '' }, start: 0, end: 0 }
  const paths = ['Cluster.metadata.labels.c', 'Cluster.metadata.labels.d', 'Cluster.spec.infrastructure.zone']
  const values = renderRuntimeValues(
    { name: 'overwrite.yaml', text: paths.map((path, index) => `v${String(index)}: "{{ .${path} }}"`).join('\n') },
    {
      cluster: object,
      supplied: new Map(paths.map((path) => [path, { value: path.slice(-1), at }])),
      runtimeFields: 'bind',
      tokens,
      crypto: createNodePorts().crypto,
      onFinding: () => undefined,
    },
  )
  expect(plain(values, tokens)).toEqual({ v0: 'c', v1: 'd', v2: 'e' })
  expect(plain(object, tokens)).toEqual({
    metadata: { name: 'web', namespace: 'team', labels: { a: 'b' } },
    spec: { topology: { class: 'x' } },
  })
})

describe('a field that only the running cluster knows stands in the values as a token', () => {
  test.each([
    {
      name: 'of the type that its name tells',
      text: `h: "{{ .${host} }}"\np: {{ .${port} }}\nu: {{ .Cluster.metadata.uid }}\ni: {{ .InfraCluster.status.network.id }}\ns: {{ .Cluster.status.phase }}`,
      want: {
        h: `<host ${host}>`,
        p: `<port ${port}>`,
        u: '<id Cluster.metadata.uid>',
        i: '<id InfraCluster.status.network.id>',
        s: '<string Cluster.status.phase>',
      },
    },
    { name: 'a number in quotes as text', text: `p: "{{ .${port} }}"`, want: { p: `<port as text ${port}>` } },
    {
      name: 'in a text of the document under `values`',
      text: `values: |\n  a:\n    - p: {{ .${port} }}\n      q: "{{ .${port} }}"`,
      want: { a: [{ p: `<port ${port}>`, q: `<port as text ${port}>` }] },
    },
    {
      name: 'in the middle of a text',
      text: `url: https://{{ .${host} }}:{{ .${port} }}/`,
      want: { url: `https://<host ${host}>:<port ${port}>/` },
    },
    {
      name: 'reached through a variable, with and index',
      text: `{{ $i := .InfraCluster }}a: {{ $i.spec.name }}\n{{ with .Cluster.spec.controlPlaneEndpoint }}b: {{ .host }}{{ end }}\nc: {{ index .Cluster.spec.controlPlaneEndpoint "host" }}`,
      want: { a: '<string InfraCluster.spec.name>', b: `<host ${host}>`, c: `<host ${host}>` },
    },
    { name: 'what cluster.yaml says is known', text: `a: {{ .Cluster.metadata.name }}`, want: { a: 'web' } },
    {
      name: 'a fixed endpoint is known',
      text: `h: {{ .${host} }}\np: {{ .${port} }}`,
      cluster: fixed,
      want: { h: 'api.example', p: 443 },
    },
    {
      name: 'a supplied value is known, its neighbours are not',
      text: `h: {{ .${host} }}\ni: {{ .InfraCluster.status.id }}\nj: {{ .InfraCluster.status.other }}`,
      supplied: { [host]: '192.0.2.1', 'InfraCluster.status.id': 'x' },
      want: { h: '192.0.2.1', i: 'x', j: '<string InfraCluster.status.other>' },
    },
    { name: 'what is in no table is absent', text: `a: {{ .Cluster.metadata.labels.b }}`, want: { a: '<no value>' } },
  ])('$name', ({ text, want, ...options }) => {
    expect(render(text, options)).toEqual(want)
  })
})

describe('what the template takes for granted is recorded with its place', () => {
  test.each([
    {
      name: 'if',
      text: `{{ if .${host} }}a: {{ .${host} }}{{ end }}`,
      want: [{ a: `<host ${host}>` }, `1:7 ${host} {"isSet":true}`],
    },
    {
      name: 'default, once for each field',
      text: `a: {{ default "x" .${host} }}\nb: {{ .${host} | default "y" }}`,
      want: [{ a: `<host ${host}>`, b: `<host ${host}>` }, `1:7 ${host} {"isSet":true}`],
    },
    {
      name: 'eq against what no host can be',
      text: `{{ if eq .${host} "auto" }}a: auto{{ else }}a: b{{ end }}`,
      want: [{ a: 'b' }, `1:7 ${host} {"notEqual":"auto"}`],
    },
    {
      name: 'ne against nothing',
      text: `{{ if ne .${host} "" }}a: b{{ end }}`,
      want: [{ a: 'b' }, `1:7 ${host} {"isSet":true}`],
    },
    {
      name: 'a text around the value is never empty',
      text: `{{ if printf "x%s" .${host} }}a: b{{ end }}`,
      want: { a: 'b' },
    },
    {
      name: 'and, or, not',
      text: `{{ if and .${host} .${port} }}a: b{{ end }}\n{{ if or (not .Cluster.metadata.uid) true }}c: d{{ end }}`,
      want: [
        { a: 'b', c: 'd' },
        `1:7 ${host} {"isSet":true}`,
        `1:7 ${port} {"isSet":true}`,
        '2:11 Cluster.metadata.uid {"isSet":true}',
      ],
    },
    {
      name: 'hasKey',
      text: `{{ if hasKey .Cluster.spec.controlPlaneEndpoint "host" }}a: b{{ end }}`,
      want: [{ a: 'b' }, `1:50 ${host} {"isSet":true}`],
    },
  ])('$name', ({ text, want }) => {
    expect(render(text)).toEqual(want)
  })
})

describe('what no value filled in later can make right is an error', () => {
  const deciding = 'which only the running cluster knows, decides what is rendered'
  const whole = 'is used as a whole, and holds what only the running cluster knows'
  test.each([
    {
      name: 'a switch that decides',
      text: '{{ if .InfraCluster.status.ready }}a: b{{ end }}',
      want: [`RUNTIME_VALUE_UNKNOWN 1:7 .InfraCluster.status.ready, ${deciding}`],
    },
    {
      name: 'a comparison with what the value may be',
      text: 'a: {{ eq .Cluster.status.phase "Provisioned" }}',
      want: ['TEMPLATE_TOKEN_REFUSED 1:7 eq cannot compare a value that is only known later: Cluster.status.phase'],
    },
    {
      name: 'a map that is printed',
      text: 'a: {{ .Cluster.status }}',
      want: [`RUNTIME_VALUE_UNKNOWN 1:7 .Cluster.status ${whole}`],
    },
    {
      name: 'a map with runtime-only fields that is passed on whole',
      text: 'a: {{ toJson .Cluster.spec }}',
      want: [`RUNTIME_VALUE_UNKNOWN 1:14 .Cluster.spec ${whole}`],
    },
    {
      name: 'a range over what is a list or map',
      text: '{{ range .InfraCluster.status.subnets }}{{ end }}',
      want: [
        'TEMPLATE_TOKEN_REFUSED 1:23 range cannot go over a value that is only known later: InfraCluster.status.subnets',
      ],
    },
    {
      name: 'without an engine every read',
      text: `a: {{ .${host} }}\n{{ if .InfraCluster.status.ready }}{{ end }}`,
      fields: 'refuse' as const,
      want: [
        `RUNTIME_VALUE_UNKNOWN 1:7 .${host} is known only in the running cluster`,
        'RUNTIME_VALUE_UNKNOWN 2:7 .InfraCluster.status.ready is known only in the running cluster',
      ],
    },
  ])('$name', ({ text, want, ...options }) => {
    expect(render(text, options)).toEqual(want)
  })
})
