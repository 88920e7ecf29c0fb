import type { RemovalResult, StatusResult } from '../../pipeline/commands/status.ts'
import type { Report } from '../../report/report.ts'

/** The status for programs (schemas/status-report.json). */
export function statusReport(result: StatusResult | RemovalResult): Report {
  if ('verdict' in result) {
    const { findings, definition, version, verdict, reasons, next } = result
    return {
      kind: 'RemovalReport',
      content: { definition, version, mayBeRemoved: verdict === 'yes', reasons, next },
      findings,
    }
  }
  const { findings, fleet, clusters, stacks, management, notInTree, forbidden, isCommit, hasClusterApi } = result
  const content = {
    fleet,
    comparedWith: isCommit ? 'commit' : 'files',
    clusters,
    stacks,
    management,
    notInTree,
    forbidden,
    hasClusterApi,
  }
  return { kind: 'StatusReport', content, findings }
}
