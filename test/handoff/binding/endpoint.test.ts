import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { textAt } from '../../../src/model/field.ts'
import { buildChart } from '../../../src/sources/chart/build-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { boundCluster, type BoundSample } from './bound-cluster.ts'

const overwrite = `host: {{ .Cluster.spec.controlPlaneEndpoint.host }}
port: {{ .Cluster.spec.controlPlaneEndpoint.port }}
`
const chart = chartOf('data: {at: "{{ .Values.host }}:{{ .Values.port }}"}')

function chartOf(data: string) {
  const files = [
    { path: 'Chart.yaml', bytes: encodeUtf8('apiVersion: v2\nname: c\nversion: 1.0.0\n') },
    { path: 'templates/a.yaml', bytes: encodeUtf8(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n${data}\n`) },
  ]
  return buildChart(files, 'c', createNodePorts())
}

function bound(more: Partial<BoundSample>) {
  return boundCluster({ chart, overwrite, tool: 'flux', ...more })
}

const host = '${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}'
const port = '${CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT}'

describe.each(['v1beta1', 'v1beta2'] as const)('an endpoint of a Cluster of %s', (version) => {
  test.each([
    { endpoint: '', want: `${host}:${port}` },
    { endpoint: 'controlPlaneEndpoint: {}', want: `${host}:${port}` },
    { endpoint: 'controlPlaneEndpoint: null', want: `${host}:${port}` },
    { endpoint: 'controlPlaneEndpoint: {host: "", port: 0}', want: `${host}:${port}` },
    { endpoint: 'controlPlaneEndpoint: {host: null, port: null}', want: `${host}:${port}` },
    { endpoint: 'controlPlaneEndpoint: {host: 192.0.2.1}', want: `192.0.2.1:${port}` },
    { endpoint: 'controlPlaneEndpoint: {host: 192.0.2.1, port: 0}', want: `192.0.2.1:${port}` },
    { endpoint: 'controlPlaneEndpoint: {port: 6443}', want: `${host}:6443` },
    { endpoint: 'controlPlaneEndpoint: {host: "", port: 6443}', want: `${host}:6443` },
    { endpoint: 'controlPlaneEndpoint: {host: 192.0.2.1, port: 6443}', want: '192.0.2.1:6443' },
  ])('{$endpoint}', ({ endpoint, want }) => {
    const { folders, binding, runtimeValues } = bound({ version, endpoint })
    const [manifest] = folders[1]?.manifests ?? []
    expect(manifest === undefined ? '' : textAt(manifest.object, 'data', 'at')).toBe(want)
    const names = [...want.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name)
    expect(binding.values.map(({ name }) => name)).toEqual(names)
    expect(runtimeValues === undefined).toBe(names.length === 0)
  })
})

/** Codes and messages of a sample that must not render. */
function errorsOf(text: string, metadata = ''): readonly string[] {
  try {
    bound({ overwrite: text, chart: chartOf('data: {a: "{{ .Values.a }}"}'), ...(metadata !== '' && { metadata }) })
  } catch (error) {
    if (error instanceof StackmasonError) return error.diagnostics.map(({ code, message }) => `${code} ${message}`)
    throw error
  }
  return []
}

const refused = (path: string): string =>
  `TEMPLATE_TOKEN_REFUSED index cannot cut a value that is only known later: ${path}`

test.each([
  {
    text: 'a: {{ index .InfraCluster.status.network.subnets 0 }}',
    want: refused('InfraCluster.status.network.subnets'),
  },
  {
    text: 'a: {{ (index .InfraCluster.status.network.subnets 0).id }}',
    want: refused('InfraCluster.status.network.subnets'),
  },
  { text: 'a: {{ index .Cluster.status.conditions 0 "type" }}', want: refused('Cluster.status.conditions') },
  { text: 'a: {{ index .Cluster.status "phase" }}', want: refused('Cluster.status') },
  {
    text: 'a: {{ index .InfraCluster.metadata.annotations "a.b/c" }}',
    want: refused('InfraCluster.metadata.annotations'),
  },
  { text: 'a: {{ index .Cluster.metadata.annotations "a.b/c" }}', metadata: 'annotations: {a.b/c: x}', want: '' },
  { text: 'a: {{ index .Cluster.metadata.annotations "a.b/d" }}', metadata: 'annotations: {a.b/c: x}', want: '' },
  // as Go has it for what is not there
  {
    text: 'a: {{ index .Cluster.metadata.annotations "a.b/c" }}',
    want: 'TEMPLATE_EXECUTION error calling index: index of untyped nil',
  },
])('index into what is known only later: $text with {$metadata}', ({ text, metadata, want }) => {
  expect(errorsOf(text, metadata)).toEqual(want === '' ? [] : [want])
})
