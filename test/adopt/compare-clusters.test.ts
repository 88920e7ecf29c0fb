import { describe, expect, test } from 'vitest'
import { compareCluster } from '../../src/adopt/compare-clusters.ts'
import { readObjects } from '../../src/adopt/read-objects.ts'
import type { Manifest } from '../../src/model/manifest.ts'
import { manifestOf } from '../render/stack/objects.ts'

function template(version: string, spec: string, { name = 'a', labels = '' } = {}): string {
  return `apiVersion: infrastructure.cluster.x-k8s.io/${version}
kind: DockerMachineTemplate
metadata: {name: ${name}, namespace: team-a, labels: {clusterstack.x-k8s.io/instance: owned${labels}}}
spec: ${spec}
`
}

function compare(rendered: readonly string[], live: readonly string[]): ReturnType<typeof compareCluster> {
  const { objects } = readObjects({ file: 'live.yaml', text: live.join('---\n'), clusterKey: '' })
  const manifests = rendered.map((text): Manifest => manifestOf(text))
  return compareCluster({ clusterKey: '', manifests, existing: [] }, objects)
}

describe('comparePlace', () => {
  const old = template('v1beta1', '{a: 1}')
  const other = template('v1beta2', '{b: 1}')

  test.each([
    { name: 'first', live: [old, other] },
    { name: 'last', live: [other, old] },
  ])('takes of an object in several versions the one that is rendered, when it comes $name', ({ live }) => {
    expect(compare([old], live).differences).toEqual([])
  })

  test('says how to export a version that is not there', () => {
    expect(compare([old], [other]).differences.map(({ fields }) => fields.map(({ change }) => change))).toEqual([
      [
        'was exported as infrastructure.cluster.x-k8s.io/v1beta2; export it with `kubectl get DockerMachineTemplate.v1beta1.infrastructure.cluster.x-k8s.io`',
      ],
    ])
  })

  test('names what the operator left, but not what Cluster API made of a class for a cluster', () => {
    const left = template('v1beta1', '{a: 1}', { name: 'left' })
    const labels = ', cluster.x-k8s.io/cluster-name: web, topology.cluster.x-k8s.io/owned: ""'
    const made = template('v1beta1', '{a: 1}', { name: 'web-x2x9z', labels })
    expect(compare([old], [old, left, made]).left).toEqual(['DockerMachineTemplate team-a/left'])
  })
})
