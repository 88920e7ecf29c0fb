import type { Health, Phase } from './health.ts'

/** A cluster at one moment, and what the two gates must say of it. */
export interface ClusterPhase extends Phase {
  readonly bootstrap: Health
  readonly rollout: Health
}

type Fields = Readonly<Record<string, unknown>>

interface Condition {
  readonly type: string
  readonly status: string
  readonly reason: string
  readonly observedGeneration?: number
  readonly severity?: string
}

/** What a phase says of its cluster, apart from how an API version writes it. */
interface State {
  readonly name: string
  readonly bootstrap: Health
  readonly rollout: Health
  readonly generation?: number
  /** `undefined` leaves the field out. */
  readonly observedGeneration?: number | undefined
  readonly conditions?: readonly Condition[]
  readonly phase: string
  readonly isInitialized?: boolean
  readonly controlPlane?: Fields
  readonly workers?: Fields
  readonly metadata?: Fields
}

const TARGET = 'v1.34.2'

function is(type: string, status: string, reason: string, observedGeneration = 2): Condition {
  return { type, status, reason, observedGeneration }
}

function machines(replicas: number, upToDateReplicas: number, versions: readonly string[] = [TARGET]): Fields {
  return {
    desiredReplicas: 3,
    replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    upToDateReplicas,
    versions: versions.map((version) => ({ version, replicas: 1 })),
  }
}

const initialized = is('ControlPlaneInitialized', 'True', 'Initialized', 1)
const reconciled = is('TopologyReconciled', 'True', 'ReconcileSucceeded')
const still = is('RollingOut', 'False', 'NotRollingOut')
const available = is('Available', 'True', 'Available')
const unavailable = is('Available', 'False', 'NotAvailable')
const done = {
  phase: 'Provisioned',
  isInitialized: true,
  controlPlane: machines(3, 3),
  workers: machines(3, 3),
} as const

/** The life of a cluster, in order; then what can go wrong. Generation 2 everywhere but where it says so. */
const states: readonly State[] = [
  { name: 'pending', phase: 'Pending', bootstrap: 'inProgress', rollout: 'inProgress', observedGeneration: undefined },
  {
    name: 'provisioning',
    phase: 'Provisioning',
    conditions: [
      is('Available', 'False', 'NotAvailable'),
      is('ControlPlaneInitialized', 'False', 'NotInitialized'),
      is('InfrastructureReady', 'False', 'NotReady'),
      reconciled,
      still,
    ],
    bootstrap: 'inProgress',
    rollout: 'inProgress',
  },
  {
    // What Argo CD's own check takes for healthy, and kstatus too: Provisioned says nothing of the control plane.
    name: 'infrastructure ready, endpoint known',
    phase: 'Provisioned',
    conditions: [
      unavailable,
      is('InfrastructureReady', 'True', 'Ready'),
      is('ControlPlaneInitialized', 'False', 'NotInitialized'),
      reconciled,
      still,
    ],
    controlPlane: machines(1, 1),
    workers: { desiredReplicas: 3, replicas: 0 },
    bootstrap: 'inProgress',
    rollout: 'inProgress',
  },
  {
    // Nodes wait for the CNI here, and the CNI for the gate.
    name: 'control plane initialized',
    phase: 'Provisioned',
    isInitialized: true,
    conditions: [unavailable, initialized, reconciled, still],
    controlPlane: machines(1, 1),
    workers: machines(3, 3),
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'control plane up, workers not',
    phase: 'Provisioned',
    isInitialized: true,
    conditions: [unavailable, initialized, is('ControlPlaneAvailable', 'True', 'Available'), reconciled, still],
    controlPlane: machines(3, 3),
    workers: machines(3, 3),
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'available',
    ...done,
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'current',
  },
  {
    name: 'available, without workers',
    ...done,
    workers: {},
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'current',
  },
  {
    name: 'available, of a control plane that counts no machines',
    ...done,
    controlPlane: {},
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'current',
  },
  {
    name: 'scaling up',
    ...done,
    workers: machines(2, 2),
    conditions: [available, initialized, is('ScalingUp', 'True', 'ScalingUp'), reconciled, still],
    bootstrap: 'current',
    rollout: 'current',
  },
  {
    // The label and the version have just been changed: nothing has looked at them, and every condition is that of
    // before.
    name: 'changed, not yet seen',
    ...done,
    generation: 3,
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'inProgress',
    rollout: 'inProgress',
  },
  {
    // The controller of Clusters has seen it, that of topologies has not.
    name: 'changed, topology not yet computed',
    ...done,
    generation: 3,
    observedGeneration: 3,
    conditions: [
      is('Available', 'True', 'Available', 3),
      initialized,
      reconciled,
      is('RollingOut', 'False', 'NotRollingOut', 3),
    ],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'rolling out is of the generation before',
    ...done,
    generation: 3,
    observedGeneration: 3,
    conditions: [
      is('Available', 'True', 'Available', 3),
      initialized,
      is('TopologyReconciled', 'True', 'ReconcileSucceeded', 3),
      still,
    ],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'upgrade pending',
    ...done,
    conditions: [available, initialized, is('TopologyReconciled', 'False', 'ControlPlaneUpgradePending'), still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'rolling out',
    ...done,
    controlPlane: machines(4, 2, ['v1.33.5', TARGET]),
    conditions: [
      available,
      initialized,
      is('TopologyReconciled', 'False', 'ClusterUpgrading'),
      is('RollingOut', 'True', 'RollingOut'),
    ],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    // Cluster API 1.9 and 1.10 call the topology reconciled as soon as the last group has been told.
    name: 'rolling out, topology handed out',
    ...done,
    workers: machines(4, 2, ['v1.33.5', TARGET]),
    conditions: [available, initialized, reconciled, is('RollingOut', 'True', 'RollingOut')],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'told, rollout not yet noticed, machines of before',
    ...done,
    workers: machines(3, 0, ['v1.33.5']),
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'versions behind the target',
    ...done,
    controlPlane: machines(3, 3, ['v1.33.5']),
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'machines that nobody calls up to date',
    ...done,
    controlPlane: { desiredReplicas: 3, replicas: 3 },
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    // Often passes by itself: a webhook that was away for a moment. Never failed.
    name: 'topology failed',
    ...done,
    conditions: [unavailable, initialized, is('TopologyReconciled', 'False', 'ReconcileFailed'), still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'topology failed before there was a control plane',
    phase: 'Pending',
    conditions: [unavailable, is('TopologyReconciled', 'False', 'ReconcileFailed')],
    bootstrap: 'inProgress',
    rollout: 'inProgress',
  },
  {
    name: 'paused',
    ...done,
    conditions: [available, initialized, is('TopologyReconciled', 'False', 'Paused'), still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'conditions unknown',
    ...done,
    conditions: [
      is('Available', 'Unknown', 'InternalError'),
      is('TopologyReconciled', 'Unknown', 'InternalError'),
      is('RollingOut', 'Unknown', 'InternalError'),
      initialized,
    ],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'everything but a control plane that has answered',
    ...done,
    isInitialized: false,
    conditions: [available, is('ControlPlaneInitialized', 'False', 'NotInitialized'), reconciled, still],
    bootstrap: 'inProgress',
    rollout: 'inProgress',
  },
  {
    name: 'available, of groups that report nothing',
    phase: 'Provisioned',
    isInitialized: true,
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'current',
  },
  {
    name: 'control plane behind, of the same version',
    ...done,
    controlPlane: machines(3, 1),
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'workers behind, of the same version',
    ...done,
    workers: machines(3, 1),
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'workers of a version behind the target',
    ...done,
    workers: machines(3, 3, [TARGET, 'v1.33.5']),
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'workers that nobody calls up to date',
    ...done,
    workers: { desiredReplicas: 3, replicas: 3 },
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'rolling out, by its condition only',
    ...done,
    conditions: [
      available,
      initialized,
      reconciled,
      is('RollingOut', 'True', 'RollingOut'),
      is('ScalingDown', 'False', 'NotScalingDown'),
    ],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'no longer available',
    ...done,
    conditions: [unavailable, initialized, is('InfrastructureReady', 'True', 'Ready'), reconciled, still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'available of the generation before',
    ...done,
    conditions: [is('Available', 'True', 'Available', 1), initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  ...[available, reconciled, still].map(({ type, status, reason }): State => ({
    name: `${type} without a generation`,
    ...done,
    conditions: [
      initialized,
      ...[available, reconciled, still].filter((condition) => condition.type !== type),
      { type, status, reason },
    ],
    bootstrap: 'current',
    rollout: 'inProgress',
  })),
  { name: 'no conditions', ...done, conditions: [], bootstrap: 'current', rollout: 'inProgress' },
  {
    name: 'other conditions only',
    ...done,
    conditions: [is('RemoteConnectionProbe', 'True', 'ProbeSucceeded')],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'never observed',
    ...done,
    observedGeneration: undefined,
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'deleting',
    ...done,
    phase: 'Deleting',
    metadata: { deletionTimestamp: '2026-11-21T12:00:00Z' },
    conditions: [available, initialized, reconciled, still],
    bootstrap: 'inProgress',
    rollout: 'inProgress',
  },
]

function cluster(
  apiVersion: string,
  state: Pick<State, 'generation' | 'metadata'>,
  status: Fields | undefined,
): object {
  return {
    apiVersion: `cluster.x-k8s.io/${apiVersion}`,
    kind: 'Cluster',
    metadata: { name: 'c1', namespace: 'team-a', generation: state.generation ?? 2, ...state.metadata },
    spec: { topology: { version: TARGET } },
    ...(status !== undefined && { status }),
  }
}

function observedGeneration(state: State): Fields {
  if ('observedGeneration' in state)
    return state.observedGeneration === undefined ? {} : { observedGeneration: state.observedGeneration }
  return { observedGeneration: 2 }
}

function v1beta2({ isInitialized = false, conditions, controlPlane, workers, phase, ...state }: State): Fields {
  return {
    ...observedGeneration({ phase, ...state }),
    phase,
    ...(isInitialized && { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: true } }),
    ...(conditions !== undefined && { conditions }),
    ...(controlPlane !== undefined && { controlPlane }),
    ...(workers !== undefined && { workers }),
    // What a server that converts keeps of v1beta1: nothing here may count.
    deprecated: { v1beta1: { conditions: legacyConditions(true) } },
  }
}

/**
 * The conditions of v1beta1 have no generation: those that sound best, to prove that they decide nothing but what is
 * one-way.
 */
function legacyConditions(isInitialized: boolean): readonly Fields[] {
  return [
    { type: 'Ready', status: 'True' },
    ...(isInitialized
      ? [{ type: 'ControlPlaneInitialized', status: 'True' }]
      : [{ type: 'ControlPlaneInitialized', status: 'False', severity: 'Info' }]),
    { type: 'TopologyReconciled', status: 'True' },
  ]
}

/** v1beta1 as Cluster API 1.9 and later write it: the new conditions and counters under `status.v1beta2`. */
function v1beta1({ isInitialized = false, conditions, controlPlane, workers, phase, ...state }: State): Fields {
  return {
    ...observedGeneration({ phase, ...state }),
    phase,
    infrastructureReady: isInitialized,
    controlPlaneReady: isInitialized && controlPlane?.['replicas'] === 3,
    conditions: legacyConditions(isInitialized),
    v1beta2: {
      ...(conditions !== undefined && { conditions }),
      ...(controlPlane !== undefined && { controlPlane }),
      ...(workers !== undefined && { workers }),
    },
  }
}

/** Moments that only one of the versions knows. */
const special: readonly ClusterPhase[] = [
  { name: 'v1beta2: no status', object: cluster('v1beta2', {}, undefined), bootstrap: 'unknown', rollout: 'unknown' },
  { name: 'v1beta1: no status', object: cluster('v1beta1', {}, undefined), bootstrap: 'unknown', rollout: 'unknown' },
  { name: 'v1beta2: empty status', object: cluster('v1beta2', {}, {}), bootstrap: 'inProgress', rollout: 'inProgress' },
  {
    name: 'v1beta2: initialization says no',
    object: cluster(
      'v1beta2',
      {},
      { initialization: { infrastructureProvisioned: true, controlPlaneInitialized: false } },
    ),
    bootstrap: 'inProgress',
    rollout: 'inProgress',
  },
  {
    // Before Cluster API 1.9 nothing tells for which generation the topology is reconciled.
    name: 'v1beta1 of Cluster API 1.8: available',
    object: cluster(
      'v1beta1',
      {},
      {
        phase: 'Provisioned',
        observedGeneration: 2,
        controlPlaneReady: true,
        infrastructureReady: true,
        conditions: legacyConditions(true),
      },
    ),
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'v1beta1: a control plane that has the field only',
    object: cluster('v1beta1', {}, { phase: 'Provisioned', observedGeneration: 2, controlPlaneReady: true }),
    bootstrap: 'current',
    rollout: 'inProgress',
  },
  {
    name: 'v1beta1: failed',
    object: cluster(
      'v1beta1',
      {},
      {
        phase: 'Failed',
        observedGeneration: 2,
        failureReason: 'CreateError',
        failureMessage: 'quota',
        controlPlaneReady: false,
      },
    ),
    bootstrap: 'inProgress',
    rollout: 'inProgress',
  },
]

/** Every moment of a cluster's life, in both API versions. */
export const clusterPhases: readonly ClusterPhase[] = [
  ...states.flatMap((state) => {
    const { name, bootstrap, rollout } = state
    return [
      { name: `v1beta2: ${name}`, object: cluster('v1beta2', state, v1beta2(state)), bootstrap, rollout },
      { name: `v1beta1: ${name}`, object: cluster('v1beta1', state, v1beta1(state)), bootstrap, rollout },
    ]
  }),
  ...special,
]
