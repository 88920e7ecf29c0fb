import type { Diagnostic } from '../model/diagnostic.ts'
import { type Code, isRuleCode } from '../model/error-codes.ts'
import type { RuleLevels } from '../model/rule-level.ts'
import type { Rule } from './rule.ts'
import { rules } from './rules.ts'

/** The rules whose findings are notes by themselves. */
const notingCodes: ReadonlySet<Code> = new Set(
  rules.filter(({ severity }) => severity === 'note').map(({ code }) => code),
)

/** The rules that a fleet wants: those that are off by themselves only where it gives them a level. */
export function wantedRules(known: readonly Rule[], levels: RuleLevels): readonly Rule[] {
  return known.filter(({ code, isOptIn }) => isOptIn !== true || levels.has(code))
}

/**
 * The findings at the levels that the fleet gives their rules, and what is off is not there. Notes of a rule that finds
 * worse stay notes; those of one that does no more than note take the level, too. Errors
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
    return [severity === 'note' && !notingCodes.has(code) ? finding : { ...finding, severity: level }]
  })
}
