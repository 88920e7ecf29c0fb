import { StackmasonError } from '../../model/diagnostic.ts'
import type { ClusterStack, Fleet, SourceConfig } from '../../model/fleet.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { nearestReleases } from '../../model/nearest-release.ts'
import { formatTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'

/** The releases that each source offers. */
export type Offers = ReadonlyMap<SourceConfig, readonly ReleaseName[]>

/** How the lock names a ClusterStack. */
export function stackKey({ namespace, name }: Pick<ClusterStack, 'namespace' | 'name'>): string {
  return `${namespace}/${name}`
}

/** The sources that a ClusterStack's releases may come from: the one that spec.stacks names, else all. */
export function sourcesOf(fleet: Fleet, { provider, stack }: ClusterStack): readonly SourceConfig[] {
  const entry = fleet.stackSources.find((named) => named.provider === provider && named.stack === stack)
  return entry === undefined ? fleet.sources : fleet.sources.filter((source) => source.name === entry.source)
}

/** True if a ClusterStack is about the release: its provider, stack and minor. */
export function belongsTo(name: ReleaseName, clusterStack: ClusterStack): boolean {
  return (
    name.provider === clusterStack.provider &&
    name.stack === clusterStack.stack &&
    `${name.kubernetes.major}.${name.kubernetes.minor}` === clusterStack.kubernetesVersion
  )
}

/** The releases that the sources of a ClusterStack offer for it. */
export function offeredFor(clusterStack: ClusterStack, fleet: Fleet, offers: Offers): readonly ReleaseName[] {
  return sourcesOf(fleet, clusterStack).flatMap((source) =>
    (offers.get(source) ?? []).filter((name) => belongsTo(name, clusterStack)),
  )
}

/**
 * The one source that offers a release.
 * @throws StackmasonError RELEASE_NOT_FOUND with what they offer, CONFIG_CONFLICT when several do
 */
export function sourceFor(release: NeededRelease, fleet: Fleet, offers: Offers): SourceConfig {
  const tag = formatTag(release.name)
  const candidates = sourcesOf(fleet, release.clusterStack)
  const offering = candidates.filter((source) => (offers.get(source) ?? []).some((name) => formatTag(name) === tag))
  const [first, second] = offering
  if (first !== undefined && second === undefined) return first
  if (first !== undefined && second !== undefined) {
    throw severalSources(release, offering)
  }
  const offered = candidates.flatMap((source) => offers.get(source) ?? [])
  const all = nearestReleases(release.name, offered).map((name) => formatTag(name))
  throw new StackmasonError({
    code: 'RELEASE_NOT_FOUND',
    severity: 'error',
    message: `release ${tag} is ${candidates.length === 1 ? 'not in source' : 'in none of the sources'} ${candidates.map((source) => source.name).join(', ')}`,
    at: release.at,
    hint:
      all.length === 0
        ? 'They offer no release at all: check their paths.'
        : `${askStack(release.name, offered)}They offer: ${all.join(', ')}.`,
  })
}

/** The problem of a release that more than one source offers. */
export function severalSources({ name, at }: NeededRelease, offering: readonly SourceConfig[]): StackmasonError {
  const names = offering.map((source) => source.name)
  return new StackmasonError({
    code: 'CONFIG_CONFLICT',
    severity: 'error',
    message: `release ${formatTag(name)} is offered by several sources: ${names.join(', ')}`,
    at,
    hint: `Say which one under spec.stacks of stackmason.yaml: {provider: ${name.provider}, stack: ${name.stack}, source: ${names[0] ?? ''}}.`,
  })
}

/**
 * True if a ClusterStack is misspelt: its sources offer nothing of its name, but the release of a class that would be
 * its own with the name that it seems to mean.
 */
export function isMisspelt(
  clusterStack: ClusterStack,
  wanted: ReleaseName,
  { fleet, offers }: { readonly fleet: Fleet; readonly offers: Offers },
): boolean {
  const offered = sourcesOf(fleet, clusterStack).flatMap((source) => offers.get(source) ?? [])
  const meant = meantStack(clusterStack, offered)
  if (meant === undefined || !offered.some((name) => formatTag(name) === formatTag(wanted))) return false
  return belongsTo(wanted, { ...clusterStack, ...meant })
}

/** The question after a stack whose name is misspelt; '' where they offer releases of it, or of none like it. */
function askStack(wanted: ReleaseName, offered: readonly ReleaseName[]): string {
  const { stack, provider } = meantStack(wanted, offered) ?? {}
  if (stack !== undefined) return `Did you mean the stack ${stack}? `
  return provider === undefined ? '' : `Did you mean the provider ${provider}? `
}

/** The stack, or else the provider, that a misspelt one most likely meant. */
function meantStack(
  { provider, stack }: Pick<ReleaseName, 'provider' | 'stack'>,
  offered: readonly ReleaseName[],
): { readonly stack?: string; readonly provider?: string } | undefined {
  const ofProvider = offered.filter((name) => name.provider === provider)
  const ofStack = offered.filter((name) => name.stack === stack)
  if (ofProvider.some((name) => name.stack === stack)) return undefined
  const meant = nearestName(
    stack,
    ofProvider.map((name) => name.stack),
  )
  if (meant !== undefined) return { stack: meant }
  const other = nearestName(
    provider,
    ofStack.map((name) => name.provider),
  )
  return other === undefined ? undefined : { provider: other }
}
