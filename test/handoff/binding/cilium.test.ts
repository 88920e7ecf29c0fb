import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import type { GitopsTool } from '../../../src/model/gitops-tool.ts'
import type { Chart } from '../../../src/model/chart.ts'
import { readChart } from '../../../src/sources/chart/read-chart.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { boundCluster } from './bound-cluster.ts'

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: cilium, because ../shared is not there')

const overwrite = `values: |
  cilium:
    kubeProxyReplacement: true
    k8sServiceHost: "{{ .Cluster.spec.controlPlaneEndpoint.host }}"
    k8sServicePort: {{ .Cluster.spec.controlPlaneEndpoint.port }}
    hubble: {relay: {enabled: true}, tls: {auto: {method: helm, certValidityDuration: 90}}}
`
const HOST = 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_HOST'
const PORT = 'CLUSTER_SPEC_CONTROLPLANEENDPOINT_PORT'

describe.skipIf(shared === undefined)('cilium in place of kube-proxy', () => {
  let chart: Chart
  beforeAll(async () => {
    chart = await readChart(join(shared ?? '', 'charts/scs--openstack-scs2-addon-cni'), createNodePorts())
  })

  function bound(
    tool: GitopsTool,
    options: { readonly endpoint?: string; readonly existing?: readonly string[] } = {},
  ) {
    return boundCluster({ chart, tool, overwrite, ...options })
  }

  test.each(['flux', 'argocd'] as const)('waits for host and port of the API server, with %s', (tool) => {
    const { placeholders, binding } = bound(tool)
    expect(placeholders.map(({ object, pointer, text }) => `${object.kind} ${object.name} ${pointer} ${text}`)).toEqual(
      [
        `DaemonSet cilium /spec/template/spec/containers/0/env/4/value \${${HOST}}`,
        `DaemonSet cilium /spec/template/spec/containers/0/env/5/value \${${PORT}}`,
        `DaemonSet cilium /spec/template/spec/initContainers/0/env/2/value \${${HOST}}`,
        `DaemonSet cilium /spec/template/spec/initContainers/0/env/3/value \${${PORT}}`,
        `DaemonSet cilium /spec/template/spec/initContainers/4/env/3/value \${${HOST}}`,
        `DaemonSet cilium /spec/template/spec/initContainers/4/env/4/value \${${PORT}}`,
        `DaemonSet cilium-envoy /spec/template/spec/containers/0/env/2/value \${${HOST}}`,
        `DaemonSet cilium-envoy /spec/template/spec/containers/0/env/3/value \${${PORT}}`,
        `Deployment cilium-operator /spec/template/spec/containers/0/env/3/value \${${HOST}}`,
        `Deployment cilium-operator /spec/template/spec/containers/0/env/4/value \${${PORT}}`,
      ],
    )
    expect(placeholders.filter(({ isInteger }) => isInteger === true)).toEqual([])
    expect(binding.values).toEqual([
      {
        name: HOST,
        from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.host' },
        type: 'host',
        assumptions: [{ isSet: true }, { notEqual: 'auto' }],
      },
      {
        name: PORT,
        from: { kind: 'Cluster', fieldPath: 'spec.controlPlaneEndpoint.port' },
        type: 'port',
        assumptions: [],
      },
    ])
  })

  test('says where the assumptions were made', () => {
    const { rendered } = bound('flux')
    expect(
      rendered.assumptions.map(({ path, assumption, origin }) => [path, assumption, origin.at.source.name]),
    ).toEqual([
      [
        'Cluster.spec.controlPlaneEndpoint.host',
        { isSet: true },
        expect.stringMatching(/^CNI\/charts\/cilium\/templates\//),
      ],
      [
        'Cluster.spec.controlPlaneEndpoint.host',
        { notEqual: 'auto' },
        expect.stringMatching(/^CNI\/charts\/cilium\/templates\//),
      ],
    ])
  })

  test('a fixed endpoint closes the placeholders', () => {
    const { placeholders, binding } = bound('flux', { endpoint: 'controlPlaneEndpoint: {host: 192.0.2.1, port: 6443}' })
    expect(placeholders).toEqual([])
    expect(binding.values).toEqual([])
  })

  test('has its certificates made in the cluster: one authority, and certificates of it', () => {
    const { binding } = bound('flux')
    const authority = 'kube-system_cilium-ca_ca-key'
    expect(binding.generators).toEqual([
      { name: authority, function: 'genCA', arguments: ['Cilium CA', '', '', '1095'] },
      {
        name: 'kube-system_hubble-relay-client-certs_tls-key',
        function: 'genSignedCert',
        arguments: ['*.hubble-relay.cilium.io', '', '*.hubble-relay.cilium.io', '90', `\${${authority}.cert}\n`],
      },
      {
        name: 'kube-system_hubble-server-certs_tls-key',
        function: 'genSignedCert',
        arguments: [
          '*.default.hubble-grpc.cilium.io',
          '',
          '*.default.hubble-grpc.cilium.io',
          '90',
          `\${${authority}.cert}\n`,
        ],
      },
    ])
    expect(binding.secrets.map(({ namespace, name, type }) => `${namespace}/${name} ${type ?? ''}`)).toEqual([
      'kube-system/cilium-ca ',
      'kube-system/hubble-relay-client-certs kubernetes.io/tls',
      'kube-system/hubble-server-certs kubernetes.io/tls',
    ])
    expect(binding.secrets[2]?.data).toEqual([
      { key: 'ca.crt', template: `\${${authority}.cert}\n` },
      { key: 'tls.crt', template: '${kube-system_hubble-server-certs_tls-key.cert}\n' },
      { key: 'tls.key', template: '${kube-system_hubble-server-certs_tls-key.key}\n' },
    ])
  })

  test('an authority that exists signs what is made', () => {
    const { binding, folders } = bound('flux', { existing: ['cilium-ca'] })
    expect(binding.generators[0]).toEqual({
      name: 'kube-system_cilium-ca_ca-key',
      function: 'genCA',
      arguments: [],
      existing: {
        namespace: 'kube-system',
        name: 'cilium-ca',
        keys: [
          { part: 'cert', key: 'ca.crt' },
          { part: 'key', key: 'ca.key' },
        ],
      },
    })
    expect(binding.secrets.map(({ name }) => name)).toEqual(['hubble-relay-client-certs', 'hubble-server-certs'])
    expect(folders.flatMap(({ manifests }) => manifests.filter(({ kind }) => kind === 'Secret'))).toEqual([])
  })

  test('Secrets that all exist are neither written nor made', () => {
    const { binding } = bound('flux', { existing: ['cilium-ca', 'hubble-relay-client-certs', 'hubble-server-certs'] })
    expect(binding.secrets).toEqual([])
    expect(binding.generators).toEqual([])
  })

  test.each(['flux', 'argocd'] as const)('leaves no key and no Secret in the tree of %s', (tool) => {
    const { folders } = bound(tool)
    const texts = folders.flatMap(({ manifests }) => manifests.map(({ object }) => formatManifestYaml(object)))
    expect(texts.filter((text) => /PRIVATE KEY|^kind: Secret$/m.test(text))).toEqual([])
    expect(texts.filter((text) => text.includes('stackmason-placeholder-')).length).toBe(tool === 'flux' ? 0 : 3)
    expect(texts.filter((text) => /\uDBFF/.test(text))).toEqual([])
  })

  test('clusters with the same placeholders share one render', () => {
    const first = boundCluster({ chart, tool: 'flux', overwrite })
    const second = boundCluster({ chart, tool: 'flux', overwrite, name: 'other' })
    expect(second.runs).toBe(0)
    expect(second.binding).toEqual(first.binding)
  })
})
