import { compareVersions, formatClassName } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'

/** The releases that a cluster may get. */
export interface ReleaseChoice {
  readonly current: ReleaseName
  /** On offer where its classes are. */
  readonly offered: readonly ReleaseName[]
  /** The release that the wave before stands at; absent: it is the first one, and takes the newest. */
  readonly limit?: ReleaseName | undefined
  /** The newest minor that it goes to. */
  readonly maxMinor?: number | undefined
}

/** The release that it gets next, or why there is none although a newer one waits. */
export type NextRelease = { readonly release: ReleaseName } | { readonly blocked: string }

/** Negative where `a` is older. Both are of one stack, and stable. */
export function compareReleases(a: ReleaseName, b: ReleaseName): number {
  return (
    a.kubernetes.major - b.kubernetes.major ||
    a.kubernetes.minor - b.kubernetes.minor ||
    compareVersions(a.version, b.version)
  )
}

/** The newer releases that a cluster could ever get, oldest first. */
export function newerReleases({ current, offered, maxMinor = Infinity }: ReleaseChoice): readonly ReleaseName[] {
  return offered
    .filter(
      ({ provider, stack, kubernetes, version }) =>
        provider === current.provider &&
        stack === current.stack &&
        version.channel === 'stable' &&
        kubernetes.major === current.kubernetes.major &&
        kubernetes.minor <= maxMinor,
    )
    .filter((release) => compareReleases(release, current) > 0)
    .toSorted(compareReleases)
}

/**
 * The release that a cluster gets next: what the wave before stands at, itself and no other; where that is of a later
 * minor than the next one, the newest of the next. Undefined when there is nothing to do.
 */
export function nextRelease(choice: ReleaseChoice): NextRelease | undefined {
  const { current, limit } = choice
  const newer = newerReleases(choice)
  const upper = limit ?? newer.at(-1)
  if (upper === undefined || newer.length === 0 || compareReleases(upper, current) <= 0) return undefined
  const { major, minor } = current.kubernetes
  if (upper.kubernetes.minor <= minor + 1) {
    const isThere = newer.some((release) => compareReleases(release, upper) === 0)
    return isThere ? { release: upper } : { blocked: `${formatClassName(upper)} is not on offer for it` }
  }
  const between = newer.findLast(({ kubernetes }) => kubernetes.minor === minor + 1)
  return between === undefined
    ? { blocked: `no release of ${String(major)}.${String(minor + 1)} is on offer for it` }
    : { release: between }
}
