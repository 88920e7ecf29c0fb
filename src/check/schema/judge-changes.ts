import { dirName } from '../../codec/path.ts'
import { objectKey } from '../../model/manifest.ts'
import type { TreeChange, TreeObject } from '../../model/tree-change.ts'
import { type RuleProblem, validateRules } from '../cel/validate-rules.ts'
import { committedLate, type LateTexts } from '../cel/unknown-values.ts'
import { type ChangedObject, changedObjects } from '../changed-object.ts'
import { budgetOf, type CheckInputs } from '../check-inputs.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { judgeObjects } from './judge-objects.ts'
import { type ObjectSchema, withDefaults } from './validate-object.ts'

/** A rule in CEL that compares an object with what it was, and is not kept or cannot be asked. */
export interface ChangeProblem extends Pick<ChangedObject, 'finding'> {
  readonly after: TreeObject
  readonly problem: RuleProblem
}

/** Asks rules of what changes: once, for however many rules of `check`. */
export interface ChangeJudge {
  /** Remembers which kinds of a unit have rules: of one whose files change. */
  readonly unit: (unit: CheckedUnit) => void
  readonly change: (change: TreeChange) => readonly ChangeProblem[]
}

const judges = new WeakMap<CheckInputs, ChangeJudge>()

/** The judge of a run. */
export function changeJudge(inputs: CheckInputs): ChangeJudge {
  const judge = judges.get(inputs) ?? createJudge(inputs)
  judges.set(inputs, judge)
  return judge
}

function createJudge(inputs: CheckInputs): ChangeJudge {
  const schemas = new Map<string, ObjectSchema>()
  const late = new Map<string, LateTexts>()
  const judged = new WeakMap<TreeChange, readonly ChangeProblem[]>()
  const judge = ({ change: { before, after, change: what }, finding }: ChangedObject): readonly ChangeProblem[] => {
    const folder = after === undefined ? '' : dirName(after.path)
    const schema = after && schemas.get(kindKey(folder, after))
    if (after === undefined || schema === undefined || what === 'renamed') return []
    const now = late.get(placedKey(folder, after)) ?? []
    const subject = {
      object: withDefaults(after.object, schema),
      late: now,
      old: before === undefined ? ('none' as const) : withDefaults(before.object, schema),
      oldLate: before && committedLate(before.object, now),
    }
    return validateRules(subject, schema.node, budgetOf(inputs)).map((problem) => ({ after, problem, finding }))
  }
  return {
    unit: (unit) => {
      for (const { manifest, lookup, folder } of judgeObjects(unit, inputs)) {
        if (lookup.state !== 'known' || !lookup.schema.node.hasCelRules) continue
        schemas.set(kindKey(folder, manifest), lookup.schema)
        if (manifest.deferred !== undefined) late.set(placedKey(folder, manifest), manifest.deferred)
      }
    },
    change: (change) => {
      const found = judged.get(change) ?? changedObjects(change).flatMap(judge)
      judged.set(change, found)
      return found
    },
  }
}

/** A kind of objects in a folder. */
function kindKey(folder: string, { apiVersion, kind }: Pick<TreeObject, 'apiVersion' | 'kind'>): string {
  return [folder, apiVersion, kind].join(' ')
}

/** An object in a folder. */
export function placedKey(
  folder: string,
  object: Pick<TreeObject, 'apiVersion' | 'kind' | 'namespace' | 'name'>,
): string {
  return `${folder} ${objectKey(object)}`
}
