import type { FetchResult } from '../../pipeline/commands/fetch-lock.ts'
import type { Report } from '../../report/report.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'

/** The report of a fetch, for programs (schemas/fetch-report.json). */
export function fetchReport({ findings, cache, ...result }: FetchResult, shorten: ShortenPath): Report {
  return { kind: 'FetchReport', content: { ...result, cache: shorten(cache) }, findings }
}
