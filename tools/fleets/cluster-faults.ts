/** A Cluster, for a rule and for the webhook of Cluster API. */
export interface ClusterFault {
  readonly name: string
  /** In YAML. */
  readonly cluster: string
  /** What is said of it; none: it is taken. */
  readonly says: readonly string[]
}

/** Fields of the control plane, of the workers and of the spec, in flow style. */
interface Parts {
  readonly plane?: string
  readonly workers?: string
  readonly spec?: string
}

const more = (fields: string | undefined): string => (fields === undefined ? '' : `, ${fields}`)

function clusterOf(version: 'v1beta1' | 'v1beta2', { plane, workers, spec }: Parts): string {
  const reference =
    version === 'v1beta2'
      ? 'classRef: {name: docker-demo-1-34-v3, namespace: platform}'
      : 'class: docker-demo-1-34-v3, classNamespace: platform'
  const groups = `workers: {machineDeployments: [{class: default-worker, name: md-0, replicas: 1${more(workers)}}]}`
  return (
    `{apiVersion: cluster.x-k8s.io/${version}, kind: Cluster, metadata: {name: judged, namespace: team-a}, ` +
    `spec: {topology: {${reference}, version: v1.34.7, controlPlane: {replicas: 1${more(plane)}}, ${groups}}${more(spec)}}}`
  )
}

const rolling = (fields: string): string => `rollout: {strategy: {type: RollingUpdate, rollingUpdate: {${fields}}}}`
const isReplacingNone = 'has 0 for maxSurge and for maxUnavailable, so that no machine can be replaced'
const worker = 'spec.topology.workers.machineDeployments[0]'
const plane = 'spec.topology.controlPlane'
const noShare = (field: string, value: string): string =>
  `${field} is "${value}", which is neither a number nor a share`
const isShort = 'is less than 30 seconds'
const notBoth = '[{conditionType: a}, {conditionType: a, polarity: Negative}]'

type Row = readonly [name: string, parts: Parts, ...says: readonly string[]]

const newer: readonly Row[] = [
  ['nothing more', {}],
  [
    'no machine more or less',
    { workers: rolling('maxSurge: 0, maxUnavailable: 0') },
    `${worker}.rollout.strategy.rollingUpdate ${isReplacingNone}`,
  ],
  ['a machine less', { workers: rolling('maxSurge: 0, maxUnavailable: 1') }],
  ['no machine more', { workers: rolling('maxSurge: 0') }],
  ['shares of none', { workers: rolling('maxSurge: 0%, maxUnavailable: 0%') }],
  [
    'a number in quotes',
    { workers: rolling('maxSurge: "5"') },
    noShare(`${worker}.rollout.strategy.rollingUpdate.maxSurge`, '5'),
  ],
  [
    'a node at once',
    { plane: 'healthCheck: {checks: {nodeStartupTimeoutSeconds: 5}}' },
    `${plane}.healthCheck.checks.nodeStartupTimeoutSeconds ${isShort}`,
  ],
  [
    'a node after 29 seconds',
    { workers: 'healthCheck: {checks: {nodeStartupTimeoutSeconds: 29}}' },
    `${worker}.healthCheck.checks.nodeStartupTimeoutSeconds ${isShort}`,
  ],
  ['a node after 30 seconds', { workers: 'healthCheck: {checks: {nodeStartupTimeoutSeconds: 30}}' }],
  ['a node whenever', { workers: 'healthCheck: {checks: {nodeStartupTimeoutSeconds: 0}}' }],
  [
    'a share that is none',
    { plane: 'healthCheck: {remediation: {triggerIf: {unhealthyLessThanOrEqualTo: x}}}' },
    noShare(`${plane}.healthCheck.remediation.triggerIf.unhealthyLessThanOrEqualTo`, 'x'),
  ],
  ['a share', { plane: 'healthCheck: {remediation: {triggerIf: {unhealthyLessThanOrEqualTo: 40%}}}' }],
  [
    'a number in flight that is none',
    { workers: 'healthCheck: {remediation: {maxInFlight: x}}' },
    noShare(`${worker}.healthCheck.remediation.maxInFlight`, 'x'),
  ],
  ['a day that is none', { plane: 'rollout: {after: tomorrow}' }, `${plane}.rollout.after "tomorrow" is no time`],
  [
    'a day without a time',
    { workers: 'rollout: {after: "2030-01-01"}' },
    `${worker}.rollout.after "2030-01-01" is no time`,
  ],
  [
    'a month that there is not',
    { workers: 'rollout: {after: "2030-13-01T00:00:00Z"}' },
    `${worker}.rollout.after "2030-13-01T00:00:00Z" is no time`,
  ],
  [
    'a time in lower case',
    { workers: 'rollout: {after: "2030-01-01t00:00:00z"}' },
    `${worker}.rollout.after "2030-01-01t00:00:00z" is no time`,
  ],
  ['a time with a zone', { workers: 'rollout: {after: "2030-01-01T00:00:00+02:00"}' }],
  [
    'a gate twice',
    { plane: `readinessGates: ${notBoth}` },
    `${plane}.readinessGates: "a" stands twice, first in line 1`,
  ],
  [
    'a gate of workers twice',
    { workers: `readinessGates: ${notBoth}` },
    `${worker}.readinessGates: "a" stands twice, first in line 1`,
  ],
  [
    'a gate of the cluster twice',
    { spec: `availabilityGates: ${notBoth}` },
    'spec.availabilityGates: "a" stands twice, first in line 1',
  ],
  ['two gates', { spec: 'availabilityGates: [{conditionType: a}, {conditionType: b}]' }],
]

const older: readonly Row[] = [
  [
    'no machine more or less',
    { workers: 'strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 0}}' },
    `${worker}.strategy.rollingUpdate ${isReplacingNone}`,
  ],
  [
    'a number in quotes',
    { workers: 'strategy: {rollingUpdate: {maxSurge: "5"}}' },
    noShare(`${worker}.strategy.rollingUpdate.maxSurge`, '5'),
  ],
  [
    'a node at once',
    { plane: 'machineHealthCheck: {nodeStartupTimeout: 5s}' },
    `${plane}.machineHealthCheck.nodeStartupTimeout ${isShort}`,
  ],
  [
    'a node after 29.999 seconds',
    { workers: 'machineHealthCheck: {nodeStartupTimeout: 29999ms}' },
    `${worker}.machineHealthCheck.nodeStartupTimeout ${isShort}`,
  ],
  ['a node after half a minute', { workers: 'machineHealthCheck: {nodeStartupTimeout: 0.5m}' }],
  ['a node whenever', { workers: 'machineHealthCheck: {nodeStartupTimeout: 0s}' }],
  [
    'a share that is none',
    { workers: 'machineHealthCheck: {maxUnhealthy: x}' },
    noShare(`${worker}.machineHealthCheck.maxUnhealthy`, 'x'),
  ],
  ['a share', { workers: 'machineHealthCheck: {maxUnhealthy: 40%}' }],
  ['a day that is none', { plane: 'rollout: {after: tomorrow}' }, `${plane}.rollout.after "tomorrow" is no time`],
  [
    'a gate twice',
    { plane: `readinessGates: ${notBoth}` },
    `${plane}.readinessGates: "a" stands twice, first in line 1`,
  ],
  [
    'a gate of the cluster twice',
    { spec: `availabilityGates: ${notBoth}` },
    'spec.availabilityGates: "a" stands twice, first in line 1',
  ],
]

/** Clusters that Cluster API 1.13 refuses though the schema allows them, and others beside them that it takes. */
export const clusterFaults: readonly ClusterFault[] = [
  ...newer.map(([name, parts, ...says]) => ({ name: `v1beta2: ${name}`, cluster: clusterOf('v1beta2', parts), says })),
  ...older.map(([name, parts, ...says]) => ({ name: `v1beta1: ${name}`, cluster: clusterOf('v1beta1', parts), says })),
]
