import type { ListedChart } from '../../pipeline/commands/list-charts.ts'
import type { ListedRelease, ListResult } from '../../pipeline/commands/list-releases.ts'
import { formatTable } from '../../report/format-table.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'

type Columns<Row> = readonly (readonly [title: string, cell: (row: Row) => string])[]

/** A release, and the clusters that the tree holds at some release. */
interface ReleaseRow extends ListedRelease {
  readonly held: ReadonlySet<string>
}

const RELEASES: Columns<ReleaseRow> = [
  ['RELEASE', ({ name }) => name],
  ['KUBERNETES', ({ kubernetesVersion }) => kubernetesVersion ?? '-'],
  ['PUBLISHED', ({ published }) => published?.slice(0, 10) ?? '-'],
  ['DIGEST', ({ digest }) => shortDigest(digest)],
  ['SOURCE', ({ source }) => source],
  ['LOCKED', ({ isLocked }) => (isLocked ? 'yes' : '-')],
  ['USED BY', (release) => users(release).join(', ') || '-'],
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
  { releases, held, charts, findings }: ListResult,
  _shorten: ShortenPath,
  width?: number,
): TextReport {
  const isWhole = findings.every(({ severity }) => severity !== 'error')
  const none = isWhole ? ['The sources offer no release.\n'] : []
  const rows = releases.map((release) => ({ ...release, held }))
  const offered = releases.length === 0 ? none : [formatTable(rowsOf(rows, RELEASES), width)]
  const used = charts.length === 0 ? [] : [formatTable(rowsOf(charts, CHARTS), width)]
  return { output: [...offered, ...used].join('\n'), isUnbroken: true }
}

const HOLDS = { all: 'in the tree', cluster: 'in the tree', addons: 'addons in the tree' } as const

/** Clusters that use a release; between the steps of an upgrade also what of them the tree has, and what is wanted. */
function users({ usedBy, inTree, held: known }: ReleaseRow): readonly string[] {
  const all = [...new Set([...usedBy, ...inTree.map(({ cluster }) => cluster)])].toSorted()
  return all.map((cluster) => {
    const held = inTree.find((one) => one.cluster === cluster)
    const isWanted = usedBy.includes(cluster)
    if (isWanted && (held?.holds === 'all' || (held === undefined && !known.has(cluster)))) return cluster
    const parts = [...(isWanted ? ['wanted'] : []), ...(held === undefined ? [] : [HOLDS[held.holds]])]
    return `${cluster} (${parts.join(', ')})`
  })
}

function rowsOf<Row>(rows: readonly Row[], columns: Columns<Row>): readonly (readonly string[])[] {
  return [columns.map(([title]) => title), ...rows.map((row) => columns.map(([, cell]) => cell(row)))]
}

function shortDigest(digest: string | undefined): string {
  return digest?.replace(/^(sha256:)?([0-9a-f]{12})[0-9a-f]*$/, '$2') ?? '-'
}
