import type { Diagnostic } from '../../model/diagnostic.ts'
import type { PullRequest } from '../../model/forge.ts'
import type { BranchCommit, CommittedFile } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { committerOf } from '../../publish/committer.ts'
import { type KnownPullRequest, planPullRequest } from '../../publish/plan-pull-request.ts'
import type { PublishContext } from '../../publish/read-context.ts'
import { haltedBody } from '../../report/pull-request/body-block.ts'
import { describeChange } from './describe-change.ts'
import { hasMoved, type HeadState, readHeadState } from './head-state.ts'
import { forgetDeleted, keepPullRequest, type KeptPullRequest } from './keep-pull-request.ts'
import type { ForgeSession } from './forge-session.ts'
import type { RenderedSource } from './rendered-source.ts'
import type { FleetCheckout } from './open-checkout.ts'
import type { PreparedSource } from './prepare-source.ts'
import { makeCommit, pushCommit, wantedTree } from './publish-attempt.ts'
import { askingGit } from './publish-problem.ts'
import type { SourceChange } from './source-change.ts'

/** What was done, or would be, about a pull request. */
export interface PublishedPullRequest {
  readonly action: KeptPullRequest['action']
  /** Absent for one that is not there yet. */
  readonly number?: number
  readonly url?: string
  /** Set for one that is left and not open any more. */
  readonly state?: 'closed' | 'merged'
}

/** What proposals of one run share. */
export interface ProposingRun {
  readonly prepared: PreparedSource
  readonly checkout: FleetCheckout
  readonly context: PublishContext
  readonly mode: 'act' | 'plan'
  readonly mask: (text: string) => string
  readonly session: ForgeSession
  /** Why nothing new may be opened now; undefined: it may. */
  readonly mayOpen: () => Promise<string | undefined>
}

/** A change that a pull request is to carry. */
export interface ProposedChange {
  readonly group: string
  /** The branch of the pull request. */
  readonly head: string
  /** Set: it is a draft. */
  readonly draft?: string
  /** What it carries of it. */
  readonly rendered: RenderedSource
  readonly part: ReadonlySet<string> | undefined
  readonly change: SourceChange
  readonly committed: readonly CommittedFile[]
}

/** What became of it. */
export interface ProposalEnd {
  readonly commit?: string
  readonly pullRequest?: PublishedPullRequest
  /** True if a plan would push. */
  readonly isPlanned?: boolean
  /** Why it is not opened yet. */
  readonly held?: string
  /** Why nothing is done. */
  readonly left?: 'declined' | 'foreign'
  /** The commit of the branch, where that is ours and wanted. */
  readonly headCommit?: string
  readonly findings: readonly Diagnostic[]
}

/**
 * Brings a change onto the branch of a pull request, and the pull request to what it says; nothing is written where both
 * are so already.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED
 */
export async function propose(
  run: ProposingRun,
  proposed: ProposedChange,
  ports: Ports,
): Promise<ProposalEnd | 'outdated'> {
  const { head, draft, change, committed } = proposed
  const { prepared, checkout, context, mode, session } = run
  const { publish } = checkout.fleet
  const { findings } = session
  const forge = await session.forge()
  const found = await session.find(head)
  const text = await describeChange(
    {
      checkout,
      prepared,
      ...proposed,
      forge: session.place,
      existing: found.open?.pullRequest.body,
      runUrl: context.runUrl,
      mask: run.mask,
    },
    ports,
  )
  const tree = await wantedTree({ prepared, committed }, ports)
  const state = await readHeadState(prepared, { head, wanted: tree }, ports)
  const { title, body, fingerprint, commitMessage } = text
  const isForeign = state.kind === 'foreign'
  const isDraft = publish.pullRequest.isDraft || draft !== undefined
  const wanted = {
    title,
    body,
    head,
    base: prepared.branch,
    isDraft,
    fingerprint,
    isNotice: committed.length === 0,
    isBad: draft !== undefined,
  }
  const known = forge !== undefined && state.kind === 'none' ? await forgetDeleted(forge, found, wanted) : found
  const plan = planPullRequest({ ...known, wanted, isForeign })
  const told = isForeign ? [...findings, branchChanged(head, state)] : findings
  const left = known.open ?? known.last
  if (plan.action === 'leave' && plan.reason !== 'current')
    return {
      findings: told,
      ...((plan.reason === 'declined' || plan.reason === 'foreign') && { left: plan.reason }),
      ...(left !== undefined && {
        pullRequest: { action: 'leave', ...placeOf(left) },
      }),
    }
  const isPushed = state.kind !== 'current'
  if (plan.action === 'create') {
    const reason = await run.mayOpen()
    if (reason !== undefined) return { held: reason, findings: told }
    session.note('create', head)
  }
  if (mode === 'plan')
    return {
      isPlanned: isPushed,
      findings: told,
      ...(forge !== undefined && {
        pullRequest: {
          action: plan.action,
          ...(known.open !== undefined && { number: known.open.pullRequest.number, url: known.open.pullRequest.url }),
        },
      }),
    }
  let commit = state.commit
  // before the branch has what nobody should merge: it may be merged by itself
  if (forge !== undefined && plan.action === 'update' && plan.changed.isDraft === true)
    await forge.updatePullRequest(plan.number, { isDraft: true })
  if (isPushed) {
    const request = { prepared, committed, text: commitMessage, digest: change.digest, fallback: committerOf(context) }
    await change.beforehand?.()
    commit = await makeCommit(request, tree, ports)
    const pushed = await pushCommit(prepared, { branch: head, commit, expected: state.commit, mode: 'lease' }, ports)
    if (pushed === 'outdated') return pushed
  }
  const made = isPushed && commit !== undefined ? { commit } : {}
  if (forge === undefined) return { ...made, findings: told }
  const asked = keepPullRequest({
    forge,
    ...known,
    wanted,
    headCommit: commit,
    isPushed,
    isForeign,
    config: publish.pullRequest,
  })
  const end = await asked.catch(async (error: unknown) => {
    // merged by somebody who was faster, a branch has nothing left to propose, or is gone
    if (plan.action === 'create' && (await hasMoved(prepared, { head, commit }, ports))) return undefined
    throw error
  })
  if (end === undefined || end.isTooLate) return 'outdated'
  const { kept, findings: more } = end
  return {
    ...made,
    ...(commit !== undefined && { headCommit: commit }),
    ...(kept !== undefined && { pullRequest: kept }),
    findings: [...told, ...more],
  }
}

/** Makes a draft of a pull request whose change cannot be made any more: it must not be merged by itself. */
export async function haltPullRequest(
  { session, mode }: ProposingRun,
  { number, body, isDraft }: PullRequest,
): Promise<'update' | 'leave'> {
  if (isDraft) return 'leave'
  const forge = await session.forge()
  if (mode === 'act') await forge?.updatePullRequest(number, { isDraft: true, body: haltedBody(body) })
  return 'update'
}

/**
 * Closes the pull request of a change that is there by now, and removes its branch; nothing is asked where there is no
 * branch.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED
 */
export async function withdraw(run: ProposingRun, head: string, ports: Ports): Promise<Partial<ProposalEnd>> {
  const { prepared, checkout, mode, session } = run
  const { target, remote } = prepared
  if (target === undefined || !prepared.others.has(head)) return {}
  const wanted = (await ports.gitWriter.treeOf(remote.repository, target, '')) ?? ''
  const state = await readHeadState(prepared, { head, wanted }, ports)
  if (state.kind === 'foreign') return { findings: [branchChanged(head, state)] }
  const { findings } = session
  const forge = await session.forge()
  const known = await session.find(head)
  const { open } = known
  if (open !== undefined) session.note('close', head)
  if (mode === 'plan')
    return {
      findings,
      ...(open !== undefined && {
        isPlanned: true,
        pullRequest: { action: 'close' as const, number: open.pullRequest.number, url: open.pullRequest.url },
      }),
    }
  const end =
    forge === undefined || open === undefined
      ? undefined
      : await keepPullRequest({
          forge,
          ...known,
          wanted: undefined,
          headCommit: undefined,
          isPushed: false,
          isForeign: false,
          config: checkout.fleet.publish.pullRequest,
        })
  // whoever was faster has a reason: the next run looks again
  if (state.commit !== undefined)
    await askingGit(remote.url, () => ports.gitWriter.removeBranch(remote, head, state.commit ?? ''))
  return { findings, ...(end?.kept !== undefined && { pullRequest: end.kept }) }
}

function placeOf({ pullRequest: { number, url, state } }: KnownPullRequest): Omit<PublishedPullRequest, 'action'> {
  return { number, url, ...(state !== 'open' && { state }) }
}

function branchChanged(head: string, { by }: HeadState & { readonly by: BranchCommit }): Diagnostic {
  return {
    code: 'PUBLISH_BRANCH_CHANGED',
    severity: 'warning',
    message: `branch ${head} is left as it is: commit ${by.commit.slice(0, 12)} on it is by ${by.author}, or was changed since we made it`,
    hint: 'Merge the pull request, or take that commit off its branch.',
  }
}
