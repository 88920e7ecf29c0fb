import type { Report } from '../../report/report.ts'
import type { PublishOutcome } from './outcome.ts'

/** What was published, for programs (schemas/publish-report.json). */
export function publishReport(outcome: PublishOutcome): Report {
  const { mode, status, fleet, source, target, files, clusters, commit, pullRequest, attempts, findings } = outcome
  const content = {
    mode,
    status,
    fleet,
    source,
    target,
    files,
    clusters,
    ...(commit !== undefined && { commit }),
    ...(pullRequest !== undefined && { pullRequest }),
    attempts,
  }
  return { kind: 'PublishReport', content, findings }
}
