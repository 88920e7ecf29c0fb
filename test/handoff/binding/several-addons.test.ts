import { expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { valueName } from '../../../src/handoff/binding/value-name.ts'
import { buildChart } from '../../../src/sources/chart/build-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { boundCluster, type BoundSample } from './bound-cluster.ts'

function chartOf(name: string, template: string) {
  const files = [
    { path: 'Chart.yaml', bytes: encodeUtf8(`apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`) },
    { path: 'templates/a.yaml', bytes: encodeUtf8(template) },
  ]
  return buildChart(files, name, createNodePorts())
}

const overwrite = `host: {{ .Cluster.spec.controlPlaneEndpoint.host }}
port: {{ .Cluster.spec.controlPlaneEndpoint.port }}
phase: {{ .Cluster.status.phase }}
`
const first = chartOf(
  'first',
  `apiVersion: v1
kind: ConfigMap
metadata: {name: first}
data:
  host: {{ if .Values.host }}{{ .Values.host }}{{ end }}
  port: {{ .Values.port | quote }}
  phase: {{ .Values.phase | b64enc }}
  asked: "{{ eq .Values.host "auto" }}"
`,
)
const second = chartOf(
  'second',
  `apiVersion: v1
kind: Service
metadata: {name: second, annotations: {host: "{{ if .Values.host }}{{ .Values.host | b64enc }}{{ end }}"}}
spec: {ports: [{port: {{ .Values.port }}}]}
phase: {{ .Values.phase | quote }}
asked: "{{ eq .Values.host "auto" }}{{ eq .Values.host "none" }}"
`,
)

const one = { name: 'ccm', chart: second, overwrite }

test.each(['flux', 'argocd'] as const)('one field in two addons, used in different ways, for %s', (tool) => {
  const sample: BoundSample = { chart: first, overwrite, tool, others: [one] }
  const { binding, placeholders } = boundCluster(sample)
  const phase = { kind: 'Cluster', fieldPath: 'status.phase' }
  const host = { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' }
  const assumptions = [{ isSet: true }, { notEqual: 'auto' }, { notEqual: 'none' }]
  expect(binding.values).toEqual([
    { name: 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST', from: host, type: 'host', assumptions },
    {
      name: 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST_BASE64',
      from: host,
      type: 'host',
      encode: 'base64',
      assumptions,
    },
    {
      name: 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT',
      from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.port' },
      type: 'port',
      assumptions: [],
    },
    { name: 'CLUSTER_STATUS_PHASE', from: phase, type: 'string', assumptions: [] },
    { name: 'CLUSTER_STATUS_PHASE_BASE64', from: phase, type: 'string', encode: 'base64', assumptions: [] },
  ])
  expect(
    placeholders.filter(({ isInteger }) => isInteger === true).map(({ object, pointer }) => [object.name, pointer]),
  ).toEqual([['second', '/spec/ports/0/port']])
  // whoever comes first
  const turned = boundCluster({ chart: second, overwrite, tool, others: [{ ...one, chart: first }] })
  expect(turned.binding.values.map(({ assumptions, ...value }) => ({ ...value, assumed: assumptions.length }))).toEqual(
    binding.values.map(({ assumptions, ...value }) => ({ ...value, assumed: assumptions.length })),
  )
})

test('clusters differ in what cluster.yaml fixes, and nothing else', () => {
  const sample: BoundSample = { chart: first, overwrite, tool: 'flux', others: [one] }
  const names = (more: Partial<BoundSample>) =>
    boundCluster({ ...sample, ...more }).binding.values.map(({ name }) => name)
  expect(names({ endpoint: 'controlPlaneEndpoint: {host: 192.0.2.1}' })).toEqual(
    names({ name: 'other' }).filter((name) => !name.includes('_HOST')),
  )
  expect(names({})).toEqual(names({ name: 'other' }))
})

const secrets = (...names: readonly string[]) =>
  names
    .map(
      (name) => `---
apiVersion: v1
kind: Secret
metadata: {name: ${name}}
stringData: {p: {{ randAlphaNum 20 | quote }}}
`,
    )
    .join('')

function generatorsBySecret(template: string) {
  const { binding } = boundCluster({ chart: chartOf('c', template), tool: 'flux' })
  expect(new Set(binding.generators.map(({ name }) => name)).size).toBe(binding.generators.length)
  return Object.fromEntries(
    binding.secrets.map(({ name, data }) => [
      name,
      data.map((entry) => ('generator' in entry ? entry.generator : ''))[0],
    ]),
  )
}

test('what was made for one Secret is never taken for another whose place reads alike', () => {
  const long = 'a'.repeat(120)
  for (const [a, b] of [
    ['x.y', 'x-y'],
    [`${long}.${long}`, `${long}-${long}`],
  ] as const) {
    const both = generatorsBySecret(secrets(a, b))
    const turned = generatorsBySecret(secrets(b, a))
    expect(turned).toEqual(both)
    expect(both[a]).not.toBe(both[b])
    // one of them goes, or was alone before
    expect(Object.values(both)).not.toContain(generatorsBySecret(secrets(a))[a])
    expect(Object.values(both)).not.toContain(generatorsBySecret(secrets(b))[b])
    for (const name of Object.values(both)) expect(name).toMatch(/^[A-Za-z_][A-Za-z0-9_-]{0,239}$/)
  }
})

test('a Secret of two addons is that of the last one, by the same name once the other is gone', () => {
  const alone = boundCluster({ chart: chartOf('c', secrets('s')), tool: 'flux' }).binding
  const shared = boundCluster({
    chart: first,
    overwrite,
    tool: 'flux',
    others: [
      { name: 'd', chart: chartOf('d', secrets('s')) },
      { name: 'e', chart: chartOf('e', secrets('s')) },
    ],
  }).binding
  expect(shared.generators).toEqual(alone.generators)
  expect(shared.secrets.map(({ data }) => data)).toEqual(alone.secrets.map(({ data }) => data))
})

test('names of values that read alike are told apart', () => {
  expect(valueName('Cluster.status.a-b')).toBe(valueName('Cluster.status.a_b'))
  const chart = chartOf(
    'c',
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: "{{ .Values.a }}", b: "{{ .Values.b }}"}\n',
  )
  const { placeholders, binding } = boundCluster({
    chart,
    overwrite: 'a: {{ .Cluster.status.fooBar }}\nb: {{ .Cluster.status.foobar }}\n',
    tool: 'flux',
  })
  expect(placeholders.map(({ text }) => text)).toEqual(['${CLUSTER_STATUS_FOOBAR}', '${CLUSTER_STATUS_FOOBAR_2}'])
  expect(binding.values.map(({ from }) => ('fieldPath' in from ? from.fieldPath : ''))).toEqual([
    'status.fooBar',
    'status.foobar',
  ])
})
