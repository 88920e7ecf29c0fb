import { expect, test } from 'vitest'
import { compareTexts } from './compare-texts.ts'

interface Case {
  readonly what: string
  /** Without: there is none. */
  readonly before?: string
  readonly after?: string
  readonly risks: readonly string[]
  readonly undo?: readonly string[]
}

const head = (apiVersion: string, kind: string): string =>
  `apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x, namespace: apps}`
const deployment = head('apps/v1', 'Deployment')
const cluster = head('cluster.x-k8s.io/v1beta2', 'Cluster')
const crd = head('apiextensions.k8s.io/v1', 'CustomResourceDefinition')
const role = head('rbac.authorization.k8s.io/v1', 'Role')
const binding = head('rbac.authorization.k8s.io/v1', 'RoleBinding')
const kustomization = head('kustomize.toolkit.fluxcd.io/v1', 'Kustomization')
const application = head('argoproj.io/v1alpha1', 'Application')

const cases: readonly Case[] = [
  // deletes
  { what: 'an object that goes', before: `{${head('v1', 'ConfigMap')}}`, risks: ['deletes'] },
  {
    what: 'a namespace that goes',
    before: `{${head('v1', 'Namespace')}}`,
    risks: ['deletes'],
    undo: ['content-is-gone'],
  },
  {
    what: 'a volume that goes',
    before: `{${head('v1', 'PersistentVolumeClaim')}}`,
    risks: ['deletes'],
    undo: ['content-is-gone'],
  },
  ...[
    'kustomize.toolkit.fluxcd.io/prune: disabled',
    'kustomize.toolkit.fluxcd.io/reconcile: disabled',
    'argocd.argoproj.io/sync-options: "ServerSideApply=true,Prune=false"',
    'helm.sh/resource-policy: keep',
  ].flatMap((mark): readonly Case[] => [
    {
      what: `a namespace that goes, with ${mark}`,
      before: `{apiVersion: v1, kind: Namespace, metadata: {name: x, annotations: {${mark}}}}`,
      risks: ['leaves-behind'],
    },
    {
      what: `a definition that goes, with ${mark}`,
      before: `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: x, annotations: {${mark}}}}`,
      risks: ['leaves-behind'],
    },
  ]),
  {
    what: 'a namespace that goes, which Argo CD only keeps when its Application is deleted',
    before: `{apiVersion: v1, kind: Namespace, metadata: {name: x, annotations: {argocd.argoproj.io/sync-options: Delete=false}}}`,
    risks: ['deletes'],
    undo: ['content-is-gone'],
  },
  {
    what: 'a namespace that goes, with a prune mark that says nothing',
    before: `{apiVersion: v1, kind: Namespace, metadata: {name: x, annotations: {kustomize.toolkit.fluxcd.io/prune: enabled}}}`,
    risks: ['deletes'],
    undo: ['content-is-gone'],
  },
  {
    what: 'a pool of machines that goes',
    before: `{${cluster}, spec: {topology: {workers: {machineDeployments: [{name: a, class: c}, {name: b, class: c}]}}}}`,
    after: `{${cluster}, spec: {topology: {workers: {machineDeployments: [{name: a, class: c}]}}}}`,
    risks: ['deletes'],
    undo: ['machines-are-gone'],
  },
  ...['workers: {}', 'workers: {machineDeployments: []}', 'version: v1.33.1'].map((rest) => ({
    what: `all pools of machines that go, with ${rest} left`,
    before: `{${cluster}, spec: {topology: {version: v1.33.1, workers: {machineDeployments: [{name: a, class: c}]}}}}`,
    after: `{${cluster}, spec: {topology: {version: v1.33.1, ${rest === 'version: v1.33.1' ? '' : rest}}}}`,
    risks: ['deletes'],
    undo: ['machines-are-gone'],
  })),
  {
    what: 'a topology that goes with its pools',
    before: `{${cluster}, spec: {paused: false, topology: {version: v1.33.1, workers: {machinePools: [{name: a, class: c}]}}}}`,
    after: `{${cluster}, spec: {paused: false}}`,
    risks: ['deletes'],
    undo: ['machines-are-gone'],
  },
  {
    what: 'workers that go without pools',
    before: `{${cluster}, spec: {topology: {version: v1.33.1, workers: {machineDeployments: []}}}}`,
    after: `{${cluster}, spec: {topology: {version: v1.33.1}}}`,
    risks: [],
  },
  {
    what: 'a pool of machines that comes',
    before: `{${cluster}, spec: {topology: {workers: {machineDeployments: [{name: a, class: c}]}}}}`,
    after: `{${cluster}, spec: {topology: {workers: {machineDeployments: [{name: a, class: c}, {name: b, class: c}]}}}}`,
    risks: [],
  },
  // replaces
  {
    what: 'a selector',
    before: `{${deployment}, spec: {selector: {matchLabels: {a: b}}}}`,
    after: `{${deployment}, spec: {selector: {matchLabels: {a: c}}}}`,
    risks: ['replaces'],
  },
  {
    what: 'the replicas of a StatefulSet',
    before: `{${head('apps/v1', 'StatefulSet')}, spec: {replicas: 1}}`,
    after: `{${head('apps/v1', 'StatefulSet')}, spec: {replicas: 2}}`,
    risks: [],
  },
  {
    what: 'the volumes of a StatefulSet',
    before: `{${head('apps/v1', 'StatefulSet')}, spec: {volumeClaimTemplates: [{metadata: {name: d}, spec: {a: 1}}]}}`,
    after: `{${head('apps/v1', 'StatefulSet')}, spec: {volumeClaimTemplates: [{metadata: {name: d}, spec: {a: 2}}]}}`,
    risks: ['replaces'],
  },
  {
    what: 'a job',
    before: `{${head('batch/v1', 'Job')}, spec: {template: {spec: {containers: [{name: a, image: x:1}]}}}}`,
    after: `{${head('batch/v1', 'Job')}, spec: {template: {spec: {containers: [{name: a, image: x:2}]}}}}`,
    risks: ['replaces'],
  },
  {
    what: 'parameters of a storage class',
    before: `{${head('storage.k8s.io/v1', 'StorageClass')}, parameters: {type: a}}`,
    after: `{${head('storage.k8s.io/v1', 'StorageClass')}, parameters: {type: b}}`,
    risks: ['replaces'],
  },
  {
    what: 'the expansion of a storage class',
    before: `{${head('storage.k8s.io/v1', 'StorageClass')}, allowVolumeExpansion: false}`,
    after: `{${head('storage.k8s.io/v1', 'StorageClass')}, allowVolumeExpansion: true}`,
    risks: [],
  },
  {
    what: 'the size of a volume',
    before: `{${head('v1', 'PersistentVolumeClaim')}, spec: {storageClassName: a, resources: {requests: {storage: 1Gi}}}}`,
    after: `{${head('v1', 'PersistentVolumeClaim')}, spec: {storageClassName: a, resources: {requests: {storage: 2Gi}}}}`,
    risks: [],
  },
  {
    what: 'an immutable ConfigMap',
    before: `{${head('v1', 'ConfigMap')}, immutable: true, data: {a: b}}`,
    after: `{${head('v1', 'ConfigMap')}, immutable: true, data: {a: c}}`,
    risks: ['replaces'],
  },
  {
    what: 'another ConfigMap',
    before: `{${head('v1', 'ConfigMap')}, data: {a: b}}`,
    after: `{${head('v1', 'ConfigMap')}, data: {a: c}}`,
    risks: [],
  },
  {
    what: 'a machine template in place',
    before: `{${head('infrastructure.cluster.x-k8s.io/v1beta1', 'OpenStackMachineTemplate')}, spec: {template: {spec: {flavor: a}}}}`,
    after: `{${head('infrastructure.cluster.x-k8s.io/v1beta1', 'OpenStackMachineTemplate')}, spec: {template: {spec: {flavor: b}}}}`,
    risks: ['replaces', 'rolls-nodes'],
  },
  // rolls nodes
  {
    what: 'the version of a cluster',
    before: `{${cluster}, spec: {topology: {version: v1.33.1}}}`,
    after: `{${cluster}, spec: {topology: {version: v1.34.0}}}`,
    risks: ['rolls-nodes'],
    undo: ['kubernetes-version'],
  },
  {
    what: 'a variable with labels in it',
    before: `{${cluster}, spec: {topology: {variables: [{name: a, value: {labels: {x: y}}}]}}}`,
    after: `{${cluster}, spec: {topology: {variables: [{name: a, value: {labels: {x: z}}}]}}}`,
    risks: ['rolls-nodes'],
  },
  {
    what: 'replicas and drain timeouts of a cluster',
    before: `{${cluster}, spec: {topology: {controlPlane: {replicas: 1, nodeDrainTimeout: 1m}}}}`,
    after: `{${cluster}, spec: {topology: {controlPlane: {replicas: 3, nodeDrainTimeout: 2m}}}}`,
    risks: [],
  },
  {
    what: 'the endpoint of a cluster',
    before: `{${cluster}, spec: {controlPlaneEndpoint: {host: a}}}`,
    after: `{${cluster}, spec: {controlPlaneEndpoint: {host: b}}}`,
    risks: ['endangers'],
  },
  {
    what: 'the endpoint of a cluster that has got one',
    before: `{${cluster}, spec: {}}`,
    after: `{${cluster}, spec: {controlPlaneEndpoint: {host: b}}}`,
    risks: [],
  },
  {
    what: 'arguments of a control plane',
    before: `{${head('controlplane.cluster.x-k8s.io/v1beta1', 'KubeadmControlPlane')}, spec: {kubeadmConfigSpec: {verbosity: 1}}}`,
    after: `{${head('controlplane.cluster.x-k8s.io/v1beta1', 'KubeadmControlPlane')}, spec: {kubeadmConfigSpec: {verbosity: 2}}}`,
    risks: ['rolls-nodes'],
  },
  {
    what: 'a patch of a class that sets labels',
    before: `{${head('cluster.x-k8s.io/v1beta1', 'ClusterClass')}, spec: {patches: [{name: p, definitions: [{jsonPatches: [{op: add, path: /a, value: {labels: {a: b}}}]}]}]}}`,
    after: `{${head('cluster.x-k8s.io/v1beta1', 'ClusterClass')}, spec: {patches: [{name: p, definitions: [{jsonPatches: [{op: add, path: /a, value: {labels: {a: c}}}]}]}]}}`,
    risks: ['rolls-nodes'],
  },
  {
    what: 'a variable of a class',
    before: `{${head('cluster.x-k8s.io/v1beta1', 'ClusterClass')}, spec: {variables: [{name: a, required: true}]}}`,
    after: `{${head('cluster.x-k8s.io/v1beta1', 'ClusterClass')}, spec: {variables: [{name: a, required: false}]}}`,
    risks: [],
  },
  // restarts pods
  {
    what: 'an image',
    before: `{${deployment}, spec: {replicas: 1, template: {spec: {containers: [{name: a, image: x:1}]}}}}`,
    after: `{${deployment}, spec: {replicas: 2, template: {spec: {containers: [{name: a, image: x:2}]}}}}`,
    risks: ['restarts-pods'],
  },
  {
    what: 'replicas',
    before: `{${deployment}, spec: {replicas: 1}}`,
    after: `{${deployment}, spec: {replicas: 2}}`,
    risks: [],
  },
  {
    what: 'a cron job',
    before: `{${head('batch/v1', 'CronJob')}, spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a, image: x:1}]}}}}}}`,
    after: `{${head('batch/v1', 'CronJob')}, spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: a, image: x:2}]}}}}}}`,
    risks: [],
  },
  // changes CRD
  {
    what: 'a definition',
    before: `{${crd}, spec: {versions: [{name: v1, storage: true}, {name: v2, storage: false}]}}`,
    after: `{${crd}, spec: {versions: [{name: v1, storage: false}, {name: v2, storage: true}]}}`,
    risks: ['changes-crd'],
    undo: ['stored-version'],
  },
  { what: 'a definition that goes', before: `{${crd}}`, risks: ['deletes'], undo: ['content-is-gone'] },
  { what: 'labels of a definition', before: `{${crd}, a: 1}`, after: `{${crd}, a: 2}`, risks: [] },
  // widens rights
  {
    what: 'another verb',
    before: `{${role}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`,
    after: `{${role}, rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]}`,
    risks: ['widens-rights'],
  },
  {
    what: 'a verb less',
    before: `{${role}, rules: [{apiGroups: [""], resources: [pods], verbs: [get, list]}]}`,
    after: `{${role}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}]}`,
    risks: [],
  },
  {
    what: 'the same in two rules',
    before: `{${role}, rules: [{apiGroups: [""], resources: [pods, nodes], verbs: [get]}]}`,
    after: `{${role}, rules: [{apiGroups: [""], resources: [pods], verbs: [get]}, {apiGroups: [""], resources: [nodes], verbs: [get]}]}`,
    risks: [],
  },
  {
    what: 'a name that is no longer needed',
    before: `{${role}, rules: [{apiGroups: [""], resources: [secrets], resourceNames: [a], verbs: [get]}]}`,
    after: `{${role}, rules: [{apiGroups: [""], resources: [secrets], verbs: [get]}]}`,
    risks: ['widens-rights'],
  },
  {
    what: 'what an asterisk allowed already',
    before: `{${role}, rules: [{apiGroups: ["*"], resources: ["*"], verbs: ["*"]}]}`,
    after: `{${role}, rules: [{apiGroups: [""], resources: [pods], verbs: [delete]}]}`,
    risks: [],
  },
  {
    what: 'another subject',
    before: `{${binding}, roleRef: {name: r}, subjects: [{kind: User, name: a}]}`,
    after: `{${binding}, roleRef: {name: r}, subjects: [{kind: User, name: a}, {kind: User, name: b}]}`,
    risks: ['widens-rights'],
  },
  {
    what: 'another role',
    before: `{${binding}, roleRef: {name: r}}`,
    after: `{${binding}, roleRef: {name: s}}`,
    risks: ['replaces', 'widens-rights'],
  },
  {
    what: 'a new binding',
    after: `{${binding}, roleRef: {name: r}, subjects: [{kind: User, name: a}]}`,
    risks: ['widens-rights'],
  },
  {
    what: 'a label that adds a role to admin',
    before: `{${head('rbac.authorization.k8s.io/v1', 'ClusterRole')}}`,
    after: `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: x, namespace: apps, labels: {rbac.authorization.k8s.io/aggregate-to-admin: "true"}}}`,
    risks: ['widens-rights'],
  },
  {
    what: 'a privileged container',
    before: `{${deployment}, spec: {template: {spec: {containers: [{name: a}]}}}}`,
    after: `{${deployment}, spec: {template: {spec: {containers: [{name: a, securityContext: {privileged: true}}]}}}}`,
    risks: ['restarts-pods', 'widens-rights'],
  },
  {
    what: 'a folder of the host',
    after: `{${deployment}, spec: {template: {spec: {containers: [{name: a}], volumes: [{name: v, hostPath: {path: /}}]}}}}`,
    risks: ['widens-rights'],
  },
  {
    what: 'another service account',
    before: `{${deployment}, spec: {template: {spec: {serviceAccountName: a, containers: [{name: a}]}}}}`,
    after: `{${deployment}, spec: {template: {spec: {serviceAccountName: b, containers: [{name: a}]}}}}`,
    risks: ['restarts-pods', 'widens-rights'],
  },
  {
    what: 'a namespace that lets pods do more',
    before: `{apiVersion: v1, kind: Namespace, metadata: {name: apps, labels: {pod-security.kubernetes.io/enforce: restricted}}}`,
    after: `{apiVersion: v1, kind: Namespace, metadata: {name: apps, labels: {pod-security.kubernetes.io/enforce: baseline}}}`,
    risks: ['lowers-guard'],
  },
  // suspends
  {
    what: 'a unit of Flux that is suspended',
    before: `{${kustomization}, spec: {path: a}}`,
    after: `{${kustomization}, spec: {path: a, suspend: true}}`,
    risks: ['suspends'],
  },
  {
    what: 'a unit of Flux that goes on',
    before: `{${kustomization}, spec: {suspend: true}}`,
    after: `{${kustomization}, spec: {suspend: false}}`,
    risks: [],
  },
  {
    what: 'an Application without automated sync',
    before: `{${application}, spec: {syncPolicy: {automated: {prune: true}, retry: {limit: 1}}}}`,
    after: `{${application}, spec: {syncPolicy: {retry: {limit: 1}}}}`,
    risks: ['suspends'],
  },
  {
    what: 'an ApplicationSet of Applications without automated sync',
    before: `{${application}, spec: {template: {spec: {syncPolicy: {automated: {prune: true}}}}}}`,
    after: `{${application}, spec: {template: {spec: {syncPolicy: {}}}}}`,
    risks: ['suspends'],
  },
  {
    what: 'an Application whose sync policy never was automated',
    before: `{${application}, spec: {syncPolicy: {retry: {limit: 1}}}}`,
    after: `{${application}, spec: {}}`,
    risks: [],
  },
  {
    what: 'an Application that gets a sync policy',
    before: `{${application}, spec: {}}`,
    after: `{${application}, spec: {syncPolicy: {automated: {prune: true}}}}`,
    risks: ['may-delete'],
    undo: ['applied-is-gone'],
  },
  {
    what: 'a paused cluster',
    before: `{${cluster}, spec: {paused: false}}`,
    after: `{${cluster}, spec: {paused: true}}`,
    risks: ['suspends'],
  },
  // metadata only
  {
    what: 'an annotation',
    before: `{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}`,
    after: `{apiVersion: v1, kind: ConfigMap, metadata: {name: x, annotations: {a: b}}}`,
    risks: ['metadata-only'],
  },
]

const path = 'clusters/team-a/web/addons/01-some/x.yaml'

test.each(cases)('$what', ({ before, after, risks, undo = [] }) => {
  const { changes } = compareTexts(
    before === undefined ? {} : { [path]: before },
    after === undefined ? {} : { [path]: after },
  )
  expect(changes.map((change) => ({ risks: change.risks, undo: change.undo }))).toEqual([{ risks, undo }])
})

test('an object that another unit applies moves, one in a folder with another number does not', () => {
  const object = `{${deployment}}`
  const moves = compareTexts({ [path]: object }, { 'clusters/team-a/web/addons/02-other/x.yaml': object })
  expect(moves.changes.map(({ change, risks, units }) => ({ change, risks, units }))).toEqual([
    {
      change: 'changed',
      risks: ['moves-unit'],
      units: { before: 'clusters/team-a/web/addons/some', after: 'clusters/team-a/web/addons/other' },
    },
  ])
  expect(compareTexts({ [path]: object }, { 'clusters/team-a/web/addons/02-some/x.yaml': object }).changes).toEqual([])
})
