import { affinity, ofPod, persistent, pod, row, type RefusedObject, service, slice, volume } from './make-objects.ts'

const whole = (apiVersion: string, kind: string, fields: string, name = 'a'): string =>
  `{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}, namespace: default}, ${fields}}`
const header = (fields: string): string => pod(`livenessProbe: {httpGet: {port: 80, httpHeaders: [{${fields}}]}}`)
const disk = 'iqn: "iqn.2001-04.com.example:disk"'
const gateway = 'gateway: a, volumeName: b'
const devices = (kind: string, spec: string): string => whole('resource.k8s.io/v1', kind, spec)
const deviceSlice = (fields: string, pool = 'resourceSliceCount: 1'): string =>
  devices(
    'ResourceSlice',
    `spec: {driver: a.example, nodeName: b, pool: {name: c, ${pool}}, devices: [{name: d, ${fields}}]}`,
  )
const driver = (request: string): string =>
  whole('storage.k8s.io/v1', 'CSIDriver', `spec: {tokenRequests: [{${request}}]}`)
const zones = (zone: string): string =>
  slice(`addressType: IPv4, endpoints: [{addresses: [10.0.0.9], hints: {forZones: [${zone}]}}]`)

/** Fields that the OpenAPI requires and servers do not: without them an object is taken, and not without others. */
export const refusedSparse: readonly RefusedObject[] = [
  row('a header without name', header('value: a'), header('name: X-Probe')),
  row(
    'a setting of the kernel without name',
    ofPod('securityContext: {sysctls: [{value: a}]}'),
    ofPod('securityContext: {sysctls: [{name: kernel.shm_rmid_forced}]}'),
  ),
  row(
    'a preference for nodes without weight',
    affinity('nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{}]}'),
    affinity('nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: [{weight: 1}]}'),
  ),
  row(
    'a disk on a network without its name',
    volume('iscsi: {targetPortal: "10.0.0.1"}'),
    volume(`iscsi: {targetPortal: "10.0.0.1", ${disk}}`),
  ),
  row(
    'a persistent disk on a network without its name',
    persistent('iscsi: {targetPortal: "10.0.0.1"}'),
    persistent(`iscsi: {targetPortal: "10.0.0.1", ${disk}}`),
  ),
  row('a ScaleIO volume without system', volume(`scaleIO: {${gateway}}`), volume(`scaleIO: {${gateway}, system: c}`)),
  row(
    'a persistent ScaleIO volume without system',
    persistent(`scaleIO: {${gateway}}`),
    persistent(`scaleIO: {${gateway}, system: c}`),
  ),
  row(
    'a target that is no port',
    service('', 'ports: [{port: 80, targetPort: 65536}]'),
    service('', 'ports: [{port: 80, targetPort: 0}]'),
  ),
  row('a slice without a kind of address', slice('endpoints: []'), slice('addressType: IPv4')),
  row('zones of a hint without end', zones(Array.from({ length: 9 }, () => '{name: z}').join(', ')), zones('{}')),
  row(
    'a class of a priority beyond all',
    whole('scheduling.k8s.io/v1', 'PriorityClass', 'value: 1000000001'),
    whole('scheduling.k8s.io/v1', 'PriorityClass', 'description: a'),
  ),
  row('a token that ends too soon', driver('expirationSeconds: 1'), driver('expirationSeconds: 3600')),
  row(
    'a node with a driver without name',
    whole('storage.k8s.io/v1', 'CSINode', 'spec: {drivers: [{nodeID: a}]}'),
    whole('storage.k8s.io/v1', 'CSINode', 'spec: {}'),
  ),
  row(
    'a revision below 0',
    whole('apps/v1', 'ControllerRevision', 'revision: -1, data: {a: b}'),
    whole('apps/v1', 'ControllerRevision', 'data: {a: b}'),
  ),
  row(
    'a class of devices with a selector of nothing',
    devices('DeviceClass', 'spec: {selectors: [{}]}'),
    devices('DeviceClass', ''),
  ),
  row(
    'a claim of a device without name',
    devices('ResourceClaim', 'spec: {devices: {requests: [{exactly: {deviceClassName: a}}]}}'),
    devices('ResourceClaim', ''),
  ),
  row(
    'a template of a claim of a device without name',
    devices('ResourceClaimTemplate', 'spec: {spec: {devices: {requests: [{exactly: {deviceClassName: a}}]}}}'),
    devices('ResourceClaimTemplate', 'spec: {}'),
  ),
  row('a pool of no slices', deviceSlice('', 'generation: 1'), deviceSlice('capacity: {a: {}}')),
]
