import { compareTrees } from '../../diff/compare-trees.ts'
import { definitionFiles } from '../../diff/list-schemas.ts'
import { type FileIds, planReading } from '../../diff/plan-reading.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import type { VariableRenames } from '../../model/variable-renames.ts'
import { createUnitFinder } from './find-units.ts'
import { applyLists } from './listed-files.ts'
import type { OpenTree } from './open-tree.ts'

/** The difference between two trees; reads of both only what differs. */
export async function compareOpenTrees(
  old: OpenTree,
  now: OpenTree,
  renames: VariableRenames = new Map(),
): Promise<TreeChange> {
  const [before, after] = await applyLists(old, now)
  const plan = planReading(before.tree.files, after.tree.files, renames)
  const texts = { before: await before.tree.read(plan.before), after: await after.tree.read(plan.after) }
  const files = definitionFiles(after.tree.files.keys(), [...texts.before.values(), ...texts.after.values()])
  const definitions = await after.tree.read(oneOfEach(files, after.tree.files))
  return compareTrees({
    plan,
    definitions,
    renames,
    before: {
      files: before.tree.files,
      texts: texts.before,
      unlisted: before.unlisted,
      elsewhere: before.elsewhere,
      unitOf: createUnitFinder(texts.before),
    },
    after: {
      files: after.tree.files,
      texts: texts.after,
      unlisted: after.unlisted,
      elsewhere: after.elsewhere,
      unitOf: createUnitFinder(texts.after),
    },
  })
}

/** Of files with the same content the first one. */
function oneOfEach(paths: readonly string[], ids: FileIds): ReadonlySet<string> {
  return new Set(new Map(paths.toReversed().map((path) => [ids.get(path), path])).values())
}
