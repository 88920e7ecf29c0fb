import { CelFailure } from './cel-failure.ts'

/**
 * The most work of one evaluation: nodes of an expression that are evaluated in loops, items and parts of texts that
 * are looked at or copied. An API server ends an evaluation after a million of its units, which are of the same kind.
 */
const MAX_WORK = 2_000_000
/** The work of any evaluation, which is not counted. */
const FREE_WORK = 20_000
/** The work that all evaluations of a run may take together beyond that. */
const RUN_WORK = 20_000_000

/** The work that the evaluations of a run may still take. */
export interface CelBudget {
  left: number
  /** The work beyond what is free, also that which was done once for several objects: of each of them. */
  done: number
}

/** The budget of a run. */
export function celBudget(): CelBudget {
  return { left: RUN_WORK, done: 0 }
}

/** Work that the evaluation at hand may still do. */
let left = 0

/** Counts work; throws where it is too much. */
export function work(amount: number): void {
  left = amount > left ? -1 : left - amount
  if (left < 0) throw new CelFailure('it takes too much work')
}

/** Ends the evaluation, which would take too much. */
export function tooMuchWork(): never {
  left = -1
  throw new CelFailure('it takes too much work')
}

/** Does what may take some work, and says whether that was too much. */
export function withinWork<Result>(
  budget: CelBudget,
  evaluate: () => Result,
): { readonly result: Result; readonly isTooMuch: boolean } {
  const most = budget.left > 0 ? MAX_WORK : FREE_WORK
  left = most
  const result = evaluate()
  const isTooMuch = left < 0
  const counted = Math.max(0, most - left - FREE_WORK)
  budget.left -= counted
  budget.done += counted
  return { result, isTooMuch }
}
