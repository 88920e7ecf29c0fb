import type { Diagnostic } from '../../model/diagnostic.ts'
import type { FailOn } from '../../model/forge.ts'
import { incompleteText as sentence } from '../../report/incomplete-text.ts'
import type { CheckResult, RuleDescription } from '../../pipeline/commands/check.ts'

/** How a check ended, or the rules that were asked for. */
export type CheckOutcome = JudgedFleet | ShownRules

/** A fleet that was judged, or could not be rendered. */
export interface JudgedFleet {
  readonly show: 'findings'
  readonly findings: readonly Diagnostic[]
  /** Absent where it could not be rendered. */
  readonly result?: CheckResult
  /** Reasons why findings were not shown on the forge; none of them fails a check. */
  readonly untold: readonly Diagnostic[]
  readonly failOn: FailOn
  readonly isQuiet: boolean
}

/** Rules instead of findings: all, or the one to explain. */
export interface ShownRules {
  readonly show: 'rules' | 'rule'
  readonly rules: readonly RuleDescription[]
  readonly findings: readonly Diagnostic[]
}

/** One sentence on the part that was not judged; undefined if there is none. */
export function incompleteText({ result }: JudgedFleet): string | undefined {
  return result !== undefined && result.incomplete === undefined ? undefined : sentence(result?.incomplete?.clusters)
}

/** True if there are findings that the check is to fail on; what the fleet acknowledges does not count. */
export function hasFailed(judged: JudgedFleet): boolean {
  const { result, findings, untold, failOn } = judged
  if (result === undefined || result.incomplete !== undefined) return true
  const counts = (severity: Diagnostic['severity']): boolean =>
    failOn !== 'never' && (severity === 'error' || (severity === 'warning' && failOn === 'warning'))
  return findings.some(
    (finding) => finding.acknowledgement === undefined && counts(finding.severity) && !untold.includes(finding),
  )
}
