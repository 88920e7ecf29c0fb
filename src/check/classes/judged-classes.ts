import type { CheckInputs } from '../check-inputs.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { type JudgedObject, judgeObjects } from '../schema/judge-objects.ts'

/** The classes that a unit of a stack brings; none of one that stays as it is committed. */
export function judgedClasses(unit: CheckedUnit, inputs: CheckInputs): readonly JudgedObject[] {
  if (unit.kind !== 'stack' || unit.isKept) return []
  return judgeObjects(unit, inputs).filter(
    ({ manifest: { apiVersion, kind } }) => kind === 'ClusterClass' && groupOf(apiVersion) === 'cluster.x-k8s.io',
  )
}
