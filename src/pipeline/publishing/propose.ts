import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Forge, NewPullRequest, PullRequest } from '../../model/forge.ts'
import type { CommittedFile, PlannedTree } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import { committerOf } from '../../publish/committer.ts'
import { type KnownPullRequest, planPullRequest, type PullRequestPlan } from '../../publish/plan-pull-request.ts'
import type { PublishContext } from '../../publish/read-context.ts'
import { haltedBody } from '../../report/pull-request/body-block.ts'
import { describeChange } from './describe-change.ts'
import { hasMoved, type HeadState, readHeadStates } from './head-state.ts'
import { forgetDeleted, keepPullRequest, type KeptPullRequest, type KnownPullRequests } from './keep-pull-request.ts'
import type { ForgeSession } from './forge-session.ts'
import type { RenderedSource } from './rendered-source.ts'
import type { FleetCheckout } from './open-checkout.ts'
import type { PreparedSource } from './prepare-source.ts'
import { branchChanged } from './branch-changed.ts'
import { makeCommits, pushBranches, wantedTrees } from './publish-attempt.ts'
import type { SourceChange } from './source-change.ts'

/** The action on a pull request, done or planned. */
export interface PublishedPullRequest {
  readonly action: KeptPullRequest['action']
  /** Absent for one that is not there yet. */
  readonly number?: number | undefined
  readonly url?: string | undefined
  /** Set for one that is left and not open any more. */
  readonly state?: 'closed' | 'merged' | undefined
}

/** The state that proposals of one run share. */
export interface ProposingRun {
  readonly prepared: PreparedSource
  readonly checkout: FleetCheckout
  readonly context: PublishContext
  readonly mode: 'act' | 'plan'
  readonly mask: (text: string) => string
  readonly spare: ((names: Iterable<string>) => void) | undefined
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
  readonly draft?: string | undefined
  /** The part of it that it carries. */
  readonly rendered: RenderedSource
  readonly part: ReadonlySet<string> | undefined
  readonly change: SourceChange
  readonly committed: readonly CommittedFile[]
}

/** The texts of a pull request and of its commit. */
export interface PlannedText {
  readonly title: string
  readonly body: string
  readonly commitMessage: string
}

/** The outcome for it. */
export interface ProposalEnd {
  readonly commit?: string | undefined
  readonly pullRequest?: PublishedPullRequest | undefined
  /** True if a plan would push. */
  readonly isPlanned?: boolean
  /** The texts that a plan would write. */
  readonly text?: PlannedText | undefined
  /** True if its branch is gone, or would be: nothing was left to propose. */
  readonly isBranchGone?: boolean
  /** Why it is not opened yet. */
  readonly held?: string
  /** Why nothing is done. */
  readonly left?: 'declined' | 'foreign' | undefined
  /** The commit of the branch, where that is ours and wanted. */
  readonly headCommit?: string | undefined
  /** Why the server or the forge did not take it. */
  readonly refused?: readonly Diagnostic[]
  readonly findings: readonly Diagnostic[]
}

/** The outcome for a change: `outdated` where another push was first. */
export type ProposalOutcome = ProposalEnd | 'outdated'

/**
 * Brings changes onto the branches of pull requests, and the pull requests to what they say; nothing is written where
 * both are so already. Branches are pushed together, each from where it is expected.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED
 */
export async function propose(
  run: ProposingRun,
  changes: readonly ProposedChange[],
  ports: Ports,
): Promise<readonly ProposalOutcome[]> {
  const { prepared } = run
  const committed = changes.map((proposed) => proposed.committed)
  const trees = await wantedTrees(prepared, committed, ports)
  const heads = changes.map(({ head }, index) => ({ head, wanted: trees[index]?.id ?? '' }))
  const states = await readHeadStates(prepared, heads, ports)
  const plans: (ProposalEnd | DueProposal)[] = []
  for (const [index, proposed] of changes.entries()) {
    const [tree, state] = [trees[index], states[index]]
    if (tree !== undefined && state !== undefined) plans.push(await planProposal(run, { proposed, tree, state }, ports))
  }
  const due = await pushDue(
    run,
    plans.filter((plan) => 'wanted' in plan),
    ports,
  )
  const outcomes: ProposalOutcome[] = []
  for (const plan of plans) {
    const pushed = 'wanted' in plan ? due.get(plan) : undefined
    if (!('wanted' in plan)) outcomes.push(plan)
    else if (pushed === undefined || pushed === 'outdated') outcomes.push('outdated')
    else if (pushed instanceof StackmasonError) outcomes.push(refusedEnd(plan, pushed))
    else
      outcomes.push(
        await carryOut(run, { ...plan, ...pushed }, ports).catch((error: unknown) => ({
          commit: pushed.isPushed ? pushed.commit : undefined,
          ...refusedEnd(plan, refusalOfOne(error)),
        })),
      )
  }
  return outcomes
}

/** A change that has something to be done about it. */
interface DueProposal {
  readonly proposed: ProposedChange
  readonly tree: PlannedTree
  readonly state: HeadState
  readonly forge: Forge | undefined
  readonly known: KnownPullRequests
  readonly plan: PullRequestPlan
  readonly wanted: NewPullRequest & { readonly fingerprint: string }
  readonly commitMessage: string
  readonly findings: readonly Diagnostic[]
}

/** Decides what is done about a change; writes nothing. */
async function planProposal(
  run: ProposingRun,
  {
    proposed,
    tree,
    state,
  }: { readonly proposed: ProposedChange; readonly tree: PlannedTree; readonly state: HeadState },
  ports: Ports,
): Promise<ProposalEnd | DueProposal> {
  const { head, draft, committed } = proposed
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
      forge: session.location,
      existing: found.open?.pullRequest.body,
      runUrl: context.runUrl,
      mask: run.mask,
      spare: run.spare,
    },
    ports,
  )
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
      left: plan.reason === 'declined' || plan.reason === 'foreign' ? plan.reason : undefined,
      pullRequest: left === undefined ? undefined : { action: 'leave', ...summaryOf(left) },
    }
  if (plan.action === 'create') {
    const reason = await run.mayOpen()
    if (reason !== undefined) return { held: reason, findings: told }
    session.note('create', head)
  }
  if (mode === 'plan')
    return {
      isPlanned: state.kind !== 'current',
      text: { title, body, commitMessage },
      findings: told,
      pullRequest:
        forge === undefined
          ? undefined
          : {
              action: plan.action,
              number: known.open?.pullRequest.number,
              url: known.open?.pullRequest.url,
            },
    }
  return { proposed, tree, state, forge, known, plan, wanted, commitMessage, findings: told }
}

/** Where the branch of a change is by now. */
interface PushedHead {
  readonly commit: string | undefined
  /** True if it was moved just now. */
  readonly isPushed: boolean
}

/** Makes the commits that branches lack, and pushes them. */
async function pushDue(
  { prepared, context, session }: ProposingRun,
  due: readonly DueProposal[],
  ports: Ports,
): Promise<ReadonlyMap<DueProposal, PushedHead | 'outdated' | StackmasonError>> {
  const refused = new Map<DueProposal, StackmasonError>()
  const behind: DueProposal[] = []
  for (const one of due.filter(({ state }) => state.kind !== 'current')) {
    const { forge, plan, proposed } = one
    // before the branch has what nobody should merge: it may be merged by itself
    if (forge !== undefined && plan.action === 'update' && plan.changed.isDraft === true) {
      const { number } = plan
      const error = await forge.updatePullRequest(number, { isDraft: true }).then(() => undefined, refusalOfOne)
      if (error !== undefined) {
        refused.set(one, error)
        continue
      }
    }
    await proposed.change.beforehand?.()
    behind.push(one)
  }
  const commits = await makeCommits(
    prepared,
    behind.map(({ tree, commitMessage, proposed }) => ({
      tree,
      text: commitMessage,
      digest: proposed.change.digest,
      fallback: committerOf(context),
    })),
    ports,
  )
  const pushes = behind.map(({ proposed: { head }, state }, index) => ({
    branch: head,
    commit: commits[index],
    expected: state.commit,
    mode: 'lease' as const,
  }))
  const outcomes =
    pushes.length === 0
      ? []
      : await pushBranches({ ...prepared, purpose: 'pullRequest', atOnce: session.branchesPerPush }, pushes, ports)
  const pushed = behind.map((one, index) => {
    const outcome = outcomes[index] ?? 'outdated'
    return [one, outcome === 'pushed' ? { commit: commits[index], isPushed: true } : outcome] as const
  })
  return new Map<DueProposal, PushedHead | 'outdated' | StackmasonError>([
    ...due.map((one) => [one, { commit: one.state.commit, isPushed: false }] as const),
    ...pushed,
    ...refused,
  ])
}

/** Brings the pull request of a branch that has its change to what it says. */
async function carryOut(
  { prepared, checkout }: ProposingRun,
  { proposed: { head }, state, forge, known, plan, wanted, findings, commit, isPushed }: DueProposal & PushedHead,
  ports: Ports,
): Promise<ProposalEnd | 'outdated'> {
  const made = isPushed && commit !== undefined ? { commit } : {}
  if (forge === undefined) return { ...made, findings }
  const asked = keepPullRequest({
    forge,
    ...known,
    wanted,
    headCommit: commit,
    isPushed,
    isForeign: state.kind === 'foreign',
    config: checkout.fleet.publish.pullRequest,
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
    headCommit: commit,
    pullRequest: kept,
    findings: [...findings, ...more],
  }
}

/** A forge's refusals of one text, and not of the token or the number of requests. */
const OF_ONE: ReadonlySet<Code> = new Set(['PUBLISH_REFUSED', 'PUBLISH_TOO_LONG'])

/**
 * Why a forge does not take one pull request: the others go on. @throws the error where that says nothing of the kind
 */
export function refusalOfOne(error: unknown): StackmasonError {
  if (error instanceof StackmasonError && error.diagnostics.every(({ code }) => OF_ONE.has(code))) return error
  throw error
}

/** The end of a change that was not taken: its pull request is left as it is. */
function refusedEnd({ known, findings }: DueProposal, { diagnostics }: StackmasonError): ProposalEnd {
  const { open } = known
  return {
    pullRequest: open === undefined ? undefined : { action: 'leave', ...summaryOf(open) },
    refused: diagnostics,
    findings,
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

function summaryOf({ pullRequest: { number, url, state } }: KnownPullRequest): Omit<PublishedPullRequest, 'action'> {
  return { number, url, state: state === 'open' ? undefined : state }
}
