import { formatGoJson } from '../codec/json/go-json.ts'
import { volumeSources } from '../model/volume-sources.ts'
import { copyDict, fieldAt, itemsAt, textAt } from '../model/field.ts'
import { billionthsOf } from '../model/quantity.ts'
import type { ChangeStep, FieldChange, TreeObject } from '../model/tree-change.ts'
import { Dict, type Value } from '../model/value.ts'
import { asStored } from './as-stored.ts'
import { isRelated, startsWith } from './change-path.ts'
import { compareValues } from './compare-values.ts'
import { isBuiltIn } from './list-keys.ts'
import { groupOf } from './object-kind.ts'

/** Fields of some kinds that cannot be changed once they are set. */
interface ImmutableRow {
  readonly group: string
  readonly kinds: readonly string[]
  /** Everything below these paths; `''` = the object. */
  readonly paths: readonly string[]
  /** But for these. */
  readonly except?: readonly string[]
  /** Only where this holds, too. */
  readonly when?: (change: FieldOfObject) => boolean
}

/** A change of a field, with the object around it, as the server stores it. */
interface FieldOfObject {
  readonly before: Dict
  readonly after: Dict
  readonly field: FieldChange
}

/** The field was set before: by whom it is set first makes no difference. */
const wasSet = ({ field: { before } }: FieldOfObject): boolean => before !== undefined
const wasImmutable = ({ before }: FieldOfObject): boolean => fieldAt(before, 'immutable') === true
const isLoadBalancer = ({ before, after }: FieldOfObject): boolean =>
  [before, after].every((service) => textAt(service, 'spec', 'type') === 'LoadBalancer')
/** A Service that no longer names its address keeps it; where that is none at all, it cannot become one of each node. */
const hasOwnAddress = ({ before, after }: FieldOfObject): boolean =>
  [before, after].every((service) => textAt(service, 'spec', 'type') !== 'ExternalName') &&
  (textAt(after, 'spec', 'clusterIP') !== '' ||
    (textAt(before, 'spec', 'clusterIP') === 'None' && textAt(after, 'spec', 'type') !== 'ClusterIP'))
const changesFamily = ({ before, after }: FieldOfObject): boolean => {
  const [old, now] = [before, after].map((service) => textAt(service, 'spec', 'ipFamilies', 0))
  return old !== '' && now !== '' && old !== now
}
const shrinks = ({ field: { before, after } }: FieldOfObject): boolean => {
  const [old, now] = [billionthsOf(before), billionthsOf(after)]
  return old !== undefined && now !== undefined && now < old
}

/** An Indexed Job may change both together. */
const changesCompletions = ({ after }: FieldOfObject): boolean => {
  const now = billionthsOf(fieldAt(after, 'spec', 'completions'))
  const isIndexed = textAt(after, 'spec', 'completionMode') === 'Indexed'
  return !(isIndexed && now !== undefined && now === billionthsOf(fieldAt(after, 'spec', 'parallelism')))
}

/** Where its pods run may still be said of a Job that was suspended (`validatePodTemplateUpdate`). */
const isOfStartedJob = ({ before, field: { path, ...field } }: FieldOfObject): boolean => {
  if (fieldAt(before, 'spec', 'suspend') !== true) return true
  const [, , part, name, below] = path
  const values = [field.before, field.after].filter((value) => value instanceof Dict)
  const hasOnly = (...names: readonly string[]): boolean =>
    values.every((value) => [...value.keys()].every((key) => names.includes(key)))
  if (part === 'metadata')
    return name === undefined ? !hasOnly('labels', 'annotations') : name !== 'labels' && name !== 'annotations'
  if (name === 'affinity') return below === undefined ? !hasOnly('nodeAffinity') : below !== 'nodeAffinity'
  return !(name === 'nodeSelector' || name === 'tolerations' || name === 'schedulingGates')
}

/** The fields of a Pod that may change, and how (`ValidatePodUpdate`). */
const isOfRunningPod = ({ before, after, field: { path } }: FieldOfObject): boolean => {
  const name = typeof path[1] === 'string' ? path[1] : ''
  const [old, now] = [before, after].map((pod) => fieldAt(pod, 'spec', name))
  const [oldSeconds, seconds] = [billionthsOf(old), billionthsOf(now)]
  const isKept = (from: Dict, to: Dict): boolean => {
    const others = new Set(itemsAt(to, 'spec', name).map(withoutSeconds))
    return itemsAt(from, 'spec', name).every((item) => others.has(withoutSeconds(item)))
  }
  const isGated = itemsAt(before, 'spec', 'schedulingGates').length > 0
  switch (name) {
    case 'activeDeadlineSeconds':
      return !(seconds !== undefined && (oldSeconds === undefined || seconds <= oldSeconds))
    case 'terminationGracePeriodSeconds':
      return !(oldSeconds !== undefined && oldSeconds < 0 && seconds === SECOND)
    case 'tolerations':
      return !isKept(before, after)
    case 'schedulingGates':
      return !isKept(after, before)
    case 'affinity':
    case 'nodeSelector':
      return !isGated
    default:
      return path.at(-1) !== 'image'
  }
}

const SECOND = 1_000_000_000n

/** A toleration may last longer or shorter. */
function withoutSeconds(item: Value): string {
  if (!(item instanceof Dict)) return formatGoJson(item, { escapeHtml: false })
  const rest = copyDict(item)
  rest.delete('tolerationSeconds')
  return formatGoJson(rest, { escapeHtml: false })
}

const isLocalBalancer = ({ before, after }: FieldOfObject): boolean =>
  [before, after].every(
    (service) =>
      textAt(service, 'spec', 'type') === 'LoadBalancer' &&
      textAt(service, 'spec', 'externalTrafficPolicy') === 'Local',
  )
/** A port that is no longer named stays. */
const namesOtherPort = (change: FieldOfObject): boolean =>
  isLocalBalancer(change) && (billionthsOf(fieldAt(change.after, 'spec', 'healthCheckNodePort')) ?? 0n) !== 0n
const changesScopes = ({ before, after }: FieldOfObject): boolean => {
  const [old = [], now = []] = [before, after].map((quota) => itemsAt(quota, 'spec', 'scopes'))
  return [...old, ...now].some((scope) => !old.includes(scope) || !now.includes(scope))
}
/** A claim may get another class of attributes, and not lose the one it has. */
const losesClass = ({ before, after }: FieldOfObject): boolean => {
  const [old, now] = [before, after].map((claim) => textAt(claim, 'spec', 'volumeAttributesClassName'))
  return old !== '' && now === ''
}

const volumeFields = volumeSources.map((name) => `spec.${name}`)

/**
 * Fields that the API server or a webhook refuses to change. From the validation of Kubernetes 1.34
 * (pkg/apis/<group>/validation: `ValidateImmutableField`, `…Update`), the webhooks of Cluster API 1.13 and its contract
 * for infrastructure templates, and the definitions of the OpenStack resource controller (`XValidation … is
 * immutable`).
 */
const rows: readonly ImmutableRow[] = [
  { group: 'apps', kinds: ['Deployment', 'DaemonSet', 'ReplicaSet'], paths: ['spec.selector'] },
  {
    group: 'apps',
    kinds: ['StatefulSet'],
    paths: ['spec'],
    except: [
      'spec.replicas',
      'spec.ordinals',
      'spec.template',
      'spec.updateStrategy',
      'spec.revisionHistoryLimit',
      'spec.persistentVolumeClaimRetentionPolicy',
      'spec.minReadySeconds',
    ],
  },
  {
    group: 'batch',
    kinds: ['Job'],
    paths: [
      'spec.selector',
      'spec.completionMode',
      'spec.podFailurePolicy',
      'spec.backoffLimitPerIndex',
      'spec.managedBy',
      'spec.successPolicy',
    ],
  },
  { group: 'batch', kinds: ['Job'], paths: ['spec.template'], when: isOfStartedJob },
  { group: 'batch', kinds: ['Job'], paths: ['spec.completions'], when: changesCompletions },
  {
    group: 'storage.k8s.io',
    kinds: ['StorageClass'],
    paths: ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'],
  },
  { group: 'storage.k8s.io', kinds: ['CSIDriver'], paths: ['spec.attachRequired', 'spec.volumeLifecycleModes'] },
  { group: 'storage.k8s.io', kinds: ['VolumeAttributesClass'], paths: ['driverName', 'parameters'] },
  { group: '', kinds: ['Service'], paths: ['spec.clusterIP', 'spec.clusterIPs'], when: hasOwnAddress },
  { group: '', kinds: ['Service'], paths: ['spec.ipFamilies'], when: changesFamily },
  { group: '', kinds: ['Service'], paths: ['spec.loadBalancerClass'], when: isLoadBalancer },
  { group: '', kinds: ['Service'], paths: ['spec.healthCheckNodePort'], when: namesOtherPort },
  { group: '', kinds: ['ResourceQuota'], paths: ['spec.scopes'], when: changesScopes },
  { group: 'apps', kinds: ['ControllerRevision'], paths: ['data'] },
  { group: '', kinds: ['PersistentVolumeClaim'], paths: ['spec.volumeAttributesClassName'], when: losesClass },
  {
    group: '',
    kinds: ['PersistentVolume'],
    paths: [...volumeFields, 'spec.volumeMode'],
    except: ['spec.csi.controllerExpandSecretRef'],
  },
  { group: '', kinds: ['PersistentVolume'], paths: ['spec.nodeAffinity'], when: wasSet },
  { group: '', kinds: ['PersistentVolume'], paths: ['spec.csi.controllerExpandSecretRef'], when: wasSet },
  { group: '', kinds: ['PersistentVolumeClaim'], paths: ['spec.resources.requests.storage'], when: shrinks },
  { group: '', kinds: ['Pod'], paths: ['spec'], when: isOfRunningPod },
  {
    group: '',
    kinds: ['PersistentVolumeClaim'],
    paths: ['spec'],
    except: ['spec.resources.requests', 'spec.volumeAttributesClassName'],
  },
  {
    group: '',
    kinds: ['ConfigMap', 'Secret'],
    paths: ['data', 'stringData', 'binaryData', 'immutable'],
    when: wasImmutable,
  },
  { group: '', kinds: ['Secret'], paths: ['type'] },
  { group: 'rbac.authorization.k8s.io', kinds: ['RoleBinding', 'ClusterRoleBinding'], paths: ['roleRef'] },
  { group: 'scheduling.k8s.io', kinds: ['PriorityClass'], paths: ['value', 'preemptionPolicy'] },
  { group: 'node.k8s.io', kinds: ['RuntimeClass'], paths: ['handler'] },
  { group: 'networking.k8s.io', kinds: ['IngressClass'], paths: ['spec.controller'] },
  { group: 'networking.k8s.io', kinds: ['IPAddress'], paths: ['spec.parentRef'] },
  { group: 'discovery.k8s.io', kinds: ['EndpointSlice'], paths: ['addressType'] },
  { group: 'resource.k8s.io', kinds: ['ResourceClaim', 'ResourceClaimTemplate'], paths: ['spec'] },
  {
    group: 'apiextensions.k8s.io',
    kinds: ['CustomResourceDefinition'],
    paths: ['spec.group', 'spec.scope', 'spec.names.kind', 'spec.names.plural'],
  },
  {
    group: 'cluster.x-k8s.io',
    kinds: ['MachineDeployment', 'MachineSet'],
    paths: ['spec.selector', 'spec.clusterName'],
  },
  { group: 'cluster.x-k8s.io', kinds: ['Machine', 'MachinePool', 'MachineHealthCheck'], paths: ['spec.clusterName'] },
  {
    group: 'addons.cluster.x-k8s.io',
    kinds: ['ClusterResourceSet'],
    paths: ['spec.clusterSelector', 'spec.strategy'],
    when: wasSet,
  },
  {
    group: 'controlplane.cluster.x-k8s.io',
    kinds: ['KubeadmControlPlaneTemplate'],
    paths: ['spec.template.spec'],
  },
  {
    group: 'infrastructure.cluster.x-k8s.io',
    kinds: ['DockerClusterTemplate', 'OpenStackClusterTemplate'],
    paths: ['spec.template.spec'],
  },
  { group: 'openstack.k-orc.cloud', kinds: ['Image'], paths: ['spec.resource.content', 'spec.import'] },
]

/** Templates of machines of every infrastructure provider: Cluster API looks at the name, not into the object. */
const machineTemplate: ImmutableRow = { group: '', kinds: [], paths: ['spec.template.spec'] }

/** The changes of fields that the API server refuses. */
export function findImmutable(
  { before, after }: { readonly before: TreeObject; readonly after: TreeObject },
  fields: readonly FieldChange[],
): readonly FieldChange[] {
  const found = rowsOf(after)
  const named = fields.filter(({ path }) => found.some((row) => isIn(path, row)))
  if (named.length === 0) return []
  if (!isBuiltIn(groupOf(after))) {
    const around = { before: before.object, after: after.object }
    return named.filter((field) => found.some((row) => isRefused(row, { ...around, field })))
  }
  const around = { before: asStored(before.object), after: asStored(after.object) }
  const stored = compareValues(around.before, around.after).map(({ path }) => path)
  return named.filter(
    (field) =>
      stored.some((path) => isRelated(path, field.path)) && found.some((row) => isRefused(row, { ...around, field })),
  )
}

function rowsOf({ apiVersion, kind }: TreeObject): readonly ImmutableRow[] {
  const group = groupOf({ apiVersion })
  if (group === 'infrastructure.cluster.x-k8s.io' && kind.endsWith('MachineTemplate')) return [machineTemplate]
  return rows.filter((row) => row.group === group && row.kinds.includes(kind))
}

function isIn(path: readonly ChangeStep[], { paths, except = [] }: ImmutableRow): boolean {
  return paths.some((own) => startsWith(path, own)) && !except.some((other) => startsWith(path, other))
}

function isRefused(row: ImmutableRow, change: FieldOfObject): boolean {
  return isIn(change.field.path, row) && (row.when?.(change) ?? true)
}
