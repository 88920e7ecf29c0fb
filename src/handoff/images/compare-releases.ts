import { compareBytes } from '../../codec/text/text-order.ts'
import { compareVersions, formatTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'

/** Orders releases, the oldest first: by Kubernetes version, then by their own; those that have no order by name. */
export function compareReleases(a: ReleaseName, b: ReleaseName): number {
  const byKubernetes = a.kubernetes.major - b.kubernetes.major || a.kubernetes.minor - b.kubernetes.minor
  if (byKubernetes !== 0) return byKubernetes
  const areStable = a.version.channel === 'stable' && b.version.channel === 'stable'
  return (areStable && compareVersions(a.version, b.version)) || compareBytes(formatTag(a), formatTag(b))
}
