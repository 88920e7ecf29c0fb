import { formatChangePath } from '../../model/change-path.ts'
import { isCapiCluster } from '../../model/class-reference.ts'
import type { FieldChange, TreeObject } from '../../model/tree-change.ts'
import { GoInt, type Value } from '../../model/value.ts'
import { changedObjects, inField, nameOf } from '../changed-object.ts'
import { changeRule, type Rule, type RuleFinding } from '../rule.ts'
import { groupOf } from '../schema/built-in-schemas.ts'

/** Finds workloads that ran, and run no longer. */
export const stoppedWorkloads: Rule = changeRule(
  {
    code: 'REPLICAS_ZERO',
    severity: 'warning',
    explanation: [
      'With no replicas a Deployment or StatefulSet stops, and a group of workers loses its machines; the line looks like any other change of a number. Changes are looked at: what has no replicas already, or begins without any, is no finding.',
    ],
  },
  (change) =>
    changedObjects(change).flatMap(({ change: { fields }, object, finding }): readonly RuleFinding[] =>
      fields
        .filter((field) => stops(object, field))
        .map(({ path }) => ({
          ...inField(finding, path),
          message: `${nameOf(object)} changes ${formatChangePath(path)} to 0: ${hasMachines(object) ? 'its machines are deleted' : 'nothing of it runs any more'}`,
          hint: 'Restore the number, or acknowledge this finding if it is meant to stop.',
        })),
    ),
)

const workloads: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet'])
const groups: ReadonlySet<string> = new Set(['MachineDeployment', 'MachinePool', 'MachineSet'])

function hasMachines({ apiVersion }: TreeObject): boolean {
  return groupOf(apiVersion) !== 'apps'
}

function stops(object: TreeObject, { path, before, after }: FieldChange): boolean {
  if (path.at(-1) !== 'replicas' || !isZero(after) || isZero(before)) return false
  const group = groupOf(object.apiVersion)
  if (isCapiCluster(object)) return path[1] === 'topology' && path[2] === 'workers' && path.length === 6
  const isKnown =
    (group === 'apps' && workloads.has(object.kind)) || (group === 'cluster.x-k8s.io' && groups.has(object.kind))
  return isKnown && path.length === 2
}

function isZero(value: Value | undefined): boolean {
  return value instanceof GoInt ? value.value === 0n : value === 0
}
