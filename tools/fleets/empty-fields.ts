import { at, both, claim, claimed, job, onNode, type Row, selector, template, volume, whole } from './change-parts.ts'

/** Fields that are empty beside absent ones, which the server takes for a change. */
export const keptApart: readonly Row[] = [
  ...both('selector that is empty, of a claim', at('v1', 'PersistentVolumeClaim'), [
    `spec: {storageClassName: a, ${claim('1Gi')}}`,
    `spec: {storageClassName: a, selector: {}, ${claim('1Gi')}}`,
  ]),
  [
    'class of a claim that said to have none',
    at('v1', 'PersistentVolumeClaim'),
    `spec: {storageClassName: "", ${claim('1Gi')}}`,
    `spec: {${claim('1Gi')}}`,
  ],
  ...['selector: {}', 'storageClassName: ""', 'volumeAttributesClassName: ""'].flatMap((field) =>
    both(`claims of a StatefulSet with ${field}`, at('apps/v1', 'StatefulSet'), [
      claimed('', claim('1Gi')),
      claimed('', `${field}, ${claim('1Gi')}`),
    ]),
  ),
  ...[
    'affinity: {}, ',
    'dnsConfig: {}, ',
    'priority: 0, ',
    'resources: {}, ',
    'terminationGracePeriodSeconds: 0, ',
    'automountServiceAccountToken: false, ',
    'setHostnameAsFQDN: false, ',
  ].flatMap((field) =>
    both(`pod of a Job with ${field}`, at('batch/v1', 'Job'), [
      `spec: {${job('i:1')}}`,
      `spec: {${job('i:1', field)}}`,
    ]),
  ),
  ...['securityContext: {}', 'lifecycle: {}'].flatMap((field) =>
    both(`container of a Job with ${field}`, at('batch/v1', 'Job'), [
      `spec: {${job('i:1')}}`,
      `spec: {${job('i:1', '', `, ${field}`)}}`,
    ]),
  ),
  ...both('volume of a driver in a Job', at('batch/v1', 'Job'), [
    `spec: {${job('i:1', 'volumes: [{name: v, csi: {driver: a.b}}], ')}}`,
    `spec: {${job('i:1', 'volumes: [{name: v, csi: {driver: a.b, readOnly: false, fsType: ""}}], ')}}`,
  ]),
  ...['labels', 'metadata'].map((name): Row => {
    const fields = name === 'labels' ? 'labels: {a: b}, annotations: {c: d}' : 'annotations: {c: d}'
    const rest = name === 'labels' ? 'metadata: {annotations: {c: d}}, spec:' : 'spec:'
    return [
      `${name} of a suspended Job that go, and those of the server with them`,
      at('batch/v1', 'Job'),
      `spec: {suspend: true, ${job('i:1').replace('spec:', `metadata: {${fields}}, spec:`)}}`,
      `spec: {suspend: true, ${job('i:1').replace('spec:', rest)}}`,
    ]
  }),
  ...both('empty text in an immutable ConfigMap', at('v1', 'ConfigMap'), [
    'immutable: true, data: {a: b}',
    'immutable: true, data: {a: b, hostname: ""}',
  ]),
  ...both('empty list in a revision', at('apps/v1', 'ControllerRevision'), [
    'revision: 1, data: {a: 1}',
    'revision: 1, data: {a: 1, b: [], readOnly: false}',
  ]),
  ...both('empty parameter of a storage class', whole('storage.k8s.io/v1', 'StorageClass'), [
    'provisioner: p.example.com, parameters: {a: b}',
    'provisioner: p.example.com, parameters: {a: b, user: ""}',
  ]),
  ...both('type of the file system of a local volume', whole('v1', 'PersistentVolume'), [
    volume(`local: {path: /a}, ${onNode('a')}`),
    volume(`local: {path: /a, fsType: ""}, ${onNode('a')}`),
  ]),
]

/** The same, where both mean the same. */
export const sameAsAbsent: readonly Row[] = [
  ...['annotations: {}', 'labels: {}', 'namespace: ""', 'generateName: ""', 'generation: 0'].flatMap((field) =>
    both(`claims of a StatefulSet with ${field}`, at('apps/v1', 'StatefulSet'), [
      claimed('', claim('1Gi')),
      claimed(`, ${field}`, claim('1Gi')),
    ]),
  ),
  ...both('volume that is not named yet, of a StatefulSet', at('apps/v1', 'StatefulSet'), [
    claimed('', claim('1Gi')),
    claimed('', `volumeName: "", ${claim('1Gi').replace('}}', '}, limits: {}}')}`),
  ]),
  ...both('service of a StatefulSet without a name', at('apps/v1', 'StatefulSet'), [
    `spec: {${selector('b')}, ${template('b')}}`,
    `spec: {serviceName: "", podManagementPolicy: "", ${selector('b')}, ${template('b')}}`,
  ]),
  ...both('empty selector of a claim', at('v1', 'PersistentVolumeClaim'), [
    `spec: {selector: {}, ${claim('1Gi')}}`,
    `spec: {selector: {matchLabels: {}}, volumeName: "", ${claim('1Gi')}}`,
  ]),
  ...both('empty labels in a selector', at('apps/v1', 'Deployment'), [
    `spec: {selector: {matchExpressions: [{key: a, operator: Exists}]}, ${template('b')}}`,
    `spec: {selector: {matchLabels: {}, matchExpressions: [{key: a, operator: Exists, values: []}]}, ${template('b')}}`,
  ]),
  ...both('pod of a Job with fields that say nothing', at('batch/v1', 'Job'), [
    `spec: {${job('i:1', 'volumes: [{name: v}, {name: w, csi: {driver: a.b}}], ', ', env: [{name: A}], ports: [{containerPort: 80}], livenessProbe: {httpGet: {port: 80}}, volumeMounts: [{name: v, mountPath: /a}]')}}`,
    `spec: {${job('i:1', 'nodeSelector: {}, hostname: "", nodeName: "", dnsPolicy: "", serviceAccountName: "", overhead: {}, priorityClassName: "", volumes: [{name: v, emptyDir: {medium: ""}}, {name: w, csi: {driver: a.b, volumeAttributes: {}}}], ', ', workingDir: "", imagePullPolicy: "", resources: {limits: {}, requests: {}}, env: [{name: A, value: ""}], ports: [{containerPort: 80, name: "", hostPort: 0, hostIP: ""}], livenessProbe: {initialDelaySeconds: 0, periodSeconds: 0, httpGet: {port: 80, host: ""}}, volumeMounts: [{name: v, mountPath: /a, subPath: ""}]')}}`,
  ]),
  [
    'labels of the pods of a Job, an empty map',
    at('batch/v1', 'Job'),
    `spec: {${job('i:1')}}`,
    `spec: {${job('i:1').replace('spec:', 'metadata: {labels: {}}, spec:')}}`,
  ],
  ...both('empty fields of a volume', whole('v1', 'PersistentVolume'), [
    volume('csi: {driver: a.b, volumeHandle: c}'),
    volume('csi: {driver: a.b, volumeHandle: c, fsType: "", readOnly: false, volumeAttributes: {}}'),
  ]),
  ...both('type of a Secret that is empty', at('v1', 'Secret'), ['data: {a: YQ==}', 'type: "", data: {a: YQ==}']),
  ...both('a priority of 0', whole('scheduling.k8s.io/v1', 'PriorityClass'), [
    'description: a',
    'description: a, value: 0',
  ]),
  ...both('empty metadata of a template of claims', at('resource.k8s.io/v1', 'ResourceClaimTemplate'), [
    'spec: {spec: {devices: {requests: [{name: a, exactly: {deviceClassName: b}}]}}}',
    'spec: {metadata: {labels: {}}, spec: {devices: {requests: [{name: a, exactly: {deviceClassName: b, tolerations: [], capacity: {}}}]}}}',
  ]),
]
