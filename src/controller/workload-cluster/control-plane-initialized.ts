import { fieldAt } from '../../kube/json-field.ts'
import { findCondition } from '../objects/conditions.ts'

/** True if the API server of a Cluster has answered once, by v1beta2 and v1beta1 of Cluster API: our bootstrap gate. */
export function isControlPlaneInitialized(cluster: unknown): boolean {
  const status = fieldAt(cluster, 'status')
  return (
    fieldAt(status, 'initialization', 'controlPlaneInitialized') === true ||
    findCondition(status, 'ControlPlaneInitialized')?.status === 'True' ||
    fieldAt(status, 'controlPlaneReady') === true
  )
}
