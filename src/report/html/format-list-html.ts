import { parseObjectPath } from '../../model/object-name.ts'
import type { FormatList } from '../forms/finding-list.ts'
import { numberClusters } from './cluster-ranges.ts'
import { findingParts, sumOfFindings } from './finding-parts.ts'
import { html } from './html.ts'
import { formatPage } from './page.ts'

/** The findings as a page: errors first, by rule, each with the line that it is about. */
export const formatListHtml: FormatList = (list) => {
  const named = list.findings.flatMap(({ about }) => about.flatMap(({ cluster }) => cluster ?? []))
  const numbers = numberClusters(named.map(parseObjectPath))
  const title = list.title === '' ? 'check' : `check of ${list.title}`
  const content = {
    title: `stackmason ${title}`,
    heading: html`${title}`,
    sum: sumOfFindings(list),
    parts: findingParts(list, numbers),
    clusters: numbers.clusters,
  }
  return formatPage(content, list)
}
