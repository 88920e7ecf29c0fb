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

const hidden = (what: string): string =>
  `warning CHARACTER_HIDDEN ConfigMap kube-system/m: ${what} → Remove the character: in the values of the chart, or with a patch.`
const budget = (spec: string): string =>
  `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: b, ${NS}}, spec: {${spec}, selector: {matchLabels: {a: b}}}}`
const blocked = (why: string): string =>
  `warning EVICTION_BLOCKED PodDisruptionBudget kube-system/b allows no eviction (${why}): nodes with its pods cannot be drained, and upgrades wait → Allow one pod to be away (maxUnavailable: 1), or run one more than minAvailable.`
const daemon = app('i:1').replace('kind: Deployment', 'kind: DaemonSet')
const nodeImage = (spec: string): string =>
  `{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: i, ${NS}}, spec: {${spec}}}`
const metal = (image: string): string =>
  `{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: Metal3MachineTemplate, metadata: {name: i, ${NS}}, spec: {template: {spec: {image: {${image}}}}}}`
const unverified = (kind: string): string =>
  `warning NODE_IMAGE_UNVERIFIED ${kind} kube-system/i fetches the image of machines without a checksum → Add the checksum that the publisher of the image states.`
const download = (fields: string): string => `resource: {content: {diskFormat: qcow2, download: {${fields}}}}`

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
  ...(
    [
      [
        'a.io/b:%!s(float64=1.1)',
        'its template has put a value of another type in it',
        'Put the value in quotes: a tag is a text, and 1.10 a number.',
      ],
      ['nginx:1 ', 'it has a space in it', 'Remove the space.'],
      ['a.io/b:1@sha256:0000', 'its digest is none', 'Write sha256: and 64 characters from 0-9 and a-f.'],
      ['a.io/b:', 'its tag is empty', 'Write the tag, or leave out the colon.'],
      ['a.io/b:-1', 'its tag is none', 'Letters, digits, _, . and - are allowed, 128 at most, the first no . or -.'],
      ['a.io/Team/b:1', 'its name has capital letters', 'Write it in lower case.'],
      ['a.io//b:1', 'its name is none', 'Write [host[:port]/]path[:tag][@digest].'],
    ] as const
  ).map(([name, why, hint]): Row => ({
    name: `an image that no node can pull: ${name}`,
    objects: [app(name)],
    found: [`error IMAGE_INVALID Deployment kube-system/app has an image that no node can pull: ${why} → ${hint}`],
  })),
  ...['a.io:5000/b:1', 'b:1.10', 'localhost/b:1', `b:1@sha256:${'0'.repeat(64)}`].map((name): Row => ({
    name: `an image that nodes can pull: ${name}`,
    objects: [app(name)],
  })),
  {
    name: 'replicas that an autoscaler sets',
    objects: [app('i:1', 'replicas: 2, '), scaler],
    found: [
      'warning REPLICAS_CONTESTED Deployment kube-system/app has a fixed number of replicas, and a HorizontalPodAutoscaler sets it, too → Remove replicas, in the values of the chart or with a patch: the autoscaler keeps the number.',
    ],
  },
  { name: 'no replicas, and an autoscaler', objects: [app('i:1'), scaler] },
  {
    name: 'replicas of another',
    objects: [app('i:1', 'replicas: 2, '), scaler.replace('name: app', 'name: other')],
  },
  { name: 'an image without a tag', objects: [app('host:5000/a/b')], found: [image('without a tag')] },
  { name: 'an image of the tag latest', objects: [app('a/b:latest')], found: [image('of the tag latest')] },
  { name: 'an image with a version', objects: [app('host:5000/a/b:v1')] },
  { name: 'an image with a digest', objects: [app(`a/b@sha256:${'0'.repeat(64)}`)] },
  {
    name: 'a budget of no pod away',
    objects: [budget('maxUnavailable: 0')],
    found: [blocked('maxUnavailable is 0')],
  },
  { name: 'a budget of one pod away', objects: [budget('maxUnavailable: 1')] },
  { name: 'a budget for a DaemonSet', objects: [budget('maxUnavailable: 0%'), daemon] },
  { name: 'a budget of all', objects: [budget('minAvailable: 100%')], found: [blocked('minAvailable is 100%')] },
  {
    name: 'a budget of as many as there are',
    objects: [budget('minAvailable: 2'), app('i:1', 'replicas: 2, ')],
    found: [blocked('minAvailable is 2 of 2')],
  },
  {
    name: 'a budget of the one replica that a Deployment has by default',
    objects: [budget('minAvailable: 1'), app('i:1')],
    found: [blocked('minAvailable is 1 of 1')],
  },
  { name: 'a budget of one less than there are', objects: [budget('minAvailable: 1'), app('i:1', 'replicas: 2, ')] },
  { name: 'a budget of pods that are scaled', objects: [budget('minAvailable: 1'), app('i:1'), scaler] },
  { name: 'a budget of pods that nothing here makes', objects: [budget('minAvailable: 1')] },
  { name: 'a budget of pods that are switched off', objects: [budget('minAvailable: 1'), app('i:1', 'replicas: 0, ')] },
  {
    name: 'a variable in an image',
    objects: [app('${REGISTRY}/i:1')],
    found: [
      'warning VARIABLE_UNFILLED Deployment kube-system/app: nothing fills in the variable "REGISTRY" in spec.template.spec.containers[0].image: it reaches the cluster as text → Write the value: in the values of the cluster, or with a patch.',
    ],
  },
  {
    name: 'a variable with a default',
    objects: [
      `{apiVersion: v1, kind: Service, metadata: {name: s, ${NS}}, spec: {ports: [{port: 80}], loadBalancerIP: "\${HOST:=10.0.0.1}"}}`,
    ],
    found: [
      'warning VARIABLE_UNFILLED Service kube-system/s: nothing fills in the variable "HOST" in spec.loadBalancerIP: it reaches the cluster as text → Write the value: in the values of the cluster, or with a patch.',
    ],
  },
  {
    name: 'scripts',
    objects: [map('echo ${HOME}'), app('i:1').replace('image:', 'command: [sh, -c, "echo ${HOME}"], image:')],
  },
  ...(
    [
      ['\u200B', 'nobody sees', '200B'],
      ['\u2060', 'nobody sees', '2060'],
      ['\uFEFF', 'nobody sees', 'FEFF'],
      ['\u200E', 'nobody sees', '200E'],
      ['\u200D', 'nobody sees', '200D'],
      ['\u202E', 'turns the direction of text', '202E'],
      ['\u2066', 'turns the direction of text', '2066'],
    ] as const
  ).map(([character, what, code]): Row => ({
    name: `the character U+${code} in a text`,
    objects: [map(`a${character}b`)],
    found: [hidden(`data.a holds a character that ${what} (U+${code})`)],
  })),
  {
    name: 'a turned direction among lines',
    objects: [map('a\nb\u202Ec\n')],
    found: [hidden('data.a holds a character that turns the direction of text (U+202E)')],
  },
  {
    name: 'a hidden character in a key',
    objects: [
      `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: m}, provisioner: a.io/b, parameters: {"a\u200Bb": "1"}}`,
    ],
    found: [
      hidden('a key of parameters holds a character that nobody sees (U+200B)').replace(
        'ConfigMap kube-system/',
        'StorageClass ',
      ),
    ],
  },
  ...(
    [
      ['lines that begin with a byte order mark', '\uFEFFa\nb\n'],
      ['a joined emoji', '\u{1F468}\u200D\u{1F469}'],
      ['a joined word of Persian', '\u0645\u06CC\u200C\u062E\u0648\u0627\u0647\u0645'],
      ['other characters beyond ASCII', 'a\u00A0\u2028\u00E9\u2013'],
    ] as const
  ).map(([name, text]): Row => ({ name, objects: [map(text)] })),
  {
    name: 'a node image without a checksum',
    objects: [nodeImage(download('url: "https://i"'))],
    found: [unverified('Image')],
  },
  {
    name: 'a node image with a checksum',
    objects: [nodeImage(download('url: "https://i", hash: {algorithm: sha256, value: "0"}'))],
  },
  { name: 'a node image that is there', objects: [nodeImage('managementPolicy: unmanaged, import: {id: x}')] },
  {
    name: 'a machine template with an address alone',
    objects: [metal('url: "https://i"')],
    found: [unverified('Metal3MachineTemplate')],
  },
  { name: 'a machine template with a checksum', objects: [metal('url: "https://i", checksum: "https://i.sha256"')] },
  { name: 'a machine template with a live image', objects: [metal('url: "https://i", format: live-iso')] },
]

describe('what harms in the cluster:', () => {
  test.each(rows)('$name', async ({ objects, found = [] }) => {
    const template = objects.map((object) => `---\n${object}\n`).join('')
    const all = await checkLab({ files: { [lab.template]: template, [lab.defaults]: '' } })
    // whoever wrote the row knows of no other kind than it is about
    const lines = all.filter(
      (line) => !/SELECTOR_MATCHES_NOTHING|SCALE_TARGET_MISSING|DEFINITION_MISSING|SCHEMA_MISSING/.test(line),
    )
    expect(lines.map((line) => line.replace(/ \S+:\d+:\d+ /, ' ').replace(' [team/one web]', ''))).toEqual(found)
  })
})

describe('images without a digest', () => {
  const files = { [lab.template]: app('a/b:1'), [lab.defaults]: '' }

  test('are no finding by default', async () => {
    expect(await checkLab({ files })).toEqual([])
  })

  test.each(['warning', 'error'])('are of the level %s where the fleet says so', async (level) => {
    const spec = ['check:', '  rules:', `    IMAGE_DIGEST_MISSING: ${level}`]
    expect(await checkLab({ files, spec })).toEqual([
      `${level} IMAGE_DIGEST_MISSING stack/cluster-addon/web/templates/web.yaml:1:204 Deployment kube-system/app has an image without a digest [team/one web] → Add @sha256:… to the image, in the values of the chart or with a patch.`,
    ])
  })

  test('are none where there is one', async () => {
    const spec = ['check: {rules: {IMAGE_DIGEST_MISSING: error}}']
    const pinned = { ...files, [lab.template]: app(`a/b:1@sha256:${'0'.repeat(64)}`) }
    expect(await checkLab({ files: pinned, spec })).toEqual([])
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
