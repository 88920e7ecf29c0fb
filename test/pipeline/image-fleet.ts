import { listImages, type ImagesOptions, type ImagesResult } from '../../src/pipeline/commands/images.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { chartYaml, type FileMap, writeFiles } from '../../tools/fleets/stack-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'

/** The template of a class that asks for the node image of its release. */
export const imageClass: string = `apiVersion: cluster.x-k8s.io/v1beta1
kind: ClusterClass
metadata: {name: "{{ .Release.Name }}-{{ .Chart.Version }}"}
spec:
  variables:
    - {name: imageName, required: false, schema: {openAPIV3Schema: {type: string, default: node-image}}}
    - {name: imageAddVersion, required: false, schema: {openAPIV3Schema: {type: boolean, default: true}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackMachineTemplate
metadata: {name: machine}
spec: {template: {spec: {image: {filter: {name: node}}}}}
`

const version = (kubernetes: string): string => `      - version: ${kubernetes}
        url: https://images.example/${kubernetes}.qcow2
        checksum: "sha256:${'ab'.repeat(32)}"
        build_date: 2026-04-15
`
/** Two versions in the form of openstack-image-manager. */
export const managerFile: string = `images:
  - name: node-image
    enable: true
    format: raw
    login: ubuntu
    min_disk: 20
    min_ram: 1024
    status: active
    visibility: public
    multi: false
    separator: "-"
    meta: {architecture: x86_64, hw_disk_bus: virtio, hypervisor_type: qemu, os_distro: ubuntu, os_purpose: k8snode, replace_frequency: never, uuid_validity: none, provided_until: none}
    tags: []
    versions:
${version('v1.33.6')}${version('v1.34.7')}`
const imageObject = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: node-image-v1.34.7}
spec:
  cloudCredentialsRef: {cloudName: c, secretName: s}
  managementPolicy: managed
  resource: {content: {diskFormat: qcow2, download: {url: "https://images.example/v1.34.7.qcow2", hash: {algorithm: sha256, value: ${'ab'.repeat(32)}}}}}
`

/** A stack whose class takes the name of its image from a variable. */
function stackFiles(stack: string, kubernetes: string): FileMap {
  const prefix = `openstack-${stack}-${kubernetes.slice(1).split('.').slice(0, 2).join('-')}`
  const files = {
    'csctl.yaml': `apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1
config: {clusterStackName: ${stack}, kubernetesVersion: ${kubernetes}, provider: {type: openstack, apiVersion: openstack.csctl.clusterstack.x-k8s.io/v1alpha1}}
`,
    'clusteraddon.yaml': `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages: {AfterControlPlaneInitialized: [{name: cni, action: apply}]}
`,
    'cluster-class/Chart.yaml': chartYaml(`${prefix}-cluster-class`),
    'cluster-class/templates/class.yaml': imageClass,
    'cluster-addon/cni/Chart.yaml': chartYaml('cni'),
    'cluster-addon/cni/templates/a.yaml':
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: cni, namespace: kube-system}\n',
  }
  return Object.fromEntries(Object.entries(files).map(([path, text]) => [`providers/${stack}/${path}`, text]))
}

/** A cluster.yaml. */
export function clusterFile(
  namespace: string,
  name: string,
  over: { className?: string; version?: string; variables?: string } = {},
): FileMap {
  const { className = 'openstack-new-1-34-v1', version: kubernetes = 'v1.34.7', variables = '[]' } = over
  return {
    [`clusters/${namespace}/${name}/cluster.yaml`]: `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: ${name}, namespace: ${namespace}}
spec: {topology: {class: ${className}, classNamespace: platform, version: ${kubernetes}, controlPlane: {replicas: 1}, variables: ${variables}}}
`,
  }
}

/** A ClusterStack of namespace platform. */
export const stackDocument = (name: string, minor: string): FileMap => ({
  [`stacks/${name}.yaml`]: `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: ${name}, namespace: platform}
spec: {provider: openstack, name: ${name}, kubernetesVersion: "${minor}", channel: stable, autoSubscribe: false, versions: [v1]}
`,
})

/** stackmason.yaml with `spec.nodeImages` in one line, and further lines. */
export const fleetFile = (nodeImages: string, handoff = ''): FileMap => ({
  'stackmason.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: demo}
spec:
  sources:
    - {name: new, providerDirectory: {path: providers/new, version: v1}}
    - {name: old, providerDirectory: {path: providers/old, version: v1}}
  stacks:
    - {provider: openstack, stack: new, source: new}
    - {provider: openstack, stack: old, source: old}
${nodeImages === '' ? '' : `  nodeImages: ${nodeImages}\n`}${handoff}`,
})

/** A fleet whose images can be listed. */
export interface ImageFleet {
  readonly folder: string
  readonly list: (options?: Partial<ImagesOptions>) => Promise<ImagesResult>
}

/** Two stacks, `new` with files about images and two clusters, `old` without and with one. */
export async function imageFleet(change: FileMap = {}): Promise<ImageFleet> {
  const folder = await tempFolder()
  await writeFiles(folder, {
    ...fleetFile(''),
    ...stackFiles('new', 'v1.34.7'),
    ...stackFiles('old', 'v1.33.6'),
    'providers/new/image.yaml': imageObject,
    'providers/new/kubernetes.yaml': managerFile,
    ...stackDocument('new', '1.34'),
    ...stackDocument('old', '1.33'),
    ...clusterFile('team-a', 'web'),
    ...clusterFile('team-b', 'api'),
    ...clusterFile('team-a', 'past', { className: 'openstack-old-1-33-v1', version: 'v1.33.6' }),
    ...change,
  })
  const none = { clusters: [], stacks: [], releases: [], export: false, network: 'offline' as const }
  return {
    folder,
    list: (options = {}) => listImages({ start: folder, ...none, ...options }, createNodePorts(), () => undefined),
  }
}
