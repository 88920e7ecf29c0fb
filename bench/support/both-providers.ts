import { join } from 'node:path'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'

/** The stacks of the fleet. */
export const providers = ['openstack', 'docker'] as const
export type Provider = (typeof providers)[number]

/** A cluster of the fleet. */
export interface FleetCluster {
  readonly name: string
  readonly provider: Provider
  /** Given in git, so that no value of the running Cluster is needed; the controller finds it out without. */
  readonly endpoint?: { readonly host: string; readonly port: number }
}

const kubernetes = { openstack: '1.32.5', docker: '1.30.10' } as const
const minors = { openstack: '1.32', docker: '1.30' } as const
// its class gives the variable an empty default, which the API server refuses
const variables = { openstack: '', docker: ', variables: [{name: imageRepository, value: registry.k8s.io}]' } as const

/** The release of a stack in this fleet. */
export function releaseOf(provider: Provider, version: 'v1' | 'v2'): string {
  return `${provider}-scs-${minors[provider].replace('.', '-')}-${version}`
}

/**
 * A fleet of openstack/scs and docker/scs at v1 in the namespace team: each cluster has the addons of its stack, secrets
 * that a chart would generate, and an addon of its own with a definition.
 */
export function bothProvidersFleet(
  folder: string,
  shared: string,
  { handoff, clusters }: { readonly handoff: string; readonly clusters: readonly FleetCluster[] },
): FleetFolder {
  const fleet = new FleetFolder(folder)
  for (const provider of providers) {
    fleet.copy(join(shared, 'cluster-stacks/providers', provider, 'scs'), provider)
    fleet.write(`stacks/${provider}.yaml`, stackFile(provider, ['v1']))
  }
  // the stack has it where the older form of addons looks, which its newer form passes by
  fleet.copy(fleet.path('docker/cluster-addon-values.yaml'), 'docker/cluster-addon/metrics-server/overwrite.yaml')
  fleet.remove('docker/cluster-addon-values.yaml')
  fleet.write('stackmason.yaml', fleetFile(handoff, ['v1']))
  for (const cluster of clusters) {
    const place = `clusters/team/${cluster.name}`
    fleet.change({
      [`${place}/cluster.yaml`]: clusterFile(cluster, 'v1'),
      [`${place}/addons.yaml`]: addonsFile(cluster),
      [`${place}/values/cni.yaml`]: 'cilium: {hubble: {tls: {auto: {method: helm}}}}\n',
    })
    definePolicies(fleet, cluster.name, [{ name: 'v1' }])
  }
  return fleet
}

/** Offers v2 of both stacks, and asks for it in every cluster. */
export function askForNext(
  fleet: FleetFolder,
  { handoff, clusters }: { readonly handoff: string; readonly clusters: readonly FleetCluster[] },
): void {
  fleet.write('stackmason.yaml', fleetFile(handoff, ['v1', 'v2']))
  for (const provider of providers) fleet.write(`stacks/${provider}.yaml`, stackFile(provider, ['v1', 'v2']))
  for (const cluster of clusters) fleet.write(`clusters/team/${cluster.name}/cluster.yaml`, clusterFile(cluster, 'v2'))
}

/** The definition that every cluster's own addon brings. */
export const policies = 'policies.bench.example.com'

/**
 * Lets a cluster's own addon define its kind in these versions, of which the first is stored, with two objects of it: in
 * the last version that is served, as charts that follow late.
 */
export function definePolicies(
  fleet: FleetFolder,
  cluster: string,
  versions: readonly { readonly name: string; readonly isServed?: boolean }[],
): void {
  const schema = 'schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}'
  const list = versions.map(
    ({ name, isServed = true }, index) =>
      `    - {name: ${name}, served: ${String(isServed)}, storage: ${String(index === 0)}, ${schema}}\n`,
  )
  const objects = ['a', 'b'].map(
    (name) => `---
apiVersion: bench.example.com/${versions.findLast(({ isServed = true }) => isServed)?.name ?? ''}
kind: Policy
metadata: {name: ${name}, namespace: default}
spec: {mode: strict}
`,
  )
  fleet.write(
    `clusters/team/${cluster}/policies/policies.yaml.hbs`,
    `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${policies}}
spec:
  group: bench.example.com
  scope: Namespaced
  names: {kind: Policy, plural: policies, singular: policy, listKind: PolicyList}
  versions:
${list.join('')}${objects.join('')}`,
  )
}

type Versions = readonly ('v1' | 'v2')[]

function fleetFile(handoff: string, versions: Versions): string {
  const sources = providers.flatMap((provider) =>
    versions.map(
      (version) =>
        `    - {name: ${provider}-${version}, providerDirectory: {path: ${provider}, version: ${version}}}\n`,
    ),
  )
  return `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: both}
spec:
  sources:
${sources.join('')}  handoff: {${handoff}, storageMigrations: true}
`
}

function stackFile(provider: Provider, versions: Versions): string {
  return `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: ${provider}, namespace: team}
spec: {provider: ${provider}, name: scs, kubernetesVersion: "${minors[provider]}", channel: stable, autoSubscribe: false, noProvider: true, versions: [${versions.join(', ')}]}
`
}

function clusterFile({ name, provider }: FleetCluster, version: 'v1' | 'v2'): string {
  return `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: ${name}, namespace: team}
spec: {topology: {class: ${releaseOf(provider, version)}, version: v${kubernetes[provider]}, controlPlane: {replicas: 1}${variables[provider]}}}
`
}

function addonsFile({ endpoint }: FleetCluster): string {
  const given =
    endpoint === undefined
      ? ''
      : `  runtimeValues:
    Cluster.spec.controlPlaneEndpoint.host: ${endpoint.host}
    Cluster.spec.controlPlaneEndpoint.port: ${String(endpoint.port)}
`
  return `apiVersion: stackmason.dev/v1alpha1
kind: Addons
spec:
  addons:
    - {name: policies, templates: {path: policies}, namespace: default}
${given}`
}
