import { joinPath } from '../codec/path.ts'
import { type Diagnostic, withSubject } from '../model/diagnostic.ts'
import type { Manifest } from '../model/manifest.ts'
import type { TreeChange } from '../model/tree-change.ts'
import type { ChangedField } from './changed-field.ts'
import type { CheckInputs } from './check-inputs.ts'
import type { CheckedUnit, UnitOrigin } from './checked-unit.ts'
import { acknowledgedName } from './acknowledged-name.ts'
import type { Rule, RuleFinding, RuleRun } from './rule.ts'

/** Rules at work on one fleet. */
export interface FleetCheck {
  /** Judges a unit, which may be forgotten then. */
  readonly unit: (unit: CheckedUnit) => readonly Diagnostic[]
  /** Judges what all units together tell. */
  readonly end: () => readonly Diagnostic[]
  /** Judges what changes; `output` is the absolute folder of the tree. */
  readonly change: (change: TreeChange, output: string) => readonly ChangeFinding[]
}

/** A finding about a change, and the field that it is about: its place is not looked up. */
export interface ChangeFinding {
  readonly finding: Diagnostic
  readonly changed?: ChangedField
}

/** Begins a run of rules, in their order. */
export function beginCheck(rules: readonly Rule[], inputs: CheckInputs): FleetCheck {
  const runs = rules.map((rule): { readonly rule: Rule; readonly run: RuleRun } => ({ rule, run: rule.begin(inputs) }))
  return {
    unit: (unit) => {
      const addonOf = createAddonFinder(unit)
      return runs.flatMap(({ rule, run }) =>
        run.unit(unit).map((finding) => placed(rule, withAddon(finding, addonOf), unit)),
      )
    },
    end: () => runs.flatMap(({ rule, run }) => (run.end?.() ?? []).map((finding) => placed(rule, finding, finding.of))),
    change: (change, output) =>
      runs.flatMap(({ rule, run }) =>
        (run.change?.(change) ?? []).map(({ file, changed, ...found }): ChangeFinding => ({
          finding: placed(
            rule,
            { ...found, isNew: true, ...(file !== undefined && { file: joinPath(output, file) }) },
            undefined,
          ),
          ...(changed !== undefined && { changed }),
        })),
      ),
  }
}

/** The addon that the object belongs to, unless the finding says it. */
function withAddon(finding: RuleFinding, addonOf: (manifest: Manifest) => string | undefined): RuleFinding {
  const { on, about } = finding
  if (on === undefined || about?.addon !== undefined) return finding
  const addon = addonOf(on.manifest)
  return addon === undefined ? finding : { ...finding, about: { ...about, addon } }
}

function createAddonFinder({ folders }: CheckedUnit): (manifest: Manifest) => string | undefined {
  let known: Map<Manifest, string | undefined> | undefined
  return (manifest) => {
    known ??= new Map(folders.flatMap(({ addon, manifests }) => manifests.map((one) => [one, addon] as const)))
    return known.get(manifest)
  }
}

function placed({ code, severity }: Rule, found: RuleFinding, origin: UnitOrigin | undefined): Diagnostic {
  const { severity: own = severity, message, hint, at, file, on, beside, trace, about, isNew } = found
  const object = found.object ?? (on && acknowledgedName(on.manifest))
  const finding: Diagnostic = {
    code,
    severity: own,
    message,
    hint,
    ...(at !== undefined && { at }),
    ...(file !== undefined && { file }),
    ...(on !== undefined && { on }),
    ...(beside !== undefined && { beside }),
    ...(trace !== undefined && { trace }),
    ...(about !== undefined && { about }),
    ...(object !== undefined && { object }),
    ...(isNew === true && { isNew }),
  }
  return origin === undefined ? finding : origin.locate(withSubject(finding, origin.subject))
}
