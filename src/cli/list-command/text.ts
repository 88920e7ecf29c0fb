import type { ListedChart } from '../../pipeline/commands/list-charts.ts'
import type { ListedRelease, ListResult } from '../../pipeline/commands/list-releases.ts'
import { formatTable } from '../../report/format-table.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'

type Columns<Row> = readonly (readonly [title: string, cell: (row: Row) => string])[]

const RELEASES: Columns<ListedRelease> = [
  ['RELEASE', ({ name }) => name],
  ['KUBERNETES', ({ kubernetesVersion }) => kubernetesVersion ?? '-'],
  ['PUBLISHED', ({ published }) => published?.slice(0, 10) ?? '-'],
  ['DIGEST', ({ digest }) => shortDigest(digest)],
  ['SOURCE', ({ source }) => source],
  ['LOCKED', ({ isLocked }) => (isLocked ? 'yes' : '-')],
  ['USED BY', ({ usedBy }) => usedBy.join(', ') || '-'],
]

const CHARTS: Columns<ListedChart> = [
  ['CHART', ({ name }) => name],
  ['VERSION', ({ request }) => request],
  ['LOCKED', ({ version }) => version ?? '-'],
  ['DIGEST', ({ digest }) => shortDigest(digest)],
  ['REPOSITORY', ({ repository }) => repository],
  ['ADDON', ({ addons }) => addons.join(', ')],
  ['USED BY', ({ usedBy }) => usedBy.join(', ')],
]

/**
 * The releases as a table, and the charts of own addons as another one where there are some; ends with a newline. That
 * there are none is not said where a source could not be asked.
 */
export function listText(
  { releases, charts, findings }: ListResult,
  _shorten: ShortenPath,
  width?: number,
): TextReport {
  const isWhole = findings.every(({ severity }) => severity !== 'error')
  const none = isWhole ? ['The sources offer no release.\n'] : []
  const offered = releases.length === 0 ? none : [formatTable(rowsOf(releases, RELEASES), width)]
  const used = charts.length === 0 ? [] : [formatTable(rowsOf(charts, CHARTS), width)]
  return { output: [...offered, ...used].join('\n'), isUnbroken: true }
}

function rowsOf<Row>(rows: readonly Row[], columns: Columns<Row>): readonly (readonly string[])[] {
  return [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]
}

function shortDigest(digest: string | undefined): string {
  return digest?.replace(/^(sha256:)?([0-9a-f]{12})[0-9a-f]*$/, '$2') ?? '-'
}
