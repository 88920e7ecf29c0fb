import { FleetFolder } from './fleet-folder.ts'

/** Paths of what tests of rules change, most of all. */
export const lab = {
  class: 'stack/cluster-class/templates/class.yaml',
  chart: 'stack/cluster-addon/web/Chart.yaml',
  defaults: 'stack/cluster-addon/web/values.yaml',
  templates: 'stack/cluster-addon/web/templates',
  template: 'stack/cluster-addon/web/templates/web.yaml',
  cluster: 'clusters/team/one/cluster.yaml',
  values: 'clusters/team/one/values/web.yaml',
  addons: 'clusters/team/one/addons.yaml',
} as const

/** The Cluster of the lab, with further lines below `spec.topology`. */
export function labCluster(topology: readonly string[] = []): string {
  return `apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata: {name: one, namespace: team}
spec:
  topology:
    class: docker-lab-1-34-v1
    version: v1.34.7
${topology.map((line) => `    ${line}\n`).join('')}`
}

const CLASS = `apiVersion: cluster.x-k8s.io/v1beta1
kind: ClusterClass
metadata: {name: {{ .Release.Name }}-{{ .Chart.Version }}}
spec:
  controlPlane:
    ref: {apiVersion: controlplane.cluster.x-k8s.io/v1beta1, kind: KubeadmControlPlaneTemplate, name: lab-control-plane}
  infrastructure:
    ref: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerClusterTemplate, name: lab-cluster}
  workers:
    machineDeployments:
      - class: default-worker
        template:
          bootstrap:
            ref: {apiVersion: bootstrap.cluster.x-k8s.io/v1beta1, kind: KubeadmConfigTemplate, name: lab-worker}
          infrastructure:
            ref: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: DockerMachineTemplate, name: lab-worker}
  variables:
    - name: imageRepository
      required: false
      schema: {openAPIV3Schema: {type: string, pattern: "^[a-z./]*$", default: registry.example.io}}
    - name: replicas
      required: false
      schema: {openAPIV3Schema: {type: integer, minimum: 1, maximum: 9}}
    - name: network
      required: false
      schema:
        openAPIV3Schema:
          type: object
          required: [cidr]
          properties:
            cidr: {type: string}
            mode: {type: string, enum: [overlay, native]}
            extra: {type: object, x-kubernetes-preserve-unknown-fields: true}
            ports: {type: array, maxItems: 2, items: {x-kubernetes-int-or-string: true}}
            labels: {type: object, additionalProperties: {type: string}}
`

const TEMPLATES = `apiVersion: controlplane.cluster.x-k8s.io/v1beta1
kind: KubeadmControlPlaneTemplate
metadata: {name: lab-control-plane}
spec: {template: {spec: {kubeadmConfigSpec: {}}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: DockerClusterTemplate
metadata: {name: lab-cluster}
spec: {template: {spec: {}}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta1
kind: KubeadmConfigTemplate
metadata: {name: lab-worker}
spec: {template: {spec: {}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: DockerMachineTemplate
metadata: {name: lab-worker}
spec: {template: {spec: {}}}
`

/** A definition that leaves its kind open. */
function openDefinition(group: string, kind: string): string {
  const plural = `${kind.toLowerCase()}s`
  return `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ${plural}.${group}}
spec:
  group: ${group}
  names: {kind: ${kind}, plural: ${plural}}
  scope: Namespaced
  versions: [{name: v1beta1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
`
}

/** The kinds of Cluster API that the lab has, so that none is unknown. */
const DEFINITIONS = [
  openDefinition('cluster.x-k8s.io', 'Cluster'),
  openDefinition('cluster.x-k8s.io', 'ClusterClass'),
  openDefinition('controlplane.cluster.x-k8s.io', 'KubeadmControlPlaneTemplate'),
  openDefinition('bootstrap.cluster.x-k8s.io', 'KubeadmConfigTemplate'),
  openDefinition('infrastructure.cluster.x-k8s.io', 'DockerClusterTemplate'),
  openDefinition('infrastructure.cluster.x-k8s.io', 'DockerMachineTemplate'),
].join('')

/** A small stack of one class and one addon `web`, and a cluster `team/one` of it, in which no rule finds anything. */
export function labFleet(folder: string, spec: readonly string[] = []): FleetFolder {
  const fleet = new FleetFolder(folder)
  fleet.change({
    'stackmason.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: lab}
spec:
  sources: [{name: lab, providerDirectory: {path: stack, version: v1}}]
${spec.map((line) => `  ${line}\n`).join('')}`,
    'stacks/lab.yaml': `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: lab, namespace: team}
spec: {provider: docker, name: lab, kubernetesVersion: "1.34", channel: stable, autoSubscribe: false, noProvider: true, versions: [v1]}
`,
    'stack/csctl.yaml': `apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1
config: {clusterStackName: lab, kubernetesVersion: v1.34.7, provider: {type: docker, apiVersion: docker.csctl.clusterstack.x-k8s.io/v1alpha1}}
`,
    'stack/clusteraddon.yaml': `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages:
  AfterControlPlaneInitialized:
    - {name: web, action: apply}
`,
    'stack/cluster-class/Chart.yaml': 'apiVersion: v2\nname: docker-lab-1-34-cluster-class\nversion: v1\n',
    'crds/cluster-api.yaml': DEFINITIONS,
    [lab.class]: CLASS,
    'stack/cluster-class/templates/templates.yaml': TEMPLATES,
    [lab.chart]: 'apiVersion: v2\nname: web\nversion: v1\n',
    [lab.defaults]: 'message: hello\n',
    [lab.template]: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\ndata: {message: {{ .Values.message }}}\n',
    [lab.cluster]: labCluster(),
  })
  return fleet
}
