import {
  secret,
  configMap,
  quota,
  limits,
  role,
  clusterRole,
  binding,
  claim,
  persistent,
  storageClass,
  webhook,
  rules,
  admission,
  policyBinding,
  row,
  type RefusedObject,
} from './make-objects.ts'

/** Values, limits, rights, storage and admission. */
export const refusedSettings: readonly RefusedObject[] = [
  // configuration
  row(
    'a key in data and in binary data',
    configMap('data: {a: b}, binaryData: {a: YQ==}'),
    configMap('data: {a: b}, binaryData: {b: YQ==}'),
  ),
  row('a key with a slash', configMap('data: {a/b: c}'), configMap('data: {a.b-c_d: c}')),
  row('a key of two dots', secret('Opaque', 'stringData: {"..": c}'), secret('Opaque', 'stringData: {.a: c}')),
  row(
    'a certificate without its key',
    secret('kubernetes.io/tls', 'data: {tls.crt: YQ==}'),
    secret('kubernetes.io/tls', 'data: {tls.crt: "", tls.key: ""}'),
  ),
  row(
    'a key for SSH that is empty',
    secret('kubernetes.io/ssh-auth', 'data: {ssh-privatekey: ""}'),
    secret('kubernetes.io/ssh-auth', 'stringData: {ssh-privatekey: a}'),
  ),
  row(
    'neither user nor password',
    secret('kubernetes.io/basic-auth', 'stringData: {user: a}'),
    secret('kubernetes.io/basic-auth', 'stringData: {password: ""}'),
  ),
  row(
    'a login for registries that is no JSON',
    secret('kubernetes.io/dockerconfigjson', 'stringData: {.dockerconfigjson: "a"}'),
    secret('kubernetes.io/dockerconfigjson', 'stringData: {.dockerconfigjson: "{}"}'),
  ),
  row(
    'a login for registries that is not there',
    secret('kubernetes.io/dockercfg', 'stringData: {.dockerconfigjson: "{}"}'),
    secret('kubernetes.io/dockercfg', 'data: {.dockercfg: e30=}'),
  ),
  row(
    'a token of no service account',
    secret('kubernetes.io/service-account-token', 'data: {}'),
    secret('a.example/token', 'data: {}'),
  ),
  row('data that is not encoded', secret('Opaque', 'data: {a: "b c"}'), secret('Opaque', 'data: {a: "YQ=="}')),
  row(
    'a quota of something unknown',
    quota('hard: {cpus: 1}'),
    quota('hard: {count/pods: 1, requests.example.com/gpu: 1}'),
  ),
  row('a quota of half a pod', quota('hard: {pods: 500m}'), quota('hard: {cpu: 500m, pods: 1}')),
  row('a quota below 0', quota('hard: {cpu: -1}'), quota('hard: {cpu: 0}')),
  row(
    'a scope of other resources',
    quota('hard: {cpu: 1}, scopes: [BestEffort]'),
    quota('hard: {pods: 1}, scopes: [BestEffort]'),
  ),
  row(
    'a scope and its opposite',
    quota('hard: {pods: 1}, scopes: [Terminating, NotTerminating]'),
    quota('hard: {pods: 1}, scopes: [Terminating, NotBestEffort]'),
  ),
  row(
    'a class of priority of no name',
    quota('hard: {pods: 1}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In}]}'),
    quota(
      'hard: {pods: 1}, scopeSelector: {matchExpressions: [{scopeName: PriorityClass, operator: In, values: [a]}]}',
    ),
  ),
  row(
    'a least above the most',
    limits('type: Container, min: {cpu: 2}, max: {cpu: 1}'),
    limits('type: Container, min: {cpu: 1}, max: {cpu: 1000m}'),
  ),
  row(
    'a default above the most',
    limits('type: Container, max: {cpu: 1}, default: {cpu: 2}'),
    limits('type: Container, max: {cpu: 1}, default: {cpu: 1}'),
  ),
  row('a default for pods', limits('type: Pod, default: {cpu: 1}'), limits('type: Pod, max: {cpu: 1}')),
  row(
    'limits of claims without storage',
    limits('type: PersistentVolumeClaim, min: {cpu: 1}'),
    limits('type: PersistentVolumeClaim, min: {storage: 1}'),
  ),
  row(
    'limits of a type twice',
    limits('type: Pod, max: {cpu: 1}', 'type: Pod, max: {memory: 1}'),
    limits('type: Pod, max: {cpu: 1}', 'type: Container, max: {memory: 1}'),
  ),
  row(
    'a share below 1',
    limits('type: Pod, maxLimitRequestRatio: {cpu: 500m}'),
    limits('type: Pod, maxLimitRequestRatio: {cpu: 1}'),
  ),
  row(
    'a priority of the system',
    '{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: system-a}, value: 1}',
    '{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: systema}, value: 1}',
  ),
  row(
    'a priority above all',
    '{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a}, value: 1000000001}',
    '{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a}, value: 1000000000}',
  ),
  row(
    'a runtime of no name',
    '{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: a}, handler: A}',
    '{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: a}, handler: a}',
  ),
  row(
    'a lease of no time',
    '{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: a, namespace: default}, spec: {leaseDurationSeconds: 0}}',
    '{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: a, namespace: default}, spec: {leaseDurationSeconds: 1}}',
  ),
  // rights
  row(
    'rights to paths in a namespace',
    role('nonResourceURLs: [/a], verbs: [get]'),
    clusterRole('rules: [{nonResourceURLs: [/a], verbs: [get]}]'),
  ),
  row(
    'rights to paths and resources',
    clusterRole('rules: [{nonResourceURLs: [/a], apiGroups: [""], resources: [pods], verbs: [get]}]'),
    clusterRole('rules: [{nonResourceURLs: [], apiGroups: [""], resources: [pods], verbs: [get]}]'),
  ),
  row(
    'rights to do nothing',
    role('apiGroups: [""], resources: [pods], verbs: []'),
    role('apiGroups: [""], resources: [pods], verbs: [get]'),
  ),
  row(
    'a sum of no roles',
    clusterRole('aggregationRule: {}'),
    clusterRole('aggregationRule: {clusterRoleSelectors: [{matchLabels: {a: b}}]}'),
  ),
  row(
    'a service account of no namespace',
    binding('kind: ServiceAccount, name: a'),
    binding('kind: ServiceAccount, name: a, namespace: b'),
  ),
  row(
    'a service account of a group',
    binding('kind: ServiceAccount, name: a, namespace: b, apiGroup: rbac.authorization.k8s.io'),
    binding('kind: User, name: "a:b/c", apiGroup: rbac.authorization.k8s.io'),
  ),
  row('a user of another group', binding('kind: User, name: a, apiGroup: v1'), binding('kind: Group, name: a')),
  row(
    'a role for the whole cluster',
    binding('kind: User, name: a', 'kind: Role, name: a'),
    binding('kind: User, name: a', 'kind: ClusterRole, name: "a:b"'),
  ),
  // storage
  row('one pod alone, and many', claim('', '[ReadWriteOncePod, ReadWriteMany]'), claim('', '[ReadWriteOncePod]')),
  row('a mode of volumes that is none', claim('volumeMode: File'), claim('volumeMode: Block')),
  row('a class in capitals', claim('storageClassName: A'), claim('storageClassName: ""')),
  row(
    'a source of no group',
    claim('dataSourceRef: {kind: VolumeSnapshot, name: a}'),
    claim('dataSourceRef: {apiGroup: snapshot.storage.k8s.io, kind: VolumeSnapshot, name: a}'),
  ),
  row(
    'two sources of a claim',
    claim('dataSource: {kind: PersistentVolumeClaim, name: a}, dataSourceRef: {kind: PersistentVolumeClaim, name: b}'),
    claim('dataSource: {kind: PersistentVolumeClaim, name: a}, dataSourceRef: {kind: PersistentVolumeClaim, name: a}'),
  ),
  row('a volume of nothing', persistent('storageClassName: a'), persistent('nfs: {server: a, path: /a}')),
  row(
    'a volume of two kinds',
    persistent('hostPath: {path: /a}, nfs: {server: a, path: /a}'),
    persistent('hostPath: {path: /a}'),
  ),
  row(
    'a volume of no size',
    persistent('hostPath: {path: /a}', '{storage: 0}'),
    persistent('hostPath: {path: /a}', '{storage: 1}'),
  ),
  row(
    'a volume of processors',
    persistent('hostPath: {path: /a}', '{storage: 1, cpu: 1}'),
    persistent('hostPath: {path: /a}', '{storage: 1Gi}'),
  ),
  row(
    'a local volume on no node',
    persistent('local: {path: /a}'),
    persistent(
      'local: {path: /a}, nodeAffinity: {required: {nodeSelectorTerms: [{matchExpressions: [{key: a, operator: Exists}]}]}}',
    ),
  ),
  row(
    'a policy for volumes that is none',
    persistent('hostPath: {path: /a}, persistentVolumeReclaimPolicy: Keep'),
    persistent('hostPath: {path: /a}, persistentVolumeReclaimPolicy: Recycle'),
  ),
  row(
    'the root of a node, emptied',
    persistent('hostPath: {path: /}, persistentVolumeReclaimPolicy: Recycle'),
    persistent('hostPath: {path: /}, persistentVolumeReclaimPolicy: Retain'),
  ),
  row(
    'a Secret of a volume in no namespace',
    persistent('csi: {driver: a.b, volumeHandle: a, nodePublishSecretRef: {name: a}}'),
    persistent('csi: {driver: a.b, volumeHandle: a, nodePublishSecretRef: {name: a, namespace: b}}'),
  ),
  row('a class that recycles', storageClass('reclaimPolicy: Recycle'), storageClass('reclaimPolicy: Retain')),
  row(
    'a class that binds sometime',
    storageClass('volumeBindingMode: Later'),
    storageClass('volumeBindingMode: WaitForFirstConsumer'),
  ),
  row(
    'a topology of a key twice',
    storageClass('allowedTopologies: [{matchLabelExpressions: [{key: a, values: [b]}, {key: a, values: [c]}]}]'),
    storageClass('allowedTopologies: [{matchLabelExpressions: [{key: a, values: [b]}, {key: b, values: [c]}]}]'),
  ),
  row(
    'a topology of a value twice',
    storageClass('allowedTopologies: [{matchLabelExpressions: [{key: a, values: [b, b]}]}]'),
    storageClass('allowedTopologies: [{matchLabelExpressions: [{key: a, values: [b, c]}]}]'),
  ),
  // admission
  row(
    'a webhook at two places',
    webhook('', 'url: "https://a.example", service: {name: a, namespace: a}'),
    webhook('', 'service: {name: a, namespace: a}'),
  ),
  row('a webhook at no place', webhook('', ''), webhook('')),
  row('a webhook without TLS', webhook('', 'url: "http://a.example"'), webhook('', 'url: "HTTPS://a.example:443"')),
  row(
    'a webhook with a query',
    webhook('', 'url: "https://a.example/?a=b"'),
    webhook('', 'url: "https://a.example/?"'),
  ),
  row(
    'a path of a webhook that is none',
    webhook('', 'service: {name: a, namespace: a, path: /A}'),
    webhook('', 'service: {name: a, namespace: a, path: /a.b/}'),
  ),
  row(
    'a webhook for reviews of the future',
    webhook('').replace('[v1]', '[v2]'),
    webhook('').replace('[v1]', '[v2, v1beta1]'),
  ),
  row(
    'all operations, and one',
    rules('apiGroups: [""], apiVersions: [v1], operations: ["*", CREATE], resources: [pods]'),
    rules('apiGroups: [""], apiVersions: [v1], operations: ["*"], resources: [pods]'),
  ),
  row(
    'an operation that is none',
    rules('apiGroups: [""], apiVersions: [v1], operations: [PATCH], resources: [pods]'),
    rules('apiGroups: [""], apiVersions: [v1], operations: [CONNECT], resources: [pods]'),
  ),
  row(
    'all resources, and one',
    rules('apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: ["*", pods]'),
    rules('apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: ["*", pods/status]'),
  ),
  row(
    'a part that another has',
    rules('apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods/*, pods/status]'),
    rules('apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods/status, pods/log]'),
  ),
  row(
    'all groups, and one',
    rules('apiGroups: ["*", apps], apiVersions: [v1], operations: [CREATE], resources: [pods]'),
    rules('apiGroups: ["", apps], apiVersions: [v1], operations: [CREATE], resources: [pods]'),
  ),
  row(
    'a scope of webhooks that is none',
    rules('apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods], scope: All'),
    rules('apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods], scope: "*"'),
  ),
  row('a policy of nothing', admission('failurePolicy: Fail'), admission('validations: [{expression: "true"}]')),
  row(
    'a policy for nothing',
    admission('validations: [{expression: "true"}]', 'matchPolicy: Exact'),
    admission('validations: [{expression: "true"}]'),
  ),
  row(
    'a message of two lines',
    admission('validations: [{expression: "true", message: "a\\nb"}]'),
    admission('validations: [{expression: "true", message: "a b\\n"}]'),
  ),
  row(
    'a reason that is none',
    admission('validations: [{expression: "true", reason: NotFound}]'),
    admission('validations: [{expression: "true", reason: Forbidden}]'),
  ),
  row(
    'a binding that denies and warns',
    policyBinding('validationActions: [Deny, Warn]'),
    policyBinding('validationActions: [Deny, Audit]'),
  ),
  row('a binding without an action', policyBinding('matchResources: {}'), policyBinding('validationActions: [Warn]')),
  row(
    'parameters by name and selector',
    policyBinding('validationActions: [Deny], paramRef: {name: a, selector: {}, parameterNotFoundAction: Deny}'),
    policyBinding('validationActions: [Deny], paramRef: {name: a, parameterNotFoundAction: Deny}'),
  ),
]
