import { isOwn } from '../../model/addon-unit-key.ts'
import type { Unit } from '../../model/handoff.ts'
import type { ClusterStep, StepPlan } from '../../model/steps.ts'

/** The phrases of a step for units that are known only when the tree is planned. */
export const unitWords = {
  ready: 'every unit of its addons is ready',
  suspended: 'every unit of its addons is suspended',
  applied: "the cluster's own unit",
} as const

/** How the GitOps tool calls a unit, and what it has instead of a suspended one. */
export interface UnitSpeech {
  readonly nameOf: (unit: Unit) => string
  /** The phrases for one unit, and for several. */
  readonly suspended: readonly [one: string, several: string]
  /** The sentence that ends what suspended units still do, given their names; absent where suspending ends all. */
  readonly ending?: (names: readonly string[]) => string
}

/**
 * The plans with the names of the units that the step of this run is about, in its sentences and in `units`: those of
 * the release's addons for an upgrade, which own addons do not hold back; all of the workload cluster for a
 * decommission, and at its end the one of the Cluster object.
 */
export function nameUnits(plans: readonly StepPlan[], units: readonly Unit[], speech: UnitSpeech): readonly StepPlan[] {
  return plans.map((plan) => {
    const own = units.filter(
      ({ cluster }) => cluster?.name === plan.cluster.name && cluster.namespace === plan.cluster.namespace,
    )
    return { ...plan, due: withEnding(named(plan.due, own, speech), { plan, units: own, speech }) }
  })
}

/** The step with what ends syncs that have begun, after the sentence that speaks of the suspension. */
function withEnding(
  due: ClusterStep,
  { plan, units, speech }: { readonly plan: StepPlan; readonly units: readonly Unit[]; readonly speech: UnitSpeech },
): ClusterStep {
  const isAll = plan.suspends === 'all'
  const speaks = isAll ? 'suspend' : unitWords.suspended
  const at = plan.due.before.findIndex((sentence) => sentence.includes(speaks)) + 1
  const names = units.filter((unit) => isAll || isMeant(unit, 'suspended')).map(speech.nameOf)
  if (speech.ending === undefined || names.length === 0 || (!isAll && at === 0)) return due
  return { ...due, before: [...due.before.slice(0, at), speech.ending(names), ...due.before.slice(at)] }
}

function named(step: ClusterStep, units: readonly Unit[], speech: UnitSpeech): ClusterStep {
  const key = keys.find((one) => step.before.some((sentence) => sentence.includes(unitWords[one])))
  if (key === undefined) return step
  const names = units.filter((unit) => isMeant(unit, key)).map(speech.nameOf)
  const said = names.length === 0 ? unnamed(key, speech) : sayNames(names, key, speech)
  const put = (sentence: string): string => sentence.replace(unitWords[key], () => said)
  const before = step.before.map(put)
  return names.length === 0 ? { ...step, before } : { ...step, units: names, summary: put(step.summary), before }
}

type Key = keyof typeof unitWords

const keys: readonly Key[] = ['ready', 'suspended', 'applied']

function isMeant({ target, path }: Unit, key: Key): boolean {
  if (key === 'applied') return target === 'management'
  return target === 'workload' && !(key === 'ready' && isOwn(path))
}

function unnamed(key: Key, { suspended }: UnitSpeech): string {
  return key === 'suspended' ? unitWords.suspended.replace('is suspended', () => suspended[0]) : unitWords[key]
}

function sayNames(names: readonly string[], key: Key, { suspended }: UnitSpeech): string {
  const isOne = names.length === 1
  const list = isOne ? `unit ${names.join('')}` : `units ${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`
  if (key === 'applied') return list
  if (key === 'suspended') return `${list} ${suspended[isOne ? 0 : 1]}`
  return `${list} ${isOne ? 'is' : 'are'} ready`
}
