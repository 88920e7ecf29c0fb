import type { ContainersResult } from '../../pipeline/commands/containers.ts'

/** The images that were asked for. */
export interface ContainersOutcome extends ContainersResult {
  /** Of this program. */
  readonly version: string
}
