import { handoffs } from '../../../tools/fleets/example-fleet.ts'
import { FleetFolder } from '../../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../../support/temp-folder.ts'

/** A fleet of a small OpenStack stack, offered in namespace platform. */
export class ImageFleet extends FleetFolder {
  /** Text of a file of the output; '' when it is not there. */
  rendered(path: string): string {
    return this.has(`rendered/${path}`) ? this.read(`rendered/${path}`) : ''
  }

  /** Files of the output below a folder, by path, that hold objects. */
  files(below: string): readonly string[] {
    const isObject = (path: string): boolean => path.endsWith('.yaml') && !/(?:^|\/)kustomization\.yaml$/.test(path)
    return this.filesBelow(`rendered/${below}`).filter(isObject)
  }
}

const className = 'openstack-mini-1-34'

const clusterClass = `apiVersion: cluster.x-k8s.io/v1beta1
kind: ClusterClass
metadata: {name: "{{ .Release.Name }}-{{ .Chart.Version }}"}
spec:
  variables:
    - {name: imageName, required: false, schema: {openAPIV3Schema: {type: string, default: node}}}
    - {name: imageAddVersion, required: false, schema: {openAPIV3Schema: {type: boolean, default: true}}}
    - {name: imageIsOrc, required: false, schema: {openAPIV3Schema: {type: boolean, default: false}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: OpenStackMachineTemplate
metadata: {name: "{{ .Release.Name }}-{{ .Chart.Version }}-machine"}
spec: {template: {spec: {flavor: small, image: {filter: {name: node}}}}}
`

/** An Image object as stacks have it beside them. */
export const imageYaml = (name: string): string => `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: ${name}}
spec:
  cloudCredentialsRef: {cloudName: openstack, secretName: openstack}
  managementPolicy: managed
  resource: {visibility: private, content: {diskFormat: qcow2, download: {url: "https://images.example/${name}.qcow2", hash: {algorithm: sha256, value: ab}}}}
`

/** An offer of the stack. */
export const clusterStackYaml = (
  name: string,
  namespace: string,
  version: string,
): string => `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: ${name}, namespace: ${namespace}}
spec: {provider: openstack, name: mini, kubernetesVersion: "1.34", channel: stable, autoSubscribe: false, noProvider: true, versions: [${version}]}
`

/** A cluster of the stack. */
export function clusterYaml(
  name: string,
  namespace: string,
  over: { readonly version?: string; readonly variables?: string } = {},
): string {
  const { version = 'v1', variables = '[]' } = over
  return `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  topology:
    class: ${className}-${version}
    classNamespace: platform
    version: v1.34.7
    controlPlane: {replicas: 1}
    variables: ${variables}
`
}

/** Makes the fleet; `nodeImages` is the entry's rest, such as `uploadFrom: [platform]`. */
export async function imageFleet(tool: keyof typeof handoffs, nodeImages: string): Promise<ImageFleet> {
  const fleet = new ImageFleet(await tempFolder())
  fleet.change({
    'stackmason.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: images}
spec:
  sources: [{name: mini, providerDirectory: {path: mini, version: v1}}]
  nodeImages: [{provider: openstack, stack: mini, ${nodeImages}}]
  handoff: {${handoffs[tool]}}
`,
    'stacks/mini.yaml': clusterStackYaml('mini', 'platform', 'v1'),
    'mini/csctl.yaml': `apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1
config: {kubernetesVersion: v1.34.7, clusterStackName: mini, provider: {type: openstack, apiVersion: openstack.csctl.clusterstack.x-k8s.io/v1alpha1}}
`,
    'mini/clusteraddon.yaml': `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages: {AfterControlPlaneInitialized: [{name: note, action: apply}], BeforeClusterUpgrade: [{name: note, action: apply}]}
`,
    'mini/cluster-class/Chart.yaml': `apiVersion: v2\nname: ${className}-cluster-class\nversion: << .ClusterClassVersion >>\n`,
    'mini/cluster-class/templates/class.yaml': clusterClass,
    'mini/cluster-addon/note/Chart.yaml': 'apiVersion: v2\nname: note\nversion: 1.0.0\n',
    'mini/cluster-addon/note/templates/note.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: note}\n',
    'mini/image.yaml': imageYaml('node-v1.34.7'),
  })
  fleet.git('init', '-q')
  return fleet
}
