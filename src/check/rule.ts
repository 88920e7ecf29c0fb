import type { Diagnostic, FindingSubject } from '../model/diagnostic.ts'
import type { Code } from '../model/error-codes.ts'
import type { ChangedField } from './changed-field.ts'
import type { CheckInputs } from './check-inputs.ts'
import type { TreeChange } from '../model/tree-change.ts'
import type { CheckedUnit } from './checked-unit.ts'
import type { NotedField, UnitOrigin } from './unit-origin.ts'

/** The level of a finding. */
export type Severity = Diagnostic['severity']

/**
 * A finding as a rule gives it. Its code is that of the rule; so is its severity, unless it says another. A place in
 * a rendered object (`placeIn`) is looked up by whoever runs the rule, who also says which cluster, addon or release
 * the unit is.
 */
export interface RuleFinding extends Omit<
  Diagnostic,
  'code' | 'severity' | 'acknowledgement' | 'file' | 'about' | 'object'
> {
  readonly severity?: Severity | undefined
  readonly file?: string | undefined
  readonly about?: FindingSubject | undefined
  readonly object?: string | undefined
  /** The field that it is about, until that is looked up. Of changes only. */
  readonly changed?: ChangedField | undefined
  /** The unit that it is about. Of what several units tell only. */
  readonly of?: UnitOrigin | undefined
  /** The field of an object of that unit that it is about, instead of a place. */
  readonly noted?: NotedField
  /** Findings with the same text here are said once in a run: of the first unit. Of single units and changes only. */
  readonly once?: string | undefined
}

/** The description of a rule, also of one of `render`. */
export interface RuleText {
  /** Its summary and advice stand in the table of codes. */
  readonly code: Code
  readonly severity: Severity
  /** True if it is off until the fleet gives it a level. */
  readonly isOptIn?: true
  /** Why it matters, what is checked and what is not: one paragraph an item. */
  readonly explanation: readonly string[]
}

/** A rule: it judges rendered units. */
export interface Rule extends RuleText {
  /** Begins a run of it. */
  readonly begin: (inputs: CheckInputs) => RuleRun
}

/**
 * A rule at work on one fleet. It remembers nothing itself: what it says of a unit depends on the unit and the inputs
 * alone, so that an earlier run may have said it.
 */
export interface RuleRun {
  /** Judges one unit. */
  readonly unit?: (unit: CheckedUnit) => readonly RuleFinding[]
  /** What it has to know of a unit when all are judged: a small plain value, that is, without objects of the unit. */
  readonly note?: (unit: CheckedUnit) => unknown
  /** Judges what units are to each other. Called in a run of a part of the fleet, too. */
  between?(notes: readonly Noted[]): readonly RuleFinding[]
  /** Judges what only all units together tell. Not called in a run of a part of the fleet. */
  end?(notes: readonly Noted[]): readonly RuleFinding[]
  /**
   * Judges what changes against the base: in a run of a part of the fleet what changes of that. `file` of a finding is
   * relative to the output folder.
   */
  change?(change: TreeChange, notes: readonly Noted[]): readonly RuleFinding[]
}

/**
 * The note of a rule on a unit, and that unit. They come in the order of the units: first the clusters, then the
 * stacks, at last the objects of the GitOps tool.
 */
export interface Noted<Note = unknown> {
  readonly note: Note
  readonly of: UnitOrigin
}

/** Makes a rule that needs nothing but the unit that it judges. */
export function unitRule(text: RuleText, judge: (unit: CheckedUnit) => readonly RuleFinding[]): Rule {
  return { ...text, begin: () => ({ unit: judge }) }
}

/** Makes a rule that needs nothing but what changes against the base. */
export function changeRule(text: RuleText, judge: (change: TreeChange) => readonly RuleFinding[]): Rule {
  return { ...text, begin: () => ({ change: judge }) }
}
