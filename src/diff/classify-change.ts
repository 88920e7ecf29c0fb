import { CLUSTER_API, isCapiCluster, readTopologyVersion } from '../model/class-reference.ts'
import { fieldAt, textAt } from '../model/field.ts'
import { lostPools } from '../model/lost-pools.ts'
import type {
  ChangeRisk,
  ChangeStep,
  EffectReason,
  FieldChange,
  ObjectChange,
  RefusedChange,
  TreeObject,
  UndoLimit,
} from '../model/tree-change.ts'
import { fieldEffects } from './field-effects.ts'
import { startsWith } from './change-path.ts'
import { compareKubernetes } from './compare-kubernetes.ts'
import { findImmutable } from './immutable-fields.ts'
import { guardEffects, isGuard, newGuardEffects } from './guard-effects.ts'
import { networkEffects } from './network-effects.ts'
import type { ObjectFates } from './object-fates.ts'
import { groupKindOf, groupOf } from './object-kind.ts'
import { findRefusedSwitches } from './refused-switches.ts'
import { rightsEffects, widensRights } from './rights.ts'
import { deletesContent, listEffects, markEffects, prunes, unitEffects } from './unit-effects.ts'
import { podEffects, scaleEffects, serviceEffects } from './workload-effects.ts'

/** A change before it is judged. */
export type PlainChange = Omit<ObjectChange, 'risks' | 'undo' | 'reasons' | 'immutable'>

/** The effects of a change, in the order of the type; the cautious answer where the tree alone cannot tell. */
export function classifyChange(
  plain: PlainChange,
  fates: ObjectFates,
): Pick<ObjectChange, 'risks' | 'undo' | 'reasons' | 'immutable'> {
  const change = { ...plain, goes: goingOf(plain, fates) }
  const immutable = immutableOf(change)
  const reasons = reasonsOf(change)
  const risks = risksOf(change, reasons)
  return {
    risks,
    undo: undoOf(change, risks),
    reasons: reasons.length > 0 ? reasons : undefined,
    immutable: immutable.length > 0 ? immutable : undefined,
  }
}

/** How an object goes: not at all, from the tree only, or also where it is applied. */
type Going = 'not' | 'from-tree' | 'deleted' | 'when-confirmed' | 'without-content'

interface GoingChange extends PlainChange {
  readonly goes: Going
}

function goingOf(change: PlainChange, fates: ObjectFates): Going {
  const { before } = change
  if (!isGone(change) || before === undefined) return 'not'
  const fate = fates.of(before)
  if (fate === 'kept') return 'from-tree'
  if (fate === 'confirmed') return 'when-confirmed'
  return fates.leavesContent(before) ? 'without-content' : 'deleted'
}

const goingTexts: Readonly<Partial<Record<Going, string>>> = {
  'when-confirmed': 'when somebody confirms it in Argo CD',
  'without-content': 'what it applied stays',
}

/** Effects of which it matters what exactly has them. */
function reasonsOf(change: GoingChange): readonly EffectReason[] {
  const { before, after, fields, goes } = change
  const isGuardGone = change.change === 'removed' && before !== undefined && isGuard(before) && !isLeftBehind(change)
  if (isGuardGone) return [{ risk: 'lowers-guard', text: 'gone' }]
  const how = goingTexts[goes]
  if (how !== undefined && after === undefined) return [{ risk: 'deletes', text: how }]
  if (after === undefined) return []
  const old = before?.object
  return [
    ...rightsEffects(before, after),
    ...serviceEffects(old, after),
    ...podEffects(old, after.object),
    ...(change.change === 'renamed' ? [] : [...networkEffects(before, after), ...newGuardEffects(before, after)]),
    ...listEffects(after, before),
    ...(change.change === 'renamed' ? [] : fieldEffects(before, after)),
    ...(before === undefined
      ? []
      : [
          ...scaleEffects(after, fields),
          ...guardEffects({ before, after }, fields),
          ...unitEffects({ before, after }, fields),
          ...(change.change === 'changed' ? markEffects(before.object, after.object) : []),
        ]),
  ]
}

function immutableOf({ change, before, after, fields }: PlainChange): readonly RefusedChange[] {
  if (before === undefined || after === undefined || change !== 'changed') return []
  const found = findImmutable({ before, after }, fields)
  const switches = findRefusedSwitches({ before, after }, fields)
  return [...found, ...switches.filter(({ path }) => !found.some((other) => other.path === path))]
}

function risksOf(change: GoingChange, reasons: readonly EffectReason[]): readonly ChangeRisk[] {
  const { before, after, fields, units } = change
  const risks: ChangeRisk[] = []
  const object = after ?? before
  if (object === undefined) return risks
  const isLeft = isLeftBehind(change)
  if ((isGone(change) && !isLeft) || (isCapiCluster(object) && fields.some(removesPool))) risks.push('deletes')
  if (isLeft) risks.push('leaves-behind')
  const isFor = (risk: ChangeRisk): boolean => reasons.some((reason) => reason.risk === risk)
  for (const risk of ['lowers-guard', 'may-delete', 'redirects', 'rewrites', 'changes-unit'] as const)
    if (isFor(risk)) risks.push(risk)
  for (const risk of [
    'endangers',
    'scales-to-zero',
    'exposes',
    'cuts-traffic',
    'refuses-more',
    'changes-scale',
  ] as const)
    if (isFor(risk)) risks.push(risk)
  if (immutableOf(change).length > 0) risks.push('replaces')
  if (fields.some((field) => rollsNodes(object, field))) risks.push('rolls-nodes')
  if (fields.some((field) => restartsPods(object, field))) risks.push('restarts-pods')
  if (
    isDefinition(object) &&
    change.change !== 'removed' &&
    (change.change !== 'changed' || fields.some(({ path }) => startsWith(path, 'spec')))
  )
    risks.push('changes-crd')
  if (isFor('widens-rights') || (after !== undefined && widensRights(before, after))) risks.push('widens-rights')
  if (units !== undefined) risks.push('moves-unit')
  if (isFor('suspends') || fields.some((field) => suspends(field))) risks.push('suspends')
  if (risks.includes('suspends') && risks.includes('changes-unit')) risks.splice(risks.indexOf('changes-unit'), 1)
  const isMetadata = fields.length > 0 && fields.every(({ path }) => isOwnMetadata(path))
  if (risks.length === 0 && isMetadata && change.change === 'changed') risks.push('metadata-only')
  return risks
}

/** True if the object goes from the tree only. */
function isLeftBehind({ goes }: GoingChange): boolean {
  return goes === 'from-tree'
}

/** True if the object is no longer in the tree, also where another one takes its place. */
function isGone({ change, isBeforeGone }: PlainChange): boolean {
  return change === 'removed' || isBeforeGone === true
}

function undoOf(plain: GoingChange, risks: readonly ChangeRisk[]): readonly UndoLimit[] {
  const { change, before, after, fields } = plain
  const isRemoved = isGone(plain)
  const object = isRemoved ? before : (after ?? before)
  if (object === undefined || isLeftBehind(plain)) return []
  const undo: UndoLimit[] = []
  if (isRemoved && isCapiCluster(object)) undo.push('cluster-is-gone')
  if (before !== undefined && after !== undefined && isCapiCluster(object)) {
    const step = compareKubernetes(readTopologyVersion(before.object), readTopologyVersion(after.object))
    if (step === 'patch' || step === 'minor' || step === 'skips') undo.push('kubernetes-version')
  }
  if (isRemoved && holdsContent(object)) undo.push('content-is-gone')
  if ((isRemoved && holdsMachines(object)) || (isCapiCluster(object) && fields.some(removesPool)))
    undo.push('machines-are-gone')
  if (
    isRemoved
      ? plain.goes !== 'without-content' && deletesContent(object)
      : after !== undefined && mayPrune(after, risks)
  )
    undo.push('applied-is-gone')
  if (isDefinition(object) && change === 'changed' && fields.some(removesProperty)) undo.push('fields-are-gone')
  if (isDefinition(object) && change === 'changed' && fields.some(({ path }) => path.at(-1) === 'storage'))
    undo.push('stored-version')
  return undo
}

function isDefinition({ kind, apiVersion }: TreeObject): boolean {
  return kind === 'CustomResourceDefinition' && apiVersion.startsWith('apiextensions.k8s.io/')
}

/** True if a unit that changes in this way may delete what it applied. */
function mayPrune(unit: TreeObject, risks: readonly ChangeRisk[]): boolean {
  return risks.includes('may-delete') || (risks.includes('redirects') && prunes(unit))
}

function removesProperty({ path, after }: FieldChange): boolean {
  return after === undefined && path.at(-2) === 'properties' && path.includes('openAPIV3Schema')
}

/** True if machines are deleted with the object. */
function holdsMachines(object: TreeObject): boolean {
  const group = groupOf(object)
  return (
    (group === CLUSTER_API && /^Machine(?:Deployment|Pool|Set)?$/.test(object.kind)) ||
    (group === `controlplane.${CLUSTER_API}` && object.kind.endsWith('ControlPlane'))
  )
}

/** True if what is in it, or behind it, goes with the object. */
function holdsContent(object: TreeObject): boolean {
  const claims = textAt(object.object, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenDeleted')
  return isDefinition(object) || holding.has(groupKindOf(object)) || claims === 'Delete'
}

const holding: ReadonlySet<string> = new Set([
  '/Namespace',
  '/PersistentVolumeClaim',
  '/PersistentVolume',
  'snapshot.storage.k8s.io/VolumeSnapshot',
  'snapshot.storage.k8s.io/VolumeSnapshotContent',
  // operators that delete volumes or pools with their object
  'acid.zalan.do/postgresql',
  'ceph.rook.io/CephBlockPool',
  'ceph.rook.io/CephFilesystem',
  'ceph.rook.io/CephObjectStore',
  'longhorn.io/Volume',
  'postgresql.cnpg.io/Cluster',
])

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
      return !isSkipped && isOneOf(path[1], ['rollout', 'rolloutAfter', 'template'])
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
  // a text is what is left where a variable was put in
  const isOn = after === true || after === 'true'
  if (field === 'spec.suspend' || field === 'spec.paused') return isOn
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
