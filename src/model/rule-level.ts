import type { Code } from './error-codes.ts'

/** How much the findings of a rule count in a fleet. */
export type RuleLevel = 'error' | 'warning' | 'off'

/** The levels that a fleet sets; the rules that it does not name have their own. */
export type RuleLevels = ReadonlyMap<Code, RuleLevel>
