import { joinPath } from '../../codec/path.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { ClusterStack, FleetRepository, SourceConfig } from '../../model/fleet.ts'
import type { Lock } from '../../model/lock.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag, matchClassName } from '../../model/release-name.ts'
import type { OfferedRelease } from '../../model/release-source.ts'
import { openCommittedTree } from '../../sources/committed/committed-tree.ts'
import { readLock } from '../../sources/lock/read-lock.ts'
import { createCatalogue, type Catalogue } from '../resolve/catalogue.ts'
import { diagnosticsOf, distinct } from '../diagnostics.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import { listCharts, type ListedChart } from './list-charts.ts'
import { selectPart } from '../fleet/fleet-part.ts'
import { isLocal } from '../resolve/fetch-release.ts'
import { lockFileOf } from '../resolve/open-inputs.ts'
import { createSourceContext, type Network } from '../resolve/open-source.ts'
import { belongsTo, sourcesOf } from '../resolve/stack-sources.ts'
import { withFleet } from '../fleet/with-fleet.ts'

/** The options of `stackmason list`. */
export interface ListOptions {
  readonly start: string
  readonly fleet?: string
  /**
   * Only what these ClusterStacks could take, `name` or `namespace/name`; empty = everything that the sources offer.
   */
  readonly stacks: readonly string[]
  /** Only these sources; empty = all. */
  readonly sources: readonly string[]
  /** Default: online. */
  readonly network?: Network
}

/** A release on offer. */
export interface ListedRelease {
  readonly name: string
  readonly source: string
  /** With `v`; absent when the source cannot tell. */
  readonly kubernetesVersion?: string
  /** RFC 3339. */
  readonly published?: string
  /** The identifier of the content: a manifest digest, a commit, or the locked digest. */
  readonly digest?: string
  readonly isLocked: boolean
  /** Clusters whose cluster.yaml asks for it, `namespace/name`. */
  readonly usedBy: readonly string[]
  /** Clusters that the tree holds at it, or the addons of it for; none without a GitOps tool. */
  readonly inTree: readonly ReleaseInTree[]
}

/** A cluster whose folders in the tree are of a release. */
export interface ReleaseInTree {
  /** `namespace/name` */
  readonly cluster: string
  /** What of it: between two steps of an upgrade the Cluster and its addons are of two releases. */
  readonly holds: 'all' | 'cluster' | 'addons'
}

/** The releases on offer. */
export interface ListResult {
  readonly fleet: string
  readonly releases: readonly ListedRelease[]
  /** Clusters that the tree holds at some release, also one that is not listed. */
  readonly held: ReadonlySet<string>
  /** Charts that own addons use; none where the list was narrowed to a ClusterStack or a source. */
  readonly charts: readonly ListedChart[]
  /** Warnings, and what a source that could not be listed raised. */
  readonly findings: readonly Diagnostic[]
}

/** Requests at a time: enough to hide latency, few enough for rate limits. */
const CONCURRENCY = 6

/**
 * Lists the releases that the sources of a fleet offer, newest last, and who uses them. A source that cannot be listed
 * does not hide the others: its problem is among the findings.
 * @throws StackmasonError CONFIG_*, LOCK_INVALID, USAGE for a source or ClusterStack that the fleet does not have
 */
export function listFleet(options: ListOptions, ports: Ports, onProgress: OnProgress): Promise<ListResult> {
  return withFleet(options, ports, (repository) => listOf(repository, options, { ports, onProgress }))
}

async function listOf(
  repository: FleetRepository,
  options: ListOptions,
  { ports, onProgress }: { readonly ports: Ports; readonly onProgress: OnProgress },
): Promise<ListResult> {
  const { fleet, clusterStacks } = repository
  const lock = await readLock(lockFileOf(fleet), ports)
  const catalogue = createCatalogue(fleet, createSourceContext(ports, options.network ?? 'online'))
  selectPart(repository, { clusters: [], stacks: options.stacks })
  const stacks = clusterStacks.filter(
    ({ name, namespace }) => options.stacks.includes(name) || options.stacks.includes(`${namespace}/${name}`),
  )
  const sources = pickSources(repository, stacks, options)
  const findings: Diagnostic[] = []
  const offered: { readonly config: SourceConfig; readonly release: OfferedRelease }[] = []
  for (const config of sources) {
    try {
      const { releases, findings: odd } = await catalogue.list(config)
      findings.push(...odd)
      const isWanted = ({ name }: OfferedRelease): boolean =>
        stacks.length === 0 ||
        stacks.some((stack) => belongsTo(name, stack) && sourcesOf(fleet, stack).includes(config))
      offered.push(...releases.filter(isWanted).map((release) => ({ config, release })))
    } catch (error) {
      findings.push(...diagnosticsOf(error))
    }
  }
  const releases: ListedRelease[] = []
  const trees = await readTrees(repository, ports, findings)
  let done = 0
  onProgress({ done, total: offered.length, label: '' })
  const queue = [...offered]
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const described = await describe(next, catalogue, findings)
      releases.push(listed(described, next.config, { repository, lock, trees }))
      onProgress({ done: ++done, total: offered.length, label: formatTag(next.release.name) })
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, work))
  releases.sort((a, b) => compareReleases(a, b))
  const isWhole = options.stacks.length === 0 && options.sources.length === 0
  const charts = isWhole ? listCharts(repository.clusters, lock) : []
  const held = new Set([...trees.values()].flatMap((users) => users.map(({ cluster }) => cluster)))
  return { fleet: fleet.name, releases, held, charts, findings: distinct(findings) }
}

function pickSources(
  { fleet }: FleetRepository,
  stacks: readonly ClusterStack[],
  options: ListOptions,
): readonly SourceConfig[] {
  const unknown = options.sources.filter((wanted) => !fleet.sources.some(({ name }) => name === wanted))
  if (unknown.length > 0) {
    throw new StackmasonError(
      unknown.map((name): Diagnostic => ({
        code: 'USAGE',
        severity: 'error',
        message: `the fleet has no source "${name}"`,
        hint: `It has: ${fleet.sources.map((source) => source.name).join(', ')}.`,
      })),
    )
  }
  const named = fleet.sources.filter(({ name }) => options.sources.length === 0 || options.sources.includes(name))
  return stacks.length === 0
    ? named
    : named.filter((config) => stacks.some((stack) => sourcesOf(fleet, stack).includes(config)))
}

/** All that the source can tell; what it cannot tell for a problem stays out, and the problem is noted. */
async function describe(
  { config, release }: { readonly config: SourceConfig; readonly release: OfferedRelease },
  catalogue: Catalogue,
  findings: Diagnostic[],
): Promise<OfferedRelease> {
  try {
    return await (await catalogue.open(config)).source.describe(release)
  } catch (error) {
    findings.push(...diagnosticsOf(error).map((finding): Diagnostic => ({ ...finding, severity: 'warning' })))
    return release
  }
}

function listed(
  { name, kubernetesVersion, published, revision }: OfferedRelease,
  config: SourceConfig,
  {
    repository,
    lock,
    trees,
  }: {
    readonly repository: FleetRepository
    readonly lock: Lock | undefined
    readonly trees: ReadonlyMap<string, readonly ReleaseInTree[]>
  },
): ListedRelease {
  const tag = formatTag(name)
  const locked = lock?.releases.find((release) => release.name === tag && release.source === config.name)
  const digest = revision ?? (isLocal(config) ? undefined : locked?.revision) ?? locked?.digest
  const version = kubernetesVersion ?? locked?.kubernetesVersion
  return {
    name: tag,
    source: config.name,
    ...(version !== undefined && { kubernetesVersion: version }),
    ...(published !== undefined && { published }),
    ...(digest !== undefined && { digest }),
    isLocked: locked !== undefined,
    usedBy: repository.clusters
      .filter(({ className }) => {
        const matched = matchClassName(className)
        return 'value' in matched && formatTag(matched.value) === tag
      })
      .map(objectPath),
    inTree: trees.get(tag) ?? [],
  }
}

/**
 * The clusters of the committed tree by the releases that it holds them at. Without a GitOps tool nothing is held back,
 * so that it tells nothing; what is wrong with the tree hides no release.
 */
async function readTrees(
  { fleet, clusters }: FleetRepository,
  ports: Ports,
  findings: Diagnostic[],
): Promise<ReadonlyMap<string, readonly ReleaseInTree[]>> {
  const found = new Map<string, ReleaseInTree[]>()
  if (fleet.handoff === undefined) return found
  const note = (className: string | undefined, entry: ReleaseInTree): void => {
    const matched = className === undefined ? undefined : matchClassName(className)
    if (matched === undefined || !('value' in matched)) return
    const tag = formatTag(matched.value)
    found.set(tag, [...(found.get(tag) ?? []), entry])
  }
  try {
    const tree = await openCommittedTree(joinPath(fleet.root, fleet.output), { from: 'commit' }, ports)
    for (const one of clusters) {
      const { className, addons } = tree.cluster(one) ?? {}
      const cluster = objectPath(one)
      if (className === addons) note(className, { cluster, holds: 'all' })
      else {
        note(className, { cluster, holds: 'cluster' })
        note(addons, { cluster, holds: 'addons' })
      }
    }
  } catch (error) {
    findings.push(...diagnosticsOf(error).map((finding): Diagnostic => ({ ...finding, severity: 'warning' })))
  }
  return found
}

/** By the parts of the name, numbers as numbers. */
function compareReleases(a: ListedRelease, b: ListedRelease): number {
  const left = a.name.split(/(\d+)/)
  const right = b.name.split(/(\d+)/)
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? ''
    const order = index % 2 === 1 ? Number(part) - Number(other) : compareBytes(part, other)
    if (order !== 0) return order
  }
  return compareBytes(a.source, b.source)
}
