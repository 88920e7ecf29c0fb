import { StackmasonError } from '../../model/diagnostic.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { compareSemver } from '../../codec/semver/semver-version.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { readVersion, sortVersions, type Versioned } from './choose-version.ts'
import { placeOf, type DependencyRequest } from './dependency-context.ts'

/** How many versions a message names. */
const SHOWN = 5

/** The error for a chart that a repository does not have; `known` are those it has, where that can be told. */
export function chartNotFound(dependency: DependencyRequest, known?: readonly string[]): StackmasonError {
  const { name, repository } = dependency
  const near = nearestName(name, known ?? [])
  const hint =
    near !== undefined
      ? `Did you mean ${near}?`
      : known?.length === 0
        ? 'The repository offers no chart at all: check its address.'
        : 'Check name and repository of the dependency.'
  const message = `the repository ${shownUrl(repository)} has no chart ${name}`
  return new StackmasonError({ code: 'DEPENDENCY_NOT_FOUND', severity: 'error', message, ...placeOf(dependency), hint })
}

/** The error for a chart of which no version is what a dependency asks for. */
export function versionNotFound(dependency: DependencyRequest, offered: readonly Versioned[]): StackmasonError {
  const { name, repository } = dependency
  const asked = dependency.version ?? dependency.request
  const sorted = sortVersions(offered).map(({ version }) => version)
  const near = nearVersions(asked, sorted)
  const more = sorted.length - near.length
  const hint =
    sorted.length === 0
      ? 'It offers no version that has an address.'
      : `It offers ${near.join(', ')}${more > 0 ? ` and ${more} more` : ''}.${prereleaseHint(asked, sorted)}`
  const message = `the repository ${shownUrl(repository)} has no version of chart ${name} that fits ${asked}`
  return new StackmasonError({ code: 'DEPENDENCY_NOT_FOUND', severity: 'error', message, ...placeOf(dependency), hint })
}

/** Those around an exact version, else the greatest. */
function nearVersions(asked: string, sorted: readonly string[]): readonly string[] {
  const exact = readVersion(asked)
  if (exact === undefined) return sorted.slice(0, SHOWN)
  const at = sorted.findIndex((version) => {
    const parsed = readVersion(version)
    return parsed !== undefined && compareSemver(parsed, exact) < 0
  })
  const end = at === -1 ? sorted.length : at
  const start = Math.max(0, Math.min(end - Math.ceil(SHOWN / 2), sorted.length - SHOWN))
  return sorted.slice(start, start + SHOWN)
}

function prereleaseHint(asked: string, sorted: readonly string[]): string {
  const isPrerelease = (version: string): boolean => readVersion(version)?.prerelease !== ''
  if (readVersion(asked) !== undefined || !sorted.every(isPrerelease)) return ''
  return ' These are prereleases, which only a range takes that names one, such as >=1.0.0-0.'
}
