import type { FleetOverview } from '../../model/fleet-overview.ts'
import { parseObjectPath } from '../../model/object-name.ts'
import type { FindingList } from '../forms/finding-list.ts'
import { countChanges, isEmpty, type NamedChange } from '../tree-change/format-diff.ts'
import { numberClusters } from './cluster-ranges.ts'
import { changeParts, factParts } from './diff-parts.ts'
import { findingParts, sumOfFindings } from './finding-parts.ts'
import { cascadePart, clusterPart, glancePart, imagePart } from './fleet-parts.ts'
import { type Html, html } from './html.ts'
import { formatPage } from './page.ts'

/** A fleet as a whole. */
export interface ReportedFleet {
  readonly overview: FleetOverview
  /** The difference from the base, if there is one. */
  readonly changed: NamedChange | undefined
  readonly list: FindingList
  readonly shorten: (path: string) => string
}

/** The fleet as a page: at a glance, what is dangerous in the change, what is wrong, then everything in full. */
export function formatFleetHtml({ overview, changed, list, shorten }: ReportedFleet): string {
  const { change } = changed ?? {}
  const numbers = numberClusters([
    ...overview.clusters.map(({ cluster }) => cluster),
    ...(change?.groups.flatMap(({ clusters }) => clusters) ?? []),
    ...list.findings.flatMap(({ about }) => about.flatMap(({ cluster }) => cluster ?? [])).map(parseObjectPath),
  ])
  const content = {
    title: `stackmason report of ${list.title}`,
    heading: html`${list.title}`,
    sum: html`${sumOfFindings(list)} ${changed === undefined ? undefined : changeSum(changed)}`,
    parts: [
      ...(change === undefined ? [] : factParts(change)),
      glancePart(overview),
      ...findingParts(list, numbers),
      clusterPart(overview, numbers),
      ...(change === undefined ? [] : changeParts(change, numbers)),
      ...imagePart(overview, numbers),
      ...cascadePart(overview, { numbers, shorten }),
    ],
    clusters: numbers.clusters,
  }
  return formatPage(content, list)
}

function changeSum({ before, after, change }: NamedChange): Html {
  return html`<br />${before} <span class="arrow">&rarr;</span> ${after}:
    ${isEmpty(change) ? 'no differences' : countChanges(change)}`
}
