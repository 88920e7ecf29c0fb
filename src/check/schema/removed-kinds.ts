import type { BuiltInSchemas } from './built-in-schemas.ts'

/** A version of a kind that Kubernetes served once. */
export interface RemovedKind {
  /** The minor that first did not serve it: `1.25`. */
  readonly removedIn: string
  /** The kind or version to use instead. */
  readonly instead: string
}

type Row = readonly [removedIn: string, before: string, kinds: readonly string[], after: string]

/**
 * Kinds that minors older than those of our OpenAPI removed: Kubernetes' Deprecated API Migration Guide
 * (kubernetes.io/docs/reference/using-api/deprecation-guide).
 */
const rows: readonly Row[] = [
  ['1.16', 'extensions/v1beta1', ['DaemonSet', 'Deployment', 'ReplicaSet'], 'apps/v1'],
  ['1.16', 'extensions/v1beta1', ['NetworkPolicy'], 'networking.k8s.io/v1'],
  ['1.16', 'apps/v1beta1', ['Deployment', 'StatefulSet'], 'apps/v1'],
  ['1.16', 'apps/v1beta2', ['DaemonSet', 'Deployment', 'ReplicaSet', 'StatefulSet'], 'apps/v1'],
  [
    '1.22',
    'admissionregistration.k8s.io/v1beta1',
    ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'],
    'admissionregistration.k8s.io/v1',
  ],
  ['1.22', 'apiextensions.k8s.io/v1beta1', ['CustomResourceDefinition'], 'apiextensions.k8s.io/v1'],
  ['1.22', 'apiregistration.k8s.io/v1beta1', ['APIService'], 'apiregistration.k8s.io/v1'],
  ['1.22', 'certificates.k8s.io/v1beta1', ['CertificateSigningRequest'], 'certificates.k8s.io/v1'],
  ['1.22', 'coordination.k8s.io/v1beta1', ['Lease'], 'coordination.k8s.io/v1'],
  ['1.22', 'extensions/v1beta1', ['Ingress'], 'networking.k8s.io/v1'],
  ['1.22', 'networking.k8s.io/v1beta1', ['Ingress', 'IngressClass'], 'networking.k8s.io/v1'],
  [
    '1.22',
    'rbac.authorization.k8s.io/v1beta1',
    ['ClusterRole', 'ClusterRoleBinding', 'Role', 'RoleBinding'],
    'rbac.authorization.k8s.io/v1',
  ],
  ['1.22', 'scheduling.k8s.io/v1beta1', ['PriorityClass'], 'scheduling.k8s.io/v1'],
  ['1.22', 'storage.k8s.io/v1beta1', ['CSIDriver', 'CSINode', 'StorageClass', 'VolumeAttachment'], 'storage.k8s.io/v1'],
  ['1.25', 'autoscaling/v2beta1', ['HorizontalPodAutoscaler'], 'autoscaling/v2'],
  ['1.25', 'batch/v1beta1', ['CronJob'], 'batch/v1'],
  ['1.25', 'discovery.k8s.io/v1beta1', ['EndpointSlice'], 'discovery.k8s.io/v1'],
  ['1.25', 'events.k8s.io/v1beta1', ['Event'], 'events.k8s.io/v1'],
  ['1.25', 'node.k8s.io/v1beta1', ['RuntimeClass'], 'node.k8s.io/v1'],
  ['1.25', 'policy/v1beta1', ['PodDisruptionBudget'], 'policy/v1'],
  ['1.25', 'policy/v1beta1', ['PodSecurityPolicy'], ''],
  ['1.16', 'extensions/v1beta1', ['PodSecurityPolicy'], ''],
  ['1.26', 'autoscaling/v2beta2', ['HorizontalPodAutoscaler'], 'autoscaling/v2'],
  [
    '1.26',
    'flowcontrol.apiserver.k8s.io/v1beta1',
    ['FlowSchema', 'PriorityLevelConfiguration'],
    'flowcontrol.apiserver.k8s.io/v1',
  ],
  ['1.27', 'storage.k8s.io/v1beta1', ['CSIStorageCapacity'], 'storage.k8s.io/v1'],
]

const removed: ReadonlyMap<string, RemovedKind> = new Map(
  rows.flatMap(([removedIn, before, kinds, after]) =>
    kinds.map((kind): readonly [string, RemovedKind] => [
      `${before} ${kind}`,
      {
        removedIn,
        instead:
          after === ''
            ? 'Remove it: Pod Security Admission took its place, by labels of the namespace (pod-security.kubernetes.io/enforce).'
            : `Use ${after}: the fields may differ.`,
      },
    ]),
  ),
)

/**
 * The minor that removed a version of a kind, if Kubernetes ever served it; `instead` only where no version is left.
 */
export function removedKind(
  apiVersion: string,
  kind: string,
  builtIn: BuiltInSchemas,
): { readonly removedIn: string; readonly instead?: string } | undefined {
  const known = removed.get(`${apiVersion} ${kind}`)
  if (known !== undefined) return known
  const served = builtIn.minors.map((minor) => builtIn.of(minor).find(apiVersion, kind) !== undefined)
  const last = served.lastIndexOf(true)
  const removedIn = last === -1 ? undefined : builtIn.minors[last + 1]
  return removedIn === undefined ? undefined : { removedIn }
}
