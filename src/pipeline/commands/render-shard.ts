import { isInside, joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { expandFleet, type OnProgress } from '../expand/expand-fleet.ts'
import { openFleet } from '../fleet/open-fleet.ts'
import { createShardRun } from '../shards/open-shards.ts'
import { type Shard, shardFolder } from '../shards/shard.ts'
import type { RenderOptions } from './render.ts'

/** The options of `stackmason render --shard`. */
export interface ShardOptions extends Pick<
  RenderOptions,
  'start' | 'fleet' | 'check' | 'base' | 'reuse' | 'network' | 'threads'
> {
  readonly shard: Shard
  /** The folder that gets one with the shard; absolute. */
  readonly into: string
  /** The version that renders it, as the join must be. */
  readonly program: string
  /** True if a text holds no secret: only such a text is kept. */
  readonly isClean: (text: string) => boolean
}

/** A shard that was rendered. */
export interface ShardResult {
  readonly shard: Shard
  readonly fleet: string
  /** Of its own; absolute. */
  readonly folder: string
  readonly mode: 'write' | 'check'
  /** Those that it is about. */
  readonly clusters: number
  /** Those of them that have errors, which the join tells. */
  readonly failed: number
  /** Those of them that the join renders by itself. */
  readonly withheld: number
  /** Charts rendered; equal renders count once. */
  readonly charts: number
  /** Bytes of its files with clusters. */
  readonly size: number
  /** Milliseconds. */
  readonly duration: number
}

/**
 * Renders every n-th cluster of a fleet, and keeps what each comes to, problems too, in a folder that a join reads.
 * The output is not touched.
 * @throws StackmasonError with what is wrong with the fleet as a whole: then no shard is written
 */
export async function renderShard(options: ShardOptions, ports: Ports, onProgress: OnProgress): Promise<ShardResult> {
  const started = ports.clock.monotonic()
  const { shard, into, program, isClean, base } = options
  const mode = options.check ? 'check' : 'write'
  const fleet = await openFleet(options, ports)
  const { root, output } = fleet.repository.fleet
  const folder = joinPath(into, shardFolder(shard))
  if (isInside(joinPath(root, output), folder)) throw insideOutput(folder)
  const run = createShardRun({ shard, folder, program, mode, isClean }, ports)
  const expansion = await expandFleet(
    fleet,
    {
      selection: { clusters: [], stacks: [] },
      revision: { from: options.check ? 'disk' : 'commit', base },
      network: options.network ?? 'online',
      treeOf: fleet.file,
      reuse: options.reuse ?? 'on',
      threads: options.threads,
      shards: run,
      onProgress,
    },
    { ports, takeFiles: () => undefined },
  )
  const { record, failed } = await run.end()
  return {
    shard,
    fleet: fleet.repository.fleet.name,
    folder,
    mode,
    clusters: run.clustersOf(fleet.repository.clusters).length,
    failed,
    withheld: record.withheld.length,
    charts: expansion.charts,
    size: record.parts.reduce((sum, { size }) => sum + size, 0),
    duration: ports.clock.monotonic() - started,
  }
}

function insideOutput(file: string): StackmasonError {
  return new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message: 'a shard is no part of the tree: it cannot lie in the output folder',
    file,
    hint: 'Name a folder outside of it with --shard-folder.',
  })
}
