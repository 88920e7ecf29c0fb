import { expect, test } from 'vitest'
import { immutableChanges } from '../../tools/fleets/immutable-changes.ts'
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
