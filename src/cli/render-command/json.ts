import { jsonSteps } from '../../report/format-steps.ts'
import type { Report } from '../../report/report.ts'
import type { RenderResult } from '../../pipeline/commands/render.ts'
import type { ShardResult } from '../../pipeline/commands/render-shard.ts'
import type { ShortenPath } from '../../report/shorten-path.ts'
import type { RenderOutcome } from './outcome.ts'

/** The report of a run, for programs (schemas/render-report.json). */
export function renderReport({ status, result, shard, findings }: RenderOutcome, shorten: ShortenPath): Report {
  const content = {
    status,
    ...(shard !== undefined && jsonShard(shard, shorten)),
    ...(result !== undefined && jsonResult(result, shorten)),
  }
  return { kind: 'RenderReport', content, findings }
}

function jsonResult(result: RenderResult, shorten: ShortenPath): object {
  return {
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
    steps: result.steps && jsonSteps(result.steps, shorten),
    recovered: result.recovered,
  }
}

function jsonShard(shard: ShardResult, shorten: ShortenPath): Readonly<Record<string, unknown>> {
  const { mode, fleet, clusters, failed, withheld, charts, size, duration } = shard
  return {
    mode,
    fleet,
    shard: {
      index: shard.shard.index,
      of: shard.shard.of,
      folder: shorten(shard.folder),
      clusters,
      failed,
      withheld,
      charts,
      bytes: size,
      milliseconds: Math.round(duration),
    },
  }
}
