import type { ChartFile } from '../../model/chart.ts'
import type { Diagnostic } from '../../model/diagnostic.ts'
import type { ReleaseName } from '../../model/release.ts'

/** The files that a release was published as, flat, wherever they lie: a folder, a registry, a forge. */
export interface ReleaseAssets {
  /** Where they lie, for messages. */
  readonly origin: string
  /** File names, sorted. */
  readonly names: readonly string[]
  /** @throws StackmasonError FILE_*, RELEASE_TOO_LARGE */
  readonly read: (name: string) => Promise<Uint8Array>
  /**
   * True if a signature was demanded for them. It covers the files, not the tag that led to them, so the files
   * themselves must say which release they are.
   */
  readonly isSigned?: boolean
}

/** A release while its assets are read; the lists fill up. */
export interface AssetReading {
  readonly assets: ReleaseAssets
  readonly name: ReleaseName
  /** The files that make up the release: what its digest covers. */
  readonly used: ChartFile[]
  /** Names of files that must be there and are not. */
  readonly missing: string[]
  readonly findings: Diagnostic[]
  /** Names of charts and archives that are not those of this release. */
  readonly misnamed: Diagnostic[]
}
