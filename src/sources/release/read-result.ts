import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Release, ReleaseName } from '../../model/release.ts'

/** A release as read from a source; `findings` are warnings, errors are thrown. */
export interface ReadRelease {
  readonly release: Release
  readonly findings: readonly Diagnostic[]
}

/** The releases that a source offers. */
export interface ListedReleases {
  readonly releases: readonly ReleaseName[]
  readonly findings: readonly Diagnostic[]
}
