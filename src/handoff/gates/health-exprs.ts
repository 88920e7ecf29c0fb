/**
 * One entry of `spec.healthCheckExprs` of a Flux Kustomization. Flux matches group and kind and reads the object in
 * whatever version the server prefers, so every expression holds for all versions. It asks in this order (fluxcd/pkg,
 * runtime/cel/status_evaluator.go): is `status.observedGeneration` set and not the generation → in progress;
 * `inProgress`; `failed`; `current`; otherwise in progress. An error, such as no status yet, is "unknown": Flux asks
 * again.
 */
export interface HealthExpr {
  readonly apiVersion: string
  readonly kind: string
  readonly current: string
  readonly inProgress?: string
  readonly failed?: string
}

const CLUSTER = { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster' }

/**
 * An object that is being deleted is never current, whatever its conditions still say: Flux leaves that to the
 * expressions.
 */
const DELETING = 'has(metadata.deletionTimestamp)'

/**
 * An expression that is true if `list` holds a condition of this type and status that was computed for the object as it
 * stands. Never `filter().all()`: true of nothing.
 */
function isCondition(type: string, status: 'True' | 'False', list = 'status.conditions'): string {
  return (
    `${list}.exists(c, c.type == '${type}' && c.status == '${status}' && ` +
    'has(c.observedGeneration) && c.observedGeneration == metadata.generation)'
  )
}

const isObserved = 'has(status.observedGeneration) && status.observedGeneration == metadata.generation'

/**
 * One-way in every version: field of v1beta2, then what v1beta1 has for it (condition, or field, which later versions
 * convert from the same truth).
 */
const isInitialized = [
  '(has(status.initialization) && has(status.initialization.controlPlaneInitialized) && status.initialization.controlPlaneInitialized)',
  "(has(status.conditions) && status.conditions.exists(c, c.type == 'ControlPlaneInitialized' && c.status == 'True'))",
  '(has(status.controlPlaneReady) && status.controlPlaneReady)',
].join(' || ')

/**
 * Machines of the group `name` of `s`: all that are there are up to date, and all versions that it reports are the
 * target.
 */
function isAtTarget(name: 'controlPlane' | 'workers'): string {
  const group = `s.${name}`
  return (
    `(!has(${group}) || ((!has(${group}.replicas) || ${group}.replicas == 0 || ` +
    `(has(${group}.upToDateReplicas) && ${group}.upToDateReplicas == ${group}.replicas)) && ` +
    `(!has(${group}.versions) || !${group}.versions.exists(v, v.version != spec.topology.version))))`
  )
}

/**
 * The gate that addons wait for: the control plane of the cluster has answered once. It asks for no node to be ready,
 * which would wait for the CNI, which would wait for the gate; and it never closes again but while the cluster's
 * controller has not seen a change, or the cluster is deleted.
 */
export function bootstrapHealth(): readonly HealthExpr[] {
  return [{ ...CLUSTER, inProgress: DELETING, current: isInitialized }]
}

/**
 * The gate for what must not start during an upgrade: Cluster API has handed the topology of this generation to all its
 * parts, none is rolling out, every machine is up to date and of the wanted version, and the cluster is available.
 * Needs Cluster API 1.9 or later: older ones do not say for which generation the topology is reconciled, so the gate
 * stays closed.
 */
export function rolloutHealth(): readonly HealthExpr[] {
  // A list of one gives the conditions of both versions one name: v1beta1 keeps the new ones under status.v1beta2.
  const parts = [
    'has(s.conditions)',
    isCondition('TopologyReconciled', 'True', 's.conditions'),
    isCondition('RollingOut', 'False', 's.conditions'),
    isCondition('Available', 'True', 's.conditions'),
    isAtTarget('controlPlane'),
    isAtTarget('workers'),
  ].join(' && ')
  const current = `${isObserved} && (${isInitialized}) && [has(status.v1beta2) ? status.v1beta2 : status].exists(s, ${parts})`
  return [{ ...CLUSTER, inProgress: DELETING, current }]
}

/**
 * The gate that a release waits for: each Image of the OpenStack resource controller is in the cloud. It fails only
 * when a person must act.
 */
export function imageHealth(): readonly HealthExpr[] {
  return [
    {
      apiVersion: 'openstack.k-orc.cloud/v1alpha1',
      kind: 'Image',
      inProgress: DELETING,
      failed:
        "has(status.conditions) && status.conditions.exists(c, c.type == 'Progressing' && c.status == 'False' && " +
        'has(c.observedGeneration) && c.observedGeneration == metadata.generation && ' +
        "has(c.reason) && c.reason in ['InvalidConfiguration', 'UnrecoverableError'])",
      current: `has(status.conditions) && has(status.id) && status.id != '' && ${isCondition('Available', 'True')}`,
    },
  ]
}

/**
 * Health of the objects that the controller of this project works on: ready for what is asked now; failed when it is
 * stalled, which only a person ends.
 */
export function ownKindsHealth(): readonly HealthExpr[] {
  return ['RuntimeValues', 'NodeImageGate', 'StorageMigration'].map((kind) => ({
    apiVersion: 'stackmason.dev/v1alpha1',
    kind,
    inProgress: DELETING,
    failed: `has(status.conditions) && ${isCondition('Stalled', 'True')}`,
    current: `${isObserved} && has(status.conditions) && ${isCondition('Ready', 'True')}`,
  }))
}
