import type { AdoptResult } from '../../pipeline/commands/adopt.ts'
import type { CompareResult } from '../../pipeline/commands/compare-live.ts'
import type { Report } from '../../report/report.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import { type AdoptOutcome, clusterName, comparisonStatus } from './result.ts'

/** The outcome for programs (schemas/adopt-report.json, schemas/adopt-comparison.json). */
export function adoptReport(outcome: AdoptOutcome, shorten: ShortenPath): Report {
  const { findings } = outcome
  if (outcome.action === 'write')
    return { kind: 'AdoptReport', content: writtenContent(outcome.written, shorten), findings }
  return { kind: 'AdoptComparison', content: comparisonContent(outcome.compared), findings }
}

function writtenContent({ folder, files, stacks, clusters }: AdoptResult, shorten: ShortenPath): object {
  return {
    folder: shorten(folder),
    files,
    stacks,
    clusters: clusters.map(({ endpoint, ...rest }) => ({ ...rest, endpoint: endpoint === '' ? undefined : endpoint })),
  }
}

function comparisonContent(compared: CompareResult): object {
  const { fleet, clusters: places, notCompared } = compared
  return {
    fleet,
    status: comparisonStatus(compared),
    clusters: places.map(({ clusterKey: place, compared, later, differences, left }) => ({
      cluster: clusterName(place),
      compared,
      later,
      differences,
      left,
    })),
    notCompared: notCompared.map(clusterName),
  }
}
