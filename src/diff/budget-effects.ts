import { fieldAt, textAt } from '../model/field.ts'
import { billionthsOf } from '../model/quantity.ts'
import type { EffectReason, FieldChange, TreeObject } from '../model/tree-change.ts'
import { Dict, GoInt, type Value } from '../model/value.ts'
import { groupKindOf } from './object-kind.ts'

/** An object before and after. */
interface Both {
  readonly before: TreeObject
  readonly after: TreeObject
}

/** How much a field guards after a change: less, more, or unknown, which is reported as less. */
type Direction = 'less' | 'more' | 'same'

/**
 * The effects of another budget for disruptions or another quota, whose direction is known; undefined for other kinds,
 * and where a field changes of which it is not.
 */
export function budgetEffects(
  { before, after }: Both,
  fields: readonly FieldChange[],
): readonly EffectReason[] | undefined {
  const kind = groupKindOf(after)
  if (kind === 'policy/PodDisruptionBudget') return disruptionEffects(before.object, after.object, fields)
  return kind === '/ResourceQuota' ? quotaEffects(before.object, after.object, fields) : undefined
}

const graded = ['minAvailable', 'maxUnavailable', 'unhealthyPodEvictionPolicy'] as const

function disruptionEffects(old: Dict, now: Dict, fields: readonly FieldChange[]): readonly EffectReason[] | undefined {
  const isKnown = ({ path }: FieldChange): boolean =>
    path[0] !== 'spec' || graded.some((field) => path.length === 2 && path[1] === field)
  if (!fields.every(isKnown)) return undefined
  const pairOf = (field: string): Pair => [fieldAt(old, 'spec', field), fieldAt(now, 'spec', field)]
  const [min, max] = [pairOf('minAvailable'), pairOf('maxUnavailable')]
  // from the one to the other: it depends on how many pods there are
  if (isSwitched(min, max) || isSwitched(max, min)) return undefined
  return [
    ...effectOf('minAvailable', min, directionOf(min, podsOf(min), 'up')),
    ...effectOf('maxUnavailable', max, directionOf(max, podsOf(max), 'down')),
    ...evictionEffects(old, now),
  ]
}

/** A value before and after. */
type Pair = readonly (Value | undefined)[]

function isSwitched(one: Pair, other: Pair): boolean {
  return one[0] !== undefined && one[1] === undefined && other[1] !== undefined
}

/** Pods that are not ready may go before the budget is met, or not. */
function evictionEffects(old: Dict, now: Dict): readonly EffectReason[] {
  const field = 'unhealthyPodEvictionPolicy'
  const [had, has] = [old, now].map((object) => textAt(object, 'spec', field) === 'AlwaysAllow')
  return had === has ? [] : [reason(has === true ? 'less' : 'more', field)]
}

function quotaEffects(old: Dict, now: Dict, fields: readonly FieldChange[]): readonly EffectReason[] | undefined {
  if (!fields.every(({ path }) => path[0] !== 'spec' || path[1] === 'hard')) return undefined
  const [had, has] = [fieldAt(old, 'spec', 'hard'), fieldAt(now, 'spec', 'hard')]
  const names = new Set([had, has].flatMap((hard) => (hard instanceof Dict ? [...hard.keys()] : [])))
  return [...names].flatMap((name) => {
    const pair = [had, has].map((hard) => (hard instanceof Dict ? hard.get(name) : undefined))
    return effectOf(name, pair, directionOf(pair, pair.map(billionthsOf), 'down'))
  })
}

/** A limit that is new guards more, one that goes less; else it depends on which way is stricter. */
function directionOf([old, now]: Pair, amounts: readonly (bigint | undefined)[], stricter: 'up' | 'down'): Direction {
  if (old === undefined || now === undefined) return old === now ? 'same' : old === undefined ? 'more' : 'less'
  const [had, has] = amounts
  if (had === undefined || has === undefined) return 'less'
  if (had === has) return 'same'
  return has > had === (stricter === 'up') ? 'more' : 'less'
}

/** Numbers and shares of the pods are not compared with each other. */
function podsOf([old, now]: Pair): readonly (bigint | undefined)[] {
  return old !== undefined && now !== undefined && isShare(old) === isShare(now) ? [amountOf(old), amountOf(now)] : []
}

function isShare(value: Value): boolean {
  return typeof value === 'string' && value.endsWith('%')
}

function amountOf(value: Value): bigint | undefined {
  if (value instanceof GoInt) return value.value
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  const [, digits] = typeof value === 'string' ? (/^([0-9]{1,9})%$/.exec(value) ?? []) : []
  return digits === undefined ? undefined : BigInt(digits)
}

function effectOf(name: string, [old, now]: Pair, direction: Direction): readonly EffectReason[] {
  if (direction === 'same') return []
  return [reason(direction, `${name} ${textOf(old)} -> ${textOf(now)}`)]
}

function reason(direction: 'less' | 'more', text: string): EffectReason {
  return { risk: direction === 'less' ? 'lowers-guard' : 'refuses-more', text }
}

function textOf(value: Value | undefined): string {
  if (value === undefined) return 'unset'
  if (value instanceof GoInt) return String(value.value)
  return typeof value === 'string' || typeof value === 'number' ? String(value) : 'another kind of value'
}
