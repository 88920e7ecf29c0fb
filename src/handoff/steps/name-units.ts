import type { Unit } from '../../model/handoff.ts'
import type { ClusterStep, StepPlan } from '../../model/steps.ts'

/** What the sentences of a step say of units that are known only when the tree is planned. */
export const unitWords = {
  ready: 'every unit of its addons is ready',
  suspended: 'every unit of its addons is suspended',
} as const

/**
 * The plans with the names of the units that the step of this run is about, in its sentences and in `units`: those of the release's addons for an upgrade,
 * which own addons do not hold back; all of the workload cluster for a decommission. `nameOf` gives the name that the GitOps tool has for a unit.
 */
export function nameUnits(
  plans: readonly StepPlan[],
  units: readonly Unit[],
  nameOf: (unit: Unit) => string,
): readonly StepPlan[] {
  return plans.map((plan) => {
    const own = units.filter(
      ({ target, cluster }) =>
        target === 'workload' && cluster?.name === plan.cluster.name && cluster.namespace === plan.cluster.namespace,
    )
    return { ...plan, due: named(plan.due, own, nameOf) }
  })
}

function named(step: ClusterStep, units: readonly Unit[], nameOf: (unit: Unit) => string): ClusterStep {
  const [key, words] =
    Object.entries(unitWords).find(([, text]) => step.before.some((sentence) => sentence.includes(text))) ?? []
  if (key === undefined || words === undefined) return step
  const meant = key === 'ready' ? units.filter(({ path }) => !path.split('/').includes('addons-own')) : units
  const names = meant.map(nameOf)
  if (names.length === 0) return step
  const said =
    names.length === 1
      ? `unit ${names.join('')} is ${key}`
      : `units ${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''} are ${key}`
  return { ...step, units: names, before: step.before.map((sentence) => sentence.replace(words, () => said)) }
}
