import { describe, expect, test } from 'vitest'
import { lab, labCluster } from '../../tools/fleets/lab-fleet.ts'
import { checkLab } from './check-lab.ts'

const NS = 'namespace: kube-system'
const map = (value: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: m, ${NS}}, data: {a: ${JSON.stringify(value)}}}`
const annotated = (value: string): string =>
  `{apiVersion: v1, kind: ConfigMap, metadata: {name: m, ${NS}, annotations: {a: ${JSON.stringify(value)}}}}`
const app = (image: string, more = ''): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: app, ${NS}}, spec: {${more}selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: "${image}"}]}}}}`
const scaler = `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: h, ${NS}}, spec: {maxReplicas: 3, scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: app}}}`
const size = (what: string): string =>
  `error OBJECT_TOO_LARGE ConfigMap kube-system/m: ${what}, which API servers refuse → Divide it among several objects, or leave out what is not needed.`
const image = (how: string): string =>
  `warning IMAGE_TAG_FLOATS Deployment kube-system/app has an image ${how} → Write the version as the tag, or a digest.`

interface Row {
  readonly name: string
  readonly objects: readonly string[]
  readonly found?: readonly string[]
}

const rows: readonly Row[] = [
  {
    name: 'annotations above their limit',
    objects: [annotated('x'.repeat(256 * 1024))],
    found: [size('its annotations have more than 256 KiB')],
  },
  { name: 'annotations at their limit', objects: [annotated('x'.repeat(256 * 1024 - 1))] },
  {
    name: 'data above its limit',
    objects: [map('x'.repeat(1024 * 1024))],
    found: [size('its data has more than 1024 KiB')],
  },
  { name: 'data at its limit', objects: [map('x'.repeat(1024 * 1024 - 1))] },
  {
    name: 'replicas that an autoscaler sets',
    objects: [app('i:1', 'replicas: 2, '), scaler],
    found: [
      'warning REPLICAS_CONTESTED Deployment kube-system/app has a fixed number of replicas, and a HorizontalPodAutoscaler sets it, too → Remove replicas, in the values of the chart or with a patch: the autoscaler keeps the number.',
    ],
  },
  { name: 'no replicas, and an autoscaler', objects: [app('i:1'), scaler] },
  { name: 'replicas of another', objects: [app('i:1', 'replicas: 2, '), scaler.replace('name: app', 'name: other')] },
  { name: 'an image without a tag', objects: [app('host:5000/a/b')], found: [image('without a tag')] },
  { name: 'an image of the tag latest', objects: [app('a/b:latest')], found: [image('of the tag latest')] },
  { name: 'an image with a version', objects: [app('host:5000/a/b:v1')] },
  { name: 'an image with a digest', objects: [app(`a/b@sha256:${'0'.repeat(64)}`)] },
]

describe('what harms in the cluster:', () => {
  test.each(rows)('$name', async ({ objects, found = [] }) => {
    const template = objects.map((object) => `---\n${object}\n`).join('')
    const lines = await checkLab({ files: { [lab.template]: template, [lab.defaults]: '' } })
    expect(lines.map((line) => line.replace(/ \S+:\d+:\d+ /, ' ').replace(' [team/one web]', ''))).toEqual(found)
  })
})

describe('control planes:', () => {
  const etcd =
    'spec: {template: {spec: {kubeadmConfigSpec: {clusterConfiguration: {etcd: {external: {endpoints: [a]}}}}}}}'
  const templates = 'stack/cluster-class/templates/templates.yaml'
  const even =
    'error CONTROL_PLANE_EVEN clusters/team/one/cluster.yaml:8:30 class docker-lab-1-34-v1 runs etcd on its control planes, of which there cannot be 2 [team/one] → Write an odd number.'

  test.each([
    { name: 'an even number of control planes', lines: ['controlPlane: {replicas: 2}'], found: [even] },
    { name: 'an odd number', lines: ['controlPlane: {replicas: 3}'], found: [] },
  ])('$name', async ({ lines, found }) => {
    expect(await checkLab({ files: { [lab.cluster]: labCluster(lines) } })).toEqual(found)
  })

  test('an etcd of its own takes any number', async () => {
    const fleet = { [lab.cluster]: labCluster(['controlPlane: {replicas: 2}']) }
    const external = `apiVersion: controlplane.cluster.x-k8s.io/v1beta1\nkind: KubeadmControlPlaneTemplate\nmetadata: {name: lab-control-plane}\n${etcd}\n`
    const found = await checkLab({ files: { ...fleet, [templates]: external } })
    expect(found.filter((line) => line.includes('CONTROL_PLANE_EVEN'))).toEqual([])
  })
})
