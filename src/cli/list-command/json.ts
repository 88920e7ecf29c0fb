import type { ListResult } from '../../pipeline/commands/list-releases.ts'
import type { Report } from '../../report/report.ts'

/** The releases for programs (schemas/release-list.json). */
export function listReport({ fleet, releases, charts, findings }: ListResult): Report {
  return { kind: 'ReleaseList', content: { fleet, releases, charts }, findings }
}
