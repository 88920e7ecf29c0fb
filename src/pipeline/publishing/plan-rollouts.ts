import { joinPath, relativePath } from '../../codec/path.ts'
import { releaseUnits } from '../../handoff/committed-units.ts'
import { dictAt } from '../../model/field.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster, FleetRepository } from '../../model/fleet.ts'
import { objectPath } from '../../model/object-name.ts'
import type { CommitStatus } from '../../model/forge.ts'
import type { Ports } from '../../model/ports.ts'
import { formatClassName, matchClassName } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import type { RolloutConfig } from '../../model/rollout-config.ts'
import type { CommittedCluster } from '../../model/steps.ts'
import { type HeldProposal, type InputEdits, NO_EDITS } from '../../publish/proposal.ts'
import {
  decideRollout,
  type RolloutCluster,
  type RolloutDecision,
  type RolloutMove,
} from '../../publish/rollout/decide-rollout.ts'
import { worstOf } from '../../publish/statuses/judge-statuses.ts'
import { type CommittedTree, openCommittedTree } from '../../sources/committed/committed-tree.ts'
import { openFleet } from '../fleet/open-fleet.ts'
import { openInputs } from '../resolve/open-inputs.ts'
import type { Network } from '../resolve/open-source.ts'
import { selectLocked } from '../resolve/select-locked.ts'
import { selectUnlocked } from '../resolve/select-unlocked.ts'
import type { SelectedReleases } from '../resolve/selected-releases.ts'
import { editCluster } from './edit-cluster.ts'
import type { FleetCheckout } from './open-checkout.ts'
import type { PreparedSource } from './prepare-source.ts'
import type { StepReport, StepReports } from './status-gate.ts'

/** How releases reach the clusters of a stack. */
export interface StackRollout extends RolloutDecision {
  /** `<provider>-<stack>`. */
  readonly stack: string
}

/** The plan of a fleet's waves. */
export interface RolloutsPlan {
  readonly rollouts: readonly StackRollout[]
  /** The edits that they may get, by the group of the proposal. */
  readonly edits: ReadonlyMap<string, InputEdits>
  /** Those of which a file cannot be changed. */
  readonly held: readonly HeldProposal[]
  readonly findings: readonly Diagnostic[]
}

/** The inputs of the plan. */
export interface RolloutsRequest {
  readonly prepared: PreparedSource
  readonly checkout: FleetCheckout
  readonly reports: StepReports | undefined
  readonly network: Network
}

/** Nothing is to be rolled out. */
export const NO_WAVES: RolloutsPlan = { rollouts: [], edits: new Map(), held: [], findings: [] }

/**
 * Plans what the waves of a fleet propose, from the inputs and the tree of the commit that is rendered.
 * @throws StackmasonError as reading a fleet and its releases; FETCH_*, PUBLISH_* of the forge
 */
export async function planRollouts(request: RolloutsRequest, ports: Ports): Promise<RolloutsPlan> {
  const { prepared, checkout, reports, network } = request
  const { folder } = prepared.tree
  if (checkout.fleet.rollouts.length === 0 || reports === undefined) return NO_WAVES
  const { repository } = await openFleet({ start: folder, fleet: joinPath(folder, checkout.file) }, ports)
  const { fleet } = repository
  const { context, lock } = await openInputs(fleet, { network }, ports)
  const selection =
    lock === undefined
      ? await selectUnlocked(repository, repository.clusters, ports)
      : selectLocked(repository, repository.clusters, { lock, context })
  const tree = await openCommittedTree(joinPath(fleet.root, fleet.output), { from: 'commit', base: 'HEAD' }, ports)
  const labels = repository.clusters.map(labelsOf)
  const rollouts: StackRollout[] = []
  const edits = new Map<string, InputEdits>()
  const [held, findings]: [HeldProposal[], Diagnostic[]] = [[], []]
  for (const [stack, clusters] of byStack(repository)) {
    const rollout = rolloutOf(stack, fleet.rollouts)
    if (rollout === undefined) continue
    const facts: RolloutCluster[] = []
    for (const { cluster, wanted } of clusters) facts.push(await factsOf(cluster, { wanted, tree, reports, selection }))
    const decision = decideRollout({ rollout, clusters: facts, labels, now: ports.clock.now() })
    rollouts.push({ stack, ...decision })
    findings.push(...tell({ stack, ...decision }, rollout))
    for (const { wave, moves } of decision.waves) {
      const group = waveGroup(stack, wave)
      if (moves.length === 0) continue
      try {
        const files = await editsOf(moves, { repository, selection, folder })
        edits.set(group, { ...NO_EDITS, files })
      } catch (error) {
        if (!(error instanceof StackmasonError)) throw error
        held.push({ group, reason: error.message })
        findings.push(...error.diagnostics)
      }
    }
  }
  return { rollouts, edits, held, findings }
}

/** The group of the proposal of a wave. */
export function waveGroup(stack: string, wave: string): string {
  return `rollout/${stack}/${wave}`
}

/** Clusters by `<provider>-<stack>`, both in order. */
function byStack({
  clusters,
}: FleetRepository): readonly (readonly [
  string,
  readonly { readonly cluster: Cluster; readonly wanted: ReleaseName }[],
])[] {
  const stacks = new Map<string, { readonly cluster: Cluster; readonly wanted: ReleaseName }[]>()
  for (const cluster of clusters) {
    const outcome = matchClassName(cluster.className)
    if ('reason' in outcome) continue
    const key = `${outcome.value.provider}-${outcome.value.stack}`
    const known = stacks.get(key) ?? []
    stacks.set(key, known)
    known.push({ cluster, wanted: outcome.value })
  }
  return [...stacks].sort(([a], [b]) => (a < b ? -1 : 1))
}

function rolloutOf(wanted: string, rollouts: readonly RolloutConfig[]): RolloutConfig | undefined {
  return (
    rollouts.find(({ stack }) => stack !== undefined && `${stack.provider}-${stack.stack}` === wanted) ??
    rollouts.find(({ stack }) => stack === undefined)
  )
}

interface FactSources {
  readonly wanted: ReleaseName
  readonly tree: CommittedTree
  readonly reports: StepReports
  readonly selection: SelectedReleases
}

async function factsOf(cluster: Cluster, { wanted, tree, reports, selection }: FactSources): Promise<RolloutCluster> {
  const { namespace, name, className, classNamespace } = cluster
  const committed = tree.cluster(cluster)
  const isAtRest =
    committed?.object !== undefined &&
    committed.className === className &&
    committed.addons === className &&
    committed.target === undefined &&
    committed.decommission === undefined
  const report = committed === undefined ? undefined : await reportOf(cluster, committed, { tree, reports, isAtRest })
  const held = heldBy(cluster)
  return {
    namespace,
    name,
    labels: labelsOf(cluster),
    wanted,
    held,
    isAtRest,
    since: report?.since?.date,
    status: worstOf(report?.verdicts ?? []),
    awaited: (report?.verdicts ?? [])
      .filter(({ state }) => state !== 'success')
      .map(({ context, state }) => `${context} ${describeState(state)}`),
    offered: selection.needed.filter((needed) => needed.namespace === classNamespace).map((needed) => needed.name),
  }
}

function describeState(state: CommitStatus): string {
  return state === 'failure' ? 'has failed' : state === 'skipped' ? 'was skipped, or is neutral' : `is ${state}`
}

async function reportOf(
  { namespace, name }: Cluster,
  committed: CommittedCluster,
  { tree, reports, isAtRest }: Pick<FactSources, 'tree' | 'reports'> & { readonly isAtRest: boolean },
): Promise<StepReport> {
  const units = releaseUnits(await tree.handoff({ namespace, name }))
  return reports.report({ namespace, name, committed, units }, isAtRest ? 'all' : 'step')
}

/** Why nobody but its owner moves a cluster. */
function heldBy({ options }: Cluster): string | undefined {
  if (options?.decommission !== undefined) return 'is to be deleted'
  if (options?.isFrozen === true) return 'is frozen'
  if (options?.hold !== undefined) return `is held: ${options.hold}`
  return options?.isSuspended === true ? 'is suspended' : undefined
}

function labelsOf({ object }: Cluster): ReadonlyMap<string, string> {
  const labels = [...(dictAt(object, 'metadata', 'labels') ?? [])]
  return new Map(labels.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value] as const] : [])))
}

/** The texts of the files that ask for other releases, by path from the root of the repository. */
async function editsOf(
  moves: readonly RolloutMove[],
  {
    repository,
    selection,
    folder,
  }: { readonly repository: FleetRepository; readonly selection: SelectedReleases; readonly folder: string },
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>()
  for (const { cluster: moved, release } of moves) {
    const className = formatClassName(release)
    const cluster = repository.clusters.find((one) => objectPath(one) === objectPath(moved))
    const needed = selection.needed.find(
      ({ namespace, name }) => namespace === cluster?.classNamespace && formatClassName(name) === className,
    )
    if (cluster?.source.path === undefined || needed === undefined) continue
    const { kubernetesVersion } = (await selection.read(needed)).release
    const text = editCluster(cluster.source, { className, version: kubernetesVersion })
    files.set(relativePath(folder, cluster.source.path), text)
  }
  return files
}

/** Findings that people have to act on. */
function tell({ stack, waves, left }: StackRollout, { at }: RolloutConfig): readonly Diagnostic[] {
  const stopped = waves.flatMap(({ wave, state, reason = '' }): readonly Diagnostic[] =>
    state === 'stopped'
      ? [
          {
            code: 'PUBLISH_WAVE_STOPPED',
            severity: 'error',
            message: `wave ${wave} of ${stack} stops: ${reason}`,
            at,
            hint: 'Mend what it is about; the wave, and those behind it, go on once it is successful. A newer release is written into cluster.yaml by hand.',
          },
        ]
      : [],
  )
  const outside = left.map(({ cluster, reason }): Diagnostic => ({
    code: 'PUBLISH_WAVE_CLUSTERS',
    severity: 'warning',
    message: `no wave of ${stack} moves ${cluster}: ${reason}`,
    at,
    hint: 'Give it labels of one wave in metadata.labels of its cluster.yaml, or a wave that selects it.',
    about: { cluster },
  }))
  return [...stopped, ...outside]
}
