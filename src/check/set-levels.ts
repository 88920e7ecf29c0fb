import type { Diagnostic } from '../model/diagnostic.ts'
import { isRuleCode } from '../model/error-codes.ts'
import type { RuleLevels } from '../model/rule-level.ts'
import type { Rule } from './rule.ts'

/** The rules that a fleet wants: those that are off by themselves only where it gives them a level. */
export function wantedRules(rules: readonly Rule[], levels: RuleLevels): readonly Rule[] {
  return rules.filter(({ code, isOptIn }) => isOptIn !== true || levels.has(code))
}

/**
 * The findings at the levels that the fleet gives their rules; notes stay notes, and what is off is not there. Errors
 * of rendering stay as they are, because without them nobody would know why nothing was judged: they say so.
 */
export function setLevels(findings: readonly Diagnostic[], levels: RuleLevels): readonly Diagnostic[] {
  if (levels.size === 0) return findings
  return findings.flatMap((finding): readonly Diagnostic[] => {
    const { code, severity, message } = finding
    const level = levels.get(code)
    if (level === undefined) return [finding]
    if (severity === 'error' && !isRuleCode(code))
      return level === 'error'
        ? [finding]
        : [{ ...finding, message: `${message}; spec.check.rules cannot lower what stops rendering` }]
    if (level === 'off') return []
    return [severity === 'note' ? finding : { ...finding, severity: level }]
  })
}
