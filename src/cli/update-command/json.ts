import type { UpdateResult } from '../../pipeline/commands/update.ts'
import type { Report } from '../../report/report.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'

/** The report of an update, for programs (schemas/update-report.json). */
export function updateReport(result: UpdateResult, shorten: ShortenPath): Report {
  const { mode, status, fleet, lockFile, releases, dependencies, changes, notTaken, unused, findings } = result
  const summary = { releases, dependencies }
  const content = { mode, status, fleet, lock: shorten(lockFile), summary, changes, notTaken, unused }
  return { kind: 'UpdateReport', content, findings }
}
