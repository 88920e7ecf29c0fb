import type { RuntimeKind } from '../../model/class-reference.ts'
import { fieldAt, textField } from '../../kube/json-field.ts'
import type { KubeObject, ObjectKey } from '../../kube/kube-object.ts'

/** An object that a Cluster names. */
export interface SourceReference extends ObjectKey {
  readonly group: string
  readonly kind: string
  /** Empty where the reference names none: then the server knows. */
  readonly version: string
}

const places: Readonly<Record<Exclude<RuntimeKind, 'Cluster'>, string>> = {
  ControlPlane: 'controlPlaneRef',
  InfrastructureCluster: 'infrastructureRef',
}

/**
 * The reference of a Cluster to its control plane or infrastructure: with `apiVersion` in v1beta1, with `apiGroup` in
 * v1beta2. It lies in the Cluster's own namespace, whatever else v1beta1 may say: nothing of another namespace is read.
 * Undefined: it names none yet.
 */
export function sourceReference(
  cluster: KubeObject,
  kind: Exclude<RuntimeKind, 'Cluster'>,
): SourceReference | undefined {
  const reference = fieldAt(cluster.content, 'spec', places[kind])
  const [name = '', named = ''] = [textField(reference, 'name'), textField(reference, 'kind')]
  const [group = '', version = ''] = (textField(reference, 'apiVersion') ?? '').split('/')
  if (name === '' || named === '') return undefined
  return { group: textField(reference, 'apiGroup') ?? group, kind: named, version, name, namespace: cluster.namespace }
}
