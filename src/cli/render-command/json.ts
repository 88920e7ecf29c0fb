import { jsonSteps } from '../../report/format-steps.ts'
import type { Report } from '../../report/report.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { RenderOutcome } from './outcome.ts'

/** The report of a run, for programs (schemas/render-report.json). */
export function renderReport({ status, result, findings }: RenderOutcome, shorten: ShortenPath): Report {
  const content = {
    status,
    ...(result === undefined
      ? {}
      : {
          mode: result.mode,
          fleet: result.fleet,
          output: shorten(result.output),
          summary: {
            clusters: result.clusters,
            charts: result.charts,
            objects: result.objects,
            filesWritten: result.files.written,
            filesUnchanged: result.files.unchanged,
            filesPruned: result.files.pruned,
            milliseconds: Math.round(result.duration),
          },
          changes: result.changes,
          definitions: result.definitions.map(({ kind }) => kind),
          ...(result.steps === undefined ? {} : { steps: jsonSteps(result.steps, shorten) }),
          ...(result.recovered === undefined ? {} : { recovered: result.recovered }),
        }),
  }
  return { kind: 'RenderReport', content, findings }
}
