import type { ClusterOverview } from '../model/fleet-overview.ts'
import { formatTag } from '../model/release-name.ts'
import type { ReleaseName } from '../model/release.ts'

/**
 * The newest of the known releases of the same stack that are newer, by their tags; channels without an order do not
 * count.
 */
export function newerReleases(own: ReleaseName, known: readonly ReleaseName[]): ClusterOverview['newer'] {
  if (own.version.channel !== 'stable') return {}
  const rank = rankOf(own)
  const newer = known
    .filter(({ provider, stack }) => provider === own.provider && stack === own.stack)
    .filter(({ version }) => version.channel === 'stable')
    .map((name) => ({ name, rank: rankOf(name) }))
    .toSorted((a, b) => compare(b.rank, a.rank))
    .filter((one) => compare(one.rank, rank) > 0)
  const [major, minor] = rank
  const isOfMinor = ({ rank: other }: (typeof newer)[number]): boolean => other[0] === major && other[1] === minor
  const ofMinor = newer.find(isOfMinor)
  const ofLaterMinor = newer.find((one) => !isOfMinor(one))
  return {
    ofMinor: ofMinor === undefined ? undefined : formatTag(ofMinor.name),
    ofLaterMinor: ofLaterMinor === undefined ? undefined : formatTag(ofLaterMinor.name),
  }
}

type Rank = readonly [major: number, minor: number, version: number]

function rankOf({ kubernetes, version }: ReleaseName): Rank {
  return [kubernetes.major, kubernetes.minor, version.channel === 'stable' ? version.major : 0]
}

function compare(a: Rank, b: Rank): number {
  return a[0] - b[0] || a[1] - b[1] || a[2] - b[2]
}
