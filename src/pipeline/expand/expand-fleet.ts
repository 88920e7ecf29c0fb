import { joinPath } from '../../codec/path.ts'
import type { ImageUser } from '../../handoff/images/release-users.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import type { Manifest } from '../../model/manifest.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Dict } from '../../model/value.ts'
import type { Ports } from '../../model/ports.ts'
import type { StepPlan } from '../../model/steps.ts'
import { type ClusterOptions, renderCluster } from '../../render/stack/render-cluster.ts'
import type { NeededRelease } from '../../render/stack/select-releases.ts'
import type { TreeRevision } from '../../sources/committed/tree-files.ts'
import { diagnosticsOf } from '../diagnostics.ts'
import { readSharedHandoff } from '../../sources/committed/shared-handoff.ts'
import { type HandoffSources, readHandoffSources } from '../deliver/handoff-templates.ts'
import { createImageChoice } from '../deliver/image-variables.ts'
import { type LoadedReleases, loadReleases } from '../resolve/load-releases.ts'
import { followMoves } from '../fleet/follow-moves.ts'
import { mendBase } from '../fleet/mended-base.ts'
import { selectPart, type FleetPart, type Selection } from '../fleet/fleet-part.ts'
import { openInputs } from '../resolve/open-inputs.ts'
import type { Network } from '../resolve/open-source.ts'
import { checkOutputLocation } from '../deliver/output-location.ts'
import { findImageUsers } from './image-users.ts'
import { planImages } from './plan-images.ts'
import { checkTool } from '../deliver/tool-change.ts'
import { findClassChanges } from './class-changes.ts'
import { clusterStates } from './cluster-state.ts'
import { createExpander } from './create-expander.ts'
import { expandClusters } from './expand-clusters.ts'
import { openThreads } from './expand-in-threads.ts'
import type { ThreadSettings } from './expanding-thread.ts'
import type { ExpandedCluster, ExpandedFolders } from './expanded-unit.ts'
import { FleetProblems } from './fleet-problems.ts'
import { findUnused } from './find-unused.ts'
import { type GatherRun, gatherClusters } from './gather-clusters.ts'
import { handOverStacks, prepareStacks } from './hand-over-stacks.ts'
import type { OpenFleet } from '../fleet/open-fleet.ts'
import { renderOptions } from './render-options.ts'
import { renderStacks } from './render-stacks.ts'
import { findStackDefinitions } from './stack-definitions.ts'
import type { StackState } from './stack-state.ts'
import { createContentMaker, expandHere, type TakeFiles, type Taker, type UnitPool } from './unit-results.ts'
import type { ClusterUnit, RenderedUnit } from './cluster-unit.ts'
import { type ClusterShare, sharesOf } from './cluster-shares.ts'
import { chartMilliseconds } from '../../render/engine/limits.ts'
import type { FolderContent } from '../../write/serialize-folder.ts'
import type { RunInputs, ShardedRun } from './sharded-units.ts'
import { createDigests, createPartDigests, createUnitDigests } from './digest-unit.ts'
import { type MakeKeeper, poolOfKept } from './pool-of-kept.ts'
import { type AddonContent, reuseUnits, type TakenUnits } from './reuse-units.ts'
import { isKeptState } from './kept-inputs.ts'
import { withNearTargets } from './near-targets.ts'
import { unreadRuntimeValues } from './unread-runtime-values.ts'

/** Called after each unit of work; `total` is known from the first call on. */
export type OnProgress = (event: { readonly done: number; readonly total: number; readonly label: string }) => void

/** The part of a fleet to expand, and how far. */
export interface ExpandOptions {
  /** The clusters and stacks that the run is about. */
  readonly selection: Selection
  /** The tree that the steps of clusters follow on. */
  readonly revision: TreeRevision
  readonly network: Network
  /** In place of the fleet's lock; absolute. */
  readonly lock?: string | undefined
  /** A tag: set, no other release of the lock is there. */
  readonly release?: string | undefined
  /**
   * `rendered`: classes and clusters as they are rendered, no units and no objects of a GitOps tool. Default:
   * `handoff`.
   */
  readonly until?: 'rendered' | 'handoff'
  /**
   * The fleet's stackmason.yaml: set, the tree of the revision must be of the same GitOps tool and in the same folder.
   */
  readonly treeOf?: string | undefined
  /** `off`: every chart of every cluster is rendered as if it were the only one. Default: `on`. */
  readonly reuse?: 'on' | 'off'
  /**
   * `sound`: what has no problem itself is given also when another has one, for those who only look at it. Default:
   * `whole`.
   */
  readonly gives?: 'whole' | 'sound'
  /** Units that earlier runs have kept, and who takes them: for those who take files. */
  readonly kept?: TakenUnits | undefined
  /** The same for those who take objects. */
  readonly keeper?: MakeKeeper | undefined
  /** True: what the clusters have to do with the rest of their fleet is told. */
  readonly shares?: boolean
  /**
   * Set: the rest of the fleet is as it was, and comes to the same as long as the clusters of this run share the same
   * with it.
   */
  readonly rest?: RestOfFleet | undefined
  readonly onProgress?: OnProgress
  /** Set: several processes expand the clusters of the fleet for who takes files, and this is one of them. */
  readonly shards?: ShardedRun | undefined
  /** How many other threads expand clusters for who takes files. Default: by the machine and the number of clusters. */
  readonly threads?: number | undefined
}

/** The facts that a run of some clusters takes from the rest of their fleet. */
export interface RestOfFleet {
  /** By `<namespace>/<tag>`: tags of the stacks of that namespace that hold the images of the release. */
  readonly imagesFrom: ReadonlyMap<string, readonly string[]>
}

/**
 * Takes what a unit was expanded to; when it returns, the unit is forgotten. Nothing is given any more once a problem
 * is known, unless sound units are asked for all the same.
 */
export type TakeFolders = (expanded: ExpandedFolders, fleet: OpenedRun) => Promise<void> | void

/** The ports of an expansion, and its taker. */
export type ExpandPorts = { readonly ports: Ports } & (
  { readonly take: TakeFolders } | { readonly takeFiles: TakeFiles }
)

/** A fleet that is about to be expanded. */
export interface OpenedRun {
  readonly repository: FleetRepository
  readonly part: FleetPart
  /** The releases that the run found. */
  readonly needed: readonly NeededRelease[]
}

/** The relations between clusters and the rest of their fleet. */
export interface SharedFacts extends RestOfFleet {
  /** By the cluster's key. */
  readonly clusters: ReadonlyMap<string, ClusterShare>
  /** Hashes of the renders of charts that classes are made of, and clusters that have no share. */
  readonly charts: readonly string[]
}

/** A fleet that was expanded: what is left when its units are forgotten. */
export interface Expansion extends OpenedRun {
  /** As they were rendered, or as they are committed. */
  readonly stacks: readonly StackState[]
  /** Clusters as users of the node images of releases. */
  readonly imageUsers: readonly ImageUser[]
  /** The steps that this run writes, and those that follow; none without a GitOps tool. */
  readonly steps: readonly StepPlan[]
  /** How many charts were rendered; equal renders count once. */
  readonly charts: number
  /** The facts for later runs of some clusters; absent where nobody asks, and where not all were expanded. */
  readonly shared?: SharedFacts | undefined
  /** Warnings of finding releases and of rendering; all others are kept by the fleet. */
  readonly warnings: readonly Diagnostic[]
}

/**
 * Expands a fleet: reads its inputs, renders its stacks, then takes its clusters one by one, from their inputs to the
 * objects that a GitOps tool applies, and at the end what holds them together. What crosses clusters is small: who uses
 * which node images, names, findings. The warnings are kept by the fleet.
 * @throws StackmasonError with every problem of the first step that has any, and the warnings of those before
 */
export async function expandFleet(
  { repository, findings }: Pick<OpenFleet, 'repository' | 'findings'>,
  options: ExpandOptions,
  { ports: given, ...taking }: ExpandPorts,
): Promise<Expansion> {
  const { fleet } = repository
  const { revision, reuse = 'on', until = 'handoff', gives = 'whole', onProgress = () => undefined } = options
  const ports = mendBase(repository, revision.base, followMoves(repository, given))
  const part = selectPart(repository, options.selection)
  const inputs = await openInputs(fleet, options, ports)
  if (options.treeOf !== undefined) {
    await findings.of(checkTool(repository, { ...revision, reads: part.only === undefined ? 'all' : 'few' }, ports))
    await findings.of(checkOutputLocation(repository, { file: options.treeOf, revision }, ports))
  }
  const loaded = await findings.of(loadReleases(repository, part, inputs, revision))
  const { crypto, deadline, clock } = ports
  const render = renderOptions(fleet, { crypto, deadline, elapsed: () => clock.monotonic(), reuse })
  const run: FleetRun = { repository, part, needed: loaded.needed, loaded, render, ports, until }
  const taker: Taker =
    'take' in taking
      ? { of: 'objects', take: (expanded) => taking.take(expanded, run) }
      : { of: 'files', take: taking.takeFiles }
  const { warnings, ...expanded } = await findings.of(
    expandUnits(run, {
      complete: inputs.complete,
      lock: inputs.lock,
      from: revision.from,
      base: revision.base,
      shards: options.shards,
      taker,
      gives,
      kept: options.kept,
      keeper: options.keeper,
      shares: options.shares ?? false,
      rest: options.rest,
      onProgress,
      threads: reuse === 'on' ? options.threads : 0,
    }),
  )
  return { repository, part, needed: loaded.needed, ...expanded, warnings: [...loaded.findings, ...warnings] }
}

interface FleetRun extends OpenedRun {
  readonly loaded: LoadedReleases
  readonly render: ClusterOptions
  readonly ports: Ports
  readonly until: 'rendered' | 'handoff'
}

interface UnitRun extends Pick<GatherRun, 'complete'>, Pick<RunInputs, 'lock' | 'base'> {
  readonly from: TreeRevision['from']
  readonly taker: Taker
  readonly shards: ShardedRun | undefined
  readonly gives: 'whole' | 'sound'
  readonly kept: TakenUnits | undefined
  readonly keeper: MakeKeeper | undefined
  readonly shares: boolean
  readonly rest: RestOfFleet | undefined
  readonly onProgress: OnProgress
  readonly threads: number | undefined
}

interface ExpandedUnits extends Pick<Expansion, 'stacks' | 'imageUsers' | 'steps' | 'charts' | 'shared'> {
  readonly findings: readonly Diagnostic[]
  /** Those of rendering alone. */
  readonly warnings: readonly Diagnostic[]
}

async function expandUnits(
  run: FleetRun,
  { complete, taker, gives, kept, keeper, shares, rest, onProgress, threads, lock, from, base, shards }: UnitRun,
): Promise<ExpandedUnits> {
  const { repository, part, loaded, render, ports, until } = run
  const { fleet } = repository
  const problems = new FleetProblems()
  const own = shards?.clustersOf(part.clusters) ?? part.clusters
  const total = loaded.needed.length + own.length
  let done = 0
  onProgress({ done, total, label: '' })
  const onUnit = (label: string): void => {
    onProgress({ done: ++done, total, label })
  }
  const states = clusterStates(part, loaded)
  const { stacks, byNeed, ...ofStacks } = await renderStacks({ repository, part, loaded, render, onStack: onUnit })
  problems.add('render', ofStacks.problems)
  const chooseImages = createImageChoice(fleet)
  const { lifecycle } = loaded
  const users = findImageUsers(states, { repository, part, lifecycle, stacks: byNeed, chooseImages, render })
  const tree = lifecycle?.tree
  const images = await problems.attempt('images', async () =>
    fleet.handoff === undefined || until === 'rendered' || rest !== undefined
      ? undefined
      : planImages(stacks, users.all, { repository, part, tree }),
  )
  const changed = await problems.attempt('class', async () =>
    lifecycle === undefined || until === 'rendered' || rest !== undefined
      ? []
      : findClassChanges(stacks, repository, lifecycle),
  )
  problems.add('class', changed?.filter(({ severity }) => severity === 'error') ?? [])
  const redefined = await problems.attempt('class', async () =>
    tree === undefined || until === 'rendered' || rest !== undefined ? [] : findStackDefinitions(stacks, tree),
  )
  problems.add('storage', redefined?.filter(({ severity }) => severity === 'error') ?? [])
  const sources = await problems.attempt('tool', () => sourcesOf(run))
  const expander = createExpander({ fleet, render, sources, until })
  const prepared =
    until === 'rendered' || rest !== undefined
      ? undefined
      : prepareStacks(stacks, { part, needed: loaded.needed, images, expander })
  problems.add('class', prepared?.problems.class ?? [])
  problems.add('secrets', prepared?.problems.secrets ?? [])
  const imagesFrom = (rest ?? images)?.imagesFrom ?? new Map<string, readonly string[]>()
  const gather: GatherRun = {
    fleet,
    stacks: byNeed,
    imagesFrom,
    chooseImages,
    tree,
    complete,
    ports,
  }
  const maker = createContentMaker(expander.tool, ports.crypto)
  const { crypto, deadline } = ports
  const digests = createDigests(crypto)
  const expandAgain = (unit: ClusterUnit): ExpandedCluster =>
    deadline.together(chartMilliseconds, () => ({ ...expander.cluster(unit), unit }))
  const again = (unit: ClusterUnit): readonly FolderContent[] => maker.cluster(expandAgain(unit)).folders
  const addon = (unit: RenderedUnit, name: string): AddonContent | undefined => {
    const expanded = expander.addon(unit, name)
    const [content] = expanded === undefined ? [] : maker.folders({ folders: [expanded.folder] })
    return expanded === undefined || content?.problems !== undefined || content === undefined
      ? undefined
      : { lone: expanded.lone, content }
  }
  const context = { fleet, sources, until, runtimeFields: render.runtimeFields }
  const reused =
    kept === undefined || taker.of !== 'files'
      ? undefined
      : reuseUnits({
          ...kept,
          taker,
          again,
          addon,
          files: ports.files,
          crypto,
          digestUnit: createPartDigests(context, digests),
        })
  const sharded =
    taker.of === 'files'
      ? await shards?.open({
          inputs: { repository, lock, loaded, sources, base },
          context,
          taker,
          hasFailed: () => !problems.areNone,
        })
      : undefined
  const divided = sharded ?? reused
  const given = divided?.taker ?? taker
  const here = expandHere({ expander, deadline, crypto, taker: given, maker })
  const settings: ThreadSettings = { fleet, sources, until, releases: [...loaded.releases.values()] }
  const open = (): UnitPool =>
    given.of === 'files'
      ? openThreads(own.length, { threads: ports.threads, wanted: threads, settings, taker: given, here })
      : { expand: here, ahead: 0, end: () => undefined }
  const ofObjects = taker.of === 'objects' ? keeper?.({ again: expandAgain, take: taker.take }) : undefined
  const poolOf =
    ofObjects === undefined
      ? divided?.pool
      : poolOfKept({ ...ofObjects, digestUnit: createUnitDigests(context, digests) })
  const pool = poolOf?.(here, open) ?? open()
  const chartsOfStacks = render.charts.takeRuns()
  const clusters = await expandClusters(own, states, {
    gather,
    pool,
    problems,
    onUnit,
    gives: sharded?.expands === 'part' ? 'each' : gives,
  }).finally(() => {
    pool.end()
  })
  const charts = new Set([...chartsOfStacks, ...clusters.flatMap((summary) => summary.charts ?? [])]).size
  // what clusters have to do with each other is looked at, and told, by whoever has all of them
  if (sharded?.expands === 'part')
    return { stacks, imageUsers: users.own, steps: [], charts, warnings: [], findings: [] }
  const rendered = clusters.filter(({ kind }) => kind === 'rendered')
  const staying = new Set(states.filter(({ kind }) => kind !== 'rendered').map(({ cluster }) => cluster))
  const asked = part.clusters.filter((cluster) => !staying.has(cluster))
  const used = rendered.flatMap((summary) => summary.used ?? [])
  const looked = part.isWhole && staying.size === 0 ? 'whole' : 'part'
  const unused = await findUnused(asked, used, {
    looked: part.isWhole ? 'whole' : 'part',
    staying: states.filter(isKeptState),
    loaded,
    usedPatches: async (state) => {
      const gatherOne = await gatherClusters([state], { ...gather, tree: undefined })
      const unit = await gatherOne(state)
      if (unit?.kind !== 'rendered') return []
      return deadline.together(chartMilliseconds, () => renderCluster(unit.inputs, render).usedPatches)
    },
  })
  const objectsOf = async (cluster: Cluster): Promise<readonly Manifest[]> => {
    const own = states.filter((state) => state.cluster === cluster)
    const gatherOne = await gatherClusters(own, gather)
    const units = await Promise.all(own.map(gatherOne))
    return units.flatMap((unit) => expandAgain(unit).rendered.flatMap(({ manifests }) => manifests))
  }
  problems.add('render', await withNearTargets(unused, asked, objectsOf))
  const ordered = [...rendered, ...clusters.filter(({ kind }) => kind !== 'rendered')]
  if (prepared !== undefined)
    await problems.attempt('names', async () => {
      const notes = ordered.flatMap(({ note }) => note ?? [])
      const known = { clusters: notes, committed: await sharedBefore(run, { from, base }) }
      for (const expanded of inFilesOf(part.clusters, () => handOverStacks(prepared, known, { part, expander })))
        if (problems.areNone || gives === 'sound')
          await (taker.of === 'objects' ? taker.take(expanded) : taker.take(maker.folders(expanded)))
    })
  const warnings = [
    ...ofStacks.findings,
    ...clusters.flatMap(({ findings }) => findings.render ?? []),
    ...unreadRuntimeValues(asked, used, looked),
  ]
  problems.throwFirst(warnings)
  const isEach = shares && clusters.length === states.length
  const summed = states.flatMap((state, index) => {
    const summary = isEach ? clusters[index] : undefined
    return summary === undefined ? [] : [{ state, summary, users: users.byState.get(state) ?? [] }]
  })
  const byCluster = sharesOf(summed, digests)
  const isShared = ({ state: { cluster } }: (typeof summed)[number]): boolean => byCluster.has(objectPath(cluster))
  const chartsOfOthers = summed.filter((one) => !isShared(one)).flatMap(({ summary }) => summary.charts ?? [])
  return {
    stacks,
    imageUsers: users.own,
    shared: isEach ? { imagesFrom, charts: [...chartsOfStacks, ...chartsOfOthers], clusters: byCluster } : undefined,
    steps: fleet.handoff === undefined ? [] : ordered.flatMap(({ steps }) => steps),
    charts,
    warnings,
    findings: [
      ...warnings,
      ...(changed ?? []),
      ...(redefined ?? []),
      ...(images?.findings ?? []),
      ...(prepared?.findings.hooks ?? []),
      ...ordered.flatMap(({ findings }) => findings.hooks ?? []),
      ...(prepared?.findings.secrets ?? []),
      ...ordered.flatMap(({ findings }) => findings.secrets ?? []),
      ...ordered.flatMap(({ findings }) => findings.storage ?? []),
      ...ordered.flatMap(({ findings }) => findings.units ?? []),
      ...ordered.flatMap(({ findings }) => findings.leaving ?? []),
    ],
  }
}

/** Gives problems that have no place the file of the cluster that they are about. */
function inFilesOf<Result>(clusters: readonly Cluster[], work: () => Result): Result {
  try {
    return work()
  } catch (error) {
    const found = diagnosticsOf(error).map((problem) => {
      const cluster = clusters.find((one) => objectPath(one) === problem.about?.cluster)
      const isPlaced = problem.at !== undefined || problem.file !== undefined
      return isPlaced || cluster === undefined ? problem : { ...problem, file: cluster.source.name }
    })
    throw new StackmasonError(found, { cause: error })
  }
}

/** The committed objects whose permissions stay, those of Argo CD; a run of a part writes none of them. */
async function sharedBefore(
  { repository: { fleet }, part, ports }: FleetRun,
  revision: Pick<TreeRevision, 'from' | 'base'>,
): Promise<readonly Dict[]> {
  if (!part.isWhole || fleet.handoff?.tool !== 'argocd') return []
  return readSharedHandoff(joinPath(fleet.root, fleet.output), revision, ports)
}

/** Undefined where no GitOps tool gets anything. */
async function sourcesOf({ repository, until, ports }: FleetRun): Promise<HandoffSources | undefined> {
  return until === 'rendered' ? undefined : readHandoffSources(repository.fleet, ports)
}
