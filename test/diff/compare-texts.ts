import { compareTrees, type TreeContent } from '../../src/diff/compare-trees.ts'
import { definitionFiles } from '../../src/diff/list-schemas.ts'
import { planReading } from '../../src/diff/plan-reading.ts'
import type { TreeChange } from '../../src/model/tree-change.ts'
import type { VariableRenames } from '../../src/model/variable-renames.ts'
import { formatDiff } from '../../src/report/tree-change/format-diff.ts'

/** The files of a tree by path. */
export type Texts = Readonly<Record<string, string>>

type UnitOf = TreeContent['unitOf']

/** Compares two trees of texts. */
export function compareTexts(before: Texts, after: Texts, renames?: VariableRenames): TreeChange {
  return compareContents(before, after, { ...(renames !== undefined && { renames }), unitOf: addonUnit })
}

/** The same where other units apply the folders afterwards. */
export function compareUnits(before: Texts, after: Texts, unitOf: UnitOf): TreeChange {
  return compareContents(before, after, { unitOf })
}

function compareContents(
  before: Texts,
  after: Texts,
  { renames, unitOf }: { readonly renames?: VariableRenames; readonly unitOf: UnitOf },
): TreeChange {
  const plan = planReading(new Map(Object.entries(before)), new Map(Object.entries(after)), renames)
  const texts = [...plan.before]
    .map((path) => before[path] ?? '')
    .concat([...plan.after].map((path) => after[path] ?? ''))
  const definitions = new Map(definitionFiles(Object.keys(after), texts).map((path) => [path, after[path] ?? '']))
  return compareTrees({
    plan,
    definitions,
    ...(renames !== undefined && { renames }),
    before: contentOf(before, plan.before, addonUnit),
    after: contentOf(after, plan.after, unitOf),
  })
}

/** The same for people, without the first line. */
export function shownTexts(before: Texts, after: Texts, renames?: VariableRenames): string {
  const text = formatDiff({ before: 'a', after: 'b', change: compareTexts(before, after, renames) }, 'short')
  return text.slice(text.indexOf('\n') + 1)
}

/** The content of a file is its id. */
function contentOf(texts: Texts, wanted: ReadonlySet<string>, unitOf: UnitOf): TreeContent {
  return {
    files: new Map(Object.entries(texts)),
    texts: new Map(Object.entries(texts).filter(([path]) => wanted.has(path))),
    unlisted: new Set(),
    elsewhere: new Map(),
    unitOf,
  }
}

function addonUnit(folder: string): string {
  return folder.replace(/\/\d+-/, '/')
}
