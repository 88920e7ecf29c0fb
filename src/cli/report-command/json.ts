import type { CascadePlace } from '../../model/fleet-overview.ts'
import type { ReportResult } from '../../pipeline/commands/report.ts'
import { plainExceptions } from '../../report/describe-exception.ts'
import type { Report } from '../../report/report.ts'
import { type ShortenPath, shortenBeside } from '../../report/shorten-path.ts'
import { jsonDiff } from '../../report/tree-change/json-diff.ts'

/** The fleet as a whole, for programs (schemas/fleet-report.json). */
export function fleetReport(result: ReportResult, shorten: ShortenPath): Report {
  const { fleet, clusters, objects, duration, overview, changed, findings, exceptions } = result
  const near = shortenBeside(result.file, shorten)
  const placeOf = ({ file, ...place }: CascadePlace): CascadePlace => ({ file: near(file), ...place })
  const content = {
    fleet,
    summary: { clusters, objects, milliseconds: Math.round(duration) },
    exceptions: plainExceptions(exceptions),
    clusters: overview.clusters,
    images: overview.images,
    values: overview.cascades.map(({ keys, ...cascade }) => ({
      ...cascade,
      keys: keys.map((key) => ({ ...key, at: placeOf(key.at), over: key.over.map(placeOf) })),
    })),
    change: changed && jsonDiff(changed),
  }
  return { kind: 'FleetReport', content, findings }
}
