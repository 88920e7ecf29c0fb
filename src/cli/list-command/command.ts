import { listFleet, type ListedRelease, type ListResult } from '../../pipeline/list-releases.ts'
import { exitStatusOf } from '../exit-status.ts'
import { jsonFindings } from '../../report/json-finding.ts'
import { isSet, type ParsedArguments, valueOf, valuesOf } from '../arguments/parse-arguments.ts'
import { printableLines } from '../../report/printable.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { progressOf, type Session } from '../session.ts'
import { createShortenPath, type ShortenPath } from '../../report/shorten-path.ts'

/**
 * Runs `stackmason list` and gives the exit status.
 * @throws StackmasonError for problems of the fleet; those of a source are reported beside what the others offer
 */
export async function runList(parsed: ParsedArguments, { io, report }: Session): Promise<number> {
  const fleet = valueOf(parsed, 'fleet')
  const isJson = valueOf(parsed, 'output') === 'json'
  const progress = progressOf(io, 'asked', isJson || !io.stderr.isTerminal ? 'quiet' : 'shown')
  const options = {
    start: io.workingFolder,
    ...(fleet === undefined ? {} : { fleet: resolveFolder(io.workingFolder, fleet) }),
    stacks: valuesOf(parsed, 'stack'),
    sources: valuesOf(parsed, 'source'),
    network: isSet(parsed, 'offline') ? ('offline' as const) : ('online' as const),
  }
  try {
    const result = await listFleet(options, io.ports, progress.show)
    progress.clear()
    const shorten = createShortenPath(io.workingFolder)
    io.stdout.write(isJson ? formatListJson(result, shorten) : formatList(result))
    return isJson ? exitStatusOf(result.findings) : report(result.findings)
  } catch (error) {
    progress.clear()
    throw error
  }
}

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
export function formatList({ releases }: ListResult): string {
  if (releases.length === 0) return 'The sources offer no release.\n'
  const rows = [COLUMNS.map(([title]) => title), ...releases.map((release) => COLUMNS.map(([, cell]) => cell(release)))]
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
  return printableLines(lines)
}

/** The same for programs (schemas/release-list.json). */
function formatListJson({ fleet, releases, findings }: ListResult, shorten: ShortenPath): string {
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'ReleaseList',
    fleet,
    releases,
    findings: jsonFindings(findings, shorten),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
