import type { ListedRelease, ListResult } from '../../pipeline/list-releases.ts'
import { formatTable } from '../../report/format-table.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { TextReport } from '../command.ts'

type Column = readonly [title: string, cell: (release: ListedRelease) => string]

const COLUMNS: readonly Column[] = [
  ['RELEASE', ({ name }) => name],
  ['KUBERNETES', ({ kubernetesVersion }) => kubernetesVersion ?? '-'],
  ['PUBLISHED', ({ published }) => published?.slice(0, 10) ?? '-'],
  ['DIGEST', ({ digest }) => digest?.replace(/^(sha256:)?([0-9a-f]{12})[0-9a-f]*$/, '$2') ?? '-'],
  ['SOURCE', ({ source }) => source],
  ['LOCKED', ({ isLocked }) => (isLocked ? 'yes' : '-')],
  ['USED BY', ({ usedBy }) => usedBy.join(', ') || '-'],
]

/** The releases as a table; ends with a newline. */
export function listText({ releases }: ListResult, _shorten: ShortenPath, width?: number): string | TextReport {
  if (releases.length === 0) return 'The sources offer no release.\n'
  const rows = [COLUMNS.map(([title]) => title), ...releases.map((release) => COLUMNS.map(([, cell]) => cell(release)))]
  return { output: formatTable(rows, width), isUnbroken: true }
}
