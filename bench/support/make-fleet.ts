import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'

/** Which stack the generated fleet uses. */
export interface FleetShape {
  /** Absolute path of a provider directory. */
  readonly providerDirectory: string
  readonly provider: string
  readonly stack: string
  /** Full, with `v`. */
  readonly kubernetesVersion: string
  readonly clusters: number
  /** Values files for all clusters, by addon. */
  readonly values?: ReadonlyMap<string, string>
}

/**
 * Writes a fleet repository of `clusters` clusters with distinct names into `folder`; each fixes its control plane
 * endpoint.
 */
export function makeFleet(folder: string, shape: FleetShape): void {
  const [major = '', minor = ''] = shape.kubernetesVersion.slice(1).split('.')
  const fleet = new FleetFolder(folder)
  fleet.write(
    'stackmason.yaml',
    `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: bench}
spec:
  sources:
    - name: stack
      providerDirectory: {path: ${JSON.stringify(shape.providerDirectory)}, version: v1}
`,
  )
  fleet.write(
    'stacks/stack.yaml',
    `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: stack, namespace: fleet}
spec:
  provider: ${shape.provider}
  name: ${shape.stack}
  kubernetesVersion: "${major}.${minor}"
  channel: stable
  autoSubscribe: false
  noProvider: true
  versions: [v1]
`,
  )
  for (const [addon, text] of shape.values ?? []) fleet.write(`clusters/values/${addon}.yaml`, text)
  for (let index = 1; index <= shape.clusters; index++) {
    const name = `cluster-${String(index).padStart(3, '0')}`
    fleet.write(
      `clusters/fleet/${name}/cluster.yaml`,
      `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: ${name}, namespace: fleet}
spec:
  clusterNetwork:
    pods: {cidrBlocks: [10.244.0.0/16]}
  controlPlaneEndpoint: {host: ${name}.clusters.example.com, port: 6443}
  topology:
    class: ${shape.provider}-${shape.stack}-${major}-${minor}-v1
    version: ${shape.kubernetesVersion}
    controlPlane: {replicas: 3}
    workers:
      machineDeployments:
        - {class: default-worker, name: md-0, replicas: 3}
`,
    )
  }
}
