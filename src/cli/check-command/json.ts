import { plainExceptions } from '../../report/describe-exception.ts'
import type { Report } from '../../report/report.ts'
import type { CheckOutcome } from './outcome.ts'
import { hasFailed, incompleteText } from './outcome.ts'

/** The report of a check, for programs (schemas/check-report.json, schemas/rule-list.json). */
export function checkReport(outcome: CheckOutcome): Report {
  if (outcome.show !== 'findings')
    return { kind: 'RuleList', content: { rules: outcome.rules }, findings: outcome.findings }
  const { result, findings } = outcome
  const incomplete = incompleteText(outcome)
  const content = {
    status: hasFailed(outcome) ? 'failed' : 'passed',
    incomplete,
    fleet: result?.fleet,
    exceptions: result && plainExceptions(result.exceptions),
    summary: result && {
      clusters: result.clusters,
      objects: result.objects,
      milliseconds: Math.round(result.duration),
    },
  }
  return { kind: 'CheckReport', content, findings }
}
