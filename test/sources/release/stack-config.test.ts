import { describe, expect, it } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { parseStackConfig } from '../../../src/sources/release/stack-config.ts'
import { formatDiagnostic, problemsOf } from './support.ts'

const parse = (text: string): ReturnType<typeof parseStackConfig> => parseStackConfig(encodeUtf8(text), 'csctl.yaml')

describe('parseStackConfig', () => {
  const rows = ['csctl', 'csmctl'].map((tool) => ({ tool }))
  it.each(rows)('reads what $tool reads', ({ tool }) => {
    const text = `apiVersion: ${tool}.clusterstack.x-k8s.io/v1alpha1
config:
  kubernetesVersion: v1.27.7
  clusterStackName: ferrol
  provider:
    type: docker
    apiVersion: docker.${tool}.clusterstack.x-k8s.io/v1alpha1
    config: {anything: [goes]}
`
    expect(parse(text)).toEqual({
      provider: 'docker',
      stack: 'ferrol',
      kubernetesVersion: 'v1.27.7',
      kubernetes: { major: 1, minor: 27 },
      findings: [],
    })
  })

  it('tells unknown fields', () => {
    const text = `apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1
config: {kubernetesVersion: v1.27.7, clusterStackName: a, clusterStack: b, provider: {type: c, name: d}}
kind: X
`
    expect(parse(text).findings.map(formatDiagnostic)).toEqual([
      'RELEASE_METADATA_INVALID csctl.yaml:3:1 unknown field kind: nothing reads it',
      'RELEASE_METADATA_INVALID csctl.yaml:2:59 unknown field config.clusterStack: nothing reads it',
      'RELEASE_METADATA_INVALID csctl.yaml:2:96 unknown field config.provider.name: nothing reads it',
    ])
  })

  it('refuses everything wrong at once', async () => {
    const text = `apiVersion: csctl/v1
config:
  kubernetesVersion: "1.27"
  clusterStackName: my-stack
  provider: {type: Docker}
`
    expect(await problemsOf(() => parse(text))).toEqual([
      'RELEASE_METADATA_INVALID csctl.yaml:1:13 unknown apiVersion "csctl/v1"',
      'RELEASE_NAME_INVALID csctl.yaml:5:20 config.provider.type "Docker" may hold only a-z and 0-9, because release names are split at dashes',
      'RELEASE_NAME_INVALID csctl.yaml:4:21 config.clusterStackName "my-stack" may hold only a-z and 0-9, because release names are split at dashes',
      'RELEASE_METADATA_INVALID csctl.yaml:3:22 config.kubernetesVersion "1.27" is not a full Kubernetes version such as v1.34.7',
    ])
  })

  it('refuses an empty one', async () => {
    expect(await problemsOf(() => parse('apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1'))).toEqual([
      'RELEASE_METADATA_INVALID csctl.yaml:1:1 config is missing',
    ])
    expect(await problemsOf(() => parse('apiVersion: 1\nconfig: []'))).toEqual([
      'RELEASE_METADATA_INVALID csctl.yaml:1:13 apiVersion must be a string',
      'RELEASE_METADATA_INVALID csctl.yaml:2:9 config must be a map',
    ])
  })
})
