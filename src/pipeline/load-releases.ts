import { StackmasonError, type Diagnostic } from '../model/diagnostic.ts'
import type { Cluster, ClusterStack, Fleet, FleetRepository, LocalSourceConfig, SourceConfig } from '../model/fleet.ts'
import type { Ports } from '../model/ports.ts'
import { nearestReleases } from '../model/nearest-release.ts'
import { formatTag } from '../model/release-name.ts'
import type { Release, ReleaseName } from '../model/release.ts'
import { selectReleases, type NeededRelease } from '../render/stack/select-releases.ts'
import { listReleases, readRelease } from '../sources/release/read-release.ts'
import { diagnosticsOf, distinct } from './diagnostics.ts'
import type { Scope } from './narrow.ts'

/** The releases of a run by tag, each read once. */
export interface LoadedReleases {
  readonly needed: readonly NeededRelease[]
  readonly byCluster: ReadonlyMap<Cluster, NeededRelease>
  readonly releases: ReadonlyMap<string, Release>
  readonly findings: readonly Diagnostic[]
}

/**
 * Finds and reads every release that this run needs.
 * @throws StackmasonError with all problems: RELEASE_*, ARCHIVE_*, CHART_INVALID, CONFIG_REFERENCE, CONFIG_CONFLICT
 */
export async function loadReleases(repository: FleetRepository, scope: Scope, ports: Ports): Promise<LoadedReleases> {
  const { fleet, clusterStacks } = repository
  const findings: Diagnostic[] = []
  const offers = new Map<SourceConfig, readonly ReleaseName[]>()
  const unreadable: Diagnostic[] = []
  for (const source of fleet.sources.filter(isLocal)) {
    try {
      const listed = await listReleases(source, ports)
      offers.set(source, listed.releases)
      findings.push(...listed.findings)
    } catch (error) {
      unreadable.push(...diagnosticsOf(error))
    }
  }
  if (unreadable.length > 0) throw new StackmasonError(unreadable)
  const offered = (clusterStack: ClusterStack): readonly ReleaseName[] =>
    sourcesOf(fleet, clusterStack).flatMap((source) =>
      (offers.get(source) ?? []).filter((name) => belongsTo(name, clusterStack)),
    )
  const selection = selectReleases(clusterStacks, scope.clusters, offered)
  const problems: Diagnostic[] = [...selection.problems]
  const needed = selection.needed.filter(
    (release) => scope.renderStacks(release) || [...selection.byCluster.values()].includes(release),
  )
  const releases = new Map<string, Release>()
  for (const release of needed) {
    const tag = formatTag(release.name)
    if (releases.has(tag)) continue
    try {
      const read = await readRelease(localSource(sourceFor(release, fleet, offers)), release.name, ports)
      releases.set(tag, read.release)
      findings.push(...read.findings)
    } catch (error) {
      problems.push(...diagnosticsOf(error))
    }
  }
  for (const [cluster, release] of selection.byCluster) {
    const found = releases.get(formatTag(release.name))
    if (found !== undefined && cluster.version !== found.kubernetesVersion)
      problems.push(versionMismatch(cluster, found))
  }
  if (problems.length > 0) throw new StackmasonError(distinct(problems))
  return { needed, byCluster: selection.byCluster, releases, findings }
}

function isLocal(source: SourceConfig): source is LocalSourceConfig {
  return source.type === 'directory' || source.type === 'providerDirectory'
}

function localSource(source: SourceConfig): LocalSourceConfig {
  if (isLocal(source)) return source
  throw new Error(`source ${source.name} is not local`)
}

function sourcesOf(fleet: Fleet, clusterStack: ClusterStack): readonly SourceConfig[] {
  const entry = fleet.stackSources.find(
    ({ provider, stack }) => provider === clusterStack.provider && stack === clusterStack.stack,
  )
  return entry === undefined ? fleet.sources : fleet.sources.filter((source) => source.name === entry.source)
}

function belongsTo(name: ReleaseName, clusterStack: ClusterStack): boolean {
  const minor = `${name.kubernetes.major}.${name.kubernetes.minor}`
  return (
    name.provider === clusterStack.provider &&
    name.stack === clusterStack.stack &&
    minor === clusterStack.kubernetesVersion
  )
}

function sourceFor(
  release: NeededRelease,
  fleet: Fleet,
  offers: ReadonlyMap<SourceConfig, readonly ReleaseName[]>,
): SourceConfig {
  const tag = formatTag(release.name)
  const candidates = sourcesOf(fleet, release.clusterStack)
  const offering = candidates.filter((source) => (offers.get(source) ?? []).some((name) => formatTag(name) === tag))
  const [first, second] = offering
  if (first !== undefined && second === undefined) return first
  if (first !== undefined && second !== undefined) {
    throw new StackmasonError({
      code: 'CONFIG_CONFLICT',
      severity: 'error',
      message: `release ${tag} is offered by several sources: ${offering.map((source) => source.name).join(', ')}`,
      at: release.at,
      hint: `Say which one under spec.stacks of stackmason.yaml: {provider: ${release.name.provider}, stack: ${release.name.stack}, source: ${first.name}}.`,
    })
  }
  const offered = candidates.flatMap((source) => offers.get(source) ?? [])
  const all = nearestReleases(release.name, offered).map((name) => formatTag(name))
  throw new StackmasonError({
    code: 'RELEASE_NOT_FOUND',
    severity: 'error',
    message: `release ${tag} is in none of the sources ${candidates.map((source) => source.name).join(', ')}`,
    at: release.at,
    hint: all.length === 0 ? 'They offer no release at all: check their paths.' : `They offer: ${all.join(', ')}.`,
  })
}

function versionMismatch(cluster: Cluster, release: Release): Diagnostic {
  return {
    code: 'CONFIG_CONFLICT',
    severity: 'error',
    message: `topology.version ${cluster.version} differs from the Kubernetes version of release ${formatTag(release.name)}`,
    at: cluster.versionAt,
    hint: `Write ${release.kubernetesVersion}: its images and addons are made for exactly that version.`,
  }
}
