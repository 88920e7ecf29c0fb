import { copyValue, dictAt, itemsAt, textAt } from '../../model/field.ts'
import { dict, Dict, goInt, type Value } from '../../model/value.ts'

/** A map without entries. */
const EMPTY = Symbol('an empty map')

/** Fields with the values that an API server gives them where they are absent. */
type Defaults = Readonly<Record<string, string | number | boolean | typeof EMPTY>>

/**
 * The object as policies see it: with what API servers fill in for the kinds that run pods, for Services and claims
 * (k8s.io/kubernetes, `pkg/apis/…/defaults.go`). Others stay as they are.
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
  for (const list of ['containers', 'initContainers'])
    for (const container of itemsAt(spec, list)) if (container instanceof Dict) fillContainer(container)
  for (const volume of itemsAt(spec, 'volumes')) {
    for (const source of ['secret', 'configMap', 'projected', 'downwardAPI'])
      put(dictAt(volume, source), { defaultMode: 0o644 })
    put(dictAt(volume, 'hostPath'), { type: '' })
  }
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
      for (const claim of itemsAt(spec, 'volumeClaimTemplates'))
        put(dictAt(claim, 'spec'), { volumeMode: 'Filesystem' })
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
