import type { Diagnostic } from '../model/diagnostic.ts'
import type { RuleLevels } from '../model/rule-level.ts'

/** The findings at the levels that the fleet gives their rules; notes stay notes, and what is off is not there. */
export function setLevels(findings: readonly Diagnostic[], levels: RuleLevels): readonly Diagnostic[] {
  if (levels.size === 0) return findings
  return findings.flatMap((finding): readonly Diagnostic[] => {
    const level = levels.get(finding.code)
    if (level === 'off') return []
    return [level === undefined || finding.severity === 'note' ? finding : { ...finding, severity: level }]
  })
}
