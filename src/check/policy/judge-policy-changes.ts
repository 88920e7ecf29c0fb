import { dirName } from '../../codec/path.ts'
import type { TreeChange, TreeObject } from '../../model/tree-change.ts'
import { committedLate, type LateTexts } from '../cel/unknown-values.ts'
import { type ChangedObject, changedObjects } from '../changed-object.ts'
import type { CheckInputs } from '../check-inputs.ts'
import type { CheckedUnit } from '../checked-unit.ts'
import { foldersAt } from '../references/object-index.ts'
import { placedKey } from '../schema/judge-changes.ts'
import { judgeObject, judgePolicies, type PolicyFinding, type Server } from './judge-policies.ts'
import { aboutChanges } from './server-policies.ts'

/** A policy's finding on a change. */
export interface PolicyChangeFinding extends Omit<PolicyFinding, 'manifest'>, Pick<ChangedObject, 'finding'> {
  readonly after: TreeObject
}

/** Asks policies of what changes: once, for however many rules. */
export interface PolicyChangeJudge {
  /** Remembers which policies of the servers of a unit are about changes: of one whose files change. */
  readonly unit: (unit: CheckedUnit) => void
  readonly change: (change: TreeChange) => readonly PolicyChangeFinding[]
}

const judges = new WeakMap<CheckInputs, PolicyChangeJudge>()

/** The judge of a run. */
export function policyChangeJudge(inputs: CheckInputs): PolicyChangeJudge {
  const judge = judges.get(inputs) ?? createJudge(inputs)
  judges.set(inputs, judge)
  return judge
}

function createJudge(inputs: CheckInputs): PolicyChangeJudge {
  /** By the folders of their objects. */
  const servers = new Map<string, Server>()
  const late = new Map<string, LateTexts>()
  const judged = new WeakMap<TreeChange, readonly PolicyChangeFinding[]>()
  const judge = ({ change, finding }: ChangedObject): readonly PolicyChangeFinding[] => {
    const { before, after, change: what } = change
    const folder = after === undefined ? '' : dirName(after.path)
    const server = servers.get(folder)
    if (before === undefined || after === undefined || server === undefined || what === 'renamed') return []
    const now = late.get(placedKey(folder, after)) ?? []
    const asked = { ...after, late: now, old: before.object, oldLate: committedLate(before.object, now) }
    return judgeObject(asked, server).map((found) => ({ ...found, after, finding }))
  }
  return {
    unit: (unit) => {
      for (const { destination, server } of judgePolicies(unit, inputs).servers) {
        const policies = aboutChanges(server.policies)
        if (policies.bound.length === 0) continue
        const own = { ...server, policies }
        for (const { path, manifests } of foldersAt(unit, destination)) {
          servers.set(path, own)
          for (const manifest of manifests)
            if (manifest.deferred !== undefined) late.set(placedKey(path, manifest), manifest.deferred)
        }
      }
    },
    change: (change) => {
      const found = judged.get(change) ?? (servers.size === 0 ? [] : changedObjects(change).flatMap(judge))
      judged.set(change, found)
      return found
    },
  }
}
