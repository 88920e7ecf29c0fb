import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasCapi, startCapi, type Capi } from '../../tools/servers/capi.ts'
import { fieldOf, refusals, type KubeObject } from '../../tools/servers/kube-client.ts'
import { hasKube, startKube, type Kube } from '../../tools/servers/kube.ts'

const controlPlaneRef = {
  apiVersion: 'controlplane.cluster.x-k8s.io/v1beta1',
  kind: 'KubeadmControlPlane',
  name: 'lab',
}

function cluster(name: string, spec: object): KubeObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta1',
    kind: 'Cluster',
    metadata: { name, namespace: 'default' },
    spec: { paused: true, ...spec },
  }
}

describe.runIf(hasKube() && hasCapi())('a real Cluster API', () => {
  let kube: Kube
  let capi: Capi | undefined

  beforeAll(async () => {
    kube = await startKube()
    capi = await startCapi(kube)
  })
  afterAll(async () => {
    await capi?.close()
    await kube?.close()
  })

  test('converts between its versions', async () => {
    const object = cluster('converted', { controlPlaneRef })
    expect(refusals(await kube.apply([object]))).toEqual([])
    const stored = await kube.get({ ...object, apiVersion: 'cluster.x-k8s.io/v1beta2' })
    expect(fieldOf(stored, 'spec.controlPlaneRef')).toEqual({
      apiGroup: 'controlplane.cluster.x-k8s.io',
      kind: 'KubeadmControlPlane',
      name: 'lab',
    })
  })

  test('refuses what its webhooks refuse', async () => {
    const object = cluster('refused', { controlPlaneRef, clusterNetwork: { pods: { cidrBlocks: ['10.0.0.0'] } } })
    expect(refusals(await kube.apply([object]))).toEqual([
      'cluster.x-k8s.io/v1beta1 Cluster default/refused: admission webhook "validation.cluster.cluster.x-k8s.io" denied the request: ' +
        'Cluster.cluster.x-k8s.io "refused" is invalid: spec.clusterNetwork.pods.cidrBlocks[0]: Invalid value: "10.0.0.0": invalid CIDR address: 10.0.0.0',
    ])
  })
})
