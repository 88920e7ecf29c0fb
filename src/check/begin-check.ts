import { joinPath } from '../codec/path.ts'
import { type Diagnostic, withSubject } from '../model/diagnostic.ts'
import { type Code, errorCodes } from '../model/error-codes.ts'
import type { Manifest } from '../model/manifest.ts'
import type { TreeChange } from '../model/tree-change.ts'
import { acknowledgedName } from './acknowledged-name.ts'
import type { ChangedField } from './changed-field.ts'
import { type CheckInputs, workOf } from './check-inputs.ts'
import type { CheckedUnit } from './checked-unit.ts'
import { policyChangeJudge } from './policy/judge-policy-changes.ts'
import type { Noted, Rule, RuleFinding, RuleRun } from './rule.ts'
import { changeJudge } from './schema/judge-changes.ts'
import { nameOfNoted, originOf, type UnitOrigin } from './unit-origin.ts'

/** Rules at work on one fleet. */
export interface FleetCheck {
  /** Judges a unit by itself. */
  readonly judge: (unit: CheckedUnit) => Judgement
  /** Takes the judgement of a unit, now or by an earlier run, and gives the findings that are told of it. */
  readonly take: (judgement: Judgement, origin: UnitOrigin) => readonly Diagnostic[]
  /** Judges a unit and takes that. */
  readonly unit: (unit: CheckedUnit) => readonly Diagnostic[]
  /** Remembers what is asked of a unit whose files change against the base. */
  readonly noteChanging: (unit: CheckedUnit) => void
  /** Judges what units are to each other, also where they are a part of the fleet. */
  readonly between: () => readonly Diagnostic[]
  /** Judges what all units together tell. */
  readonly end: () => readonly Diagnostic[]
  /** Judges what changes; `output` is the absolute folder of the tree. */
  readonly change: (change: TreeChange, output: string) => readonly ChangeFinding[]
  /** What is said once in a run, by whom it was: the key of a cluster, `''` for another unit and for changes. */
  readonly said: ReadonlyMap<string, string>
  /** Codes of rules that say of no unit anything that it alone tells. */
  readonly crossing: ReadonlySet<Code>
}

/** What rules say and remember of a unit: a plain value that depends on the unit, the rules and their inputs alone. */
export interface Judgement {
  /** With their places. */
  readonly findings: readonly UnitFinding[]
  readonly notes: ReadonlyMap<Code, unknown>
  /** Set: so much work was done that other units may have a share in what is said. */
  readonly isCostly?: true
}

interface UnitFinding {
  readonly finding: Diagnostic
  /** Said once in a run. */
  readonly once?: string
}

/** A finding about a change, and the field that it is about: its place is not looked up. */
export interface ChangeFinding {
  readonly finding: Diagnostic
  readonly changed: ChangedField | undefined
}

/**
 * Begins a run of rules, in their order. `known` is what is said once in a run, and was said of the rest of the fleet.
 */
export function beginCheck(
  rules: readonly Rule[],
  inputs: CheckInputs,
  known: ReadonlyMap<string, string> = new Map(),
): FleetCheck {
  const runs = rules.map((rule): { readonly rule: Rule; readonly run: RuleRun; readonly notes: Noted[] } => ({
    rule,
    run: rule.begin(inputs),
    notes: [],
  }))
  const said = new Map(known)
  const isFirst = (code: Code, once: string | undefined, by = ''): boolean => {
    if (once === undefined) return true
    const key = `${code} ${once}`
    if (said.has(key)) return false
    said.set(key, by)
    return true
  }
  const judge: FleetCheck['judge'] = (unit) => {
    const addonOf = createAddonFinder(unit)
    const before = workOf(inputs)
    const findings = runs.flatMap(({ rule, run }) =>
      (run.unit?.(unit) ?? []).map((found): UnitFinding => ({
        finding: unit.locate(withSubject(placed(rule, withReach(withAddon(found, addonOf), unit, rule)), unit.subject)),
        ...(found.once !== undefined && { once: found.once }),
      })),
    )
    const notes = runs.flatMap(({ rule, run }): readonly (readonly [Code, unknown])[] => {
      const note = run.note?.(unit)
      return note === undefined ? [] : [[rule.code, note]]
    })
    return { findings, notes: new Map(notes), ...(workOf(inputs) > before && { isCostly: true }) }
  }
  const take: FleetCheck['take'] = ({ findings, notes: noted }, of) => {
    for (const { rule, notes } of runs) if (noted.has(rule.code)) notes.push({ note: noted.get(rule.code), of })
    return findings.flatMap(({ finding, once }) => (isFirst(finding.code, once, of.subject.cluster) ? [finding] : []))
  }
  return {
    judge,
    take,
    unit: (unit) => take(judge(unit), originOf(unit)),
    noteChanging: (unit) => {
      changeJudge(inputs).unit(unit)
      policyChangeJudge(inputs).unit(unit)
    },
    between: () =>
      runs.flatMap(({ rule, run, notes }) => (run.between?.(notes) ?? []).map((found) => ofUnits(rule, found))),
    end: () => runs.flatMap(({ rule, run, notes }) => (run.end?.(notes) ?? []).map((found) => ofUnits(rule, found))),
    change: (change, output) =>
      runs.flatMap(({ rule, run, notes }) =>
        (run.change?.(change, notes) ?? [])
          .filter(({ once }) => isFirst(rule.code, once))
          .map(({ file, changed, ...found }): ChangeFinding => ({
            finding: placed(rule, {
              ...found,
              isNew: true,
              file: file === undefined ? undefined : joinPath(output, file),
            }),
            changed,
          })),
      ),
    said,
    crossing: new Set(
      runs.flatMap(({ rule, run }) =>
        run.unit === undefined && ('between' in run || 'end' in run) ? [rule.code] : [],
      ),
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

/** What stays as it is committed is mended by no input: the hint says so. */
function withReach(finding: RuleFinding, { kind, isKept }: CheckedUnit, { code }: Rule): RuleFinding {
  if (!isKept || kind !== 'cluster') return finding
  return { ...finding, hint: `${finding.hint ?? errorCodes[code].fix} ${KEPT}` }
}

const KEPT = 'The cluster stays as it is committed until it is no longer frozen or decommissioned.'

function createAddonFinder({ folders }: CheckedUnit): (manifest: Manifest) => string | undefined {
  let known: Map<Manifest, string | undefined> | undefined
  return (manifest) => {
    known ??= new Map(folders.flatMap(({ addon, manifests }) => manifests.map((one) => [one, addon] as const)))
    return known.get(manifest)
  }
}

/** A finding about several units, with its place. */
function ofUnits(rule: Rule, found: RuleFinding): Diagnostic {
  const { of, noted } = found
  const object = found.object ?? (noted && nameOfNoted(noted.object))
  const bare = placed(rule, { ...found, object })
  const finding = of === undefined ? bare : withSubject(bare, of.subject)
  return noted === undefined || of === undefined ? finding : of.locate(finding, noted)
}

function placed({ code, severity }: Rule, found: RuleFinding): Diagnostic {
  const { severity: own = severity, message, hint, at, file, on, beside, trace, about, folders, isNew } = found
  const object = found.object ?? (on && acknowledgedName(on.manifest))
  return {
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
    ...(folders !== undefined && { folders }),
    ...(isNew === true && { isNew }),
  }
}
