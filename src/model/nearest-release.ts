import { formatTag } from './release-name.ts'
import type { ReleaseName } from './release.ts'

/**
 * The names a person most likely meant instead of `wanted` first: same stack and Kubernetes minor, same stack by
 * distance, same provider, the rest; by tag within each.
 */
export function nearestReleases(wanted: ReleaseName, offered: readonly ReleaseName[]): readonly ReleaseName[] {
  const ranked = offered.map((name) => ({ name, rank: distance(wanted, name), tag: formatTag(name) }))
  ranked.sort(
    (a, b) =>
      a.rank - b.rank || versionDistance(wanted, a.name) - versionDistance(wanted, b.name) || order(a.tag, b.tag),
  )
  return ranked.map(({ name }) => name)
}

const OTHER_STACK = 1_000_000
const OTHER_PROVIDER = 2_000_000

function distance(wanted: ReleaseName, name: ReleaseName): number {
  if (name.provider !== wanted.provider) return OTHER_PROVIDER
  if (name.stack !== wanted.stack) return OTHER_STACK
  const majors = Math.abs(name.kubernetes.major - wanted.kubernetes.major) * 1000
  return Math.min(majors + Math.abs(name.kubernetes.minor - wanted.kubernetes.minor), OTHER_STACK - 1)
}

function versionDistance(wanted: ReleaseName, name: ReleaseName): number {
  const channels = name.version.channel === wanted.version.channel ? 0 : OTHER_STACK
  return channels + Math.abs(name.version.major - wanted.version.major)
}

function order(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
