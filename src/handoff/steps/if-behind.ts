import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'

/** Problems that a tree, or inputs, have also where they only lack what the base has got since. */
const codes: ReadonlySet<Code> = new Set([
  'UPGRADE_GOES_BACK',
  'UPGRADE_CHANGES_STACK',
  'DECOMMISSION_UNDER_WAY',
  'CLUSTER_ORPHANED',
])

/** A commit that comes before what is compared with it, or is merged with it: nothing is behind one of these. */
const NEVER_AHEAD = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|(?:MERGE_)?HEAD(?:[~^].*)?)$/

/**
 * A problem of a cluster that was compared with a base, with what to do where the branch is only older than that: CI
 * that checks out the branch itself, and not what merging it gives, finds changes of others undone there. Their author
 * is asked for nothing then.
 */
export function ifBehind(problem: Diagnostic, base: string | undefined): Diagnostic {
  if (base === undefined || NEVER_AHEAD.test(base) || problem.severity !== 'error' || !codes.has(problem.code))
    return problem
  const advice = 'If this branch is only behind (behind main, for example), merge that or rebase first.'
  return { ...problem, hint: problem.hint === undefined ? advice : `${advice} Otherwise: ${problem.hint}` }
}
