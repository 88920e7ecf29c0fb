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
  for (const { tree } of [before, after]) await tree.read(secretsBeside(tree.files, [...plan.before, ...plan.after]))
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

/**
 * The Secrets of the clusters and releases of which files are compared: whoever shows a difference must have read what
 * it must not show, and a value of a Secret that stays may turn up elsewhere.
 */
function secretsBeside(files: FileIds, compared: Iterable<string>): ReadonlySet<string> {
  const holders = new Set(Array.from(compared, holderOf))
  return new Set([...files.keys()].filter((path) => path.includes('/secret-') && holders.has(holderOf(path))))
}

/** The folder of the cluster or release that a file is of. */
function holderOf(path: string): string {
  return path.split('/', 3).join('/')
}

/** Of files with the same content the first one. */
function oneOfEach(paths: readonly string[], ids: FileIds): ReadonlySet<string> {
  return new Set(new Map(paths.toReversed().map((path) => [ids.get(path), path])).values())
}
