import { expect, test } from 'vitest'
import { compareTexts } from './compare-texts.ts'

const path = 'clusters/team-a/web/addons/01-some/x.yaml'

const pod = (spec: string): string => `spec: {template: {spec: {${spec}}}}`
const container = (fields: string): string => pod(`containers: [{name: c, ${fields}}]`)
const image = (reference: string): string => container(`image: "${reference}"`)
const SHA = `sha256:${'a'.repeat(64)}`
const labels = (text: string): string => `metadata: {name: x, labels: {${text}}}`
const annotations = (text: string): string => `metadata: {name: x, annotations: {${text}}}`
const folder = (mount: string): string =>
  pod(
    `volumes: [{name: v, hostPath: {path: /etc}}], containers: [{name: c, volumeMounts: [{name: v, mountPath: /a${mount}}]}]`,
  )
const topology = (text: string): string => `spec: {topology: {${text}}}`

type Row = readonly [kind: string, before: string, after: string, ...want: readonly string[]]

const DEPLOYMENT = 'apps/v1 Deployment'
const APPLICATION = 'argoproj.io/v1alpha1 Application'
const PROJECT = 'argoproj.io/v1alpha1 AppProject'
const RELEASE = 'helm.toolkit.fluxcd.io/v2 HelmRelease'
const SOURCE = 'source.toolkit.fluxcd.io/v1 GitRepository'
const CLUSTER = 'cluster.x-k8s.io/v1beta2 Cluster'
const POOL = 'cluster.x-k8s.io/v1beta2 MachineDeployment'
const CHECK = 'cluster.x-k8s.io/v1beta2 MachineHealthCheck'
const INGRESS = 'networking.k8s.io/v1 Ingress'
const KUBEADM = 'controlplane.cluster.x-k8s.io/v1beta1 KubeadmControlPlaneTemplate'
const kubeadm = (text: string): string => `spec: {template: {spec: {kubeadmConfigSpec: {${text}}}}}`
const APISERVICE = 'apiregistration.k8s.io/v1 APIService'
const EXTERNAL = 'external-secrets.io/v1 ExternalSecret'

/** What is said of a change; nothing of a near miss. */
const rows: readonly Row[] = [
  // pods
  [DEPLOYMENT, image('nginx:1'), image('evil.io/nginx:1'), 'redirects: image of evil.io instead of docker.io'],
  [DEPLOYMENT, image('a.io/b/c:1'), image('a.io/d/c:1'), 'redirects: image a.io/d/c instead of a.io/b/c'],
  [DEPLOYMENT, image('nginx:1'), image('docker.io/library/nginx:2')],
  [DEPLOYMENT, image(`a.io/b:1@${SHA}`), image('a.io/b:1'), 'lowers-guard: no digest of a.io/b'],
  [DEPLOYMENT, image('a.io/b:1'), image('a.io/b'), 'lowers-guard: a.io/b latest'],
  [DEPLOYMENT, image('a.io/b:1'), image('a.io/b:latest'), 'lowers-guard: a.io/b latest'],
  [DEPLOYMENT, image('a.io/b:latest'), image(`a.io/b:latest@${SHA}`)],
  [DEPLOYMENT, folder(', readOnly: true'), folder(''), 'widens-rights: c writes hostPath /etc'],
  [DEPLOYMENT, container('image: a'), folder(''), 'widens-rights: hostPath /etc'],
  [
    DEPLOYMENT,
    folder(', readOnly: true'),
    folder(', readOnly: true, mountPropagation: Bidirectional'),
    'widens-rights: c mountPropagation Bidirectional',
  ],
  [DEPLOYMENT, folder(', readOnly: true'), folder(', readOnly: true, mountPropagation: HostToContainer')],
  [
    DEPLOYMENT,
    container('image: a'),
    container('securityContext: {seLinuxOptions: {type: spc_t}}, image: a'),
    'widens-rights: c seLinuxOptions spc_t',
  ],
  [
    DEPLOYMENT,
    pod('containers: [{name: c}]'),
    pod('securityContext: {sysctls: [{name: kernel.msgmax, value: "1"}]}, containers: [{name: c}]'),
    'widens-rights: sysctl kernel.msgmax',
  ],
  [
    DEPLOYMENT,
    pod('hostUsers: false, runtimeClassName: gvisor, securityContext: {runAsUser: 1}, containers: [{name: c}]'),
    pod('containers: [{name: c}]'),
    'lowers-guard: no hostUsers false',
    'lowers-guard: no runtimeClassName gvisor',
    'lowers-guard: no pod runAsUser',
  ],
  [
    DEPLOYMENT,
    container('securityContext: {appArmorProfile: {type: RuntimeDefault}}, image: a'),
    container('image: a'),
    'lowers-guard: no c appArmorProfile',
  ],
  [
    DEPLOYMENT,
    container('envFrom: [{secretRef: {name: a}}]'),
    container('envFrom: [{secretRef: {name: b}}]'),
    'widens-rights: Secret b',
  ],
  [
    DEPLOYMENT,
    container('env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: a}}}]'),
    container('env: [{name: A, valueFrom: {secretKeyRef: {name: a, key: b}}}]'),
  ],
  // Argo CD
  [
    APPLICATION,
    '',
    'metadata: {name: x, finalizers: [resources-finalizer.argocd.argoproj.io]}',
    'may-delete: a finalizer: what it applied is deleted with it new',
  ],
  [APPLICATION, '', 'metadata: {name: x, finalizers: [other]}'],
  [
    APPLICATION,
    '',
    'operation: {sync: {prune: true, syncOptions: [Replace=true]}}',
    'may-delete: operation.sync.prune unset -> true',
    'may-delete: operation.sync.syncOptions new',
    'changes-unit: operation new',
  ],
  [
    'argoproj.io/v1alpha1 ApplicationSet',
    'spec: {template: {metadata: {name: a}}}',
    'spec: {template: {metadata: {name: b}}}',
    'may-delete: template.metadata.name',
    'changes-unit: template.metadata',
  ],
  [
    PROJECT,
    '',
    'spec: {destinationServiceAccounts: [{defaultServiceAccount: a}]}',
    'widens-rights: destinationServiceAccounts new',
  ],
  [PROJECT, '', 'spec: {syncWindows: [{kind: allow}]}', 'lowers-guard: syncWindows new'],
  // Flux
  [
    RELEASE,
    '',
    'spec: {upgrade: {force: true, crds: CreateReplace}}',
    'may-delete: upgrade.force unset -> true',
    'may-delete: upgrade.crds unset -> CreateReplace',
    'changes-unit: upgrade.crds unset -> CreateReplace',
    'changes-unit: upgrade new',
  ],
  [RELEASE, 'spec: {upgrade: {force: true}}', 'spec: {upgrade: {force: false}}', 'changes-unit: upgrade'],
  [
    RELEASE,
    'spec: {chart: {spec: {verify: {provider: cosign}}}}',
    'spec: {chart: {spec: {}}}',
    'lowers-guard: chart.spec.verify gone',
    'redirects: chart',
  ],
  [
    SOURCE,
    '',
    'spec: {passCredentials: true, recurseSubmodules: true}',
    'lowers-guard: passCredentials unset -> true',
    'redirects: recurseSubmodules unset -> true',
  ],
  // Cluster API
  [CLUSTER, '', annotations('unsafe.topology.cluster.x-k8s.io/disable-update-version-check: ""')],
  [
    CLUSTER,
    '',
    annotations('unsafe.topology.cluster.x-k8s.io/disable-update-version-check: "true"'),
    'lowers-guard: unsafe.topology.cluster.x-k8s.io/disable-update-version-check new',
  ],
  [
    'infrastructure.cluster.x-k8s.io/v1beta1 OpenStackCluster',
    '',
    annotations('cluster.x-k8s.io/managed-by: me'),
    'suspends: cluster.x-k8s.io/managed-by new',
  ],
  [
    CLUSTER,
    'spec: {clusterNetwork: {pods: {cidrBlocks: [a]}}, controlPlaneEndpoint: {host: a}}',
    'spec: {clusterNetwork: {pods: {cidrBlocks: [b]}}, controlPlaneEndpoint: {host: b}}',
    'endangers: clusterNetwork.pods',
    'endangers: controlPlaneEndpoint',
  ],
  [CLUSTER, 'spec: {a: b}', 'spec: {clusterNetwork: {pods: {cidrBlocks: [b]}}}', 'endangers: clusterNetwork.pods new'],
  [CLUSTER, 'spec: {a: b}', 'spec: {controlPlaneEndpoint: {host: b}}'],
  [
    CLUSTER,
    topology('workers: {machineDeployments: [{name: a}]}'),
    topology('workers: {machineDeployments: [{name: a, rollout: {strategy: {type: OnDelete}}}]}'),
    'suspends: machineDeployments.a.rollout.strategy.type unset -> OnDelete',
  ],
  [
    'apps/v1 DaemonSet',
    'spec: {updateStrategy: {type: RollingUpdate}}',
    'spec: {updateStrategy: {type: OnDelete}}',
    'suspends: updateStrategy.type RollingUpdate -> OnDelete',
  ],
  [
    'apps/v1 Deployment',
    'spec: {strategy: {type: RollingUpdate}}',
    'spec: {strategy: {type: Recreate}}',
    'lowers-guard: strategy.type RollingUpdate -> Recreate',
  ],
  [
    'apps/v1 DaemonSet',
    'spec: {updateStrategy: {rollingUpdate: {maxUnavailable: 1}}}',
    'spec: {updateStrategy: {rollingUpdate: {maxUnavailable: "100%"}}}',
    'lowers-guard: updateStrategy.rollingUpdate.maxUnavailable',
  ],
  [
    'kustomize.toolkit.fluxcd.io/v1 Kustomization',
    'spec: {interval: 1h}',
    'spec: {interval: 999h}',
    'suspends: interval',
  ],
  ['kustomize.toolkit.fluxcd.io/v1 Kustomization', 'spec: {interval: 48h}', 'spec: {interval: 24h}'],
  ['kustomize.toolkit.fluxcd.io/v1 Kustomization', 'spec: {interval: 1h}', 'spec: {interval: .25h}'],
  ['kustomize.toolkit.fluxcd.io/v1 Kustomization', 'spec: {interval: 1h}', 'spec: {interval: .25h23h}'],
  ['kustomize.toolkit.fluxcd.io/v1 Kustomization', 'spec: {interval: 1h}', 'spec: {interval: 23.75h}'],
  ['kustomize.toolkit.fluxcd.io/v1 Kustomization', 'spec: {interval: 10m}', 'spec: {interval: 1h}'],
  [
    CLUSTER,
    topology('controlPlane: {replicas: 1}'),
    topology(
      'controlPlane: {replicas: 1, metadata: {annotations: {controlplane.cluster.x-k8s.io/skip-kube-proxy: "", a.io/b: c}}}',
    ),
    'suspends: controlPlane.metadata.annotations.controlplane.cluster.x-k8s.io/skip-kube-proxy new',
  ],
  [
    'v1 ConfigMap',
    'data: {enable-policy: default, enable-wireguard: "true"}',
    'data: {enable-policy: never}',
    'lowers-guard: data.enable-policy',
    'lowers-guard: data.enable-wireguard gone',
  ],
  ['v1 ConfigMap', 'data: {enable-policy: never}', 'data: {enable-policy: default}'],
  [
    'v1 Service',
    'spec: {ports: [{name: a, port: 80, targetPort: 80}, {name: b, port: 81}]}',
    'spec: {ports: [{name: a, port: 80, targetPort: 90}, {name: b, port: 81, targetPort: 81}]}',
    'redirects: ports.a.targetPort 80 -> 90',
  ],
  [
    'flowcontrol.apiserver.k8s.io/v1 FlowSchema',
    'spec: {priorityLevelConfiguration: {name: low}}',
    'spec: {priorityLevelConfiguration: {name: exempt}}',
    'lowers-guard: priorityLevelConfiguration.name',
  ],
  [
    'v1 Namespace',
    'metadata: {name: x, labels: {istio-injection: enabled, istio.io/rev: a, linkerd.io/inject: enabled}}',
    'metadata: {name: x, labels: {istio-injection: disabled, istio.io/rev: b}}',
    'lowers-guard: istio-injection',
    'lowers-guard: linkerd.io/inject gone',
  ],
  [
    INGRESS,
    'metadata: {name: x}',
    'metadata: {name: x, annotations: {nginx.ingress.kubernetes.io/server-snippet: a}}',
    'widens-rights: nginx.ingress.kubernetes.io/server-snippet new',
  ],
  ['apps/v1 DaemonSet', 'spec: {updateStrategy: {type: OnDelete}}', 'spec: {updateStrategy: {type: RollingUpdate}}'],
  [
    'v1 ConfigMap',
    'metadata: {name: x}',
    'metadata: {name: x, ownerReferences: [{uid: a}]}',
    'may-delete: deleted without its owner: ownerReferences new',
  ],
  [
    'v1 ConfigMap',
    '-',
    'metadata: {name: x, ownerReferences: [{uid: a}]}',
    'may-delete: deleted without its owner: ownerReferences new',
  ],
  [
    CLUSTER,
    topology('controlPlane: {replicas: 3}'),
    topology('controlPlane: {replicas: 1}'),
    'endangers: control plane 3 -> 1',
  ],
  [CLUSTER, topology('controlPlane: {replicas: 5}'), topology('controlPlane: {replicas: 3}')],
  [CLUSTER, topology('controlPlane: {replicas: 1}'), topology('controlPlane: {replicas: 3}')],
  [
    'controlplane.cluster.x-k8s.io/v1beta2 KubeadmControlPlane',
    'spec: {replicas: 3}',
    'spec: {replicas: 1}',
    'endangers: control plane 3 -> 1',
  ],
  [
    CLUSTER,
    topology('workers: {machineDeployments: [{name: a, nodeDrainTimeout: 10m}]}'),
    topology('workers: {machineDeployments: [{name: a, nodeDrainTimeout: 10s}]}'),
    'lowers-guard: machineDeployments.a.nodeDrainTimeout',
  ],
  [
    CLUSTER,
    topology('controlPlane: {deletion: {nodeDrainTimeoutSeconds: 10}}'),
    topology('controlPlane: {deletion: {nodeDrainTimeoutSeconds: 0}}'),
  ],
  [
    CLUSTER,
    topology('controlPlane: {healthCheck: {enabled: true}}'),
    topology('controlPlane: {healthCheck: {enabled: false}}'),
    'lowers-guard: controlPlane.healthCheck.enabled true -> false',
  ],
  [CHECK, 'spec: {maxUnhealthy: 40%}', 'spec: {maxUnhealthy: 100%}', 'lowers-guard: health check 100%'],
  [
    CHECK,
    'spec: {remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 40%}}}',
    'spec: {remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 100%}}}',
    'lowers-guard: health check 100%',
  ],
  [
    'addons.cluster.x-k8s.io/v1beta2 ClusterResourceSet',
    'spec: {resources: [{name: a}]}',
    'spec: {resources: [{name: b}]}',
    'redirects: resources',
  ],
  [
    'infrastructure.cluster.x-k8s.io/v1beta1 OpenStackCluster',
    'spec: {apiServerLoadBalancer: {allowedCIDRs: [10.0.0.0/8]}}',
    'spec: {apiServerLoadBalancer: {}}',
    'exposes: apiServerLoadBalancer.allowedCIDRs gone',
  ],
  [
    CLUSTER,
    topology('variables: [{name: apiServerAllowedCIDRs, value: [a, b]}]'),
    topology('variables: [{name: apiServerAllowedCIDRs, value: [a]}]'),
  ],
  [
    CLUSTER,
    topology('variables: [{name: apiServerAllowedCIDRs, value: [a]}]'),
    topology('variables: [{name: apiServerAllowedCIDRs, value: [a, b]}]'),
    'exposes: apiServerAllowedCIDRs.value',
  ],
  [
    'openstack.k-orc.cloud/v1alpha1 Image',
    'spec: {managedOptions: {onDelete: detach}}',
    'spec: {managedOptions: {onDelete: delete}}',
    'may-delete: managedOptions.onDelete',
  ],
  [POOL, 'spec: {rollout: {}}', 'spec: {rollout: {after: "2030-01-01T00:00:00Z"}}'],
  // others
  [
    APISERVICE,
    'spec: {service: {name: a}}',
    'spec: {service: {name: b}, insecureSkipTLSVerify: true}',
    'lowers-guard: insecureSkipTLSVerify unset -> true',
    'redirects: service',
  ],
  ['v1 Service', 'spec: {selector: {a: b}}', 'spec: {selector: {a: c}}', 'redirects: selector'],
  [
    'v1 Service',
    'spec: {type: ClusterIP}',
    'spec: {type: ExternalName, externalName: a.io}',
    'redirects: externalName new',
    'redirects: type ClusterIP -> ExternalName',
  ],
  [
    INGRESS,
    'spec: {ingressClassName: a, tls: [{hosts: [a]}]}',
    'spec: {ingressClassName: b}',
    'exposes: ingressClassName',
    'lowers-guard: tls gone',
  ],
  [
    INGRESS,
    annotations(
      'nginx.ingress.kubernetes.io/whitelist-source-range: 10.0.0.0/8, nginx.ingress.kubernetes.io/auth-url: a',
    ),
    annotations('nginx.ingress.kubernetes.io/auth-url: a'),
    'lowers-guard: nginx.ingress.kubernetes.io/whitelist-source-range gone',
  ],
  [
    'rbac.authorization.k8s.io/v1 ClusterRole',
    labels('a: b'),
    labels('example.com/aggregate: "true"'),
    'widens-rights: example.com/aggregate new',
  ],
  [
    'snapshot.storage.k8s.io/v1 VolumeSnapshotClass',
    'deletionPolicy: Retain',
    'deletionPolicy: Delete',
    'lowers-guard: deletionPolicy Retain -> Delete',
  ],
  [
    'v1 Namespace',
    labels('a: b'),
    labels('admission.gatekeeper.sh/ignore: "true"'),
    'lowers-guard: admission.gatekeeper.sh/ignore new',
  ],
  [
    'v1 ServiceAccount',
    annotations('eks.amazonaws.com/role-arn: a'),
    annotations('eks.amazonaws.com/role-arn: b'),
    'widens-rights: eks.amazonaws.com/role-arn',
  ],
  ['v1 ServiceAccount', annotations('a: a'), annotations('a: b')],
  [
    'admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy',
    '-',
    'spec: {a: b}',
    'rewrites: what it mutates new',
  ],
  ['kyverno.io/v2 PolicyException', '-', 'spec: {a: b}', 'lowers-guard: exception new'],
  [EXTERNAL, 'spec: {secretStoreRef: {name: a}}', 'spec: {secretStoreRef: {name: b}}', 'redirects: secretStoreRef'],
  [
    'autoscaling/v2 HorizontalPodAutoscaler',
    'spec: {minReplicas: 1}',
    'spec: {minReplicas: 0}',
    'scales-to-zero: minReplicas 1 -> 0',
  ],
  [
    'keda.sh/v1alpha1 ScaledObject',
    '',
    annotations('autoscaling.keda.sh/paused: "true"'),
    'suspends: autoscaling.keda.sh/paused new',
  ],
  ['keda.sh/v1alpha1 ScaledObject', '', 'spec: {minReplicaCount: 0}'],
  // what nobody sees before it is needed
  [
    'batch/v1 CronJob',
    "spec: {schedule: '0 0 1 2 *'}",
    "spec: {schedule: '0 0 30 2 *'}",
    'suspends: a schedule that never comes',
  ],
  ['batch/v1 CronJob', '-', "spec: {schedule: '0 0 31 apr,jun *'}", 'suspends: a schedule that never comes new'],
  ['batch/v1 CronJob', '-', "spec: {schedule: '0 0 29 2 *'}"],
  ['batch/v1 CronJob', '-', "spec: {schedule: '0 0 31 4,5 *'}"],
  ['batch/v1 CronJob', '-', "spec: {schedule: '0 0 30 2 1'}"],
  ['batch/v1 CronJob', '-', "spec: {schedule: '0 0 */31 2 *'}"],
  ['v1 ConfigMap', 'data: {a: b}', 'immutable: true, data: {a: b}', 'refuses-more: immutable unset -> true'],
  ['v1 ConfigMap', 'data: {a: b}', 'immutable: false, data: {a: b}'],
  [
    'v1 Service',
    'spec: {clusterIP: None}',
    'spec: {clusterIP: None, publishNotReadyAddresses: true}',
    'lowers-guard: publishNotReadyAddresses unset -> true',
  ],
  ['v1 Service', 'spec: {publishNotReadyAddresses: true}', 'spec: {publishNotReadyAddresses: false}'],
  [
    'v1 ConfigMap',
    'data: {Corefile: ".:53 {\n\n  errors\n\n  forward . /etc/resolv.conf\n\n}"}',
    'data: {Corefile: ".:53 {\n\n  errors\n\n  forward . 203.0.113.1\n\n}"}',
    'redirects: where DNS names are asked for',
  ],
  [
    'v1 ConfigMap',
    'data: {a.server: "example.com:53 {\n\n  forward . 192.0.2.1\n\n}"}',
    'data: {a.server: "example.org:53 {\n\n  forward . 192.0.2.1\n\n}"}',
    'redirects: where DNS names are asked for',
  ],
  [
    'v1 ConfigMap',
    'data: {a.server: "log.example:53 {\n\n  forward . 192.0.2.1\n\n}"}',
    'data: {a.server: "cache.example:53 {\n\n  forward . 192.0.2.1\n\n}"}',
    'redirects: where DNS names are asked for',
  ],
  [
    'v1 ConfigMap',
    'data: {Corefile: ".:53 {\n\n  forward . /etc/resolv.conf\n\n  cache 30\n\n}"}',
    'data: {Corefile: ".:53 {\n\n  log\n\n  forward  . /etc/resolv.conf # as before\n\n  cache 60\n\n}"}',
  ],
  [
    'monitoring.coreos.com/v1 PrometheusRule',
    'spec: {groups: [{name: a, rules: [{alert: Down}, {alert: Full}]}]}',
    'spec: {groups: [{name: a, rules: [{alert: Down}]}]}',
    'lowers-guard: an alert goes',
  ],
  [
    'monitoring.coreos.com/v1 PrometheusRule',
    'spec: {groups: [{name: a, rules: [{alert: Down}, {record: x}]}]}',
    'spec: {groups: [{name: b, rules: [{alert: Full}, {alert: Down}]}]}',
  ],
  [
    'velero.io/v1 Schedule',
    'spec: {template: {includedNamespaces: [a, b]}}',
    'spec: {template: {ttl: 24h0m0s, includedNamespaces: [a]}}',
    'lowers-guard: backups are kept for less time new',
    'lowers-guard: template.includedNamespaces',
  ],
  [
    'velero.io/v1 Schedule',
    'spec: {template: {excludedNamespaces: [a]}}',
    'spec: {template: {ttl: 1000h, excludedNamespaces: [a, b]}}',
    'lowers-guard: template.excludedNamespaces',
  ],
  ['velero.io/v1 Schedule', 'spec: {template: {}}', 'spec: {template: {ttl: 720h, excludedNamespaces: []}}'],
  // all of them are saved
  ['velero.io/v1 Schedule', 'spec: {template: {includedNamespaces: [a]}}', 'spec: {template: {}}'],
  [
    'velero.io/v1 Schedule',
    'spec: {template: {includedNamespaces: [a]}}',
    "spec: {template: {includedNamespaces: ['*'], includedResources: []}}",
  ],
  [
    'velero.io/v1 Schedule',
    "spec: {template: {includedNamespaces: ['*']}}",
    'spec: {template: {includedNamespaces: [a], includedResources: [pods]}}',
    'lowers-guard: template.includedNamespaces',
    'lowers-guard: template.includedResources new',
  ],
  [
    'velero.io/v1 BackupStorageLocation',
    'spec: {objectStorage: {bucket: a}, accessMode: ReadWrite}',
    'spec: {objectStorage: {bucket: b}, accessMode: ReadOnly}',
    'redirects: objectStorage',
    'suspends: accessMode ReadWrite -> ReadOnly',
  ],
  [
    DEPLOYMENT,
    pod('containers: [{name: c}], tolerations: [{key: a, operator: Exists}]'),
    pod('containers: [{name: c}], tolerations: [{operator: Exists, effect: NoExecute}]'),
    'widens-rights: tolerates every taint NoExecute',
  ],
  [
    DEPLOYMENT,
    pod('containers: [{name: c}]'),
    pod('containers: [{name: c}], tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists}]'),
  ],
  ['apps/v1 DaemonSet', '-', pod('containers: [{name: c}], tolerations: [{operator: Exists}]')],
  [
    DEPLOYMENT,
    pod('containers: [{name: c}]'),
    pod('containers: [{name: c}], priorityClassName: system-node-critical'),
    'widens-rights: priorityClassName system-node-critical',
  ],
  [
    DEPLOYMENT,
    pod('containers: [{name: c}], priorityClassName: system-cluster-critical'),
    pod('containers: [{name: c}], priorityClassName: low'),
    'lowers-guard: no priorityClassName system-cluster-critical',
  ],
  [
    DEPLOYMENT,
    pod('containers: [{name: c}], priorityClassName: low'),
    pod('containers: [{name: c}], priorityClassName: high'),
  ],
  [
    DEPLOYMENT,
    pod('containers: [{name: c}], volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}]'),
    pod(
      'containers: [{name: c}], volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t, audience: vault.example.com}}]}}]',
    ),
    'widens-rights: token for vault.example.com',
  ],
  [
    DEPLOYMENT,
    container('image: a, imagePullPolicy: Always'),
    container('image: a, imagePullPolicy: Never'),
    'lowers-guard: c imagePullPolicy Never',
  ],
  [DEPLOYMENT, container('image: a, imagePullPolicy: Always'), container('image: a, imagePullPolicy: IfNotPresent')],
  [DEPLOYMENT, container('command: [/a]'), container('command: [/b]'), 'redirects: c runs another program'],
  [
    DEPLOYMENT,
    container('image: a, command: [sh, -c, a]'),
    container('image: a, command: [sh, -c, b]'),
    'redirects: c runs another program',
  ],
  [
    DEPLOYMENT,
    container('image: "a:1", command: [/bin/sh, -c, a]'),
    container('image: "a:2", command: [/bin/sh, -c, b]'),
  ],
  [DEPLOYMENT, container('command: [/a, --v=1], args: [x]'), container('command: [/a, --v=2], args: [y]')],
  // kubeadm
  [
    KUBEADM,
    kubeadm('preKubeadmCommands: [a]'),
    kubeadm('preKubeadmCommands: [a, b]'),
    'widens-rights: commands on nodes',
  ],
  [KUBEADM, kubeadm('preKubeadmCommands: [a, b]'), kubeadm('preKubeadmCommands: [b]')],
  [
    'bootstrap.cluster.x-k8s.io/v1beta1 KubeadmConfigTemplate',
    'spec: {template: {spec: {users: [{name: a}]}}}',
    'spec: {template: {spec: {users: [{name: a}, {name: b}]}}}',
    'widens-rights: users of nodes',
  ],
  [
    KUBEADM,
    kubeadm(
      'clusterConfiguration: {apiServer: {extraArgs: {anonymous-auth: "false", authorization-mode: "Node,RBAC"}}}',
    ),
    kubeadm(
      'clusterConfiguration: {apiServer: {extraArgs: {anonymous-auth: "true", authorization-mode: AlwaysAllow}}}',
    ),
    'lowers-guard: API server: anonymous-auth',
    'lowers-guard: API server: AlwaysAllow',
  ],
  [
    KUBEADM,
    kubeadm('clusterConfiguration: {apiServer: {extraArgs: {anonymous-auth: "false", profiling: "false"}}}'),
    kubeadm('clusterConfiguration: {apiServer: {extraArgs: {profiling: "false"}}}'),
    'lowers-guard: API server: anonymous-auth gone',
  ],
  [
    KUBEADM,
    kubeadm('clusterConfiguration: {apiServer: {extraArgs: {profiling: "false"}}}'),
    kubeadm('clusterConfiguration: {apiServer: {extraArgs: {anonymous-auth: "true", profiling: "false"}}}'),
  ],
  [
    'controlplane.cluster.x-k8s.io/v1beta2 KubeadmControlPlaneTemplate',
    kubeadm('clusterConfiguration: {apiServer: {extraArgs: [{name: authorization-mode, value: "Node,RBAC"}]}}'),
    kubeadm('clusterConfiguration: {apiServer: {extraArgs: [{name: authorization-mode, value: "AlwaysAllow"}]}}'),
    'lowers-guard: API server: AlwaysAllow',
  ],
  [
    KUBEADM,
    kubeadm('clusterConfiguration: {apiServer: {extraArgs: {authorization-mode: "Node"}}}'),
    kubeadm('clusterConfiguration: {apiServer: {extraArgs: {authorization-mode: "Node,RBAC", profiling: "true"}}}'),
  ],
]

test.each(rows)('%s: %s becomes %s', (of, before, after, ...want) => {
  const [apiVersion = '', kind = ''] = of.split(' ')
  const object = (text: string): string => {
    const rest = text.startsWith('metadata: ') ? text : ['metadata: {name: x}', text].filter(Boolean).join(', ')
    return `{apiVersion: ${apiVersion}, kind: ${kind}, ${rest}}`
  }
  const [change, ...more] = compareTexts(before === '-' ? {} : { [path]: object(before) }, {
    [path]: object(after),
  }).changes
  expect(more).toEqual([])
  expect((change?.reasons ?? []).map(({ risk, text }) => `${risk}: ${text}`)).toEqual(want)
  for (const { risk } of change?.reasons ?? []) expect(change?.risks).toContain(risk)
})
