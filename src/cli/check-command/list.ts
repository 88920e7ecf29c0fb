import type { ListedRun } from '../command.ts'
import { type CheckOutcome, hasFailed, incompleteText } from './outcome.ts'

/** Where findings stand that have no place of their own. */
const FLEET_FILE = 'stackmason.yaml'

/** The result of a check as other programs list it. */
export function checkList(outcome: CheckOutcome): ListedRun {
  if (outcome.show !== 'findings') return { title: '', isPassed: true, rules: outcome.rules, file: FLEET_FILE }
  const { result } = outcome
  const incomplete = incompleteText(outcome)
  return {
    title: result?.fleet ?? '',
    isPassed: !hasFailed(outcome),
    incomplete,
    // a fleet that cannot be rendered was judged by none
    rules: result?.rules ?? [],
    exceptions: result?.exceptions,
    file: result?.file ?? FLEET_FILE,
  }
}
