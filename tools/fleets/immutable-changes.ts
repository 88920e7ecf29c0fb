import { at, claim, job, onNode, type Row, selector, template, volume, whole } from './change-parts.ts'
import { keptApart, sameAsAbsent } from './empty-fields.ts'

/** A change of an object, for a rule and for an API server. */
export interface ImmutableChange {
  readonly name: string
  readonly before: string
  readonly after: string
  readonly isRefused: boolean
}

const terms = '{matchExpressions: [{key: a, operator: Exists}]}'
const nearNodes = `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [${terms}]}}}, `
const nearPods =
  'affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a, labelSelector: {}}]}}, '

const refused: readonly Row[] = [
  ...[
    ['limits of a claim that had none', '', ', limits: {storage: 5Gi}'],
    ['limits of a claim that go', ', limits: {storage: 5Gi}', ''],
    ['other limits of a claim', ', limits: {storage: 5Gi}', ', limits: {storage: 6Gi}'],
  ].map(([name = '', before = '', after = '']): Row => [
    name,
    at('v1', 'PersistentVolumeClaim'),
    `spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}${before}}}`,
    `spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}${after}}}`,
  ]),
  ...keptApart,
  ...filledStrategies('Deployment', 'strategy', 'Recreate', [
    '',
    'strategy: {}, ',
    'strategy: {type: RollingUpdate}, ',
  ]),
  ...filledStrategies('StatefulSet', 'updateStrategy', 'OnDelete', ['', 'updateStrategy: {}, ']),
  ...['Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet'].map((kind): Row => [
    `source of a volume that had none, in a ${kind}`,
    at('apps/v1', kind),
    `spec: {${workload(kind, '', 'volumes: [{name: v}]')}}`,
    `spec: {${workload(kind, '', 'volumes: [{name: v, configMap: {name: a}}]')}}`,
  ]),
  [
    'source of a volume that had none, in a CronJob',
    at('batch/v1', 'CronJob'),
    `spec: {schedule: "0 0 * * *", jobTemplate: {spec: {${job('i:1', 'volumes: [{name: v}], ')}}}}`,
    `spec: {schedule: "0 0 * * *", jobTemplate: {spec: {${job('i:1', 'volumes: [{name: v, hostPath: {path: /a}}], ')}}}}`,
  ],
  [
    'labels of a ReplicationController without a selector',
    at('v1', 'ReplicationController'),
    `spec: {${template('b')}}`,
    `spec: {${template('c')}}`,
  ],
  [
    'a Service without an address that gets ports of nodes',
    at('v1', 'Service'),
    'spec: {clusterIP: None, ports: [{port: 80}]}',
    'spec: {type: NodePort, ports: [{port: 80}]}',
  ],
  [
    'a Service that shall have no address',
    at('v1', 'Service'),
    'spec: {ports: [{port: 80}]}',
    'spec: {clusterIP: None, ports: [{port: 80}]}',
  ],
  [
    'selector of a Deployment',
    at('apps/v1', 'Deployment'),
    `spec: {${selector('b')}, ${template('b')}}`,
    `spec: {${selector('c')}, ${template('c')}}`,
  ],
  [
    'claims of a StatefulSet',
    at('apps/v1', 'StatefulSet'),
    `spec: {serviceName: s, ${selector('b')}, ${template('b')}, volumeClaimTemplates: [{metadata: {name: d}, spec: {${claim('1Gi')}}}]}`,
    `spec: {serviceName: s, ${selector('b')}, ${template('b')}, volumeClaimTemplates: [{metadata: {name: d}, spec: {${claim('2Gi')}}}]}`,
  ],
  [
    'service of a StatefulSet',
    at('apps/v1', 'StatefulSet'),
    `spec: {serviceName: s, ${selector('b')}, ${template('b')}}`,
    `spec: {serviceName: t, ${selector('b')}, ${template('b')}}`,
  ],
  ['template of a Job', at('batch/v1', 'Job'), `spec: {${job('i:1')}}`, `spec: {${job('i:2')}}`],
  [
    'limit per index of a Job',
    at('batch/v1', 'Job'),
    `spec: {completionMode: Indexed, completions: 2, backoffLimitPerIndex: 1, ${job('i:1')}}`,
    `spec: {completionMode: Indexed, completions: 2, backoffLimitPerIndex: 2, ${job('i:1')}}`,
  ],
  [
    'parameters of a storage class',
    whole('storage.k8s.io/v1', 'StorageClass'),
    'provisioner: p.example.com, parameters: {a: b}',
    'provisioner: p.example.com, parameters: {a: c}',
  ],
  [
    'address of a Service',
    at('v1', 'Service'),
    'spec: {ports: [{port: 80}], clusterIP: None}',
    'spec: {ports: [{port: 80}], clusterIP: 10.0.0.12}',
  ],
  [
    'class of a load balancer',
    at('v1', 'Service'),
    'spec: {type: LoadBalancer, loadBalancerClass: example.com/a, ports: [{port: 80}]}',
    'spec: {type: LoadBalancer, loadBalancerClass: example.com/b, ports: [{port: 80}]}',
  ],
  [
    'source of a volume',
    whole('v1', 'PersistentVolume'),
    volume('hostPath: {path: /a}'),
    volume('hostPath: {path: /b}'),
  ],
  [
    'mode of a volume',
    whole('v1', 'PersistentVolume'),
    volume('hostPath: {path: /a}, volumeMode: Filesystem'),
    volume('hostPath: {path: /a}, volumeMode: Block'),
  ],
  [
    'nodes of a volume',
    whole('v1', 'PersistentVolume'),
    volume(`hostPath: {path: /a}, ${onNode('a')}`),
    volume(`hostPath: {path: /a}, ${onNode('b')}`),
  ],
  ['size of a claim, less', at('v1', 'PersistentVolumeClaim'), `spec: {${claim('2Gi')}}`, `spec: {${claim('1500Mi')}}`],
  [
    'class of a claim',
    at('v1', 'PersistentVolumeClaim'),
    `spec: {storageClassName: a, ${claim('1Gi')}}`,
    `spec: {storageClassName: b, ${claim('1Gi')}}`,
  ],
  ['command of a Pod', at('v1', 'Pod'), pod('command: [a]'), pod('command: [b]')],
  [
    'data of an immutable ConfigMap',
    at('v1', 'ConfigMap'),
    'immutable: true, data: {a: b}',
    'immutable: true, data: {a: c}',
  ],
  [
    'an immutable ConfigMap that shall be none',
    at('v1', 'ConfigMap'),
    'immutable: true, data: {a: b}',
    'immutable: false, data: {a: b}',
  ],
  ['type of a Secret', at('v1', 'Secret'), 'type: Opaque', 'type: example.com/a'],
  [
    'role of a binding',
    at('rbac.authorization.k8s.io/v1', 'RoleBinding'),
    'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}',
    'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: b}',
  ],
  ['value of a priority', whole('scheduling.k8s.io/v1', 'PriorityClass'), 'value: 1', 'value: 2'],
  ['handler of a runtime', whole('node.k8s.io/v1', 'RuntimeClass'), 'handler: a', 'handler: b'],
  [
    'controller of an ingress class',
    whole('networking.k8s.io/v1', 'IngressClass'),
    'spec: {controller: example.com/a}',
    'spec: {controller: example.com/b}',
  ],
  [
    'kind of addresses of a slice',
    at('discovery.k8s.io/v1', 'EndpointSlice'),
    'addressType: IPv4, endpoints: []',
    'addressType: IPv6, endpoints: []',
  ],
  [
    'what a CSI driver attaches',
    whole('storage.k8s.io/v1', 'CSIDriver'),
    'spec: {attachRequired: true}',
    'spec: {attachRequired: false}',
  ],
  [
    'driver of a class of attributes',
    whole('storage.k8s.io/v1', 'VolumeAttributesClass'),
    'driverName: a.example.com, parameters: {a: b}',
    'driverName: b.example.com, parameters: {a: b}',
  ],
  [
    'completions of a Job that is not indexed',
    at('batch/v1', 'Job'),
    `spec: {completions: 2, parallelism: 2, ${job('i:1')}}`,
    `spec: {completions: 3, parallelism: 3, ${job('i:1')}}`,
  ],
  [
    'completions of an Indexed Job without its parallelism',
    at('batch/v1', 'Job'),
    `spec: {completionMode: Indexed, completions: 2, parallelism: 2, ${job('i:1')}}`,
    `spec: {completionMode: Indexed, completions: 3, parallelism: 2, ${job('i:1')}}`,
  ],
  [
    'image of a suspended Job',
    at('batch/v1', 'Job'),
    `spec: {suspend: true, ${job('i:1')}}`,
    `spec: {suspend: true, ${job('i:2')}}`,
  ],
  [
    'pods that a suspended Job shall be near to',
    at('batch/v1', 'Job'),
    `spec: {suspend: true, ${job('i:1')}}`,
    `spec: {suspend: true, ${job('i:1', nearPods)}}`,
  ],
  [
    'node of a Job that runs',
    at('batch/v1', 'Job'),
    `spec: {${job('i:1')}}`,
    `spec: {${job('i:1', 'nodeSelector: {a: b}, ')}}`,
  ],
  [
    'network of a Pod, written out before',
    at('v1', 'Pod'),
    pod('').replace('spec: {', 'spec: {hostNetwork: false, '),
    pod('').replace('spec: {', 'spec: {hostNetwork: true, '),
  ],
  [
    'modes of a CSI driver that had none',
    whole('storage.k8s.io/v1', 'CSIDriver'),
    'spec: {podInfoOnMount: true}',
    'spec: {podInfoOnMount: true, volumeLifecycleModes: [Ephemeral]}',
  ],
  ['scopes of a quota', at('v1', 'ResourceQuota'), quota('[BestEffort]'), quota('[NotBestEffort]')],
  ['scopes of a quota that had none', at('v1', 'ResourceQuota'), quota('[]'), quota('[BestEffort]')],
  ['data of a revision', at('apps/v1', 'ControllerRevision'), 'revision: 1, data: {a: 1}', 'revision: 2, data: {a: 2}'],
  [
    'port of the health checks of a Service',
    at('v1', 'Service'),
    localBalancer('healthCheckNodePort: 31001'),
    localBalancer('healthCheckNodePort: 31002'),
  ],
  [
    'class of attributes of a claim that is taken away',
    at('v1', 'PersistentVolumeClaim'),
    `spec: {volumeAttributesClassName: gold, ${claim('1Gi')}}`,
    `spec: {${claim('1Gi')}}`,
  ],
  [
    'class of attributes of a claim that is emptied',
    at('v1', 'PersistentVolumeClaim'),
    `spec: {volumeAttributesClassName: gold, ${claim('1Gi')}}`,
    `spec: {volumeAttributesClassName: "", ${claim('1Gi')}}`,
  ],
  [
    'time to end of a Pod',
    at('v1', 'Pod'),
    podWith('terminationGracePeriodSeconds: 20'),
    podWith('terminationGracePeriodSeconds: 30'),
  ],
  ['time to end of a Pod that had the default', at('v1', 'Pod'), pod(''), podWith('terminationGracePeriodSeconds: 1')],
  [
    'time to live of a Pod, more',
    at('v1', 'Pod'),
    podWith('activeDeadlineSeconds: 20'),
    podWith('activeDeadlineSeconds: 30'),
  ],
  ['time to live of a Pod that is taken away', at('v1', 'Pod'), podWith('activeDeadlineSeconds: 20'), pod('')],
  ['a gate of a Pod that had none', at('v1', 'Pod'), pod(''), podWith('schedulingGates: [{name: example.com/a}]')],
  [
    'a toleration of a Pod that is taken away',
    at('v1', 'Pod'),
    podWith('tolerations: [{key: a, operator: Exists}]'),
    pod(''),
  ],
]

const taken: readonly Row[] = [
  ...sameAsAbsent,
  ...filledStrategies('Deployment', 'strategy', 'Recreate', [
    'strategy: {rollingUpdate: {}}, ',
    'strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1}}, ',
    'strategy: {type: RollingUpdate, rollingUpdate: null}, ',
    'strategy: {type: Recreate}, minReadySeconds: 1, ',
  ]),
  ...filledStrategies('StatefulSet', 'updateStrategy', 'OnDelete', [
    'updateStrategy: {type: RollingUpdate}, ',
    'updateStrategy: {rollingUpdate: {partition: 0}}, ',
  ]),
  ...filledStrategies('DaemonSet', 'updateStrategy', 'OnDelete', ['', 'updateStrategy: {type: RollingUpdate}, ']),
  [
    'a Deployment that is updated pod by pod again',
    at('apps/v1', 'Deployment'),
    `spec: {${workload('Deployment', 'strategy: {type: Recreate}, ')}}`,
    `spec: {${workload('Deployment')}}`,
  ],
  ...[
    ['a written empty folder', 'volumes: [{name: v, emptyDir: {}}]', 'volumes: [{name: v, configMap: {name: a}}]'],
    ['one of another name', 'volumes: [{name: v}]', 'volumes: [{name: w, configMap: {name: a}}]'],
    ['an empty folder', 'volumes: [{name: v}]', 'volumes: [{name: v, emptyDir: {}}]'],
    ['another source', 'volumes: [{name: v, configMap: {name: a}}]', 'volumes: [{name: v, secret: {secretName: a}}]'],
    [
      'a source beside no empty folder',
      'volumes: [{name: v}]',
      'volumes: [{name: v, emptyDir: null, configMap: {name: a}}]',
    ],
    ['none', 'volumes: [{name: v, configMap: {name: a}}]', 'volumes: [{name: v}]'],
  ].map(([name = '', before = '', after = '']): Row => [
    `volume of a Deployment: ${name}`,
    at('apps/v1', 'Deployment'),
    `spec: {${workload('Deployment', '', before)}}`,
    `spec: {${workload('Deployment', '', after)}}`,
  ]),
  [
    'labels of a ReplicationController with its selector',
    at('v1', 'ReplicationController'),
    `spec: {${template('b')}}`,
    `spec: {selector: {a: c}, ${template('c')}}`,
  ],
  [
    'a Service without an address that names none',
    at('v1', 'Service'),
    'spec: {clusterIP: None, ports: [{port: 80}]}',
    'spec: {clusterIP: "", ports: [{port: 80}]}',
  ],
  [
    'a Service with ports of nodes that loses them',
    at('v1', 'Service'),
    'spec: {type: NodePort, ports: [{port: 80}]}',
    'spec: {ports: [{port: 80}]}',
  ],
  [
    'a Service that no longer remembers its clients',
    at('v1', 'Service'),
    'spec: {sessionAffinity: ClientIP, ports: [{port: 80}]}',
    'spec: {sessionAffinity: None, ports: [{port: 80}]}',
  ],
  [
    'another kind of probe',
    at('apps/v1', 'Deployment'),
    `spec: {${workload('Deployment', '', '', 'livenessProbe: {httpGet: {port: 80}}')}}`,
    `spec: {${workload('Deployment', '', '', 'livenessProbe: {tcpSocket: {port: 80}}')}}`,
  ],
  [
    'order of the scopes of a quota',
    at('v1', 'ResourceQuota'),
    quota('[NotBestEffort, NotTerminating]'),
    quota('[NotTerminating, NotBestEffort]'),
  ],
  [
    'revision of the same data',
    at('apps/v1', 'ControllerRevision'),
    'revision: 1, data: {a: 1}',
    'revision: 2, data: {a: 1}',
  ],
  [
    'port of the health checks of a Service that is no longer named',
    at('v1', 'Service'),
    localBalancer('healthCheckNodePort: 31003'),
    localBalancer('healthCheckNodePort: 0'),
  ],
  [
    'port of the health checks of a Service that needs none any more',
    at('v1', 'Service'),
    localBalancer('healthCheckNodePort: 31004'),
    'spec: {type: LoadBalancer, ports: [{port: 80}]}',
  ],
  [
    'gate of a Pod that is taken away',
    at('v1', 'Pod'),
    podWith('schedulingGates: [{name: example.com/a}, {name: example.com/b}]'),
    podWith('schedulingGates: [{name: example.com/b}]'),
  ],
  [
    'node of a Pod behind a gate',
    at('v1', 'Pod'),
    podWith('schedulingGates: [{name: example.com/a}]'),
    podWith('nodeSelector: {a: b}, schedulingGates: [{name: example.com/a}]'),
  ],
  [
    'seconds of a toleration of a Pod',
    at('v1', 'Pod'),
    podWith('tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]'),
    podWith('tolerations: [{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 9}]'),
  ],
  [
    'time to live of a Pod, less',
    at('v1', 'Pod'),
    podWith('activeDeadlineSeconds: 20'),
    podWith('activeDeadlineSeconds: 10'),
  ],
  ['time to live of a Pod that had none', at('v1', 'Pod'), pod(''), podWith('activeDeadlineSeconds: 10')],
  ['a toleration of a Pod', at('v1', 'Pod'), pod(''), podWith('tolerations: [{key: a, operator: Exists}]')],
  ...written(
    'of a StatefulSet',
    at('apps/v1', 'StatefulSet'),
    `spec: {serviceName: s, ${selector('b')}, ${template('b')}}`,
    `spec: {serviceName: s, podManagementPolicy: OrderedReady, volumeClaimTemplates: [], ${selector('b')}, ${template('b')}}`,
  ),
  ...written(
    'of the claims of a StatefulSet',
    at('apps/v1', 'StatefulSet'),
    `spec: {serviceName: s, ${selector('b')}, ${template('b')}, volumeClaimTemplates: [{metadata: {name: d}, spec: {${claim('1Gi')}}}]}`,
    `spec: {serviceName: s, ${selector('b')}, ${template('b')}, volumeClaimTemplates: [{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: d}, spec: {volumeMode: Filesystem, ${claim('1Gi')}}, status: {phase: Pending}}]}`,
  ),
  ...written(
    'of a claim',
    at('v1', 'PersistentVolumeClaim'),
    `spec: {${claim('1Gi')}}`,
    `spec: {volumeMode: Filesystem, ${claim('1Gi')}}`,
  ),
  ...written(
    'of a volume',
    whole('v1', 'PersistentVolume'),
    volume('hostPath: {path: /a}'),
    volume('hostPath: {path: /a, type: ""}, volumeMode: Filesystem'),
  ),
  ...written(
    'of a volume that many write',
    whole('v1', 'PersistentVolume'),
    volume('nfs: {server: a, path: /a}'),
    volume('nfs: {server: a, path: /a, readOnly: false}'),
  ),
  ...written(
    'of a storage class',
    whole('storage.k8s.io/v1', 'StorageClass'),
    'provisioner: p.example.com',
    'provisioner: p.example.com, reclaimPolicy: Delete, volumeBindingMode: Immediate',
  ),
  ...written(
    'of a CSI driver',
    whole('storage.k8s.io/v1', 'CSIDriver'),
    'spec: {podInfoOnMount: true}',
    'spec: {podInfoOnMount: true, attachRequired: true, volumeLifecycleModes: [Persistent]}',
  ),
  ...written(
    'of a binding',
    at('rbac.authorization.k8s.io/v1', 'RoleBinding'),
    'roleRef: {kind: Role, name: a}',
    'roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: a}',
  ),
  ...written(
    'of a priority',
    whole('scheduling.k8s.io/v1', 'PriorityClass'),
    'value: 1',
    'value: 1, preemptionPolicy: PreemptLowerPriority',
  ),
  ...written('of a Secret', at('v1', 'Secret'), 'stringData: {a: b}', 'type: Opaque, stringData: {a: b}'),
  ...written(
    'of a Job',
    at('batch/v1', 'Job'),
    `spec: {${job('i:1')}}`,
    `spec: {completionMode: NonIndexed, completions: 1, parallelism: 1, ${job('i:1', 'terminationGracePeriodSeconds: 30, dnsPolicy: ClusterFirst, hostNetwork: false, imagePullSecrets: [], ')}}`,
  ),
  ...written(
    'of the account of a Job',
    at('batch/v1', 'Job'),
    `spec: {${job('i:1', 'serviceAccountName: a, ')}}`,
    `spec: {${job('i:1', 'serviceAccountName: a, serviceAccount: a, ')}}`,
  ),
  ...written(
    'of a container of a Job',
    at('batch/v1', 'Job'),
    `spec: {${job('i:1', '', ', env: [{name: NODE, valueFrom: {fieldRef: {fieldPath: metadata.name}}}]')}}`,
    `spec: {${job('i:1', '', ', imagePullPolicy: IfNotPresent, tty: false, env: [{name: NODE, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}]')}}`,
  ),
  ...written(
    'of a claim of devices',
    at('resource.k8s.io/v1', 'ResourceClaim'),
    'spec: {devices: {requests: [{name: a, exactly: {deviceClassName: b}}]}}',
    'spec: {devices: {requests: [{name: a, exactly: {deviceClassName: b, allocationMode: ExactCount, count: 1}}]}}',
  ),
  ...written(
    'of a Pod',
    at('v1', 'Pod'),
    pod(''),
    pod('imagePullPolicy: IfNotPresent').replace(
      'spec: {',
      'spec: {terminationGracePeriodSeconds: 30, restartPolicy: Always, hostNetwork: false, ',
    ),
  ),
  ...written(
    'of a Service without an address',
    at('v1', 'Service'),
    'spec: {ports: [{port: 80}], clusterIP: None}',
    'spec: {ports: [{port: 80}], clusterIP: None, clusterIPs: [None]}',
  ),
  [
    'address of a Service that is no longer named',
    at('v1', 'Service'),
    'spec: {ports: [{port: 80}], clusterIP: 10.0.0.13}',
    'spec: {ports: [{port: 80}]}',
  ],
  [
    'parallelism of a Job that had neither it nor completions',
    at('batch/v1', 'Job'),
    `spec: {${job('i:1')}}`,
    `spec: {parallelism: 2, ${job('i:1')}}`,
  ],
  [
    'completions of an Indexed Job with its parallelism',
    at('batch/v1', 'Job'),
    `spec: {completionMode: Indexed, completions: 2, parallelism: 2, ${job('i:1')}}`,
    `spec: {completionMode: Indexed, completions: 3, parallelism: 3, ${job('i:1')}}`,
  ],
  [
    'completions of an Indexed Job that come to its parallelism',
    at('batch/v1', 'Job'),
    `spec: {completionMode: Indexed, completions: 2, parallelism: 3, ${job('i:1')}}`,
    `spec: {completionMode: Indexed, completions: 3, parallelism: 3, ${job('i:1')}}`,
  ],
  [
    'nodes, tolerations and labels of a suspended Job',
    at('batch/v1', 'Job'),
    `spec: {suspend: true, ${job('i:1')}}`,
    `spec: {suspend: true, ${job('i:1', `nodeSelector: {a: b}, tolerations: [{key: a, operator: Exists}], schedulingGates: [{name: example.com/a}], ${nearNodes}`).replace('spec:', 'metadata: {labels: {a: b}, annotations: {c: d}}, spec:')}}`,
  ],
  [
    'nodes of a suspended Job that begins',
    at('batch/v1', 'Job'),
    `spec: {suspend: true, ${job('i:1')}}`,
    `spec: {suspend: false, ${job('i:1', 'nodeSelector: {a: b}, ')}}`,
  ],
  [
    'template of a Deployment',
    at('apps/v1', 'Deployment'),
    `spec: {${selector('b')}, ${template('b')}}`,
    `spec: {${selector('b')}, ${template('b', 'i:2')}}`,
  ],
  [
    'expansion of a storage class',
    whole('storage.k8s.io/v1', 'StorageClass'),
    'provisioner: p.example.com',
    'provisioner: p.example.com, allowVolumeExpansion: true',
  ],
  [
    'a Service that becomes a name',
    at('v1', 'Service'),
    'spec: {ports: [{port: 80}], clusterIP: 10.0.0.14}',
    'spec: {ports: [{port: 80}], type: ExternalName, externalName: example.com}',
  ],
  ['port of a Service', at('v1', 'Service'), 'spec: {ports: [{port: 80}]}', 'spec: {ports: [{port: 81}]}'],
  [
    'class of a load balancer that is none any more',
    at('v1', 'Service'),
    'spec: {type: LoadBalancer, loadBalancerClass: example.com/a, ports: [{port: 80}]}',
    'spec: {type: ClusterIP, ports: [{port: 80}]}',
  ],
  [
    'nodes of a volume that had none',
    whole('v1', 'PersistentVolume'),
    volume('hostPath: {path: /a}'),
    volume(`hostPath: {path: /a}, ${onNode('a')}`),
  ],
  [
    'options of a volume',
    whole('v1', 'PersistentVolume'),
    volume('hostPath: {path: /a}, mountOptions: [a]'),
    volume('hostPath: {path: /a}, mountOptions: [b]'),
  ],
  ['image of a Pod', at('v1', 'Pod'), pod(''), pod('').replace('i:1', 'i:2')],
  ['data of a ConfigMap', at('v1', 'ConfigMap'), 'data: {a: b}', 'data: {a: c}'],
  ['a ConfigMap that becomes immutable', at('v1', 'ConfigMap'), 'data: {a: b}', 'immutable: true, data: {a: c}'],
  [
    'description of a priority',
    whole('scheduling.k8s.io/v1', 'PriorityClass'),
    'value: 1, description: a',
    'value: 1, description: b',
  ],
]

/** Changes that API servers refuse, and others beside them that they take. */
export const immutableChanges: readonly ImmutableChange[] = [
  ...refused.map((row) => changeOf(row, true)),
  ...taken.map((row) => changeOf(row, false)),
]

function changeOf([name, head, before, after]: Row, isRefused: boolean): ImmutableChange {
  return { name, before: `{${head}, ${before}}`, after: `{${head}, ${after}}`, isRefused }
}

/** Defaults that are written out, and left out again: to the server nothing changes. */
function written(whose: string, head: string, short: string, long: string): readonly Row[] {
  return [
    [`defaults ${whose} that are written out`, head, short, long],
    [`defaults ${whose} that are left out`, head, long, short],
  ]
}

function workload(kind: string, fields = '', ofPod = '', ofContainer = ''): string {
  const service = kind === 'StatefulSet' ? 'serviceName: s, ' : ''
  const containers = `containers: [{name: c, image: "i:1", ${ofContainer}}]`
  return `${service}${fields}${selector('b')}, template: {metadata: {labels: {a: b}}, spec: {${containers}, ${ofPod}}}`
}

/** A workload with each of these ways to update it, that gets another type. */
function filledStrategies(kind: string, name: string, type: string, froms: readonly string[]): readonly Row[] {
  return froms.map((from): Row => [
    `${type} of a ${kind} with ${from === '' ? `no ${name}` : from.replace(/, $/, '')}`,
    at('apps/v1', kind),
    `spec: {${workload(kind, from)}}`,
    `spec: {${workload(kind, `${name}: {type: ${type}}, `)}}`,
  ])
}

function quota(scopes: string): string {
  return `spec: {hard: {pods: 1}, scopes: ${scopes}}`
}

function localBalancer(fields: string): string {
  return `spec: {type: LoadBalancer, externalTrafficPolicy: Local, ports: [{port: 80}], ${fields}}`
}

function podWith(fields: string): string {
  return pod('').replace('spec: {', `spec: {${fields}, `)
}

function pod(fields: string): string {
  return `spec: {containers: [{name: c, image: "i:1", ${fields}}]}`
}
