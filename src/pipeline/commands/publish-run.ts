import { joinPath } from '../../codec/path.ts'
import { type Diagnostic } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import type { RolloutConfig } from '../../model/rollout-config.ts'
import type { StepPlan } from '../../model/steps.ts'
import { CLUSTERS } from '../../model/tree-path.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { type PublishTarget } from '../../publish/choose-target.ts'
import type { PublishedFile } from '../../publish/commit-message.ts'
import type { KeptBranch } from '../../publish/kept-branch.ts'
import type { PublishContext } from '../../publish/read-context.ts'
import { distinct } from '../diagnostics.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import { type ArtifactPublisher } from '../publishing/oci-publisher.ts'
import type { PublishedArtifact } from '../publishing/oci-run.ts'
import { type OpenForge } from '../publishing/forge-session.ts'
import type { PublishedPullRequest } from '../publishing/propose.ts'
import type { PublishedProposal } from '../publishing/proposal-desk.ts'
import { type InputEdits } from '../../publish/proposal.ts'
import { type FleetCheckout } from '../publishing/open-checkout.ts'
import { type PreparedSource } from '../publishing/prepare-source.ts'
import { type OpenedReports } from '../publishing/open-reports.ts'
import { type StackRollout } from '../publishing/plan-rollouts.ts'
import { type AwaitedStatus, failedStatuses } from '../publishing/status-gate.ts'
import { type SourceChange } from '../publishing/source-change.ts'
import { renderSource } from './render-source.ts'
import { type Network } from '../resolve/open-source.ts'

/** The options of `stackmason publish`. */
export interface PublishOptions {
  readonly start: string
  readonly fleet?: string
  /** The branch that is rendered and gets the result, as in a run on a pull request. */
  readonly branch?: string | undefined
  /** True if the lock moves first. */
  readonly isUpdated: boolean
  /** `auto`: in CI it acts, elsewhere it plans. */
  readonly mode: 'act' | 'plan' | 'auto'
  readonly allowEmpty: boolean
  /** Only artifacts of what the branch has: nothing is rendered or committed. */
  readonly onlyArtifacts?: boolean
  /** Further tags for the artifacts of the branch, such as a version. */
  readonly artifactTags?: readonly string[]
  readonly network?: Network
  /** Hides secret values in a text that is pushed or sent. */
  readonly mask: (text: string) => string
  /** Takes names that `mask` leaves as they are. */
  readonly spare?: (names: Iterable<string>) => void
  /** The same for what a finding says; default: `mask` alone. */
  readonly maskFinding?: (finding: Diagnostic) => Diagnostic
  /** Opens a repository on its forge; by default over the network. */
  readonly openForge?: OpenForge
}

/** The publication of a run, or its plan. */
export interface PublishResult {
  readonly mode: 'act' | 'plan'
  readonly status: 'published' | 'planned' | 'unchanged' | 'refused'
  readonly fleet: string
  /** The commit that was rendered. */
  readonly source: { readonly repository: string; readonly ref: string; readonly commit: string }
  /** The target of the tree. */
  readonly target: {
    readonly kind: PublishTarget['kind']
    readonly repository: string
    readonly branch: string
    readonly path: string
    /** The branch of the pull request that carries the change there. */
    readonly head?: string
    /** Set: nothing is pushed there, since the branch of the pull request is no author's. */
    readonly kept?: KeptBranch
  }
  /** By path from the root of the repository that takes them. */
  readonly files: readonly PublishedFile[]
  /** `namespace/name` of the clusters that they belong to. */
  readonly clusters: readonly string[]
  /** The commit that was made. */
  readonly commit?: string | undefined
  /** The first pull request with an action, done or planned, else the first of all. */
  readonly pullRequest?: PublishedPullRequest | undefined
  /** One for each pull request; empty where the tree goes into a branch. */
  readonly proposals: readonly PublishedProposal[]
  /** Of the tree, in a registry. */
  readonly artifacts: readonly PublishedArtifact[]
  /** How often it was rendered: once more for each time that somebody else was faster. */
  readonly attempts: number
  /** Commit statuses that hold back the next step of a cluster, by cluster. */
  readonly waiting: readonly AwaitedStatus[]
  /** How releases reach clusters, by stack. */
  readonly rollouts: readonly StackRollout[]
  readonly steps: readonly StepPlan[]
  readonly context: PublishContext
  readonly findings: readonly Diagnostic[]
}

/** The state that all attempts of a run share. */
export interface PublishRun {
  readonly options: PublishOptions
  readonly mode: 'act' | 'plan'
  readonly context: PublishContext
  readonly checkout: FleetCheckout
  readonly onProgress: OnProgress
  /** Results of earlier attempts, by branch. */
  readonly done: Map<string, PublishedProposal>
  /** Notes that a registry has got an artifact. */
  readonly noteArtifact: () => void
}

/** The result of one attempt. */
export type Attempted = Omit<PublishResult, 'attempts'>

/** The source of a run, and its target. */
export interface Begun {
  readonly run: PublishRun
  readonly target: PublishTarget
  readonly prepared: PreparedSource
  readonly warnings: readonly Diagnostic[]
  readonly artifacts: ArtifactPublisher
  /** Absent where the branch is not there yet. */
  readonly opened: OpenedReports | undefined
}

/** The same where nobody asks for statuses. */
export type Ungated = Omit<Begun, 'opened'>

/** The reports on steps of upgrades. */
export function stepsOf(
  { opened, warnings }: Begun,
  findings: readonly Diagnostic[],
): Pick<PublishResult, 'waiting' | 'findings'> {
  const waiting = opened?.gate?.found ?? []
  const told = [...(opened?.findings ?? []), ...failedStatuses(waiting)]
  return { waiting, findings: distinct([...warnings, ...told, ...findings]) }
}

/** The source and target of a result. */
export function sourceAndTarget({
  run,
  target,
  prepared,
}: Ungated): Pick<PublishResult, 'mode' | 'source' | 'target' | 'context'> {
  const { checkout, context, mode } = run
  return {
    mode,
    source: { repository: shownUrl(checkout.remote.url), ref: target.source, commit: prepared.source },
    target: {
      kind: target.kind,
      repository: shownUrl(prepared.remote.url),
      branch: prepared.branch,
      path: prepared.path,
    },
    context,
  }
}

/** The result of a run that changes nothing. */
export function nothingPublished(begun: Ungated): Attempted {
  return {
    ...sourceAndTarget(begun),
    status: 'unchanged',
    fleet: begun.run.checkout.fleet.name,
    files: [],
    clusters: [],
    proposals: [],
    artifacts: [],
    waiting: [],
    rollouts: [],
    steps: [],
    findings: begun.warnings,
  }
}

/** Renders what was fetched into its work tree. @throws StackmasonError as `render` and `update` */
export async function renderPrepared(
  { run: { options, checkout, onProgress }, target, prepared, opened }: Begun,
  { tree, base, edits }: Pick<PreparedSource, 'tree' | 'base'> & { readonly edits: InputEdits },
  ports: Ports,
): Promise<SourceChange> {
  const { allowEmpty, network = 'online' } = options
  const { file, output } = checkout
  const awaited = opened?.gate?.awaited
  const publishedPath = target.elsewhere === undefined ? undefined : prepared.path
  const how = { awaited, edits, allowEmpty, publishedPath, network, onProgress }
  return renderSource({ tree, file, output, base, ...how }, ports)
}

/**
 * The finding on a cluster that is kept out of pull requests where the tree goes into a branch. `root` is the fleet's
 * folder.
 */
export function noHold(cluster: string, root: string, kind: PublishTarget['kind']): Diagnostic {
  const isAuthors = kind === 'author'
  return {
    code: 'PUBLISH_HOLD_UNUSED',
    severity: 'warning',
    message: isAuthors
      ? "spec.hold has no effect here: it keeps a cluster out of pull requests of publish, and an author's branch gets all that differs"
      : 'spec.hold has no effect: it keeps a cluster out of pull requests, and what goes into a branch goes as a whole',
    ...(isAuthors && { hint: 'Freeze the cluster: that keeps its files as they are committed.' }),
    file: joinPath(root, `${CLUSTERS}/${cluster}/options.yaml`),
    about: { cluster },
  }
}

/** Waves change files that do not lie where the tree goes. */
export function noWaves([first]: readonly RolloutConfig[]): Diagnostic {
  return {
    code: 'PUBLISH_WAVES_UNUSED',
    severity: 'warning',
    message:
      'spec.rollouts has no effect: waves change cluster.yaml, and the tree does not go where that lies, by a pull request',
    at: first?.at,
    hint: 'Let the tree go into the branch of the fleet by pull requests (spec.publish.into: pullRequest), or take spec.rollouts out.',
  }
}
