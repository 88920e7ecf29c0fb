import { join } from 'node:path'
import { handoffs } from './example-fleet.ts'
import { FleetFolder } from './fleet-folder.ts'

/** How the fleet of a test differs from the others. */
export interface Scs2Shape {
  readonly tool: keyof typeof handoffs
  /** Where the cluster `web` is. */
  readonly namespace: string
  /** Further lines of YAML below `spec` of the fleet. */
  readonly spec?: readonly string[]
}

/**
 * A fleet of openstack/scs2 of the shared data, in namespace platform, with one cluster in another namespace. The charts that its addons depend on lie
 * elsewhere: they are to be brought or switched off.
 */
export function scs2Fleet(folder: string, shared: string, { tool, namespace, spec = [] }: Scs2Shape): FleetFolder {
  const fleet = new FleetFolder(folder)
  fleet.copy(join(shared, 'cluster-stacks/providers/openstack/scs2'), 'stack')
  fleet.change({
    'stackmason.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: real}
spec:
  sources: [{name: scs2, providerDirectory: {path: stack, version: v1}}]
  handoff: {${handoffs[tool]}}
${spec.map((line) => `  ${line}\n`).join('')}`,
    'stacks/scs2.yaml': `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: scs2, namespace: platform}
spec: {provider: openstack, name: scs2, kubernetesVersion: "1.34", channel: stable, autoSubscribe: false, noProvider: true, versions: [v1]}
`,
    [`clusters/${namespace}/web/cluster.yaml`]: `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: web, namespace: ${namespace}}
spec: {topology: {classRef: {name: openstack-scs2-1-34-v1, namespace: platform}, version: v1.34.7, controlPlane: {replicas: 1}}}
`,
  })
  return fleet
}
