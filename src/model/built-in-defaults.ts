import { copyValue, dictAt, itemsAt, textAt } from './field.ts'
import { dict, Dict, goInt, type Value } from './value.ts'

/** A map without entries. */
const EMPTY = Symbol('an empty map')

/** Fields with the values that an API server gives them where they are absent. */
type Defaults = Readonly<Record<string, string | number | boolean | typeof EMPTY>>

/**
 * The object with what API servers fill in before they look at it or compare it: for the kinds that run pods, for
 * Services, volumes and what names their drivers, bindings, priorities and claims of devices (k8s.io/kubernetes,
 * `pkg/apis/…/defaults.go`). Others stay as they are.
 */
export function withBuiltInDefaults(object: Dict): Dict {
  const fill = fillers.get(`${textAt(object, 'apiVersion')} ${textAt(object, 'kind')}`)
  if (fill === undefined) return object
  const copy = copyValue(object)
  if (!(copy instanceof Dict)) return object
  fill(copy)
  return copy
}

function put(into: Value | undefined, defaults: Defaults): void {
  if (!(into instanceof Dict)) return
  for (const [name, value] of Object.entries(defaults)) {
    const given = into.get(name)
    if (given !== undefined && given !== null) continue
    into.set(name, value === EMPTY ? new Dict() : typeof value === 'number' ? goInt(value) : value)
  }
}

function within(object: Dict, name: string): Dict {
  const given = object.get(name)
  if (given instanceof Dict) return given
  const made = new Dict()
  object.set(name, made)
  return made
}

function fillPod(spec: Dict | undefined): void {
  if (spec === undefined) return
  put(spec, {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
    securityContext: EMPTY,
  })
  // two names of one field
  const account = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount')
  if (account !== '') put(spec, { serviceAccountName: account, serviceAccount: account })
  for (const list of ['containers', 'initContainers'])
    for (const container of itemsAt(spec, list)) if (container instanceof Dict) fillContainer(container)
  for (const volume of itemsAt(spec, 'volumes')) {
    if (volume instanceof Dict && [...volume].every(([name, value]) => name === 'name' || value === null))
      put(volume, { emptyDir: EMPTY })
    for (const source of ['secret', 'configMap', 'projected', 'downwardAPI'])
      put(dictAt(volume, source), { defaultMode: 0o644 })
    put(dictAt(volume, 'hostPath'), { type: '' })
    put(dictAt(volume, 'ephemeral', 'volumeClaimTemplate', 'spec'), { volumeMode: 'Filesystem' })
    for (const source of itemsAt(volume, 'projected', 'sources')) {
      put(dictAt(source, 'serviceAccountToken'), { expirationSeconds: 3600 })
      fillFieldRefs(itemsAt(source, 'downwardAPI', 'items'))
    }
    fillFieldRefs(itemsAt(volume, 'downwardAPI', 'items'))
  }
}

function fillFieldRefs(items: readonly Value[]): void {
  for (const item of items) put(dictAt(item, 'fieldRef'), { apiVersion: 'v1' })
}

function fillContainer(container: Dict): void {
  const image = textAt(container, 'image')
  const tag = image.includes('@') ? 'digest' : (/:([^/:]*)$/.exec(image)?.[1] ?? 'latest')
  put(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: tag === 'latest' ? 'Always' : 'IfNotPresent',
    resources: EMPTY,
  })
  for (const port of itemsAt(container, 'ports')) put(port, { protocol: 'TCP' })
  for (const variable of itemsAt(container, 'env')) put(dictAt(variable, 'valueFrom', 'fieldRef'), { apiVersion: 'v1' })
  for (const hook of ['postStart', 'preStop'])
    put(dictAt(container, 'lifecycle', hook, 'httpGet'), { scheme: 'HTTP', path: '/' })
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    const probe = dictAt(container, name)
    put(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 })
    put(probe && dictAt(probe, 'httpGet'), { scheme: 'HTTP', path: '/' })
  }
}

/** Of a Pod itself what is limited is requested, too; a pod template stays as it is. */
function fillRequests(container: Dict): void {
  const limits = dictAt(container, 'resources', 'limits')
  if (limits === undefined) return
  const requests = within(within(container, 'resources'), 'requests')
  for (const [name, amount] of limits) if (!requests.has(name)) requests.set(name, amount)
}

const podOf = (object: Dict): void => {
  fillPod(dictAt(object, 'spec', 'template', 'spec'))
}

const rolling = dict([
  ['maxSurge', '25%'],
  ['maxUnavailable', '25%'],
])

const jobDefaults: Defaults = {
  completionMode: 'NonIndexed',
  suspend: false,
  backoffLimit: 6,
  podReplacementPolicy: 'TerminatingOrFailed',
}

function fillJob(spec: Dict | undefined): void {
  put(spec, jobDefaults)
  if (spec !== undefined && !spec.has('completions') && !spec.has('parallelism')) put(spec, { completions: 1 })
  put(spec, { parallelism: 1 })
}

/** Of the sources of volumes that have defaults. */
const volumeDefaults: Readonly<Record<string, Defaults>> = {
  hostPath: { type: '' },
  iscsi: { iscsiInterface: 'default' },
  rbd: { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' },
  azureDisk: { cachingMode: 'ReadWrite', kind: 'Shared', fsType: 'ext4', readOnly: false },
  scaleIO: { storageMode: 'ThinProvisioned', fsType: 'xfs' },
}

function fillBinding(object: Dict): void {
  put(dictAt(object, 'roleRef'), { apiGroup: RBAC })
  for (const subject of itemsAt(object, 'subjects'))
    if (textAt(subject, 'kind') === 'User' || textAt(subject, 'kind') === 'Group') put(subject, { apiGroup: RBAC })
}

const RBAC = 'rbac.authorization.k8s.io'

function fillDeviceRequests(spec: Dict | undefined): void {
  for (const request of itemsAt(spec ?? null, 'devices', 'requests')) {
    const exactly = dictAt(request, 'exactly')
    for (const asked of [...(exactly === undefined ? [] : [exactly]), ...itemsAt(request, 'firstAvailable')]) {
      put(asked, { allocationMode: 'ExactCount' })
      if (textAt(asked, 'allocationMode') === 'ExactCount') put(asked, { count: 1 })
    }
  }
}

const fillers: ReadonlyMap<string, (object: Dict) => void> = new Map<string, (object: Dict) => void>([
  [
    'v1 Pod',
    (object) => {
      const spec = within(object, 'spec')
      fillPod(spec)
      put(spec, { enableServiceLinks: true })
      for (const list of ['containers', 'initContainers'])
        for (const container of itemsAt(spec, list)) if (container instanceof Dict) fillRequests(container)
    },
  ],
  [
    'apps/v1 Deployment',
    (object) => {
      const spec = within(object, 'spec')
      put(spec, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })
      const strategy = within(spec, 'strategy')
      put(strategy, { type: 'RollingUpdate' })
      if (textAt(strategy, 'type') === 'RollingUpdate') fillMissing(within(strategy, 'rollingUpdate'), rolling)
      podOf(object)
    },
  ],
  [
    'apps/v1 StatefulSet',
    (object) => {
      const spec = within(object, 'spec')
      put(spec, { replicas: 1, revisionHistoryLimit: 10, podManagementPolicy: 'OrderedReady' })
      const strategy = within(spec, 'updateStrategy')
      put(strategy, { type: 'RollingUpdate' })
      if (textAt(strategy, 'type') === 'RollingUpdate') put(within(strategy, 'rollingUpdate'), { partition: 0 })
      podOf(object)
      for (const claim of itemsAt(spec, 'volumeClaimTemplates')) {
        if (!(claim instanceof Dict)) continue
        put(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' })
        put(within(claim, 'spec'), { volumeMode: 'Filesystem' })
        put(within(claim, 'status'), { phase: 'Pending' })
      }
    },
  ],
  [
    'apps/v1 DaemonSet',
    (object) => {
      const spec = within(object, 'spec')
      put(spec, { revisionHistoryLimit: 10 })
      const strategy = within(spec, 'updateStrategy')
      put(strategy, { type: 'RollingUpdate' })
      if (textAt(strategy, 'type') === 'RollingUpdate')
        put(within(strategy, 'rollingUpdate'), { maxSurge: 0, maxUnavailable: 1 })
      podOf(object)
    },
  ],
  [
    'apps/v1 ReplicaSet',
    (object) => {
      put(within(object, 'spec'), { replicas: 1 })
      podOf(object)
    },
  ],
  [
    'batch/v1 Job',
    (object) => {
      fillJob(within(object, 'spec'))
      podOf(object)
    },
  ],
  [
    'batch/v1 CronJob',
    (object) => {
      const spec = within(object, 'spec')
      put(spec, {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
      })
      const template = within(spec, 'jobTemplate')
      fillPod(dictAt(template, 'spec', 'template', 'spec'))
    },
  ],
  [
    'v1 Service',
    (object) => {
      const spec = within(object, 'spec')
      put(spec, { sessionAffinity: 'None', type: 'ClusterIP' })
      for (const port of itemsAt(spec, 'ports')) {
        put(port, { protocol: 'TCP' })
        if (port instanceof Dict && !port.has('targetPort')) port.set('targetPort', port.get('port') ?? null)
      }
      if (textAt(spec, 'type') !== 'ExternalName') put(spec, { internalTrafficPolicy: 'Cluster' })
      if (['NodePort', 'LoadBalancer'].includes(textAt(spec, 'type'))) put(spec, { externalTrafficPolicy: 'Cluster' })
      if (textAt(spec, 'type') === 'LoadBalancer') put(spec, { allocateLoadBalancerNodePorts: true })
    },
  ],
  [
    'v1 Secret',
    (object) => {
      put(object, { type: 'Opaque' })
    },
  ],
  [
    'v1 PersistentVolumeClaim',
    (object) => {
      put(within(object, 'spec'), { volumeMode: 'Filesystem' })
    },
  ],
  [
    'v1 PersistentVolume',
    (object) => {
      const spec = within(object, 'spec')
      put(spec, { volumeMode: 'Filesystem', persistentVolumeReclaimPolicy: 'Retain' })
      for (const [source, defaults] of Object.entries(volumeDefaults)) put(dictAt(spec, source), defaults)
    },
  ],
  [
    'storage.k8s.io/v1 StorageClass',
    (object) => {
      put(object, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' })
    },
  ],
  [
    'storage.k8s.io/v1 CSIDriver',
    (object) => {
      const spec = within(object, 'spec')
      put(spec, {
        attachRequired: true,
        podInfoOnMount: false,
        storageCapacity: false,
        requiresRepublish: false,
        seLinuxMount: false,
        fsGroupPolicy: 'ReadWriteOnceWithFSType',
      })
      if (itemsAt(spec, 'volumeLifecycleModes').length === 0) spec.set('volumeLifecycleModes', ['Persistent'])
    },
  ],
  ['rbac.authorization.k8s.io/v1 RoleBinding', fillBinding],
  ['rbac.authorization.k8s.io/v1 ClusterRoleBinding', fillBinding],
  [
    'scheduling.k8s.io/v1 PriorityClass',
    (object) => {
      put(object, { preemptionPolicy: 'PreemptLowerPriority' })
    },
  ],
  ...['v1', 'v1beta2'].flatMap((version): readonly (readonly [string, (object: Dict) => void])[] => [
    [
      `resource.k8s.io/${version} ResourceClaim`,
      (object) => {
        fillDeviceRequests(dictAt(object, 'spec'))
      },
    ],
    [
      `resource.k8s.io/${version} ResourceClaimTemplate`,
      (object) => {
        fillDeviceRequests(dictAt(object, 'spec', 'spec'))
      },
    ],
  ]),
  [
    'v1 Namespace',
    (object) => {
      const metadata = within(object, 'metadata')
      put(within(metadata, 'labels'), { 'kubernetes.io/metadata.name': textAt(metadata, 'name') })
      put(within(object, 'spec'), {})
    },
  ],
])

function fillMissing(into: Dict, defaults: Dict): void {
  for (const [name, value] of defaults) if (!into.has(name)) into.set(name, value)
}
