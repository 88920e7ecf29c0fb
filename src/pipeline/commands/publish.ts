import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import type { RolloutConfig } from '../../model/rollout-config.ts'
import type { StepPlan } from '../../model/steps.ts'
import { whyNotOpen } from '../../publish/may-open.ts'
import { isTag } from '../../network/registry/repository-name.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { chooseTarget, type PublishTarget } from '../../publish/choose-target.ts'
import type { PublishedFile } from '../../publish/commit-message.ts'
import { headBranch, type HeadBranches, kindOfHead } from '../../publish/head-branch.ts'
import { countOwn, MAX_OWN_COMMITS } from '../../publish/own-commits.ts'
import type { PublishContext } from '../../publish/read-context.ts'
import { distinct } from '../diagnostics.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import { committerOf } from '../../publish/committer.ts'
import { type ArtifactPublisher, createArtifactPublisher } from '../publishing/oci-publisher.ts'
import type { PublishedArtifact } from '../publishing/oci-run.ts'
import { describeChange } from '../publishing/describe-change.ts'
import { locateTarget } from '../publishing/locate-target.ts'
import { beginForgeSession, type OpenForge } from '../publishing/forge-session.ts'
import type { PublishedPullRequest } from '../publishing/propose.ts'
import { renderedSource } from '../publishing/rendered-source.ts'
import type { PublishedProposal } from '../publishing/proposal-desk.ts'
import { runProposals } from '../publishing/run-proposals.ts'
import { type InputEdits, NO_EDITS } from '../../publish/proposal.ts'
import { type FleetCheckout, openCheckout } from '../publishing/open-checkout.ts'
import { findUnpushed, type PreparedSource, prepareSource } from '../publishing/prepare-source.ts'
import { makeCommit, placedFiles, pushCommit, wantedTree, withTree } from '../publishing/publish-attempt.ts'
import { askingGit } from '../publishing/publish-problem.ts'
import { readRun } from '../publishing/read-run.ts'
import { relocateFindings, relocating } from '../publishing/relocate-findings.ts'
import { type OpenedReports, openReports } from '../publishing/open-reports.ts'
import { NO_WAVES, planRollouts, type RolloutsPlan, type StackRollout } from '../publishing/plan-rollouts.ts'
import { type AwaitedStatus, failedStatuses } from '../publishing/status-gate.ts'
import { clustersOf, type SourceChange } from '../publishing/source-change.ts'
import { judgeSource } from './judge-source.ts'
import { renderSource } from './render-source.ts'
import { tellingAuthor } from './tell-author.ts'
import { createSourceContext, type Network } from '../resolve/open-source.ts'

/** The options of `stackmason publish`. */
export interface PublishOptions {
  readonly start: string
  readonly fleet?: string
  /** The branch that is rendered and gets the result, as in a run on a pull request. */
  readonly branch?: string
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
  /** The same for what a finding says; default: `mask` alone. */
  readonly maskFinding?: (finding: Diagnostic) => Diagnostic
  /** Opens a repository on its forge; by default over the network. */
  readonly openForge?: OpenForge
}

/** What was, or would be, published. */
export interface PublishResult {
  readonly mode: 'act' | 'plan'
  readonly status: 'published' | 'planned' | 'unchanged' | 'refused'
  readonly fleet: string
  /** What was rendered. */
  readonly source: { readonly repository: string; readonly ref: string; readonly commit: string }
  /** What takes the tree. */
  readonly target: {
    readonly kind: PublishTarget['kind']
    readonly repository: string
    readonly branch: string
    readonly path: string
    /** The branch of the pull request that carries the change there. */
    readonly head?: string
  }
  /** By path from the root of the repository that takes them. */
  readonly files: readonly PublishedFile[]
  /** `namespace/name` of the clusters that they belong to. */
  readonly clusters: readonly string[]
  /** The commit that was made. */
  readonly commit?: string
  /** What was done, or would be, about the first pull request that something was done about, else the first. */
  readonly pullRequest?: PublishedPullRequest
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

/** Somebody else may be faster as often as this; each time the new state is rendered. */
const ATTEMPTS = 25
/** Milliseconds. */
const [FIRST_WAIT, LONGEST_WAIT] = [200, 5000]

/**
 * Renders what the remote has and pushes what differs; nothing that is checked out changes.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED; as `render` and `update`
 */
export async function publish(options: PublishOptions, ports: Ports, onProgress: OnProgress): Promise<PublishResult> {
  const context = await readRun(ports)
  const mode = options.mode === 'auto' ? (context.ci === undefined ? 'plan' : 'act') : options.mode
  const checkout = await openCheckout(options, ports)
  checkArtifactOptions(options, checkout)
  const { gitWriter } = ports
  const { repository, url } = checkout.remote
  await askingGit(url, () => gitWriter.clear(repository))
  try {
    const run = { options, mode, context, checkout, onProgress, done: new Map<string, PublishedProposal>() } as const
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const result = await attemptOnce(run, ports)
      if (result !== 'outdated') return { ...result, attempts: attempt }
      await ports.clock.sleep(waitBefore(attempt, ports))
    }
  } finally {
    await gitWriter.release(repository)
  }
  throw new StackmasonError({
    code: 'PUBLISH_OUTDATED',
    severity: 'error',
    message: `somebody else was faster ${String(ATTEMPTS)} times in a row; nothing was pushed`,
    hint: 'Run it again, one run at a time: a concurrency group of CI sees to that.',
  })
}

interface PublishRun {
  readonly options: PublishOptions
  readonly mode: 'act' | 'plan'
  readonly context: PublishContext
  readonly checkout: FleetCheckout
  readonly onProgress: OnProgress
  /** What earlier attempts have done, by branch. */
  readonly done: Map<string, PublishedProposal>
}

type Attempted = Omit<PublishResult, 'attempts'>

async function attemptOnce(run: PublishRun, ports: Ports): Promise<Attempted | 'outdated'> {
  const { options, context, checkout } = run
  const { defaultBranch } = await askingGit(checkout.remote.url, () => ports.gitWriter.listRemote(checkout.remote))
  const target = chooseTarget(
    { publish: checkout.fleet.publish, ...(options.branch !== undefined && { branch: options.branch }) },
    context,
    defaultBranch,
  )
  if (target === undefined) throw noBase(checkout)
  if (options.isUpdated && target.elsewhere !== undefined) throw noUpdate()
  const branchesOf = (base: string): HeadBranches => {
    const { name, publish: settings } = checkout.fleet
    return { prefix: settings.branchPrefix, fleet: name, base }
  }
  const others = (branch: string, known: readonly string[]): readonly string[] =>
    target.kind === 'pullRequest' ? known.filter((name) => kindOfHead(branchesOf(branch), name) !== undefined) : []
  const prepared = await prepareSource({ checkout, target, others }, ports)
  return withTree(prepared, async () => {
    const unpushed = context.ci === undefined ? await findUnpushed(checkout, prepared, ports) : []
    if (unpushed.length > 0 && run.mode === 'act') throw new StackmasonError(unpushed)
    const warnings = unpushed.map((finding) => ({ ...finding, severity: 'warning' as const }))
    const artifacts = openArtifacts(run, { target, prepared }, ports)
    if (options.onlyArtifacts === true) return publishArtifacts({ run, target, prepared, warnings, artifacts })
    const opened = await openReports({ prepared, publish: checkout.fleet.publish, openForge: options.openForge }, ports)
    const begun = { run, target, prepared, warnings, artifacts, opened }
    const result =
      target.kind === 'pullRequest'
        ? await publishProposals(begun, branchesOf(prepared.branch), ports)
        : await tellingAuthor({ ...run, prepared }, target, () => publishBranch(begun, ports), ports)
    return result === 'outdated' ? result : withArtifacts(result, begun)
  })
}

/** What is done about artifacts; nothing where nobody asks for them, or could push any. */
function openArtifacts(
  { options, checkout, mode }: PublishRun,
  { target, prepared }: Pick<Begun, 'target' | 'prepared'>,
  ports: Ports,
): ArtifactPublisher {
  const config = checkout.fleet.publish.oci
  if (config === undefined || target.isReadOnly) return createArtifactPublisher(undefined, ports)
  return createArtifactPublisher(
    {
      checkout,
      prepared,
      sourceRef: target.source,
      config,
      versionTags: options.artifactTags ?? [],
      mode,
      isProposed: target.kind === 'author',
      isAlone: options.onlyArtifacts === true,
      context: createSourceContext(ports, options.network ?? 'online'),
    },
    ports,
  )
}

async function publishArtifacts(begun: Ungated): Promise<Attempted> {
  const { run, prepared, warnings, artifacts } = begun
  await artifacts.follow(prepared.target)
  return withArtifacts(
    {
      ...placesOf(begun),
      status: 'unchanged',
      fleet: run.checkout.fleet.name,
      files: [],
      clusters: [],
      proposals: [],
      artifacts: [],
      waiting: [],
      rollouts: [],
      steps: [],
      findings: warnings,
    },
    begun,
  )
}

/** What was done about artifacts counts as published, too. */
async function withArtifacts(result: Attempted, { artifacts: publisher }: Ungated): Promise<Attempted> {
  const { artifacts, findings } = await publisher.end()
  const isDone = artifacts.some(({ action }) => action !== 'current')
  const status = result.mode === 'plan' ? 'planned' : 'published'
  return {
    ...result,
    ...(isDone && result.status === 'unchanged' && { status }),
    artifacts,
    findings: distinct([...result.findings, ...findings]),
  }
}

/** What is rendered, and into what. */
interface Begun {
  readonly run: PublishRun
  readonly target: PublishTarget
  readonly prepared: PreparedSource
  readonly warnings: readonly Diagnostic[]
  readonly artifacts: ArtifactPublisher
  /** Absent where the branch is not there yet. */
  readonly opened: OpenedReports | undefined
}

type Ungated = Omit<Begun, 'opened'>

/** What became known of the steps of upgrades. */
function stepsOf(
  { opened, warnings }: Begun,
  findings: readonly Diagnostic[],
): Pick<PublishResult, 'waiting' | 'findings'> {
  const waiting = opened?.gate?.found ?? []
  const told = [...(opened?.findings ?? []), ...failedStatuses(waiting)]
  return { waiting, findings: distinct([...warnings, ...told, ...findings]) }
}

/** What a result says of where it comes from and goes to. */
function placesOf({ run, target, prepared }: Ungated): Pick<PublishResult, 'mode' | 'source' | 'target' | 'context'> {
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

async function publishProposals(begun: Begun, branches: HeadBranches, ports: Ports): Promise<Attempted | 'outdated'> {
  const { run, prepared, artifacts } = begun
  const { checkout, context, mode, options, done } = run
  // before anything is rendered the work tree has what the branch has
  await artifacts.followFirst(prepared.target)
  const session = beginForgeSession({ prepared, checkout, branches }, options.openForge, ports)
  const end = await runProposals(
    {
      prepared,
      checkout,
      context,
      mode,
      mask: options.mask,
      session,
      mayOpen: async () =>
        whyNotOpen(checkout.fleet.publish, {
          now: ports.clock.now(),
          timeZones: ports.timeZones,
          open: await session.countOpen(),
        }),
      branches,
      isUpdated: options.isUpdated,
      render: (tree, edits) => renderPrepared(begun, { ...prepared, tree, edits }, ports),
      complete: ({ tree, change }, { head, ...part }) =>
        relocating({ from: tree.folder, to: checkout.facts.root }, () =>
          artifacts.pin({ change, root: tree.folder, head: prepared.others.get(head), ...part }),
        ),
      check: async (tree) => {
        const { maskFinding = (finding: Diagnostic) => finding, network = 'online' } = options
        const place = { tree, file: checkout.file, root: checkout.facts.root, network }
        const judged = await judgeSource(place, ports)
        return { ...judged, findings: judged.findings.map(maskFinding) }
      },
      planWaves: () => planWaves(begun, ports),
      done,
    },
    ports,
  )
  if (end === 'outdated') return end
  const { proposals, fleet, steps, findings, rollouts } = end
  const places = placesOf(begun)
  const isActed = ({ status }: PublishedProposal): boolean => status === 'published' || status === 'planned'
  const [pullRequest] = [...proposals.filter(isActed), ...proposals].flatMap((one) => one.pullRequest ?? [])
  const commit = proposals.find((one) => one.commit !== undefined)?.commit
  const isDone = proposals.some(isActed)
  return {
    ...places,
    target: {
      ...places.target,
      head: (proposals.find(isActed) ?? proposals[0])?.head ?? headBranch(branches, 'fleet'),
    },
    status: !isDone ? 'unchanged' : mode === 'plan' ? 'planned' : 'published',
    fleet,
    files: uniqueFiles(proposals.flatMap(({ files }) => files)),
    clusters: [...new Set(proposals.flatMap(({ clusters }) => clusters))].sort(),
    ...(commit !== undefined && { commit }),
    ...(pullRequest !== undefined && { pullRequest }),
    proposals,
    artifacts: [],
    steps,
    ...stepsOf(begun, [...findings, ...proposals.flatMap(({ findings: found }) => found)]),
    rollouts,
  }
}

/** Plans what waves may get. */
async function planWaves({ run, target, prepared, opened }: Begun, ports: Ports): Promise<RolloutsPlan> {
  const { checkout, options } = run
  const { rollouts } = checkout.fleet
  if (rollouts.length > 0 && target.elsewhere !== undefined) return { ...NO_WAVES, findings: [noWaves(rollouts)] }
  const roots = { from: prepared.tree.folder, to: checkout.facts.root }
  const { network = 'online' } = options
  const plan = await relocating(roots, () =>
    planRollouts({ prepared, checkout, reports: opened?.reports, network }, ports),
  )
  return { ...plan, findings: relocateFindings(plan.findings, roots) }
}

function noWaves([first]: readonly RolloutConfig[]): Diagnostic {
  return {
    code: 'PUBLISH_WAVES_UNUSED',
    severity: 'warning',
    message:
      'spec.rollouts has no effect: waves change cluster.yaml, and the tree does not go where that lies, by a pull request',
    ...(first !== undefined && { at: first.at }),
    hint: 'Let the tree go into the branch of the fleet by pull requests (spec.publish.into: pullRequest), or take spec.rollouts out.',
  }
}

/** Each path once: two proposals may carry the same file. */
function uniqueFiles(files: readonly PublishedFile[]): readonly PublishedFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()]
}

async function publishBranch(begun: Begun, ports: Ports): Promise<Attempted | 'outdated'> {
  const { run, target, prepared, artifacts } = begun
  const { checkout, options } = run
  const roots = { from: prepared.tree.folder, to: checkout.facts.root }
  const edits: InputEdits = options.isUpdated ? { ...NO_EDITS, lock: 'moved' } : NO_EDITS
  const { rollouts } = checkout.fleet
  const unused = rollouts.length > 0 && target.kind === 'branch' ? [noWaves(rollouts)] : []
  const change = await relocating(roots, async () =>
    artifacts.pin({
      change: await renderPrepared(begun, { ...prepared, edits }, ports),
      root: prepared.tree.folder,
      head: undefined,
    }),
  )
  const known = stepsOf(begun, [...unused, ...relocateFindings(change.result.findings, roots)])
  const { files, committed } = placedFiles(change, change.files, prepared)
  const result = {
    ...placesOf(begun),
    fleet: change.result.fleet,
    files,
    clusters: clustersOf(change.files),
    proposals: [],
    artifacts: [],
    steps: change.result.steps ?? [],
    ...known,
    rollouts: [],
  }
  if (files.length === 0) {
    await artifacts.follow(prepared.target)
    return { ...result, status: 'unchanged' }
  }
  const refused = await findRefusal(run, { target, prepared }, ports)
  if (refused !== undefined) return { ...result, status: 'refused', findings: [...known.findings, refused] }
  if (run.mode === 'plan') return { ...result, status: 'planned' }
  const end = await commitAndPush({ run, prepared, change, committed, result }, ports)
  if (end !== 'outdated') await artifacts.follow(end.commit)
  return end
}

async function renderPrepared(
  { run: { options, checkout, onProgress }, opened }: Begun,
  { tree, base, edits }: Pick<PreparedSource, 'tree' | 'base'> & { readonly edits: InputEdits },
  ports: Ports,
): Promise<SourceChange> {
  const { allowEmpty, network = 'online' } = options
  const { file, output } = checkout
  const awaited = opened?.gate?.awaited
  const known = { ...(base !== undefined && { base }), ...(awaited !== undefined && { awaited }) }
  return renderSource({ tree, file, output, ...known, edits, allowEmpty, network, onProgress }, ports)
}

interface Finished {
  readonly run: PublishRun
  readonly prepared: PreparedSource
  readonly change: SourceChange
  readonly committed: ReturnType<typeof placedFiles>['committed']
  readonly result: Omit<Attempted, 'status'>
}

async function commitAndPush(
  { run, prepared, change, committed, result }: Finished,
  ports: Ports,
): Promise<Attempted | 'outdated'> {
  const { checkout, context, options } = run
  const { branch, target: expected } = prepared
  const text = await describeChange(
    {
      checkout,
      prepared,
      rendered: renderedSource(prepared.tree, change, ports),
      change,
      group: 'fleet',
      head: branch,
      forge: locateTarget(prepared.remote, checkout.fleet.publish, ports),
      existing: undefined,
      runUrl: context.runUrl,
      mask: options.mask,
    },
    ports,
  )
  const request = {
    prepared,
    committed,
    text: text.commitMessage,
    digest: change.digest,
    fallback: committerOf(context),
  }
  await change.beforehand?.()
  const commit = await makeCommit(request, await wantedTree(request, ports), ports)
  const pushed = await pushCommit(prepared, { branch, commit, expected, mode: 'fast-forward' }, ports)
  return pushed === 'outdated' ? pushed : { ...result, status: 'published', commit }
}

/** Why the branch is not pushed to, although the tree differs. */
async function findRefusal(
  { checkout }: PublishRun,
  { target, prepared }: { readonly target: PublishTarget; readonly prepared: PreparedSource },
  { gitWriter }: Ports,
): Promise<Diagnostic | undefined> {
  if (target.isReadOnly) {
    return {
      code: 'PUBLISH_FORK',
      severity: 'error',
      message:
        'the rendered tree is not current, and the branch of this pull request lies in a fork, where nothing can be pushed to from here',
      hint: 'Run `stackmason render` on the branch, and commit what it writes.',
    }
  }
  if (target.kind !== 'author' || prepared.target === undefined) return undefined
  const { repository } = checkout.remote
  const commits = await gitWriter.commitsBetween(repository, {
    from: prepared.base,
    to: prepared.target,
    limit: MAX_OWN_COMMITS,
  })
  if (countOwn(commits) < MAX_OWN_COMMITS) return undefined
  return {
    code: 'PUBLISH_LOOPS',
    severity: 'error',
    message: `the last ${String(MAX_OWN_COMMITS)} commits of branch ${prepared.branch} are ours, and rendering still changes files: another one would start CI again`,
    hint: 'Two versions of stackmason may take turns: spec.requiredVersion keeps them apart. Any commit of somebody else lets it go on.',
  }
}

/** Longer each time, and never the same for two runs. */
function waitBefore(attempt: number, { random }: Ports): number {
  const [first = 0, second = 0] = random.bytes(2)
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)) * ((first * 256 + second) / 65_536)
}

function noBase({ remote }: FleetCheckout): StackmasonError {
  return new StackmasonError({
    code: 'PUBLISH_BRANCH_MISSING',
    severity: 'error',
    message: `${shownUrl(remote.url)} has no default branch`,
    hint: 'Name the branch in spec.publish.base of stackmason.yaml.',
  })
}

function noUpdate(): StackmasonError {
  return new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message: '--update changes stackmason.lock, and spec.publish puts the tree on another branch than the fleet',
    hint: 'Update the lock on the branch of the fleet, by a pull request of its own.',
  })
}

/** @throws StackmasonError USAGE */
function checkArtifactOptions({ onlyArtifacts, artifactTags = [] }: PublishOptions, { fleet }: FleetCheckout): void {
  const wrong = artifactTags.find((tag) => !isTag(tag))
  const isAsked = onlyArtifacts === true || artifactTags.length > 0
  if (wrong === undefined && !(isAsked && fleet.publish.oci === undefined)) return
  throw new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message:
      wrong === undefined
        ? '--oci and --oci-tag are about artifacts, and the fleet names no registry for them'
        : `--oci-tag ${JSON.stringify(wrong)} is no tag: at most 128 letters, digits, dots, dashes and underscores`,
    ...(wrong === undefined && { hint: 'Set spec.publish.oci in stackmason.yaml.' }),
  })
}
