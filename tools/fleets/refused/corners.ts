import {
  claim,
  configMap,
  cronJob,
  job,
  ofPod,
  pod,
  row,
  type RefusedObject,
  service,
  statefulSet,
  volume,
} from './make-objects.ts'

const owned = (...owners: readonly string[]): string =>
  configMap('data: {}').replace('namespace: default', `namespace: default, ownerReferences: [${owners.join(', ')}]`)
const owner = (fields: string): string => owned(`{${fields}}`)
const cleaned = (...names: readonly string[]): string =>
  configMap('data: {}').replace('namespace: default', `namespace: default, finalizers: [${names.join(', ')}]`)
const namespace = (fields: string): string => `{apiVersion: v1, kind: Namespace, metadata: {name: cleaned}, ${fields}}`
const zone = (name: string): string => cronJob(`schedule: "0 0 * * *", timeZone: ${name}`)
const windows = (context: string): string => ofPod(`os: {name: windows}, securityContext: {${context}}`)
const linux = (context: string): string => ofPod(`os: {name: linux}, securityContext: {${context}}`)
const indexed = (more: string): string => job(`completionMode: Indexed, completions: 5, parallelism: 1, ${more}`)
const succeeds = (rule: string): string => indexed(`successPolicy: {rules: [{${rule}}]}`)
const fails = (rule: string): string => job(`podFailurePolicy: {rules: [{${rule}}]}`)
const iscsi = (fields: string): string => volume(`iscsi: {targetPortal: "10.0.0.1", lun: 0, ${fields}}`)
const disk = 'iqn.2001-04.com.example:disk'
const shared = (fields: string): string =>
  ofPod(`affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{topologyKey: a, ${fields}}]}}`)
const replicated = (fields: string, template = ''): string =>
  `{apiVersion: v1, kind: ReplicationController, metadata: {name: a, namespace: default}, spec: {${fields}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b}]${template}}}}}`
const driver = (fields: string): string =>
  `{apiVersion: storage.k8s.io/v1, kind: CSIDriver, metadata: {name: a.example}, spec: {${fields}}}`
const API = 'flowcontrol.apiserver.k8s.io/v1'
const flow = (fields: string, name = 'a'): string =>
  `{apiVersion: ${API}, kind: FlowSchema, metadata: {name: ${name}}, spec: {priorityLevelConfiguration: {name: a}, ${fields}}}`
const asks = (subject: string, rule = 'nonResourceRules: [{verbs: ["*"], nonResourceURLs: [/a]}]'): string =>
  flow(`rules: [{subjects: [${subject}], ${rule}}]`)
const user = '{kind: User, user: {name: a}}'
const resources = (rule: string): string => asks(user, `resourceRules: [{${rule}}]`)
const level = (fields: string, name = 'a'): string =>
  `{apiVersion: ${API}, kind: PriorityLevelConfiguration, metadata: {name: ${name}}, spec: {${fields}}}`
const queues = (fields: string): string =>
  level(`type: Limited, limited: {limitResponse: {type: Queue, queuing: {${fields}}}}`)
const limited = (fields: string): string => level(`type: Limited, limited: {limitResponse: {type: Reject}, ${fields}}`)

const labelled = (label: string): string =>
  `{apiVersion: v1, kind: Namespace, metadata: {name: labelled, labels: {pod-security.kubernetes.io/${label}}}}`
const claimOf = (name: string): string =>
  `volumeClaimTemplates: [{metadata: {name: ${name}}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}]`
const attributes = (fields: string): string =>
  `{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, metadata: {name: a}, driverName: a.example, ${fields}}`
const account = (fields: string): string =>
  `{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: default}, ${fields}}`
const devices = (fields: string): string =>
  `{apiVersion: resource.k8s.io/v1, kind: ResourceClaimTemplate, metadata: {name: a, namespace: default}, spec: {spec: {devices: {requests: [{name: a, ${fields}}]}}}}`
const jobLabels = (labels: string): string =>
  job('').replace('template: {', `template: {metadata: {labels: {${labels}}}, `)

/** Fields that few objects have. */
export const refusedCorners: readonly RefusedObject[] = [
  // metadata
  row('a finalizer without a domain', cleaned('a'), cleaned('example.com/a', 'foregroundDeletion')),
  row('a finalizer in upper case', cleaned('A.example/a'), cleaned('a.example/A')),
  row('finalizers that exclude each other', cleaned('orphan', 'foregroundDeletion'), cleaned('orphan')),
  row(
    'a finalizer of a claim',
    claim('').replace('name: a,', 'name: a, finalizers: [protect],'),
    claim('').replace('name: a,', 'name: a, finalizers: [kubernetes.io/pvc-protection],'),
  ),
  row(
    'a finalizer of a namespace',
    namespace('spec: {finalizers: [a]}'),
    namespace('spec: {finalizers: [kubernetes]}'),
  ),
  row(
    'fields with their owners',
    configMap('data: {}').replace('namespace: default', 'namespace: default, managedFields: []'),
    configMap('data: {}').replace('namespace: default', 'namespace: default, managedFields: null'),
  ),
  row(
    'the id of a running object',
    configMap('data: {}').replace(
      'namespace: default',
      'namespace: default, uid: 4b6f8a52-1111-4222-8333-123456789012',
    ),
    configMap('data: {}').replace('namespace: default', 'namespace: default, uid: "", resourceVersion: "1"'),
  ),
  row('a level of security in upper case', labelled('enforce: Restricted'), labelled('enforce: restricted')),
  row('a level of security that is none', labelled('warn: ""'), labelled('warn: privileged')),
  row('a version of security without v', labelled('audit-version: "1.34"'), labelled('audit-version: v1.34')),
  row('a version of security with a zero', labelled('enforce-version: v1.034'), labelled('enforce-version: latest')),
  row(
    'an address of what is another host',
    service('type: ExternalName, externalName: a.example, clusterIP: 10.0.0.5'),
    service('type: ExternalName, externalName: a.example, clusterIP: ""'),
  ),
  row('a claim in upper case', statefulSet(claimOf('Data')), statefulSet(claimOf('data'))),
  row('a claim with a dot', statefulSet(claimOf('a.b')), statefulSet(claimOf('1a'))),
  row('a class of attributes without any', attributes('parameters: {}'), attributes('parameters: {a: b}')),
  row(
    'secrets of an account without name',
    account('secrets: [{}]'),
    account('secrets: [{name: ""}], imagePullSecrets: [{}]'),
  ),
  row(
    'a device that nothing chooses',
    devices('firstAvailable: []'),
    devices('exactly: {deviceClassName: b}, firstAvailable: []'),
  ),
  row(
    'a device that is chosen twice',
    devices('exactly: {deviceClassName: b}, firstAvailable: [{name: c, deviceClassName: d}]'),
    devices('firstAvailable: [{name: c, deviceClassName: d}]'),
  ),
  row(
    'pods of another job',
    jobLabels('batch.kubernetes.io/job-name: other'),
    jobLabels('batch.kubernetes.io/job-name: a, job-name: a'),
  ),
  row(
    'pods with the id of a job',
    jobLabels('controller-uid: b'),
    jobLabels('a: b, batch.kubernetes.io/job-name: other').replace(
      'spec: {',
      'spec: {manualSelector: true, selector: {matchLabels: {a: b}}, ',
    ),
  ),
  row(
    'an owner without version',
    owner('apiVersion: "", kind: Pod, name: a, uid: b'),
    owner('apiVersion: v1, kind: Pod, name: a, uid: b'),
  ),
  row(
    'an owner without id',
    owner('apiVersion: apps/v1, kind: Deployment, name: a, uid: ""'),
    owner('apiVersion: apps/v1, kind: Deployment, name: a, uid: b'),
  ),
  row(
    'an owner that is an event',
    owner('apiVersion: v1, kind: Event, name: a, uid: b'),
    owner('apiVersion: a.example/v1, kind: Event, name: a, uid: b'),
  ),
  row(
    'two controllers',
    owned(
      '{apiVersion: v1, kind: Pod, name: a, uid: b, controller: true}',
      '{apiVersion: v1, kind: Pod, name: b, uid: c, controller: true}',
    ),
    owned(
      '{apiVersion: v1, kind: Pod, name: a, uid: b, controller: true}',
      '{apiVersion: v1, kind: Pod, name: b, uid: c, controller: false}',
    ),
  ),
  // pods
  row('a time zone with a letter too few', zone('Europe/Berln'), zone('America/Argentina/Buenos_Aires')),
  row('a time zone that only people know', zone('Asia/Hanoi'), zone('Asia/Ho_Chi_Minh')),
  row('a user of Linux on Windows', windows('runAsUser: 1'), windows('runAsNonRoot: true')),
  row(
    'a user of Windows on Linux',
    linux('windowsOptions: {runAsUserName: a}'),
    windows('windowsOptions: {runAsUserName: a}'),
  ),
  row(
    'a container with a privilege of Linux on Windows',
    pod('securityContext: {allowPrivilegeEscalation: false}', 'os: {name: windows}'),
    pod('securityContext: {allowPrivilegeEscalation: false}', 'os: {name: linux}'),
  ),
  row(
    'the processes of the host on Windows',
    ofPod('os: {name: windows}, hostPID: true'),
    ofPod('os: {name: windows}, hostPID: false'),
  ),
  row(
    'a container of the host without its network',
    windows('windowsOptions: {hostProcess: true}'),
    `${windows('windowsOptions: {hostProcess: true}').slice(0, -2)}, hostNetwork: true}}`,
  ),
  row(
    'all of /proc for users of the host',
    pod('securityContext: {procMount: Unmasked}'),
    pod('securityContext: {procMount: Unmasked}', 'hostUsers: false'),
  ),
  row(
    'a label that is to be equal and to differ',
    shared('labelSelector: {matchLabels: {a: b}}, matchLabelKeys: [c], mismatchLabelKeys: [c]'),
    shared('labelSelector: {matchLabels: {a: b}}, matchLabelKeys: [c], mismatchLabelKeys: [d]'),
  ),
  row('a disk without a name', iscsi('iqn: iqn.2001-04.com.example'), iscsi(`iqn: "${disk}"`)),
  row('a disk of an identifier that is too short', iscsi('iqn: eui.0200'), iscsi('iqn: eui.02004567A425678D')),
  row(
    'a disk of a high number',
    iscsi(`iqn: "${disk}"`).replace('lun: 0', 'lun: 256'),
    iscsi(`iqn: "${disk}"`).replace('lun: 0', 'lun: 255'),
  ),
  row(
    'a login without a secret',
    iscsi(`iqn: "${disk}", chapAuthSession: true`),
    iscsi(`iqn: "${disk}", chapAuthSession: true, secretRef: {name: a}`),
  ),
  row('an empty path of the node', volume('hostPath: {path: ""}'), volume('hostPath: {path: " "}')),
  // services and workloads
  row(
    'one address of two families',
    service('ipFamilyPolicy: SingleStack, ipFamilies: [IPv4, IPv6]'),
    service('ipFamilyPolicy: SingleStack, ipFamilies: [IPv4]'),
  ),
  row(
    'a headless service of one address and two families',
    service('clusterIP: None, ipFamilyPolicy: SingleStack, ipFamilies: [IPv4, IPv6]'),
    service('clusterIP: None, ipFamilies: [IPv4, IPv6]'),
  ),
  row('indexes that fall', succeeds('succeededIndexes: "2,1"'), succeeds('succeededIndexes: "1,2-4"')),
  row('an index that no pod has', succeeds('succeededIndexes: "5"'), succeeds('succeededIndexes: "4"')),
  row('a success of nothing', succeeds(''), succeeds('succeededIndexes: ""')),
  row(
    'a success of more than are named',
    succeeds('succeededIndexes: 0-1, succeededCount: 3'),
    succeeds('succeededIndexes: 0-1, succeededCount: 2'),
  ),
  row('a limit of retries below 0', job('backoffLimit: -1'), job('backoffLimit: 0')),
  row(
    'a long name of who manages a job',
    job(`managedBy: a.example/${'a'.repeat(54)}`),
    job(`managedBy: a.example/${'a'.repeat(53)}`),
  ),
  row(
    'a failure by a condition with a space',
    fails('action: Ignore, onPodConditions: [{type: "a b"}]'),
    fails('action: Ignore, onPodConditions: [{type: A}]'),
  ),
  row(
    'a failure by a state that is none',
    fails('action: Ignore, onPodConditions: [{type: A, status: "Yes"}]'),
    fails('action: Ignore, onPodConditions: [{type: A, status: Unknown}]'),
  ),
  row('a controller of others', replicated('selector: {a: c}'), replicated('selector: {a: b}')),
  row('a controller of pods that end', replicated('replicas: 1', ', restartPolicy: Never'), replicated('replicas: 1')),
  // storage, certificates
  row(
    'a short token of a driver',
    driver('tokenRequests: [{audience: a, expirationSeconds: 1}]'),
    driver('tokenRequests: [{audience: a, expirationSeconds: 600}]'),
  ),
  // flows
  row('a first place for another', flow('matchingPrecedence: 1'), flow('matchingPrecedence: 2')),
  row('a place that is too high', flow('matchingPrecedence: 10001'), flow('matchingPrecedence: 10000')),
  row(
    'a method that is none',
    flow('distinguisherMethod: {type: ByName}'),
    flow('distinguisherMethod: {type: ByUser}'),
  ),
  row('a subject of another kind', asks('{kind: Group, user: {name: a}}'), asks('{kind: Group, group: {name: a}}')),
  row(
    'a service account without namespace',
    asks('{kind: ServiceAccount, serviceAccount: {namespace: "", name: a}}'),
    asks('{kind: ServiceAccount, serviceAccount: {namespace: a, name: "*"}}'),
  ),
  row('a rule without resources', asks(user, 'nonResourceRules: []'), asks(user)),
  row(
    'a rule of no namespace',
    resources('verbs: [get], apiGroups: [""], resources: [pods]'),
    resources('verbs: [get], apiGroups: [""], resources: [pods], namespaces: ["*"]'),
  ),
  row(
    'a verb that is none',
    resources('verbs: [read], apiGroups: [""], resources: [pods], clusterScope: true'),
    resources('verbs: [proxy], apiGroups: [""], resources: [pods], clusterScope: true'),
  ),
  row(
    'a wildcard among resources',
    resources('verbs: [get], apiGroups: [""], resources: [pods, "*"], clusterScope: true'),
    resources('verbs: [get], apiGroups: [""], resources: ["*"], clusterScope: true'),
  ),
  row(
    'a wildcard in a path',
    asks(user, 'nonResourceRules: [{verbs: [get], nonResourceURLs: [/a*]}]'),
    asks(user, 'nonResourceRules: [{verbs: [get], nonResourceURLs: [/a/*]}]'),
  ),
  row('a level without limits', level('type: Limited'), limited('lendablePercent: 100')),
  row('a level that exempts', level('type: Exempt'), level('type: Exempt', 'exempt')),
  row('a level that lends more than all', limited('lendablePercent: 101'), limited('lendablePercent: 0')),
  row(
    'queues where others are turned away',
    limited('lendablePercent: 1').replace('Reject', 'Reject, queuing: {}'),
    queues(''),
  ),
  row('more hands than queues', queues('queues: 1'), queues('queues: 8')),
  row('hands that cannot be told apart', queues('queues: 100000, handSize: 4'), queues('queues: 32768, handSize: 4')),
]
