import { StackmasonError, type Diagnostic, withSubject } from '../../model/diagnostic.ts'
import type { Cluster, Fleet, FleetRepository, SourceConfig } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag, parseClassName } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import {
  type NeededRelease,
  nothingOffered,
  type ReleaseSelection,
  selectReleases,
} from '../../render/stack/select-releases.ts'
import { listReleases, readRelease } from '../../sources/release/read-release.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import { isLocal } from './fetch-release.ts'
import type { SelectedReleases } from './selected-releases.ts'
import { isMisspelt, offeredFor, type Offers, sourceFor, sourcesOf } from './stack-sources.ts'

/**
 * Chooses releases without a lock, from what the sources hold now. Only sources on this machine can be used so: they
 * are part of the inputs.
 * @throws StackmasonError LOCK_MISSING for a source that is not, and what listing a source raises
 */
export async function selectUnlocked(
  { fleet, clusterStacks }: FleetRepository,
  clusters: readonly Cluster[],
  ports: Ports,
): Promise<SelectedReleases> {
  const findings: Diagnostic[] = []
  const problems: Diagnostic[] = []
  const offers = new Map<SourceConfig, readonly ReleaseName[]>()
  const used = new Set(clusterStacks.flatMap((clusterStack) => sourcesOf(fleet, clusterStack)))
  for (const source of fleet.sources) {
    if (!isLocal(source)) {
      if (used.has(source)) problems.push(needsLock(source))
      continue
    }
    try {
      const listed = await listReleases(source, ports)
      offers.set(source, listed.releases)
      findings.push(...listed.findings)
    } catch (error) {
      problems.push(...diagnosticsOf(error))
    }
  }
  if (problems.length > 0) throw new StackmasonError(problems)
  const selection = selectReleases(clusterStacks, clusters, (clusterStack) => offeredFor(clusterStack, fleet, offers))
  const chosen = selection.problems.flatMap((problem) => {
    const release = misspeltFor(problem, { clusters, selection, fleet, offers })
    return release === undefined ? problem : notOffered(release, fleet, offers)
  })
  return {
    ...selection,
    problems: [...chosen, ...selection.unserved.map(nothingOffered)],
    findings,
    read: async (needed) => {
      const source = sourceFor(needed, fleet, offers)
      if (!isLocal(source)) throw new Error(`source ${source.name} was not listed`)
      return readRelease(source, needed.name, ports)
    },
  }
}

interface Choice {
  readonly clusters: readonly Cluster[]
  readonly selection: ReleaseSelection
  readonly fleet: Fleet
  readonly offers: Offers
}

/** The release that a misspelt ClusterStack asks for, where a class that nothing offers is its own but for that. */
function misspeltFor(
  { code, at }: Diagnostic,
  { clusters, selection, fleet, offers }: Choice,
): NeededRelease | undefined {
  if (code !== 'CONFIG_REFERENCE') return undefined
  const cluster = clusters.find(({ classAt }) => classAt === at)
  if (cluster === undefined) return undefined
  const wanted = parseClassName(cluster.className)
  return selection.needed.find(
    ({ namespace, clusterStack }) =>
      namespace === cluster.classNamespace && isMisspelt(clusterStack, wanted, { fleet, offers }),
  )
}

/** As reading the release says it. */
function notOffered(release: NeededRelease, fleet: Fleet, offers: Offers): readonly Diagnostic[] {
  try {
    sourceFor(release, fleet, offers)
  } catch (error) {
    return diagnosticsOf(error).map((problem) => withSubject(problem, { release: formatTag(release.name) }))
  }
  throw new Error(`${formatTag(release.name)} is offered`)
}

function needsLock(source: SourceConfig): Diagnostic {
  return {
    code: 'LOCK_MISSING',
    severity: 'error',
    message: `source "${source.name}" is not on this machine, and there is no stackmason.lock that says which releases of it to use`,
    at: source.at,
    hint: 'Run `stackmason update`, review its output, and commit stackmason.lock.',
  }
}
