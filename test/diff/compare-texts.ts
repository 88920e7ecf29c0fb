import { compareTrees, type TreeContent } from '../../src/diff/compare-trees.ts'
import { definitionFiles } from '../../src/diff/list-schemas.ts'
import { planReading } from '../../src/diff/plan-reading.ts'
import type { TreeChange } from '../../src/model/tree-change.ts'
import type { VariableRenames } from '../../src/model/variable-renames.ts'
import { formatDiff } from '../../src/report/tree-change/format-diff.ts'

/** The files of a tree by path. */
export type Texts = Readonly<Record<string, string>>

/** Compares two trees of texts. */
export function compareTexts(before: Texts, after: Texts, renames?: VariableRenames): TreeChange {
  const plan = planReading(new Map(Object.entries(before)), new Map(Object.entries(after)), renames)
  const texts = [...plan.before]
    .map((path) => before[path] ?? '')
    .concat([...plan.after].map((path) => after[path] ?? ''))
  const definitions = new Map(definitionFiles(Object.keys(after), texts).map((path) => [path, after[path] ?? '']))
  return compareTrees({
    plan,
    definitions,
    ...(renames !== undefined && { renames }),
    before: contentOf(before, plan.before),
    after: contentOf(after, plan.after),
  })
}

/** The same for people, without the first line. */
export function shownTexts(before: Texts, after: Texts, renames?: VariableRenames): string {
  const text = formatDiff({ before: 'a', after: 'b', change: compareTexts(before, after, renames) }, 'short')
  return text.slice(text.indexOf('\n') + 1)
}

/** The content of a file is its id. */
function contentOf(texts: Texts, wanted: ReadonlySet<string>): TreeContent {
  return {
    files: new Map(Object.entries(texts)),
    texts: new Map(Object.entries(texts).filter(([path]) => wanted.has(path))),
    unlisted: new Set(),
    elsewhere: new Map(),
    unitOf: (folder) => folder.replace(/\/\d+-/, '/'),
  }
}
