import {
  claim,
  deployment,
  ofPod,
  persistent,
  pod,
  row,
  type RefusedObject,
  service,
  statefulSet,
  volume,
} from './make-objects.ts'

const claimOf = (fields: string): string =>
  `metadata: {name: d}, spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, ${fields}}`
const templates = (fields: string): string =>
  statefulSet(`serviceName: a, volumeClaimTemplates: [{${claimOf(fields)}}]`)
const ephemeral = (fields: string): string =>
  volume(`ephemeral: {volumeClaimTemplate: {${claimOf(fields).replace('metadata: {name: d}, ', '')}}}`)
const snapshot = (group: string): string => `dataSource: {${group}kind: VolumeSnapshot, name: a}`
const GROUP = 'apiGroup: snapshot.storage.k8s.io, '
const ranges = (text: string, type = 'LoadBalancer'): string =>
  service(
    `type: ${type}`,
    'ports: [{port: 80}]',
    `, annotations: {service.beta.kubernetes.io/load-balancer-source-ranges: "${text}"}`,
  )
const resized = (name: string): string =>
  pod(
    `resizePolicy: [{resourceName: cpu, restartPolicy: NotRequired}, {resourceName: ${name}, restartPolicy: NotRequired}]`,
  )
const lease = (fields: string): string =>
  `{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: a, namespace: default}, spec: {${fields}}}`
const runtime = (selector: string): string =>
  `{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: a}, handler: x, scheduling: {nodeSelector: {${selector}}}}`
const attributes = (driver: string): string =>
  `{apiVersion: storage.k8s.io/v1, kind: VolumeAttributesClass, metadata: {name: a}, driverName: ${driver}, parameters: {a: b}}`
const csi = 'csi: {driver: a.b, volumeHandle: c}'
const limit = (memory: string): string => deployment('', '', `, resources: {limits: {memory: "${memory}"}}`)

/** Fields that few objects have. */
export const refusedDetails: readonly RefusedObject[] = [
  row('snapshot without a group for claims of a StatefulSet', templates(snapshot('')), templates(snapshot(GROUP))),
  row('snapshot without a group for a volume of a pod', ephemeral(snapshot('')), ephemeral(snapshot(GROUP))),
  row('group of a source of claims', templates(snapshot('apiGroup: A_b, ')), claim(snapshot('apiGroup: A_b, '))),
  row(
    'name of a class of attributes',
    claim('volumeAttributesClassName: Fast_Disk'),
    claim('volumeAttributesClassName: ""'),
  ),
  row(
    'class of attributes of a volume without a driver',
    persistent('hostPath: {path: /a}, volumeAttributesClassName: a'),
    persistent(`${csi}, volumeAttributesClassName: a`),
  ),
  row(
    'empty class of attributes of a volume',
    persistent(`${csi}, volumeAttributesClassName: ""`),
    persistent(`${csi}, volumeAttributesClassName: a.b`),
  ),
  row('driver of a class of attributes', attributes('"a b"'), attributes('A.b_c')),
  row('source ranges of an annotation', ranges('10.0.0.0/8, 10.1.0.0'), ranges(' 10.0.0.0/8 , 10.1.0.0/16')),
  row('source ranges of an annotation, of no load balancer', ranges('10.0.0.0/8', 'NodePort'), ranges(' ')),
  row('resource that is resized in two ways', resized('cpu'), resized('memory')),
  row(
    'change of labels of SELinux',
    ofPod('securityContext: {seLinuxChangePolicy: recursive}'),
    ofPod('securityContext: {seLinuxChangePolicy: Recursive}'),
  ),
  row(
    'Secret of a volume of a driver',
    volume('csi: {driver: a.b, nodePublishSecretRef: {}}'),
    volume('csi: {driver: a.b, nodePublishSecretRef: {name: a}}'),
  ),
  row('monitors of rbd', volume('rbd: {monitors: [], image: x}'), volume('rbd: {monitors: [""], image: x}')),
  row('image of rbd', volume('rbd: {monitors: [a], image: ""}'), volume('rbd: {monitors: [a], image: x}')),
  row('monitors of cephfs', volume('cephfs: {monitors: []}'), volume('cephfs: {monitors: [a]}')),
  ...[
    ['vsphereVolume', 'volumePath'],
    ['gcePersistentDisk', 'pdName'],
    ['awsElasticBlockStore', 'volumeID'],
    ['cinder', 'volumeID'],
    ['portworxVolume', 'volumeID'],
    ['photonPersistentDisk', 'pdID'],
    ['storageos', 'volumeName'],
  ].map(([source = '', field = '']) =>
    row(`${field} of ${source}`, volume(`${source}: {${field}: ""}`), volume(`${source}: {${field}: a}`)),
  ),
  row('path of glusterfs', volume('glusterfs: {endpoints: a, path: ""}'), volume('glusterfs: {endpoints: a, path: b}')),
  row(
    'volume of quobyte',
    volume('quobyte: {registry: "a:1", volume: ""}'),
    volume('quobyte: {registry: "a:1", volume: b}'),
  ),
  row('labels of nodes of a runtime', runtime('a: "b c"'), runtime('a: b')),
  row(
    'time of a lease without microseconds',
    lease('renewTime: "2020-01-01T00:00:00Z"'),
    lease('renewTime: "2020-01-01T00:00:00.000000+02:00"'),
  ),
  row(
    'day of a lease',
    lease('acquireTime: "2020-02-30T00:00:00.000000Z"'),
    lease('acquireTime: "2020-02-28T00:00:00.000000Z"'),
  ),
  row('quantity with a space inside', limit('1 Gi'), limit(' 1Gi ')),
  row('quantity with the end of a line', limit('1Gi\\n'), limit('\u00a01Gi\u2003')),
  row('two Secrets for images without a name', ofPod('imagePullSecrets: [{}, {}]'), ofPod('imagePullSecrets: [{}]')),
]
