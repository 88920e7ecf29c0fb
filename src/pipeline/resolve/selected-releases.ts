import type { Diagnostic } from '../../model/diagnostic.ts'
import type { NeededRelease, ReleaseSelection } from '../../render/stack/select-releases.ts'
import type { ReadRelease } from '../../sources/release/read-result.ts'

/** The releases that a run needs, and how each is read. */
export interface SelectedReleases extends ReleaseSelection {
  readonly findings: readonly Diagnostic[]
  readonly read: (needed: NeededRelease) => Promise<ReadRelease>
}
