import { describe, expect, test } from 'vitest'
import { formatGoJson } from '../../../src/codec/json/go-json.ts'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { fillPlaceholders } from '../../../src/handoff/binding/fill-placeholders.ts'
import type { GitopsTool } from '../../../src/model/gitops-tool.ts'
import type { JsonPatchOperation } from '../../../src/model/fleet.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { Dict, dict, type Value } from '../../../src/model/value.ts'
import { buildChart } from '../../../src/sources/chart/build-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { boundCluster } from './bound-cluster.ts'

const template = `apiVersion: v1
kind: Endpoints
metadata: {name: a, annotations: {at: "{{ .Values.host }}", port: "{{ .Values.port }}"}}
args: [first, "--host={{ .Values.host }}", last]
ports: [{port: {{ .Values.port }}}]
`
const secret = `apiVersion: v1
kind: Secret
metadata: {name: s}
data:
  key: {{ genPrivateKey "ed25519" | b64enc }}
  host: {{ .Values.host | b64enc }}
`
const overwrite = `host: {{ .Cluster.spec.controlPlaneEndpoint.host }}
port: {{ .Cluster.spec.controlPlaneEndpoint.port }}
`
const at = { source: { name: 'patches/a.yaml', text: '' }, start: 0, end: 0 }
const host = '${CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST}'
const port = '${CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT}'

function operation(op: JsonPatchOperation['op'], path: string, rest: { value?: Value; from?: string } = {}) {
  return { op, path, at, ...rest }
}

function chartOf(text: string) {
  const files = [
    { path: 'Chart.yaml', bytes: encodeUtf8('apiVersion: v2\nname: c\nversion: 1.0.0\n') },
    { path: 'templates/a.yaml', bytes: encodeUtf8(text) },
  ]
  return buildChart(files, 'c', createNodePorts())
}

const charts = { Endpoints: chartOf(template), Secret: chartOf(secret) }

function patched(kind: keyof typeof charts, change: readonly JsonPatchOperation[] | Dict, tool: GitopsTool = 'flux') {
  const patch = change instanceof Dict ? { mergePatch: change } : { jsonPatch: change }
  return boundCluster({
    chart: charts[kind],
    overwrite,
    tool,
    patches: [{ target: { kind }, ...patch }],
  })
}

describe.each(['flux', 'argocd'] as const)('a patch of an object with placeholders, for %s', (tool) => {
  const rows: readonly {
    name: string
    patch: readonly JsonPatchOperation[]
    want: Readonly<Record<string, string>>
  }[] = [
    {
      name: 'an item in front moves the placeholder',
      patch: [operation('add', '/args/0', { value: 'new' })],
      want: { '/args/2': `--host=${host}` },
    },
    {
      name: 'an item less in front moves the placeholder',
      patch: [operation('remove', '/args/0')],
      want: { '/args/0': `--host=${host}` },
    },
    {
      name: 'move takes the placeholder along',
      patch: [operation('move', '/list', { from: '/args' })],
      want: { '/list/1': `--host=${host}` },
    },
    {
      name: 'copy makes two, and a number stays one',
      patch: [operation('copy', '/others', { from: '/ports' })],
      want: { '/args/1': `--host=${host}`, '/others/0/port': `${port} number` },
    },
    {
      name: 'replace and remove close the placeholder',
      patch: [
        operation('replace', '/args/1', { value: '--host=192.0.2.1' }),
        operation('remove', '/metadata/annotations'),
      ],
      want: { '/ports/0/port': `${port} number` },
    },
    {
      name: 'what looks like a placeholder is text',
      patch: [operation('replace', '/args/1', { value: `--host=${host}` })],
      want: {},
    },
  ]
  const always = {
    '/metadata/annotations/at': host,
    '/metadata/annotations/port': port,
    '/ports/0/port': `${port} number`,
  }

  test.each(rows)('$name', ({ patch, want }) => {
    const { placeholders, folders } = patched('Endpoints', patch, tool)
    const found = Object.fromEntries(
      placeholders.map(({ pointer, text, isInteger }) => [pointer, isInteger === true ? `${text} number` : text]),
    )
    const isGone = (pointer: string): boolean =>
      patch.some(({ op, path }) => op === 'remove' && pointer.startsWith(path))
    const kept = Object.entries(always).filter(([pointer]) => !isGone(pointer))
    expect(found).toEqual({ ...Object.fromEntries(kept), ...want })
    const values = {
      'Cluster.spec.controlPlaneEndpoint.host': '192.0.2.9',
      'Cluster.spec.controlPlaneEndpoint.port': '6443',
    }
    const given = new Map(Object.entries(values).map(([path, value]) => [path, { value, at }]))
    const text = fillPlaceholders({ placeholders, folders, binding: patched('Endpoints', patch, tool).binding }, given)
      .folders.flatMap(({ manifests }) => manifests)
      .filter(({ kind }) => kind === 'Endpoints')
      .map(({ object }) => formatGoJson(object))
      .join('')
    expect(text).not.toContain('placeholder')
    expect(text).not.toMatch(/\uDBFE|\uDBFF/)
  })

  test('a merge patch', () => {
    const { placeholders } = patched(
      'Endpoints',
      dict([
        ['args', ['x']],
        ['metadata', dict([['annotations', dict([['at', null]])]])],
      ]),
      tool,
    )
    expect(placeholders.map(({ pointer }) => pointer)).toEqual(['/metadata/annotations/port', '/ports/0/port'])
  })

  test('a copy in a Secret that is made is made too', () => {
    const { binding } = patched('Secret', [operation('copy', '/data/more', { from: '/data/key' })], tool)
    expect(binding.secrets.map(({ data }) => data)).toEqual([
      [
        { key: 'host', template: host },
        { key: 'key', template: '${kube-system_s_key.key}\n' },
        { key: 'more', template: '${kube-system_s_key.key}\n' },
      ],
    ])
  })

  test('a private part copied out of the data of its Secret is an error', () => {
    let messages: readonly string[] = []
    try {
      patched(
        'Secret',
        [
          operation('add', '/metadata/annotations', { value: dict([]) }),
          operation('copy', '/metadata/annotations/x', { from: '/data/key' }),
        ],
        tool,
      )
    } catch (error) {
      if (error instanceof StackmasonError)
        messages = error.diagnostics.map(({ code, message }) => `${code} ${message}`)
    }
    expect(messages).toEqual([
      'SECRET_NOT_MADE Secret kube-system/s (c/templates/a.yaml) cannot be made in the cluster: /metadata/annotations/x is known only later, and stands outside of data',
    ])
  })
})
