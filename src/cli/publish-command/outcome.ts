import type { PublishResult } from '../../pipeline/commands/publish-run.ts'

/** The result of a publication, and how it is shown. */
export interface PublishOutcome extends PublishResult {
  /** True if nothing is written for people. */
  readonly isQuiet: boolean
  /** True with --oci. */
  readonly isOnlyArtifacts: boolean
  /** The command, without its program, as far as it says what is published. */
  readonly asked: readonly string[]
}
