import type { Diagnostic } from '../../model/diagnostic.ts'
import type { ShardResult } from '../../pipeline/commands/render-shard.ts'
import type { RenderResult } from '../../pipeline/commands/render.ts'

/** How a run ended, with what it found. */
export interface RenderOutcome {
  readonly status: 'rendered' | 'current' | 'stale' | 'sharded' | 'failed'
  /** Absent when it failed, and of a shard. */
  readonly result?: RenderResult
  /** Of a shard that was rendered. */
  readonly shard?: ShardResult
  readonly findings: readonly Diagnostic[]
  readonly mode: 'render' | 'check'
  /** Nothing but findings is shown. */
  readonly isQuiet: boolean
}
