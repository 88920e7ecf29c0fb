import { formatVersion } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { chartNameFor, type NamedChart } from '../release/check-chart.ts'
import { ADDON_VALUES, CLUSTER_ADDON } from '../release/cluster-addon.ts'
import { archiveNameFor, type WantedArchive } from '../release/find-archive.ts'
import { IMAGE_FILES } from '../release/image-files.ts'
import { METADATA } from '../release/kubernetes-version.ts'
import { parseMetadata } from '../release/metadata.ts'

/**
 * The names that the other files of a release may have, once its metadata.yaml is known (reference: csctl's file
 * names).
 * @throws StackmasonError RELEASE_METADATA_INVALID, RELEASE_TOO_LARGE
 */
export function possibleAssets(release: ReleaseName, metadata: Uint8Array, from: string): readonly string[] {
  const { clusterAddon } = parseMetadata(metadata, `${from}/${METADATA}`)
  return [
    ...archiveNames({ release, kind: 'cluster-class', version: release.version }),
    ...archiveNames({ release, kind: 'cluster-addon', version: clusterAddon }),
    CLUSTER_ADDON,
    ADDON_VALUES,
    'hashes.json',
    ...IMAGE_FILES,
  ]
}

/** Versions off the stable channel are spelled with a dot, and by some with a dash. */
function archiveNames(wanted: WantedArchive & { readonly kind: NamedChart }): readonly string[] {
  const dashed = `${chartNameFor(wanted.release, wanted.kind)}-${formatVersion(wanted.version, 'dash')}.tgz`
  return [...new Set([archiveNameFor(wanted), dashed])]
}
