import { parseGoJson } from '../../codec/json/go-json.ts'
import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import type { StepPlan } from '../../model/steps.ts'
import type { Value } from '../../model/value.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { chooseTarget, type PublishTarget } from '../../publish/choose-target.ts'
import type { PublishedFile } from '../../publish/commit-message.ts'
import { headBranch } from '../../publish/head-branch.ts'
import { countOwn, MAX_OWN_COMMITS } from '../../publish/own-commits.ts'
import { eventFile, type PublishContext, readContext } from '../../publish/read-context.ts'
import { distinct } from '../diagnostics.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import { committerOf } from '../../publish/committer.ts'
import { describeChange } from '../publishing/describe-change.ts'
import { locateTarget } from '../publishing/locate-target.ts'
import {
  type OpenForge,
  propose,
  type ProposalEnd,
  type PublishedPullRequest,
  withdraw,
} from '../publishing/propose.ts'
import { type FleetCheckout, openCheckout } from '../publishing/open-checkout.ts'
import { findUnpushed, type PreparedSource, prepareSource } from '../publishing/prepare-source.ts'
import { makeCommit, placedFiles, pushCommit, wantedTree, withTree } from '../publishing/publish-attempt.ts'
import { askingGit } from '../publishing/publish-problem.ts'
import { relocateFindings, relocating } from '../publishing/relocate-findings.ts'
import { clustersOf, type SourceChange } from '../publishing/source-change.ts'
import { renderSource } from './render-source.ts'
import type { Network } from '../resolve/open-source.ts'

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
  readonly network?: Network
  /** Hides secret values in a text that is pushed or sent. */
  readonly mask: (text: string) => string
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
  /** What was done, or would be, about the pull request that carries the change. */
  readonly pullRequest?: PublishedPullRequest
  /** How often it was rendered: once more for each time that somebody else was faster. */
  readonly attempts: number
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
  const context = readContext(ports.environment, await readEvent(ports))
  const mode = options.mode === 'auto' ? (context.ci === undefined ? 'plan' : 'act') : options.mode
  const checkout = await openCheckout(options, ports)
  const { gitWriter } = ports
  const { repository, url } = checkout.remote
  await askingGit(url, () => gitWriter.clear(repository))
  try {
    const run = { options, mode, context, checkout, onProgress } as const
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
  const headOf = (branch: string): string | undefined =>
    target.kind === 'pullRequest'
      ? headBranch({ prefix: checkout.fleet.publish.branchPrefix, fleet: checkout.fleet.name, base: branch })
      : undefined
  const others = (branch: string): readonly string[] => {
    const head = headOf(branch)
    return head === undefined ? [] : [head]
  }
  const prepared = await prepareSource({ checkout, target, others }, ports)
  const head = headOf(prepared.branch)
  return withTree(prepared, async () => {
    const roots = { from: prepared.tree.folder, to: checkout.facts.root }
    const unpushed = context.ci === undefined ? await findUnpushed(checkout, prepared, ports) : []
    if (unpushed.length > 0 && run.mode === 'act') throw new StackmasonError(unpushed)
    const change = await relocating(roots, () => renderPrepared(run, prepared, ports))
    const findings = distinct([
      ...unpushed.map((finding) => ({ ...finding, severity: 'warning' as const })),
      ...relocateFindings(change.result.findings, roots),
    ])
    const place = placedFiles(change, change.files, prepared)
    const result: Omit<Attempted, 'status'> = {
      mode: run.mode,
      fleet: change.result.fleet,
      source: { repository: shownUrl(checkout.remote.url), ref: target.source, commit: prepared.source },
      target: {
        kind: target.kind,
        repository: shownUrl(prepared.remote.url),
        branch: prepared.branch,
        path: prepared.path,
        ...(head !== undefined && { head }),
      },
      files: place.files,
      clusters: clustersOf(change.files),
      steps: change.result.steps ?? [],
      context,
      findings,
    }
    const proposal = head === undefined ? undefined : { head, prepared, checkout, context, mode: run.mode, options }
    if (place.files.length === 0) {
      const cleared = proposal === undefined ? {} : await withdraw(proposal, ports)
      return ended(result, cleared)
    }
    const refused = await findRefusal(run, { target, prepared }, ports)
    if (refused !== undefined) return { ...result, status: 'refused', findings: [...findings, refused] }
    if (proposal !== undefined) {
      const proposed = await propose(proposal, { change, committed: place.committed }, ports)
      return proposed === 'outdated' ? proposed : ended(result, proposed)
    }
    if (run.mode === 'plan') return { ...result, status: 'planned' }
    return commitAndPush({ run, prepared, change, committed: place.committed, result }, ports)
  })
}

/** What a run that went so far has come to. */
function ended(result: Omit<Attempted, 'status'>, { findings = [], ...done }: Partial<ProposalEnd>): Attempted {
  const { commit, pullRequest } = done
  const isWritten = commit !== undefined || (pullRequest !== undefined && pullRequest.action !== 'leave')
  const isDone = isWritten || done.isPlanned === true
  return {
    ...result,
    ...(commit !== undefined && { commit }),
    ...(pullRequest !== undefined && { pullRequest }),
    status: !isDone ? 'unchanged' : result.mode === 'plan' ? 'planned' : 'published',
    findings: [...result.findings, ...findings],
  }
}

async function renderPrepared(
  { options, checkout, onProgress }: PublishRun,
  { tree, base }: PreparedSource,
  ports: Ports,
): Promise<SourceChange> {
  const { isUpdated, allowEmpty, network = 'online' } = options
  const { file, output } = checkout
  return renderSource(
    { tree, file, output, ...(base !== undefined && { base }), isUpdated, allowEmpty, network, onProgress },
    ports,
  )
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
      change,
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

async function readEvent(ports: Ports): Promise<Value> {
  const file = eventFile(ports.environment)
  if (file === undefined) return null
  try {
    return parseGoJson(decodeUtf8(await ports.files.read(file)))
  } catch (error) {
    // what it says stands in variables, too, but for whether it is a fork
    if (error instanceof FileError) return null
    throw error
  }
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
