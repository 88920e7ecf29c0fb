import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { fillPlaceholders } from '../../../src/handoff/binding/fill-placeholders.ts'
import { protectPlaceholders } from '../../../src/handoff/flux/protect-placeholders.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { textAt } from '../../../src/model/field.ts'
import type { GitopsTool } from '../../../src/model/gitops-tool.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { Dict } from '../../../src/model/value.ts'
import { buildChart } from '../../../src/sources/chart/build-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { boundCluster } from './bound-cluster.ts'

const template = `apiVersion: v1
kind: ConfigMap
metadata: {name: a, annotations: {at: "{{ .Values.host }}"}}
data:
  bare: {{ .Values.phase }}
  quoted: {{ .Values.phase | quote }}
  port: {{ .Values.port | quote }}
  url: https://{{ .Values.host }}:{{ .Values.port }}/\${HOME}?$x
  json: |
    {{ dict "host" .Values.host "port" .Values.port "phase" .Values.phase | toJson }}
  lines: |
    server: {{ .Values.host }}
    $$ \${CLUSTER_STATUS_PHASE}
  encoded: {{ .Values.phase | b64enc }}
  same: \${CLUSTER_STATUS_PHASE} {{ .Values.phase }}
  set: "{{ if .Values.phase }}yes{{ end }}{{ if eq .Values.host "auto" }}auto{{ end }}"
---
apiVersion: v1
kind: Service
metadata: {name: a}
spec: {ports: [{port: {{ .Values.port }}, targetPort: {{ int .Values.port }}}]}
`
const overwrite = `host: {{ .Cluster.spec.controlPlaneEndpoint.host }}
port: {{ .Cluster.spec.controlPlaneEndpoint.port }}
phase: {{ .Cluster.status.phase }}
`
const at = { source: { name: 'preview.yaml', text: '' }, start: 0, end: 0 }

function bound(tool: GitopsTool) {
  const files = [
    { path: 'Chart.yaml', bytes: encodeUtf8('apiVersion: v2\nname: c\nversion: 1.0.0\n') },
    { path: 'templates/a.yaml', bytes: encodeUtf8(template) },
  ]
  return boundCluster({ chart: buildChart(files, 'c', createNodePorts()), overwrite, tool })
}

interface Given {
  readonly host?: string
  readonly port?: string
  readonly phase?: string
}

function preview(tool: GitopsTool, { host = '192.0.2.1', port = '6443', phase = 'Provisioned' }: Given) {
  const values = {
    'Cluster.spec.controlPlaneEndpoint.host': host,
    'Cluster.spec.controlPlaneEndpoint.port': port,
    'Cluster.status.phase': phase,
  }
  return fillPlaceholders(bound(tool), new Map(Object.entries(values).map(([path, value]) => [path, { value, at }])))
}

function addonOf(folders: readonly { readonly manifests: readonly Manifest[] }[]): readonly Manifest[] {
  return folders[1]?.manifests ?? []
}

/** The text as Flux applies it: every variable replaced, and of two dollars one (drone/envsubst). */
function substituted(manifest: Manifest, variables: Readonly<Record<string, string>>): string {
  const text = formatManifestYaml(protectPlaceholders(manifest).object)
  const filled = text.replaceAll(/\$\$|\$\{(\w+)\}/g, (found, name: string | undefined) => {
    if (name === undefined) return '$'
    const value = variables[name]
    if (value === undefined) throw new Error(`no value for ${found}`)
    return value
  })
  const object = parseGoYaml(filled, { integers: 'int' })
  if (!(object instanceof Dict)) throw new Error('not a map')
  return formatManifestYaml(object)
}

describe('a preview is what the engine would apply', () => {
  const phases = [
    'true',
    'null',
    '~',
    '1e3',
    '0x1F',
    'a: b',
    'a #b',
    '{a}',
    '- x',
    '&x',
    '%x',
    '!',
    'ü',
    '$HOME',
    '1.0',
  ]
  const rows: readonly Given[] = [
    ...['192.0.2.1', '::1', '[::1]', '1e3', '0x1F', '2024-01-01', 'a.example', '0'].map((host) => ({ host })),
    ...phases.map((phase) => ({ phase })),
    ...['1', '65535'].map((port) => ({ port })),
  ]

  test.each(rows)('%o', (given) => {
    const { host = '192.0.2.1', port = '6443', phase = 'Provisioned' } = given
    const variables = {
      QUOTE: '"',
      CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST: host,
      CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT: port,
      CLUSTER_STATUS_PHASE: phase,
      CLUSTER_STATUS_PHASE_BASE64: Buffer.from(phase).toString('base64'),
    }
    const flux = preview('flux', given)
    const want = addonOf(bound('flux').folders).map((manifest) => substituted(manifest, variables))
    expect(addonOf(flux.folders).map(({ object }) => formatManifestYaml(object))).toEqual(want)
    expect(flux.placeholders).toEqual([])
    expect(addonOf(flux.folders).filter(({ deferred }) => deferred !== undefined)).toEqual([])
    const argo = addonOf(preview('argocd', given).folders)
    expect(argo.map(({ object }) => formatManifestYaml(object))).toEqual(want)
  })

  test('a placeholder stays where one of its values is not given', () => {
    const values = new Map([['Cluster.spec.controlPlaneEndpoint.host', { value: '192.0.2.1', at }]])
    const { placeholders, folders } = fillPlaceholders(bound('flux'), values)
    const [configMap] = addonOf(folders)
    expect(placeholders.map(({ pointer }) => pointer)).toContain('/data/url')
    expect(placeholders.map(({ pointer }) => pointer)).not.toContain('/metadata/annotations/at')
    expect(configMap?.deferred?.map(({ pointer }) => pointer)).toContain('/data/url')
  })
})

test('text of the chart that looks like a placeholder stays as it is, also beside that placeholder', () => {
  const [configMap] = addonOf(preview('argocd', {}).folders)
  expect(textAt(configMap?.object ?? new Dict(), 'data', 'same')).toBe('${CLUSTER_STATUS_PHASE} Provisioned')
})

test.each<Given & { readonly want: string }>([
  {
    host: 'auto',
    want: 'spec.controlPlaneEndpoint.host must be an address, or a name with a dot, dash or digit, without a port',
  },
  {
    host: 'a"b.c',
    want: 'spec.controlPlaneEndpoint.host must be an address, or a name with a dot, dash or digit, without a port',
  },
  { port: '06443', want: 'spec.controlPlaneEndpoint.port must be a number from 1 to 65535' },
  { port: '65536', want: 'spec.controlPlaneEndpoint.port must be a number from 1 to 65535' },
  { port: '0', want: 'spec.controlPlaneEndpoint.port must be a number from 1 to 65535' },
  { phase: 'a"b', want: 'status.phase must be text without quotes, backslashes, line breaks and control characters' },
  { phase: "a'b", want: 'status.phase must be text without quotes, backslashes, line breaks and control characters' },
  { phase: 'a\nb', want: 'status.phase must be text without quotes, backslashes, line breaks and control characters' },
  {
    phase: 'a\ufffeb',
    want: 'status.phase must be text without quotes, backslashes, line breaks and control characters',
  },
  { phase: 'a\\b', want: 'status.phase must be text without quotes, backslashes, line breaks and control characters' },
  { phase: 'false', want: 'status.phase must be set: charts were rendered on that' },
])('what the controller would not publish is an error: $want', ({ want, ...given }) => {
  let messages: readonly string[] = []
  try {
    preview('flux', given)
  } catch (error) {
    if (error instanceof StackmasonError) messages = error.diagnostics.map(({ code, message }) => `${code} ${message}`)
  }
  expect(messages).toEqual([`CONFIG_WRONG_TYPE Cluster.${want}`])
})
