import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { formatVersion } from '../model/release-name.ts'
import type { ReleaseVersion } from '../model/release.ts'

/** The versions that a release carries. */
export interface ReleaseVersions {
  readonly clusterStack: ReleaseVersion
  readonly clusterAddon: ReleaseVersion
  readonly nodeImage: ReleaseVersion
}

/** The version of a first release. */
export const FIRST_VERSION: ReleaseVersion = { major: 1, channel: 'stable', patch: '' }

/** All three the same. */
export function sameVersions(version: ReleaseVersion): ReleaseVersions {
  return { clusterStack: version, clusterAddon: version, nodeImage: version }
}

/** `v0-sha.<7>`: the version that stands for the content (csctl's hash mode). */
export function hashVersion(clusterStackHash: string): ReleaseVersion {
  return { major: 0, channel: 'sha', patch: clusterStackHash.slice(0, 7) }
}

/**
 * The next stable version of a component: one higher when it changed. Off the stable channel there is no next one, so a
 * count starts at 1.
 */
export function nextVersion(before: ReleaseVersion, change: 'changed' | 'same'): ReleaseVersion {
  if (change === 'same') return before
  return { major: before.channel === 'stable' ? before.major + 1 : 1, channel: 'stable', patch: '' }
}

/** metadata.yaml as csctl writes it (yaml.v3, four spaces). */
export function formatMetadata(versions: ReleaseVersions, kubernetesVersion: string): Uint8Array {
  return encodeUtf8(
    [
      'apiVersion: metadata.clusterstack.x-k8s.io/v1alpha1',
      'versions:',
      `    clusterStack: ${formatVersion(versions.clusterStack, 'dot')}`,
      `    kubernetes: ${kubernetesVersion}`,
      '    components:',
      `        clusterAddon: ${formatVersion(versions.clusterAddon, 'dot')}`,
      `        nodeImage: ${formatVersion(versions.nodeImage, 'dot')}`,
      '',
    ].join('\n'),
  )
}
