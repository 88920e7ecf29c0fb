import { plural } from '../plural.ts'
import { countChanges } from '../tree-change/format-diff.ts'
import { factSections } from '../tree-change/format-facts.ts'
import { countClusters } from '../tree-change/name-clusters.ts'
import { wrapWords } from '../wrap-words.ts'
import { totalClusters } from './headline.ts'
import type { PublishedChange } from './pull-request-facts.ts'

/** Columns of a commit's text. */
const WIDTH = 72
/** Rows of each kind. */
const ROWS = { effects: 9, clusters: 3, versions: 6 } as const
/** Characters of a row. */
const LONGEST = 400

/** The change in plain lines, as a commit says it; `shown` makes a line harmless. */
export function commitText({ change, steps }: PublishedChange, shown: (text: string) => string): string {
  const sections = factSections(change, { detail: 'short', name: countClusters(totalClusters(change)) }, ROWS)
  const following = steps.filter(({ then }) => then.length > 0).length
  const lines = [
    `${countChanges(change)}.`,
    ...(following === 0 ? [] : [`${plural(following, 'cluster')} will take more steps.`]),
    ...sections.flatMap(({ title, rows, more }) => [
      '',
      `${title}:`,
      ...rows.map(([what, text]) => `- ${what}: ${text}`),
      ...(more > 0 ? [`- … ${String(more)} more`] : []),
    ]),
  ]
  return lines
    .map((line) =>
      line === '' ? '' : wrapWords(shown(short(line)), { width: WIDTH, indent: line.startsWith('- ') ? '  ' : '' }),
    )
    .join('\n')
}

function short(line: string): string {
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`
}
