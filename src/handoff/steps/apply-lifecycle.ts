import type { Unit } from '../../model/handoff.ts'
import { objectPath } from '../../model/object-name.ts'
import type { StepPlan } from '../../model/steps.ts'

/** The units with what the steps of their clusters say of them: which the tool leaves alone, and what it may delete. */
export function applyLifecycle(units: readonly Unit[], plans: readonly StepPlan[]): readonly Unit[] {
  const byCluster = new Map(plans.map((plan) => [objectPath(plan.cluster), plan]))
  return units.map((unit) => {
    const plan = unit.cluster === undefined ? undefined : byCluster.get(objectPath(unit.cluster))
    if (plan === undefined) return unit
    const isSuspended = plan.suspends === 'all' || (plan.suspends === 'addons' && unit.kind !== 'cluster')
    const mayDelete = unit.kind === 'cluster' ? plan.mayDelete : undefined
    return { ...unit, isSuspended, ...(mayDelete !== undefined && { mayDelete }) }
  })
}
