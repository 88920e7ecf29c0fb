import { join } from 'node:path'
import { handoffs } from './example-fleet.ts'
import { FleetFolder } from './fleet-folder.ts'

/** A real stack, and the GitOps tool that its clusters are handed to. */
export interface RealShape {
  readonly tool: keyof typeof handoffs
  readonly provider: string
  /** `scs` without. */
  readonly stack?: string
  /** In full, without `v`. */
  readonly kubernetes: string
}

/**
 * A fleet of a real stack of the shared data, with two clusters that fix no endpoint: `one` and `two` in namespace
 * team.
 */
export function realFleet(folder: string, shared: string, shape: RealShape): FleetFolder {
  const { tool, provider, stack = 'scs', kubernetes } = shape
  const fleet = new FleetFolder(folder)
  const minor = kubernetes.split('.').slice(0, 2)
  fleet.copy(join(shared, 'cluster-stacks/providers', provider, stack), 'stack')
  fleet.change({
    'stackmason.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: real}
spec:
  sources:
    - name: real
      providerDirectory: {path: stack, version: v1}
  handoff: {${handoffs[tool]}}
`,
    [`stacks/${stack}.yaml`]: `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: ${stack}, namespace: team}
spec: {provider: ${provider}, name: ${stack}, kubernetesVersion: "${minor.join('.')}", channel: stable, autoSubscribe: false, noProvider: true, versions: [v1]}
`,
  })
  for (const name of ['one', 'two'])
    fleet.change({
      [`clusters/team/${name}/cluster.yaml`]: `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: ${name}, namespace: team}
spec: {topology: {class: ${provider}-${stack}-${minor.join('-')}-v1, version: v${kubernetes}, controlPlane: {replicas: 1}}}
`,
      [`clusters/team/${name}/values/cni.yaml`]: 'cilium: {hubble: {tls: {auto: {method: helm}}}}\n',
    })
  return fleet
}
