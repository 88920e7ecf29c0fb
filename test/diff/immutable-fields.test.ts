import { expect, test } from 'vitest'
import { immutableChanges } from '../../tools/fleets/immutable-changes.ts'
import { formatChangePath } from '../../src/model/change-path.ts'
import { compareTexts } from './compare-texts.ts'

const PATH = 'clusters/a/one/addons/01-x/x.yaml'

function isReplaced(before: string, after: string): boolean {
  const { changes } = compareTexts({ [PATH]: before }, { [PATH]: after })
  return changes.some(({ risks }) => risks.includes('replaces'))
}

// the same are asked of a real API server in test/system/kube-answers.test.ts
test.each(immutableChanges)('$name', ({ before, after, isRefused }) => {
  expect(isReplaced(before, after)).toBe(isRefused)
})

test.each([
  [
    'a claim that grows',
    'PersistentVolumeClaim',
    'resources: {requests: {storage: 1Gi}}',
    'resources: {requests: {storage: 1.5Gi}}',
    false,
  ],
  ['the first family of a Service', 'Service', 'ipFamilies: [IPv4]', 'ipFamilies: [IPv6]', true],
  ['a second family of a Service', 'Service', 'ipFamilies: [IPv4]', 'ipFamilies: [IPv4, IPv6]', false],
])('%s', (_, kind, before, after, isRefused) => {
  const object = (spec: string): string =>
    `{apiVersion: v1, kind: ${kind}, metadata: {name: x, namespace: a}, spec: {${spec}}}`
  expect(isReplaced(object(before), object(after))).toBe(isRefused)
})

test.each([
  ['cluster.x-k8s.io/v1beta2', 'MachinePool', 'spec: {clusterName: a}', 'spec: {clusterName: b}'],
  [
    'addons.cluster.x-k8s.io/v1beta1',
    'ClusterResourceSet',
    'spec: {strategy: ApplyOnce}',
    'spec: {strategy: Reconcile}',
  ],
  [
    'controlplane.cluster.x-k8s.io/v1beta1',
    'KubeadmControlPlaneTemplate',
    'spec: {template: {spec: {a: b}}}',
    'spec: {template: {spec: {a: c}}}',
  ],
  [
    'infrastructure.cluster.x-k8s.io/v1beta1',
    'OpenStackClusterTemplate',
    'spec: {template: {spec: {a: b}}}',
    'spec: {template: {spec: {a: c}}}',
  ],
])('what a webhook of %s %s refuses', (apiVersion, kind, before, after) => {
  const head = `apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x, namespace: a}`
  expect(isReplaced(`{${head}, ${before}}`, `{${head}, ${after}}`)).toBe(true)
})

const deployment = (strategy: string, volume: string): string =>
  `{apiVersion: apps/v1, kind: Deployment, metadata: {name: x, namespace: a}, spec: {${strategy}selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: c, image: "i:1"}], volumes: [{name: v${volume}}]}}}}`

// a way out that was tried on a real API server
test.each([
  [
    'the way to update',
    '',
    'strategy: {type: Recreate}, ',
    '',
    [
      'spec.strategy: The API server has filled in spec.strategy.rollingUpdate, and it stays. Write `rollingUpdate: {}` there first, in a commit of its own; once that is applied, make this change.',
    ],
  ],
  [
    'the source of a volume',
    '',
    '',
    ', configMap: {name: a}',
    [
      'spec.template.spec.volumes[name=v].configMap: The API server has filled in `emptyDir: {}` for the volume without a source, and it stays. Give the volume another name.',
    ],
  ],
  ['neither', 'strategy: {rollingUpdate: {}}, ', 'strategy: {type: Recreate}, ', '', []],
])('what to do about %s', (_, before, after, volume, expected) => {
  const { changes } = compareTexts({ [PATH]: deployment(before, '') }, { [PATH]: deployment(after, volume) })
  const found = changes.flatMap(({ immutable = [] }) => immutable)
  expect(found.map(({ path, wayOut = '' }) => `${formatChangePath(path)}: ${wayOut}`)).toEqual(expected)
})
