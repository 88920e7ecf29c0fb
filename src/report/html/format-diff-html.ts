import { countChanges, inputLines, isEmpty, type NamedChange, sameLine } from '../tree-change/format-diff.ts'
import { numberClusters } from './cluster-ranges.ts'
import { diffParts } from './diff-parts.ts'
import { html } from './html.ts'
import { formatPage, type PageMaker } from './page.ts'

/** The difference between two trees as a page: what is dangerous first, then each change once, to be opened. */
export function formatDiffHtml(named: NamedChange, maker: PageMaker): string {
  const { before, after, change, isTreeless = false } = named
  const numbers = numberClusters(change.groups.flatMap(({ clusters }) => clusters))
  const content = {
    title: `stackmason diff: ${before} -> ${after}`,
    heading: html`${before} <span class="arrow">&rarr;</span> ${after}`,
    sum: html`${isEmpty(change) ? (isTreeless ? sameLine(named) : 'No differences') : countChanges(change)}${inputLines(named).map((line) => html`<br />${line}`)}`,
    parts: diffParts(change, numbers),
    clusters: numbers.clusters,
  }
  return formatPage(content, maker)
}
