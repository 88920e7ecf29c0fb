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
}
