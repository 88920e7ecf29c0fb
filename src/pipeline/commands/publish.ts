import { joinPath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { BranchCommit, RemoteRefs } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { isTag } from '../../network/registry/repository-name.ts'
import { openForge } from '../../network/forges/open-forge.ts'
import { shownUrl } from '../../network/transport/shown-url.ts'
import { chooseTarget, type PublishTarget } from '../../publish/choose-target.ts'
import { type HeadBranches, kindOfHead } from '../../publish/head-branch.ts'
import { type KeptBranch, keptBranch } from '../../publish/kept-branch.ts'
import { findForeign } from '../../publish/own-commits.ts'
import { distinct } from '../diagnostics.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import { findEditedInputs } from '../publishing/edited-inputs.ts'
import { type ArtifactPublisher, createArtifactPublisher } from '../publishing/oci-publisher.ts'
import type { PublishedProposal } from '../publishing/proposal-desk.ts'
import { type FleetCheckout, HISTORY, openCheckout } from '../publishing/open-checkout.ts'
import { noteWrites } from '../publishing/note-writes.ts'
import { findUnpushed, type PreparedSource, prepareSource } from '../publishing/prepare-source.ts'
import { withTree } from '../publishing/publish-attempt.ts'
import { askingGit } from '../publishing/publish-problem.ts'
import { refuseMovedTree } from '../publishing/refuse-moved-tree.ts'
import { readRun } from '../publishing/read-run.ts'
import { openReports } from '../publishing/open-reports.ts'
import { tellingAuthor } from './tell-author.ts'
import { createSourceContext } from '../resolve/open-source.ts'
import {
  type Attempted,
  type Begun,
  nothingPublished,
  type PublishOptions,
  type PublishResult,
  type PublishRun,
  type Ungated,
} from './publish-run.ts'
import { publishProposals } from './publish-proposals.ts'
import { publishBranch } from './publish-branch.ts'
import { judgeKept } from './kept-proposal.ts'

/** Somebody else may be faster as often as this; each time the new state is rendered. */
const ATTEMPTS = 25
/** Milliseconds. */
const [FIRST_WAIT, LONGEST_WAIT] = [200, 5000]

/**
 * Renders what the remote has and pushes what differs; nothing that is checked out changes. An error tells what the run
 * had written before.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED; as `render` and `update`
 */
export async function publish(options: PublishOptions, given: Ports, onProgress: OnProgress): Promise<PublishResult> {
  const context = await readRun(given)
  const mode = options.mode === 'auto' ? (context.ci === undefined ? 'plan' : 'act') : options.mode
  const checkout = await openCheckout(options, given)
  checkArtifactOptions(options, checkout)
  const { repository, url } = checkout.remote
  const writes = noteWrites(given, options.openForge ?? openForge)
  const { ports } = writes
  const run: PublishRun = {
    options: { ...options, openForge: writes.openForge },
    mode,
    context,
    checkout,
    onProgress,
    done: new Map<string, PublishedProposal>(),
    noteArtifact: writes.noteArtifact,
  }
  await askingGit(url, () => ports.gitWriter.clear(repository))
  try {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const result = await attemptOnce(run, ports)
      if (result !== 'outdated') return { ...result, attempts: attempt }
      await ports.clock.sleep(waitBefore(attempt, ports))
    }
    throw alwaysOutdated(writes.isNothing())
  } catch (error) {
    throw writes.addTo(error)
  } finally {
    await ports.gitWriter.release(repository)
  }
}

async function attemptOnce(run: PublishRun, ports: Ports): Promise<Attempted | 'outdated'> {
  const { options, context, checkout } = run
  const refs = await askingGit(checkout.remote.url, () => ports.gitWriter.listRemote(checkout.remote))
  const target = chooseTarget({ publish: checkout.fleet.publish, branch: options.branch }, context, refs.defaultBranch)
  if (target === undefined) throw noBase(checkout, refs)
  if (options.isUpdated && target.elsewhere !== undefined) throw noUpdate()
  const branchesOf = (base: string): HeadBranches => {
    const { name, publish: settings } = checkout.fleet
    return { prefix: settings.branchPrefix, fleet: name, base }
  }
  const others = (branch: string, known: readonly string[]): readonly string[] =>
    target.kind === 'pullRequest' ? known.filter((name) => kindOfHead(branchesOf(branch), name) !== undefined) : []
  const prepared = await prepareSource({ checkout, target, refs, others }, ports)
  return withTree(prepared, async () => {
    const unpushed =
      context.ci === undefined
        ? await findUnpushed(checkout, { ...prepared, ...refs, rendered: target.source }, ports)
        : []
    if (unpushed.length > 0 && run.mode === 'act') throw new StackmasonError(unpushed)
    const inputs = context.ci === undefined ? await findEditedInputs(checkout.fleet.root, ports) : []
    const edited = [...(checkout.isEdited ? [settingsEdited(checkout)] : []), ...inputs]
    const warnings: Diagnostic[] = [...unpushed, ...edited].map((finding) => ({ ...finding, severity: 'warning' }))
    const artifacts = openArtifacts(run, { target, prepared }, ports)
    if (options.onlyArtifacts === true) return publishArtifacts({ run, target, prepared, warnings, artifacts })
    const kept = await findKept(run, { target, prepared, refs }, ports)
    if (kept !== undefined) return leaveKept(kept, { run, target, prepared, warnings, artifacts }, ports)
    warnings.push(...(await refuseMovedTree({ checkout, target, prepared, refs }, ports)))
    const opened = await openReports({ prepared, publish: checkout.fleet.publish, openForge: options.openForge }, ports)
    const begun = { run, target, prepared, warnings, artifacts, opened }
    const gate = opened?.gate === undefined ? {} : { awaited: opened.gate.awaited }
    const result =
      target.kind === 'pullRequest'
        ? await publishProposals(begun, branchesOf(prepared.branch), ports)
        : await tellingAuthor({ ...run, prepared, ...gate }, target, () => publishBranch(begun, ports), ports)
    return result === 'outdated' ? result : withArtifacts(result, begun)
  })
}

/** Opens the publisher of artifacts; undefined where none is asked for, or could be pushed. */
function openArtifacts(
  { options, checkout, mode, noteArtifact }: PublishRun,
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
      note: noteArtifact,
    },
    ports,
  )
}

async function publishArtifacts(begun: Ungated): Promise<Attempted> {
  const { prepared, artifacts } = begun
  await artifacts.follow(prepared.target)
  return withArtifacts(nothingPublished(begun), begun)
}

/** Why nothing may be pushed into the branch of the pull request that a run is about. */
async function findKept(
  { options, context, checkout }: PublishRun,
  {
    target,
    prepared,
    refs,
  }: { readonly target: PublishTarget; readonly prepared: PreparedSource; readonly refs: RemoteRefs },
  { gitWriter, crypto }: Ports,
): Promise<LeftBranch | undefined> {
  const { pullRequest } = context
  if (pullRequest === undefined || target.kind !== 'author') return undefined
  if (options.branch !== undefined || target.isReadOnly) return undefined
  const range = { from: prepared.base, to: prepared.source, limit: HISTORY }
  const commits = await askingGit(checkout.remote.url, () =>
    gitWriter.commitsBetween(checkout.remote.repository, range),
  )
  const { publish: config } = checkout.fleet
  const kept = keptBranch({ ...pullRequest, defaultBranch: refs.defaultBranch, publish: config, commits }, crypto)
  return kept && { kept, by: findForeign(commits, crypto) }
}

/** The branch of a pull request that is no author's. */
interface LeftBranch {
  readonly kept: KeptBranch
  /** The newest commit that it brings and that is not ours. */
  readonly by: BranchCommit | undefined
}

/** Pushes nothing into the branch of a pull request that is no author's. */
async function leaveKept({ kept, by }: LeftBranch, ungated: Ungated, ports: Ports): Promise<Attempted | 'outdated'> {
  const { run, target, prepared } = ungated
  const { publish: config } = run.checkout.fleet
  const isOurs = kept === 'base' || by === undefined
  const opened = isOurs
    ? undefined
    : await openReports({ prepared, publish: config, openForge: run.options.openForge }, ports)
  const gate = opened?.gate === undefined ? {} : { awaited: opened.gate.awaited }
  const leave = async (): Promise<Attempted> => {
    const left = isOurs ? nothingPublished(ungated) : await judgeKept({ begun: { ...ungated, opened }, by }, ports)
    return { ...left, target: { ...left.target, kept } }
  }
  return tellingAuthor({ ...run, prepared, ...gate }, target, leave, ports)
}

/** Adds artifacts to the result: they count as published, too. */
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

/** Longer each time, and never the same for two runs. */
function waitBefore(attempt: number, { random }: Ports): number {
  const [first = 0, second = 0] = random.bytes(2)
  return Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (attempt - 1)) * ((first * 256 + second) / 65_536)
}

function alwaysOutdated(isNothingWritten: boolean): StackmasonError {
  return new StackmasonError({
    code: 'PUBLISH_OUTDATED',
    severity: 'error',
    message: `somebody else was faster ${String(ATTEMPTS)} times in a row${isNothingWritten ? '; nothing was pushed' : ''}`,
    hint: 'Run it again, one run at a time: a concurrency group of CI sees to that.',
  })
}

/** A remote without a default branch: it may have no branch yet whatever one names. */
function noBase({ remote }: FleetCheckout, { refs }: RemoteRefs): StackmasonError {
  const hasBranches = [...refs.keys()].some((name) => name.startsWith('refs/heads/'))
  return new StackmasonError({
    code: 'PUBLISH_BRANCH_MISSING',
    severity: 'error',
    message: `${shownUrl(remote.url)} has no ${hasBranches ? 'default branch' : 'branch yet'}`,
    hint: hasBranches ? 'Name the branch in spec.publish.base of stackmason.yaml.' : 'Push the branch first.',
  })
}

function settingsEdited({ facts, file }: FleetCheckout): Diagnostic {
  return {
    code: 'PUBLISH_NOT_PUSHED',
    severity: 'warning',
    message: 'this file differs from the last commit, whose settings count',
    file: joinPath(facts.root, file),
    hint: 'If the change is meant, commit it, push and publish again; if not, `git restore` takes it back.',
  }
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
    hint: wrong === undefined ? 'Set spec.publish.oci in stackmason.yaml.' : undefined,
  })
}
