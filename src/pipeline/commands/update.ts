import { compareBytes } from '../../codec/text/text-order.ts'
import { relativePath } from '../../codec/path.ts'
import { StackmasonError, type Diagnostic } from '../../model/diagnostic.ts'
import type { ClusterStack, FleetRepository } from '../../model/fleet.ts'
import type { Lock, LockedRelease } from '../../model/lock.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag, matchReleaseTag, parseReleaseTag } from '../../model/release-name.ts'
import type { Release } from '../../model/release.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import { readChart } from '../../sources/chart/read-chart.ts'
import { readLock } from '../../sources/lock/read-lock.ts'
import { writeLock } from '../../sources/lock/write-lock.ts'
import type { SourceContext } from '../../sources/source-context.ts'
import { createCatalogue, type Catalogue, type OnAsk } from '../resolve/catalogue.ts'
import { chooseReleases, type ChosenRelease, type NotTaken } from '../update/choose-releases.ts'
import { diagnosticsOf, distinct } from '../diagnostics.ts'
import { lockChanges, type LockChange } from '../update/lock-changes.ts'
import { selectPart } from '../fleet/fleet-part.ts'
import { addonVersions, fetchLockedRelease, isLocal } from '../resolve/fetch-release.ts'
import { lockFileOf } from '../resolve/open-inputs.ts'
import { createSourceContext, type Network } from '../resolve/open-source.ts'
import { ownChartPaths } from '../resolve/own-addons.ts'
import { sourcesOf, stackKey } from '../resolve/stack-sources.ts'
import { boundRef, replacedRelease } from '../update/replaced-release.ts'
import { findUnused, pruneLock, stillInUse, type UnusedRelease } from '../update/unused-releases.ts'
import { updateDependencies, type DependentChart } from '../update/update-dependencies.ts'
import { withFleet } from '../fleet/with-fleet.ts'

/** The options of `stackmason update`. */
export interface UpdateOptions {
  readonly start: string
  readonly fleet?: string
  /** ClusterStacks to move, `name` or `namespace/name`; empty = all. */
  readonly stacks: readonly string[]
  /** Tags to read anew even if their content changed; then nothing else moves. */
  readonly releases: readonly string[]
  /** `keep`: ClusterStacks that subscribe stay at what the lock has for them. Default: `follow`. */
  readonly subscriptions?: 'follow' | 'keep'
  /** Drop releases that nobody uses. */
  readonly prune: boolean
  /** Only say what would change. */
  readonly dryRun: boolean
  /** Default: online. */
  readonly network?: Network
}

/** The result of an update, or with `dryRun` its preview. */
export interface UpdateResult {
  readonly mode: 'write' | 'dry-run'
  readonly fleet: string
  /** Absolute. */
  readonly lockFile: string
  readonly status: 'changed' | 'unchanged'
  readonly releases: number
  readonly dependencies: number
  readonly changes: readonly LockChange[]
  readonly notTaken: readonly NotTaken[]
  /** Tags that ClusterStacks subscribe to and that are newer than what they were kept at, the newest of each first. */
  readonly newer: readonly string[]
  /** Releases in the lock that nothing needs: with `prune` those that went, and those that have to stay. */
  readonly unused: readonly UnusedRelease[]
  readonly findings: readonly Diagnostic[]
}

const NOTHING: Lock = { releases: [], dependencies: [] }

/**
 * Moves stackmason.lock to what the fleet wants and the sources have, and brings what it names into the cache. Written
 * whole or not at all.
 * @throws StackmasonError with every problem; then the lock is as it was
 */
export function update(options: UpdateOptions, ports: Ports, onAsk?: OnAsk): Promise<UpdateResult> {
  return withFleet(options, ports, async (repository) => {
    try {
      return await updateLock(repository, options, { ports, onAsk })
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      const online = (problem: Diagnostic): Diagnostic =>
        problem.code === 'FETCH_OFFLINE' ? { ...problem, hint: ONLINE } : problem
      throw new StackmasonError(error.diagnostics.map(online), { cause: error })
    }
  })
}

/** The cache has what the lock names, and no fetch brings what nothing has locked yet. */
const ONLINE =
  'Run `stackmason update` without --offline: it asks the sources for what stackmason.lock does not have yet.'

async function updateLock(
  repository: FleetRepository,
  options: UpdateOptions,
  { ports, onAsk }: { readonly ports: Ports; readonly onAsk: OnAsk | undefined },
): Promise<UpdateResult> {
  const { fleet } = repository
  const lockFile = lockFileOf(fleet)
  const lock = (await readLock(lockFile, ports)) ?? NOTHING
  const context = createSourceContext(ports, options.network ?? 'online')
  const catalogue = createCatalogue(fleet, context, onAsk)
  const moving = movingStacks(repository, lock, options)
  const chosen = await chooseReleases({
    repository,
    lock,
    moving,
    only: new Set(options.releases),
    subscriptions: options.subscriptions ?? 'follow',
    catalogue,
    context,
  })
  const run: UpdateRun = { repository, lock, options, context, catalogue, moving }
  const problems: Diagnostic[] = [...chosen.selection.problems]
  const findings: Diagnostic[] = [...chosen.findings]
  const { needed } = chosen.selection

  const entries = new Map<string, LockedEntry>()
  for (const [tag, wanting] of byTag(needed)) {
    try {
      const entry = await lockRelease(tag, wanting, run, chosen.read)
      entries.set(tag, entry)
      findings.push(...entry.findings)
    } catch (error) {
      problems.push(...diagnosticsOf(error))
    }
  }
  for (const locked of lock.releases) {
    const known = entries.get(locked.name)
    if (known === undefined) entries.set(locked.name, { locked, findings: [], isMoving: false })
    else entries.set(locked.name, { ...known, locked: { ...known.locked, stacks: union(known.locked, locked) } })
  }
  if (problems.length > 0) throw new StackmasonError(distinct(problems))

  const releases = [...entries.values()].map(({ locked }) => locked)
  const unused = await findUnused({ ...lock, releases }, needed, { repository, ports })
  const kept = options.prune ? pruneLock(releases, unused) : releases
  if (options.prune)
    findings.push(...unused.filter(({ usedBy }) => usedBy !== undefined).map((one) => stillInUse(one, lockFile)))
  const charts = await dependentCharts(
    kept.map(({ name }) => entries.get(name)).filter((entry) => entry !== undefined),
    run,
  )
  const updated = await updateDependencies(
    charts,
    { lock, accept: options.releases.length > 0 ? 'new-content' : 'kept-content' },
    { context, repositories: fleet.chartRepositories },
  )
  if (updated.problems.length > 0) throw new StackmasonError(distinct(updated.problems))
  const after: Lock = {
    releases: [...kept].sort((a, b) => compareBytes(a.name, b.name)),
    dependencies: updated.dependencies,
  }
  const changes = lockChanges(lock, after)
  const status = options.dryRun
    ? changes.length > 0
      ? 'changed'
      : 'unchanged'
    : (await writeLock(lockFile, after, ports)) === 'written'
      ? 'changed'
      : 'unchanged'
  return {
    mode: options.dryRun ? 'dry-run' : 'write',
    fleet: fleet.name,
    lockFile,
    status,
    releases: after.releases.length,
    dependencies: after.dependencies.length,
    changes,
    notTaken: chosen.notTaken,
    newer: chosen.newer,
    unused,
    findings: distinct([...findings, ...updated.findings]),
  }
}

interface UpdateRun {
  readonly repository: FleetRepository
  readonly lock: Lock
  readonly options: UpdateOptions
  readonly context: SourceContext
  readonly catalogue: Catalogue
  readonly moving: ReadonlySet<ClusterStack>
}

interface LockedEntry {
  readonly locked: LockedRelease
  /** Absent for one that was not read in this run. */
  readonly release?: Release
  readonly findings: readonly Diagnostic[]
  readonly isMoving: boolean
}

/** The ClusterStacks that --stack and --release name; without either all of them. */
function movingStacks(
  repository: FleetRepository,
  lock: Lock,
  { stacks, releases }: UpdateOptions,
): ReadonlySet<ClusterStack> {
  if (releases.length === 0) {
    selectPart(repository, { clusters: [], stacks })
    const isNamed = (stack: ClusterStack): boolean => stacks.includes(stack.name) || stacks.includes(stackKey(stack))
    return new Set(repository.clusterStacks.filter((stack) => stacks.length === 0 || isNamed(stack)))
  }
  const problems = releases.flatMap((tag): readonly Diagnostic[] => {
    const matched = matchReleaseTag(tag)
    const message =
      'value' in matched
        ? lock.releases.some(({ name }) => name === tag) || isWanted(repository, tag)
          ? undefined
          : `no ClusterStack of the fleet is about release ${tag}`
        : `${tag} is not a release tag: ${matched.reason}`
    return message === undefined ? [] : [{ code: 'USAGE', severity: 'error', message }]
  })
  if (problems.length > 0) throw new StackmasonError(problems)
  return new Set(repository.clusterStacks.filter((stack) => releases.some((tag) => isAbout(stack, tag))))
}

function isWanted({ clusterStacks }: FleetRepository, tag: string): boolean {
  return clusterStacks.some((stack) => isAbout(stack, tag))
}

function isAbout({ provider, stack, kubernetesVersion }: ClusterStack, tag: string): boolean {
  return tag.startsWith(`${provider}-${stack}-${kubernetesVersion.replace('.', '-')}-`)
}

function byTag(needed: readonly NeededRelease[]): ReadonlyMap<string, readonly NeededRelease[]> {
  const grouped = new Map<string, NeededRelease[]>()
  for (const release of needed) {
    const tag = formatTag(release.name)
    const group = grouped.get(tag) ?? []
    group.push(release)
    grouped.set(tag, group)
  }
  return grouped
}

function union(a: LockedRelease, b: LockedRelease): readonly string[] {
  return [...new Set([...a.stacks, ...b.stacks])].sort(compareBytes)
}

/**
 * The entry of a release that the fleet needs: as the lock has it when its stacks do not move, else as its source has
 * it now.
 */
async function lockRelease(
  tag: string,
  wanting: readonly NeededRelease[],
  run: UpdateRun,
  read: (needed: NeededRelease) => Promise<ChosenRelease>,
): Promise<LockedEntry> {
  const known = run.lock.releases.find(({ name }) => name === tag)
  const stacks = wanting.map(({ clusterStack }) => stackKey(clusterStack)).sort(compareBytes)
  const asked = run.options.releases
  const isMoving =
    asked.length > 0 ? asked.includes(tag) : wanting.some(({ clusterStack }) => run.moving.has(clusterStack))
  if (!isMoving && known !== undefined) return { locked: known, findings: [], isMoving }
  const [first] = wanting
  if (first === undefined) throw new Error(`nobody wants ${tag}`)
  if (!isMoving) await listFor(first, run)
  const { config, fetched } = await read(first)
  const digest = `sha256:${fetched.release.digest}`
  const isAsked = asked.includes(tag)
  const found = { config, digest, ref: fetched.ref, allowed: sourcesOf(run.repository.fleet, first.clusterStack) }
  const replaced = known === undefined || isAsked ? undefined : replacedRelease(known, found)
  if (known !== undefined && replaced !== undefined)
    return { locked: known, findings: [...fetched.findings, replaced], isMoving: false }
  const ref = isAsked ? fetched.ref : boundRef(known, found)
  const locked: LockedRelease = {
    name: tag,
    source: config.name,
    from: isLocal(config) ? relativePath(run.repository.fleet.root, fetched.from) : fetched.from,
    ...(fetched.revision !== undefined && { revision: fetched.revision }),
    ...(ref !== undefined && { ref }),
    digest,
    kubernetesVersion: fetched.release.kubernetesVersion,
    stacks,
    addons: addonVersions(fetched.release),
    assets: fetched.assets,
  }
  return { locked, release: fetched.release, findings: fetched.findings, isMoving: true }
}

/** A stack that does not move and lacks a release: its sources were not listed yet. */
async function listFor({ clusterStack }: NeededRelease, { repository, catalogue }: UpdateRun): Promise<void> {
  for (const config of sourcesOf(repository.fleet, clusterStack)) await catalogue.list(config)
}

/**
 * The charts of all locked releases and of the clusters' own addons. Releases that were not read in this run are read
 * as locked.
 */
async function dependentCharts(entries: readonly LockedEntry[], run: UpdateRun): Promise<readonly DependentChart[]> {
  const charts: DependentChart[] = []
  const problems: Diagnostic[] = []
  for (const entry of entries) {
    try {
      const release = entry.release ?? (await readLocked(entry.locked, run))
      const { isMoving } = entry
      charts.push(
        { chart: release.clusterClass, isMoving },
        ...release.addons.map(({ chart }) => ({ chart, isMoving })),
      )
    } catch (error) {
      problems.push(...diagnosticsOf(error))
    }
  }
  const isMoving = run.options.releases.length === 0
  for (const [path, remote] of ownChartPaths(run.repository.clusters)) {
    try {
      charts.push(
        remote === undefined ? { chart: await readChart(path, run.context.ports), isMoving } : { remote, isMoving },
      )
    } catch (error) {
      problems.push(...diagnosticsOf(error))
    }
  }
  if (problems.length > 0) throw new StackmasonError(distinct(problems))
  return charts
}

async function readLocked(locked: LockedRelease, { repository, catalogue, context }: UpdateRun): Promise<Release> {
  const config = repository.fleet.sources.find(({ name }) => name === locked.source)
  if (config === undefined) {
    throw new StackmasonError({
      code: 'LOCK_MISMATCH',
      severity: 'error',
      message: `stackmason.lock takes release ${locked.name} from source "${locked.source}", which the fleet does not have`,
      at: locked.at,
      hint: 'Put the source back, or drop the release with `stackmason update --prune` once nothing uses it.',
    })
  }
  const name = parseReleaseTag(locked.name)
  const read = await fetchLockedRelease(locked, config, {
    name,
    context,
    open: async () => (await catalogue.open(config)).source,
  })
  return read.release
}
