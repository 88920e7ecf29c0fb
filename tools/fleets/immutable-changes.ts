/** A change of an object, for a rule and for an API server. */
export interface ImmutableChange {
  readonly name: string
  readonly before: string
  readonly after: string
  readonly isRefused: boolean
}

const at = (apiVersion: string, kind: string): string =>
  `apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x, namespace: default}`
const whole = (apiVersion: string, kind: string): string =>
  `apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: x}`
const template = (label: string, image = 'i:1'): string =>
  `template: {metadata: {labels: {a: ${label}}}, spec: {containers: [{name: c, image: "${image}"}]}}`
const selector = (label: string): string => `selector: {matchLabels: {a: ${label}}}`
const claim = (size: string): string => `accessModes: [ReadWriteOnce], resources: {requests: {storage: ${size}}}`

/** Changes as `[what, head, before, after]`; the server refuses those of `refused` and takes those of `taken`. */
type Row = readonly [name: string, head: string, before: string, after: string]

const refused: readonly Row[] = [
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
    'spec: {ports: [{port: 80}], clusterIP: 10.0.0.77}',
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
]

const taken: readonly Row[] = [
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
    'spec: {ports: [{port: 80}], clusterIP: 10.0.0.78}',
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

function job(image: string): string {
  return `template: {spec: {restartPolicy: Never, containers: [{name: c, image: "${image}"}]}}`
}

function volume(fields: string): string {
  return `spec: {capacity: {storage: 1Gi}, accessModes: [ReadWriteOnce], ${fields}}`
}

function onNode(name: string): string {
  return `nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: kubernetes.io/hostname, operator: In, values: [${name}]}]}]}}`
}

function pod(fields: string): string {
  return `spec: {containers: [{name: c, image: "i:1", ${fields}}]}`
}
