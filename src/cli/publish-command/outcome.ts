import type { PublishResult } from '../../pipeline/commands/publish-run.ts'

/** The result of a publication, and how it is shown. */
export interface PublishOutcome extends PublishResult {
  /** True if nothing is written for people. */
  readonly isQuiet: boolean
  /** True with --oci. */
  readonly isOnlyArtifacts: boolean
}
