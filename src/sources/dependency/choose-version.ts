import { checkConstraint } from '../../codec/semver/semver-constraint.ts'
import { compareSemver, parseSemver, SemverError, type Semver } from '../../codec/semver/semver-version.ts'
import type { Chart } from '../../model/chart.ts'
import type { LockedDependency } from '../../model/lock.ts'

/** Something that has a version. */
export interface Versioned {
  readonly version: string
}

/**
 * Chooses what a dependency asks for as Helm does (internal/resolver, Resolve; pkg/repo, IndexFile.Get): the greatest
 * version in the range. Of versions that differ in build metadata only, Helm takes any; here it is the one that was
 * asked for by its whole text, else the first. Prereleases fit only a range that names one; what is no version fits
 * nothing.
 * @throws SemverError when the request is no range
 */
export function chooseVersion<Item extends Versioned>(offered: readonly Item[], request: string): Item | undefined {
  // Wrong ranges are wrong even where nothing is offered.
  checkConstraint(request, '0.0.0')
  const best = sortVersions(offered).find(({ version }) => isInRange(request, version))
  const asked = best && offered.find(({ version }) => version === request)
  return best && asked && isSameVersion(best.version, asked.version) ? asked : best
}

/**
 * Finds the item with exactly this version, whatever its build metadata; the same text goes before the same version
 * (Helm, findVersionedEntry).
 */
export function findVersion<Item extends Versioned>(offered: readonly Item[], version: string): Item | undefined {
  return (
    offered.find((item) => item.version === version) ?? offered.find((item) => isSameVersion(item.version, version))
  )
}

/** True if two texts are the same version for Helm: a `v` in front and build metadata do not count. */
export function isSameVersion(a: string, b: string): boolean {
  if (a === b) return true
  const [versionA, versionB] = [readVersion(a), readVersion(b)]
  return versionA !== undefined && versionB !== undefined && compareSemver(versionA, versionB) === 0
}

/** True if a chart has the name and version that the lock says of it. */
export function isLockedChart({ name, version }: Pick<LockedDependency, 'name' | 'version'>, chart: Chart): boolean {
  return chart.metadata.name === name && isSameVersion(chart.metadata.version, version)
}

/** True if the version lies in the range; what is no version or no range never does. */
export function isInRange(range: string, version: string): boolean {
  try {
    return checkConstraint(range, version)
  } catch (error) {
    if (error instanceof SemverError) return false
    throw error
  }
}

/** Greatest first, equal ones in the order given; what is no version is left out. */
export function sortVersions<Item extends Versioned>(offered: readonly Item[]): readonly Item[] {
  return offered
    .flatMap((item) => {
      const version = readVersion(item.version)
      return version === undefined ? [] : [{ item, version }]
    })
    .sort((a, b) => compareSemver(b.version, a.version))
    .map(({ item }) => item)
}

/** The version, or undefined when the text is none. */
export function readVersion(text: string): Semver | undefined {
  try {
    return parseSemver(text)
  } catch (error) {
    if (error instanceof SemverError) return undefined
    throw error
  }
}
