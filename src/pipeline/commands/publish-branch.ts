import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { type PublishTarget } from '../../publish/choose-target.ts'
import { countOwn, MAX_OWN_COMMITS } from '../../publish/own-commits.ts'
import { committerOf } from '../../publish/committer.ts'
import type { PublishContext } from '../../publish/read-context.ts'
import { describeChange } from '../publishing/describe-change.ts'
import { locateTarget } from '../publishing/locate-target.ts'
import { renderedSource } from '../publishing/rendered-source.ts'
import { type InputEdits, NO_EDITS } from '../../publish/proposal.ts'
import { type PreparedSource } from '../publishing/prepare-source.ts'
import { makeCommits, targetFiles, pushBranches, wantedTrees } from '../publishing/publish-attempt.ts'
import { relocateFindings, relocateSteps, relocating } from '../publishing/relocate-findings.ts'
import { clustersOf, type SourceChange } from '../publishing/source-change.ts'
import {
  type Attempted,
  type Begun,
  noHold,
  noWaves,
  sourceAndTarget,
  type PublishRun,
  renderPrepared,
  stepsOf,
} from './publish-run.ts'

/** Brings what differs into a branch, without a pull request. */
export async function publishBranch(begun: Begun, ports: Ports): Promise<Attempted | 'outdated'> {
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
  const changed = clustersOf(change.files)
  // what an author's branch does not change is not of its pull request
  const held = [...change.result.holds.keys()].filter((one) => target.kind === 'branch' || changed.includes(one))
  const holds = held.map((cluster) => noHold(cluster, checkout.fleet.root, target.kind))
  const known = stepsOf(begun, [...unused, ...holds, ...relocateFindings(change.result.findings, roots)])
  const { files, committed } = targetFiles(change, change.files, prepared)
  const result = {
    ...sourceAndTarget(begun),
    fleet: change.result.fleet,
    files,
    clusters: changed,
    proposals: [],
    artifacts: [],
    steps: relocateSteps(change.result.steps ?? [], roots),
    ...known,
    rollouts: [],
  }
  if (files.length === 0) {
    await artifacts.follow(prepared.target)
    return { ...result, status: 'unchanged' }
  }
  const refused = await findRefusal(run, { target, prepared }, ports)
  if (refused !== undefined) return { ...result, status: 'refused', findings: [...known.findings, refused] }
  // a plan, too, fails where the text cannot be written
  const text = await describeCommit({ run, prepared, change }, ports)
  if (run.mode === 'plan') {
    artifacts.planFollow()
    return { ...result, status: 'planned' }
  }
  const end = await commitAndPush({ run, prepared, purpose: target.kind, change, committed, result, text }, ports)
  if (end !== 'outdated') await artifacts.follow(end.commit)
  return end
}

interface Finished {
  readonly run: PublishRun
  readonly prepared: PreparedSource
  readonly purpose: PublishTarget['kind']
  readonly change: SourceChange
  readonly committed: ReturnType<typeof targetFiles>['committed']
  readonly result: Omit<Attempted, 'status'>
  /** The message of the commit. */
  readonly text: string
}

/** Gives the message of the commit. @throws StackmasonError PUBLISH_TEMPLATE, FILE_UNREADABLE, GIT_FAILED */
async function describeCommit(
  { run, prepared, change }: Pick<Finished, 'run' | 'prepared' | 'change'>,
  ports: Ports,
): Promise<string> {
  const { checkout, context, options } = run
  const { commitMessage } = await describeChange(
    {
      checkout,
      prepared,
      rendered: renderedSource(prepared.tree, change, ports),
      change,
      group: 'fleet',
      head: prepared.branch,
      forge: locateTarget(prepared.remote, checkout.fleet.publish, ports),
      existing: undefined,
      runUrl: context.runUrl,
      mask: options.mask,
      spare: options.spare,
    },
    ports,
  )
  return commitMessage
}

async function commitAndPush(
  { run, prepared, purpose, change, committed, result, text }: Finished,
  ports: Ports,
): Promise<Attempted | 'outdated'> {
  const { branch, target: expected } = prepared
  await change.beforehand?.()
  const trees = await wantedTrees(prepared, [committed], ports)
  const requests = trees.map((tree) => ({
    tree,
    text,
    digest: change.digest,
    fallback: committerOf(run.context),
  }))
  const [commit] = await makeCommits(prepared, requests, ports)
  const [pushed] = await pushBranches(
    { ...prepared, purpose, atOnce: 1 },
    [{ branch, commit, expected, mode: 'fast-forward' }],
    ports,
  )
  if (pushed instanceof StackmasonError) throw pushed
  return pushed === 'pushed' && commit !== undefined ? { ...result, status: 'published', commit } : 'outdated'
}

/** Why the branch is not pushed to, although the tree differs. */
async function findRefusal(
  { checkout, context }: PublishRun,
  { target, prepared }: { readonly target: PublishTarget; readonly prepared: PreparedSource },
  { gitWriter, crypto }: Ports,
): Promise<Diagnostic | undefined> {
  if (target.isReadOnly) return readOnly(context, prepared)
  if (target.kind !== 'author' || prepared.target === undefined) return undefined
  const { repository } = checkout.remote
  const commits = await gitWriter.commitsBetween(repository, {
    from: prepared.base,
    to: prepared.target,
    limit: MAX_OWN_COMMITS,
  })
  if (countOwn(commits, crypto) < MAX_OWN_COMMITS) return undefined
  return {
    code: 'PUBLISH_LOOPS',
    severity: 'error',
    message: `the last ${String(MAX_OWN_COMMITS)} commits of branch ${prepared.branch} are ours, and rendering still changes files: another one would start CI again`,
    hint: 'Two versions of stackmason may take turns: spec.requiredVersion keeps them apart. Any commit of somebody else lets it go on.',
  }
}

/** Why nothing is pushed into a branch that is a fork's, or may be. */
function readOnly({ ci, pullRequest }: PublishContext, { branch }: Pick<PreparedSource, 'branch'>): Diagnostic {
  const [code, severity] = ['PUBLISH_FORK', 'error'] as const
  const rendering = 'Run `stackmason render` on the branch, and commit what it writes'
  if (pullRequest?.lies !== 'unknown')
    return {
      code,
      severity,
      message:
        'the rendered tree is not current, and the branch of this pull request lies in a fork, where nothing can be pushed to from here',
      hint: `${rendering}.`,
    }
  const variables =
    ci === 'gitlab' ? 'CI_MERGE_REQUEST_SOURCE_PROJECT_ID and CI_MERGE_REQUEST_PROJECT_ID' : 'GITHUB_EVENT_PATH'
  return {
    code,
    severity,
    message: `the rendered tree is not current, and nothing tells whether the branch of this pull request lies in a fork: then ${branch} of this repository would be another one`,
    hint: `Give the job what ${variables} ${ci === 'gitlab' ? 'have' : 'names, in a container as well'}; or ${rendering.replace('R', 'r')}.`,
  }
}
