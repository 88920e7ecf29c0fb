import { CLUSTER_API, isCapiCluster, readTopologyVersion } from '../model/class-reference.ts'
import { fieldAt } from '../model/field.ts'
import { isMarkedToStay } from '../model/keep-marks.ts'
import { lostPools } from '../model/lost-pools.ts'
import type { ChangeRisk, ChangeStep, FieldChange, ObjectChange, TreeObject, UndoLimit } from '../model/tree-change.ts'
import { startsWith } from './change-path.ts'
import { compareKubernetes } from './compare-kubernetes.ts'
import { findImmutable } from './immutable-fields.ts'
import { widensRights } from './rights.ts'

/** A change before it is judged. */
export type PlainChange = Omit<ObjectChange, 'risks' | 'undo' | 'immutable'>

/** What a change does, in the order of the type; the cautious answer where the tree alone cannot tell. */
export function classifyChange(change: PlainChange): Pick<ObjectChange, 'risks' | 'undo' | 'immutable'> {
  const immutable = immutableOf(change)
  return { risks: risksOf(change), undo: undoOf(change), ...(immutable.length > 0 && { immutable }) }
}

function immutableOf({ change, before, after, fields }: PlainChange): readonly FieldChange[] {
  const object = after ?? before
  return object === undefined || change !== 'changed' ? [] : findImmutable(object, fields)
}

function risksOf(change: PlainChange): readonly ChangeRisk[] {
  const { before, after, fields, units } = change
  const risks: ChangeRisk[] = []
  const object = after ?? before
  if (object === undefined) return risks
  const isLeft = leavesBehind(change)
  if ((change.change === 'removed' && !isLeft) || (isCapiCluster(object) && fields.some(removesPool)))
    risks.push('deletes')
  if (isLeft) risks.push('leaves-behind')
  if (immutableOf(change).length > 0) risks.push('replaces')
  if (fields.some((field) => rollsNodes(object, field))) risks.push('rolls-nodes')
  if (fields.some((field) => restartsPods(object, field))) risks.push('restarts-pods')
  if (
    isDefinition(object) &&
    !isLeft &&
    (change.change !== 'changed' || fields.some(({ path }) => startsWith(path, 'spec')))
  )
    risks.push('changes-crd')
  if (after !== undefined && widensRights(before, after)) risks.push('widens-rights')
  if (units !== undefined) risks.push('moves-unit')
  if (fields.some((field) => suspends(field))) risks.push('suspends')
  const isMetadata = fields.length > 0 && fields.every(({ path }) => isOwnMetadata(path))
  if (risks.length === 0 && isMetadata && change.change === 'changed') risks.push('metadata-only')
  return risks
}

/** True if the object goes from the tree only. */
function leavesBehind({ change, before }: PlainChange): boolean {
  return change === 'removed' && before !== undefined && isMarkedToStay(before.object)
}

function undoOf(plain: PlainChange): readonly UndoLimit[] {
  const { change, before, after, fields } = plain
  const object = after ?? before
  if (object === undefined || leavesBehind(plain)) return []
  const undo: UndoLimit[] = []
  if (change === 'removed' && isCapiCluster(object)) undo.push('cluster-is-gone')
  if (before !== undefined && after !== undefined && isCapiCluster(object)) {
    const step = compareKubernetes(readTopologyVersion(before.object), readTopologyVersion(after.object))
    if (step === 'patch' || step === 'minor' || step === 'skips') undo.push('kubernetes-version')
  }
  if (change === 'removed' && holdsContent(object)) undo.push('content-is-gone')
  if (isDefinition(object) && change === 'changed' && fields.some(({ path }) => path.at(-1) === 'storage'))
    undo.push('stored-version')
  return undo
}

function groupOf({ apiVersion }: TreeObject): string {
  return apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0))
}

function isDefinition({ kind, apiVersion }: TreeObject): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/')
}

/** True if what is in it, or behind it, goes with the object. */
function holdsContent(object: TreeObject): boolean {
  const isCore = object.apiVersion === 'v1'
  const core = ['Namespace', 'PersistentVolumeClaim', 'PersistentVolume']
  return isDefinition(object) || (isCore && core.includes(object.kind))
}

function removesPool(field: FieldChange): boolean {
  return lostPools(field).length > 0
}

/**
 * Fields of Cluster API that do not replace machines, from its book, "In-place propagation of changes affecting
 * Kubernetes objects only" and the topology's own fields.
 */
const inPlace: ReadonlySet<string> = new Set([
  'annotations',
  'deletion',
  'labels',
  'metadata',
  'minReadySeconds',
  'nodeDeletionTimeout',
  'nodeDrainTimeout',
  'nodeVolumeDetachTimeout',
  'remediation',
  'remediationStrategy',
  'replicas',
  'rolloutStrategy',
  'strategy',
  'healthCheck',
  'machineHealthCheck',
])

function rollsNodes(object: TreeObject, field: FieldChange): boolean {
  const { path } = field
  const group = groupOf(object)
  if (!group.endsWith(CLUSTER_API) || path[0] !== 'spec') return false
  if (isCapiCluster(object)) return rollsCluster(field)
  const isSkipped = path.some((step) => typeof step === 'string' && inPlace.has(step))
  switch (object.kind) {
    case 'ClusterClass':
      // patches may change any template; the schema of a variable changes nothing until it is used
      return path[1] === 'patches' || (!isSkipped && isOneOf(path[1], ['controlPlane', 'infrastructure', 'workers']))
    case 'KubeadmControlPlane':
    case 'KubeadmControlPlaneTemplate':
    case 'KubeadmConfigTemplate':
      return !isSkipped
    case 'MachineDeployment':
    case 'MachinePool':
    case 'MachineSet':
      return !isSkipped && path[1] === 'template'
    default:
      return group === `infrastructure.${CLUSTER_API}` && object.kind.endsWith('MachineTemplate') && !isSkipped
  }
}

/** A new pool of workers rolls nothing, and neither does one that goes. */
function rollsCluster({ path }: FieldChange): boolean {
  if (!startsWith(path, 'spec.topology')) return false
  if (path.includes('variables')) return true
  if (path.some((step) => typeof step === 'string' && inPlace.has(step))) return false
  const isWhole = path[2] === 'workers' && path.length <= 5
  return (
    !isWhole &&
    isOneOf(path[2], ['class', 'classNamespace', 'classRef', 'controlPlane', 'rolloutAfter', 'version', 'workers'])
  )
}

function isOneOf(step: ChangeStep | undefined, names: readonly string[]): boolean {
  return typeof step === 'string' && names.includes(step)
}

const workloads: ReadonlySet<string> = new Set(['Deployment', 'DaemonSet', 'StatefulSet'])

function restartsPods(object: TreeObject, { path }: FieldChange): boolean {
  return groupOf(object) === 'apps' && workloads.has(object.kind) && startsWith(path, 'spec.template')
}

/** Fields by which what is responsible for an object is told to stop, in Flux, Argo CD, Kubernetes and Cluster API. */
function suspends({ path, before, after }: FieldChange): boolean {
  const field = path.filter((step) => typeof step === 'string').join('.')
  if (field === 'spec.suspend' || field === 'spec.paused') return after === true
  // of an Application, or of those that an ApplicationSet makes
  const [, sync] = /^spec\.(?:template\.spec\.)?syncPolicy((?:\.automated)?(?:\.enabled)?)$/.exec(field) ?? []
  if (sync === '.automated.enabled') return after === false
  if (sync === '.automated') return after === undefined
  if (sync === '') return after === undefined && before !== undefined && fieldAt(before, 'automated') !== undefined
  return field === 'metadata.annotations.cluster.x-k8s.io/paused' && after !== undefined
}

function isOwnMetadata(path: FieldChange['path']): boolean {
  return path[0] === 'metadata' && (path[1] === 'labels' || path[1] === 'annotations')
}
