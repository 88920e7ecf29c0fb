import { readClassReference } from '../../model/class-reference.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { CommittedCluster, StepPlan } from '../../model/steps.ts'

/**
 * The error for a cluster whose class is to be taken from another namespace by a step that leaves the Cluster object as
 * it is committed: the stack that this one names would leave the tree. Undefined where the step writes the object.
 */
export function refuseClassNamespace(
  cluster: Cluster,
  committed: CommittedCluster | undefined,
  { due, content }: Pick<StepPlan, 'due' | 'content'>,
): Diagnostic | undefined {
  if (committed?.object === undefined || content === 'none') return undefined
  const { namespace, name, classAt, classNamespace } = cluster
  const before = readClassReference(committed.object)
  const held = before.namespace || namespace
  const isHeld = content === 'committed' || due.action === 'addons' || due.action === 'wait'
  if (held === classNamespace || !isHeld) return undefined
  return {
    code: 'UPGRADE_CHANGES_STACK',
    severity: 'error',
    message:
      `${namespace}/${name} names class ${cluster.className} in namespace ${classNamespace}, but its Cluster stays at ${before.name} ` +
      `in namespace ${held} for now, whose stack would leave the tree`,
    at: classAt,
    hint: `Put namespace ${held} back, of the class and of its ClusterStack, and change it when the Cluster has no step under way.`,
  }
}
