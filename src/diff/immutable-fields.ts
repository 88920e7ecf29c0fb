import type { ChangeStep, FieldChange, TreeObject } from '../model/tree-change.ts'
import { fieldAt } from '../model/field.ts'
import { startsWith } from './change-path.ts'

/** Fields of some kinds that cannot be changed once they are set. */
interface ImmutableRow {
  readonly group: string
  readonly kinds: readonly string[]
  /** Everything below these paths; `''` = the object. */
  readonly paths: readonly string[]
  /** But for these. */
  readonly except?: readonly string[]
  /** Only an object of which this is true. */
  readonly ifTrue?: string
}

/**
 * What the API server or a webhook refuses to change. From the validation of Kubernetes 1.34
 * (pkg/apis/<group>/validation: `ValidateImmutableField`, `…Update`), the webhooks of Cluster API 1.13 and its contract
 * for infrastructure templates, and the definitions of the OpenStack resource controller
 * (`XValidation … is immutable`).
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
    paths: ['spec.selector', 'spec.template', 'spec.completionMode', 'spec.completions', 'spec.podFailurePolicy'],
  },
  {
    group: 'storage.k8s.io',
    kinds: ['StorageClass'],
    paths: ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'],
  },
  { group: 'storage.k8s.io', kinds: ['CSIDriver'], paths: ['spec.attachRequired', 'spec.volumeLifecycleModes'] },
  { group: '', kinds: ['Service'], paths: ['spec.clusterIP', 'spec.clusterIPs'] },
  {
    group: '',
    kinds: ['PersistentVolumeClaim'],
    paths: ['spec'],
    except: ['spec.resources', 'spec.volumeAttributesClassName'],
  },
  { group: '', kinds: ['ConfigMap', 'Secret'], paths: ['data', 'stringData', 'binaryData'], ifTrue: 'immutable' },
  { group: '', kinds: ['Secret'], paths: ['type'] },
  { group: 'rbac.authorization.k8s.io', kinds: ['RoleBinding', 'ClusterRoleBinding'], paths: ['roleRef'] },
  { group: 'scheduling.k8s.io', kinds: ['PriorityClass'], paths: ['value', 'preemptionPolicy'] },
  { group: 'node.k8s.io', kinds: ['RuntimeClass'], paths: ['handler'] },
  { group: 'networking.k8s.io', kinds: ['IngressClass'], paths: ['spec.controller'] },
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
  { group: 'openstack.k-orc.cloud', kinds: ['Image'], paths: ['spec.resource.content', 'spec.import'] },
]

/** Templates of machines of every infrastructure provider: Cluster API looks at the name, not into the object. */
const machineTemplate: ImmutableRow = { group: '', kinds: [], paths: ['spec.template.spec'] }

/** The changes of fields that the API server refuses. */
export function findImmutable(object: TreeObject, fields: readonly FieldChange[]): readonly FieldChange[] {
  const found = rowsOf(object)
  if (found.length === 0) return []
  return fields.filter(({ path }) => found.some((row) => isRefused(row, { object, path })))
}

function rowsOf({ apiVersion, kind }: TreeObject): readonly ImmutableRow[] {
  const slash = apiVersion.indexOf('/')
  const group = slash === -1 ? '' : apiVersion.slice(0, slash)
  if (group === 'infrastructure.cluster.x-k8s.io' && kind.endsWith('MachineTemplate')) return [machineTemplate]
  return rows.filter((row) => row.group === group && row.kinds.includes(kind))
}

function isRefused(
  { paths, except = [], ifTrue }: ImmutableRow,
  { object, path }: { readonly object: TreeObject; readonly path: readonly ChangeStep[] },
): boolean {
  if (ifTrue !== undefined && fieldAt(object.object, ifTrue) !== true) return false
  return paths.some((own) => startsWith(path, own)) && !except.some((other) => startsWith(path, other))
}
