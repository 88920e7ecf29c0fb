import { fetchLock, type FetchResult } from '../../pipeline/fetch-lock.ts'
import { jsonFindings } from '../../report/json-finding.ts'
import { isSet, type ParsedArguments, valueOf } from '../arguments/parse-arguments.ts'
import { plural } from '../../report/plural.ts'
import { printableLines } from '../../report/printable.ts'
import { resolveFolder } from '../arguments/resolve-folder.ts'
import { progressOf, type Session } from '../session.ts'
import { createShortenPath, type ShortenPath } from '../../report/shorten-path.ts'

/**
 * Runs `stackmason fetch` and gives the exit status.
 * @throws StackmasonError with the problems of every entry of the lock
 */
export async function runFetch(parsed: ParsedArguments, { io, report }: Session): Promise<number> {
  const fleet = valueOf(parsed, 'fleet')
  const isJson = valueOf(parsed, 'output') === 'json'
  const progress = progressOf(io, 'fetched', isJson ? 'quiet' : 'shown')
  const options = {
    start: io.workingFolder,
    ...(fleet === undefined ? {} : { fleet: resolveFolder(io.workingFolder, fleet) }),
    network: isSet(parsed, 'offline') ? ('offline' as const) : ('online' as const),
  }
  try {
    const result = await fetchLock(options, io.ports, progress.show)
    progress.clear()
    const shorten = createShortenPath(io.workingFolder)
    io.stdout.write(isJson ? formatFetchJson(result, shorten) : formatFetch(result, shorten))
    return isJson ? 0 : report(result.findings)
  } catch (error) {
    progress.clear()
    throw error
  }
}

function formatFetch({ cache, releases, dependencies, fetched }: FetchResult, shorten: ShortenPath): string {
  const charts = `${plural(dependencies, 'chart')} that they depend on`
  const what =
    fetched.files === 0
      ? 'everything was there already'
      : `${plural(fetched.files, 'file')} fetched, ${plural(fetched.bytes, 'byte')}`
  return printableLines([`${shorten(cache)} holds ${plural(releases, 'release')} and ${charts}: ${what}.`])
}

function formatFetchJson({ findings, cache, ...result }: FetchResult, shorten: ShortenPath): string {
  const report = {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'FetchReport',
    ...result,
    cache: shorten(cache),
    findings: jsonFindings(findings, shorten),
  }
  return `${JSON.stringify(report, undefined, 2)}\n`
}
