import { build } from '../../src/pipeline/commands/build.ts'
import { FleetFolder } from './fleet-folder.ts'

/** Charts of a small stack: a class with two variables, and two addons as real ones are. */
const stack: Readonly<Record<string, string>> = {
  'clusteraddon.yaml': `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages:
  AfterControlPlaneInitialized:
    - {name: cni, action: apply}
    - {name: metrics, action: apply}
  BeforeClusterUpgrade:
    - {name: cni, action: apply}
    - {name: metrics, action: apply}
`,
  'cluster-class/templates/class.yaml': `apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: {name: "{{ .Release.Name }}-{{ .Chart.Version }}"}
spec:
  controlPlane:
    templateRef: {apiVersion: controlplane.cluster.x-k8s.io/v1beta2, kind: KubeadmControlPlaneTemplate, name: "{{ .Release.Name }}-{{ .Chart.Version }}-control-plane"}
  infrastructure:
    templateRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DockerClusterTemplate, name: "{{ .Release.Name }}-{{ .Chart.Version }}-cluster"}
  workers:
    machineDeployments:
      - class: default-worker
        bootstrap:
          templateRef: {apiVersion: bootstrap.cluster.x-k8s.io/v1beta2, kind: KubeadmConfigTemplate, name: "{{ .Release.Name }}-{{ .Chart.Version }}-worker"}
        infrastructure:
          templateRef: {apiVersion: infrastructure.cluster.x-k8s.io/v1beta2, kind: DockerMachineTemplate, name: "{{ .Release.Name }}-{{ .Chart.Version }}-worker"}
  variables:
    - name: flavor
      required: false
      schema: {openAPIV3Schema: {type: string, default: small, enum: [small, large]}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DockerClusterTemplate
metadata: {name: "{{ .Release.Name }}-{{ .Chart.Version }}-cluster"}
spec: {template: {spec: {}}}
---
apiVersion: infrastructure.cluster.x-k8s.io/v1beta2
kind: DockerMachineTemplate
metadata: {name: "{{ .Release.Name }}-{{ .Chart.Version }}-worker"}
spec: {template: {spec: {customImage: "kindest/node:{{ .Values.kubernetes }}"}}}
---
apiVersion: controlplane.cluster.x-k8s.io/v1beta2
kind: KubeadmControlPlaneTemplate
metadata: {name: "{{ .Release.Name }}-{{ .Chart.Version }}-control-plane"}
spec: {template: {spec: {kubeadmConfigSpec: {clusterConfiguration: {apiServer: {certSANs: [localhost]}}}}}}
---
apiVersion: bootstrap.cluster.x-k8s.io/v1beta2
kind: KubeadmConfigTemplate
metadata: {name: "{{ .Release.Name }}-{{ .Chart.Version }}-worker"}
spec: {template: {spec: {joinConfiguration: {nodeRegistration: {criSocket: "unix:///var/run/containerd/containerd.sock"}}}}}
`,
  'cluster-addon/cni/Chart.yaml': 'apiVersion: v2\nname: cni\nversion: v1\n',
  'cluster-addon/cni/values.yaml': 'tag: v1.17.4\nclusterName: none\n',
  'cluster-addon/cni/overwrite.yaml': 'values: |\n  clusterName: {{ .Cluster.metadata.name }}\n',
  'cluster-addon/cni/templates/cni.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: cilium-config, namespace: kube-system}
data:
  cluster-name: {{ .Values.clusterName }}
  agent-version: {{ .Values.tag | quote }}
---
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: cilium, namespace: kube-system}
spec:
  selector: {matchLabels: {k8s-app: cilium}}
  template:
    metadata:
      annotations: {checksum/config: {{ printf "%s %s" .Values.clusterName .Values.tag | sha256sum }}}
      labels: {k8s-app: cilium}
    spec:
      hostNetwork: true
      containers:
        - name: cilium-agent
          image: quay.io/cilium/cilium:{{ .Values.tag }}
        - name: wait
          image: quay.io/cilium/startup-script:1.0.0
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: cilium-operator, namespace: kube-system}
spec:
  selector: {matchLabels: {name: cilium-operator}}
  template:
    metadata: {labels: {name: cilium-operator}}
    spec:
      containers:
        - name: operator
          image: quay.io/cilium/operator-generic:{{ .Values.tag }}
`,
  'cluster-addon/metrics/Chart.yaml': 'apiVersion: v2\nname: metrics\nversion: v1\n',
  'cluster-addon/metrics/templates/metrics.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: metrics-server, namespace: kube-system, labels: {helm.sh/chart: metrics-server-3.12.2}}
spec:
  selector: {matchLabels: {name: metrics-server}}
  template:
    metadata: {labels: {name: metrics-server}}
    spec:
      containers:
        - name: metrics-server
          image: registry.k8s.io/metrics-server/metrics-server:v0.7.2
`,
}

/** Minor versions that the stack has a release for, and their patch releases. */
const kubernetes = { '1-32': 'v1.32.5', '1-33': 'v1.33.2', '1-34': 'v1.34.1' } as const

/** A release of the stack: its minor version of Kubernetes. */
type Minor = keyof typeof kubernetes

/** What is written of a cluster. */
interface ClusterShape {
  readonly minor?: Minor
  readonly replicas?: number
}

/**
 * A fleet of a small stack with releases for three minor versions; the clusters `c01`, `c02`… of 1.32, the first half
 * in team-a, the others in team-b. No GitOps tool applies it, so that a commit may do anything.
 */
export async function manyClusters(folder: string, count: number): Promise<FleetFolder> {
  const fleet = new FleetFolder(folder)
  for (const minor of ['1-32', '1-33', '1-34'] as const) await buildRelease(fleet, minor)
  fleet.write(
    'stackmason.yaml',
    `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: many}
spec:
  sources: [{name: releases, directory: {path: releases}}]
`,
  )
  for (const minor of ['1-32', '1-33', '1-34'] as const)
    fleet.write(
      `stacks/small-${minor}.yaml`,
      `apiVersion: clusterstack.x-k8s.io/v1alpha1
kind: ClusterStack
metadata: {name: small-${minor}, namespace: platform}
spec: {provider: docker, name: small, kubernetesVersion: "${minor.replace('-', '.')}", channel: stable, autoSubscribe: false, noProvider: true, versions: [v1]}
`,
    )
  fleet.write('clusters/values/cni.yaml', 'tag: v1.17.4\n')
  for (let index = 1; index <= count; index++)
    writeCluster(fleet, `${index <= count / 2 ? 'team-a' : 'team-b'}/c${String(index).padStart(2, '0')}`)
  return fleet
}

/** Writes the Cluster of `<namespace>/<name>`. */
function writeCluster(fleet: FleetFolder, path: string, { minor = '1-32', replicas = 3 }: ClusterShape = {}): void {
  const [namespace = '', name = ''] = path.split('/')
  fleet.write(
    `clusters/${path}/cluster.yaml`,
    `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  controlPlaneEndpoint: {host: ${name}.${namespace}.example.com, port: 6443}
  topology:
    classRef: {name: docker-small-${minor}-v1, namespace: platform}
    version: ${kubernetes[minor]}
    controlPlane: {replicas: 3}
    workers: {machineDeployments: [{class: default-worker, name: md-0, replicas: ${String(replicas)}}]}
`,
  )
}

/**
 * The commit that a reviewer looks at: the CNI is bumped on all but `team-b/c39`, which skips a minor version instead;
 * `team-b/c40` goes, `team-c/new` comes.
 */
export function bumpCni(fleet: FleetFolder): void {
  fleet.write('clusters/values/cni.yaml', 'tag: v1.18.1\n')
  fleet.write('clusters/team-b/c39/values/cni.yaml', 'tag: v1.17.4\n')
  writeCluster(fleet, 'team-b/c39', { minor: '1-34' })
  fleet.remove('clusters/team-b/c40')
  writeCluster(fleet, 'team-c/new', { replicas: 5 })
}

async function buildRelease(fleet: FleetFolder, minor: Minor): Promise<void> {
  const version = kubernetes[minor]
  for (const [path, text] of Object.entries(stack)) fleet.write(`small/${path}`, text)
  fleet.write(
    'small/csctl.yaml',
    `apiVersion: csctl.clusterstack.x-k8s.io/v1alpha1
config: {clusterStackName: small, kubernetesVersion: ${version}, provider: {type: docker, apiVersion: docker.csctl.clusterstack.x-k8s.io/v1alpha1}}
`,
  )
  fleet.write(
    'small/cluster-class/Chart.yaml',
    `apiVersion: v2\nname: docker-small-${minor}-cluster-class\nversion: v1\n`,
  )
  fleet.write('small/cluster-class/values.yaml', `kubernetes: ${version}\n`)
  await build(
    {
      directory: fleet.path('small'),
      output: fleet.path('releases'),
      version: { mode: 'explicit', clusterStack: 'v1' },
      rows: 'none',
      push: false,
      index: false,
      overwrite: true,
      dryRun: false,
      network: 'offline',
      start: fleet.folder,
      plainHttp: false,
    },
    fleet.ports,
  )
  fleet.remove('small')
}
