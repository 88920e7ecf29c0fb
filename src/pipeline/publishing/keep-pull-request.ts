import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { environmentCodes } from '../../model/environment-codes.ts'
import type { Forge, NewPullRequest, PullRequest } from '../../model/forge.ts'
import type { PullRequestConfig } from '../../model/publish-config.ts'
import { isNamesake } from '../../publish/head-branch.ts'
import { type KnownPullRequest, planPullRequest, type PullRequestPlan } from '../../publish/plan-pull-request.ts'
import { readMark, unfinishedBody, withdrawnBody } from '../../report/pull-request/body-block.ts'

/** The outcome for a pull request. */
export interface KeptPullRequest {
  readonly action: PullRequestPlan['action']
  readonly number: number
  readonly url: string
}

/** The pull requests of a branch. */
export interface KnownPullRequests {
  readonly open: KnownPullRequest | undefined
  readonly last: KnownPullRequest | undefined
}

/** A branch of a proposal, and the branch that it is proposed for. */
export interface ProposedBranch {
  readonly head: string
  readonly base: string
}

/**
 * The open pull request of a branch that is ours. People may open others of it, into other bases: those are theirs, but
 * one that carries our mark was only given another base.
 */
export function findOpenOne(all: readonly PullRequest[], branch: ProposedBranch): PullRequest | undefined {
  const ours = all.filter((one) => one.head === branch.head && isOurs(one, branch))
  return ours.find(({ base }) => base === branch.base) ?? ours[0]
}

/** True if a pull request of one of our branches is ours; with our mark it may be that for another base. */
export function isOurs({ isFromFork, base, body }: PullRequest, branch: Pick<ProposedBranch, 'base'>): boolean {
  if (isFromFork) return false
  return base === branch.base || (readMark(body) !== undefined && !isNamesake(branch.base, base))
}

/** Looks for the pull requests of a branch; `all` are open. @throws StackmasonError as {@link Forge} */
export async function findPullRequests(
  forge: Forge,
  all: readonly PullRequest[],
  branch: ProposedBranch,
): Promise<KnownPullRequests> {
  const open = findOpenOne(all, branch)
  if (open !== undefined) return { open: known(open), last: undefined }
  const last = await forge.latestPullRequest(branch.head, (one) => isOurs(one, branch))
  return { open: undefined, last: last === undefined || last.state === 'open' ? undefined : known(last) }
}

function known(pullRequest: PullRequest): KnownPullRequest {
  const mark = readMark(pullRequest.body)
  const fingerprint = mark?.isWithdrawn === true ? undefined : mark?.fingerprint
  const [isOurDraft, isUnfinished] = [mark?.isDraft === true, mark?.isUnfinished === true]
  return { pullRequest, fingerprint, isOurDraft, isUnfinished }
}

/**
 * The same without one that was closed by the deletion of its branch: a branch that was tidied away says nothing about
 * what it proposed. @throws StackmasonError as {@link Forge}
 */
export async function forgetDeleted(
  forge: Forge,
  known: KnownPullRequests,
  { fingerprint }: { readonly fingerprint: string },
): Promise<KnownPullRequests> {
  const { last } = known
  if (last?.pullRequest.state !== 'closed' || last.fingerprint !== fingerprint) return known
  return (await forge.isClosedByDeletion(last.pullRequest.number)) ? { ...known, last: undefined } : known
}

/** How a pull request is kept. */
export interface KeepRequest extends KnownPullRequests {
  readonly forge: Forge
  readonly wanted: (NewPullRequest & { readonly fingerprint: string }) | undefined
  /** The commit of the branch. */
  readonly headCommit: string | undefined
  /** True if the branch was moved just now. */
  readonly isPushed: boolean
  readonly isForeign: boolean
  readonly config: PullRequestConfig
}

/** The end of keeping one. */
export interface KeptEnd {
  readonly kept: KeptPullRequest | undefined
  /** True if it was merged or closed before the branch was moved: nobody would see what stands there now. */
  readonly isTooLate: boolean
  readonly findings: readonly Diagnostic[]
}

/**
 * Opens, updates or closes the pull request of a branch, or leaves it. Labels, reviewers and assignees are given once:
 * what people change later stays. Its body says so until they are given.
 * @throws StackmasonError as {@link Forge}
 */
export async function keepPullRequest(request: KeepRequest): Promise<KeptEnd> {
  const { forge, open, isPushed } = request
  const plan = planPullRequest(request)
  const end = (at: PullRequest | undefined, findings: readonly Diagnostic[] = []): KeptEnd => ({
    kept: at && { action: plan.action, number: at.number, url: at.url },
    isTooLate: isPushed && at !== undefined && at.state !== 'open',
    findings,
  })
  switch (plan.action) {
    case 'leave': {
      const left = open?.pullRequest ?? request.last?.pullRequest
      return end(isPushed && left !== undefined ? await forge.pullRequest(left.number) : left)
    }
    case 'close':
      // what was closed for want of a change, or because it waits, may be proposed again
      await forge.closePullRequest(plan.number, open && withdrawnBody(open.pullRequest.body))
      return end(open?.pullRequest)
    case 'update': {
      const { changed, number } = plan
      if (open?.isUnfinished !== true) {
        const updated = await forge.updatePullRequest(number, changed)
        return end(updated, (await telling((told) => askForMerge(request, updated, told))).findings)
      }
      const { isDraft, body = open.pullRequest.body } = changed
      // a draft is not merged by itself, and one that is none any more may be
      const now = isDraft === undefined ? open.pullRequest : await forge.updatePullRequest(number, { isDraft })
      const { findings, isLeft } = await telling((told) => introduce(request, now, told))
      return end(
        await forge.updatePullRequest(number, isLeft ? { ...changed, body: unfinishedBody(body) } : changed),
        findings,
      )
    }
    case 'create': {
      const { body } = plan.wanted
      if (!hasMore(request.config)) return end((await forge.createPullRequest(plan.wanted)).pullRequest)
      const { pullRequest } = await forge.createPullRequest({ ...plan.wanted, body: unfinishedBody(body) })
      const { findings, isLeft } = await telling((told) => introduce(request, pullRequest, told))
      if (isLeft) return end(pullRequest, findings)
      const finished = await telling(async (told) => {
        await told(() => forge.updatePullRequest(pullRequest.number, { body }))
        return []
      })
      return end(pullRequest, [...findings, ...finished.findings])
    }
  }
}

/** Does one thing more about a pull request; what the forge does not do is kept, and told beside it. */
type Trying = <Result>(work: () => Promise<Result>) => Promise<Result | undefined>

/** True if a pull request gets more than its text. */
function hasMore({ labels, reviewers, teams, assignees, autoMerge }: PullRequestConfig): boolean {
  return autoMerge !== undefined || [labels, reviewers, teams, assignees].some((list) => list.length > 0)
}

/**
 * The pull request is there, whatever becomes of what belongs to it. `isLeft`: a forge that could not be reached, or is
 * busy, may give it another time.
 */
async function telling(
  work: (trying: Trying) => Promise<readonly Diagnostic[]>,
): Promise<{ readonly findings: readonly Diagnostic[]; readonly isLeft: boolean }> {
  const problems: Diagnostic[] = []
  const findings = await work(async (one) => {
    try {
      return await one()
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      problems.push(...error.diagnostics)
      return undefined
    }
  })
  return { findings: [...findings, ...problems], isLeft: problems.some(({ code }) => environmentCodes.has(code)) }
}

async function introduce(
  request: KeepRequest,
  { number, ...pullRequest }: PullRequest,
  trying: Trying,
): Promise<readonly Diagnostic[]> {
  const { forge, config } = request
  const { labels, reviewers, teams, assignees } = config
  const unknown: string[] = []
  if (labels.length > 0) await trying(() => forge.addLabels(number, labels))
  if (assignees.length > 0) unknown.push(...((await trying(() => forge.addAssignees(number, assignees))) ?? []))
  if (reviewers.length + teams.length > 0)
    unknown.push(...((await trying(() => forge.requestReviewers(number, { users: reviewers, teams }))) ?? []))
  const people: readonly Diagnostic[] =
    unknown.length === 0
      ? []
      : [
          {
            code: 'PUBLISH_PEOPLE',
            severity: 'warning',
            message: `the forge does not let pull request ${String(number)} be given to ${unknown.join(', ')}`,
            hint: 'Check the names in spec.publish.pullRequest, and that they may read the repository.',
          },
        ]
  return [...people, ...(await askForMerge(request, { number, ...pullRequest }, trying))]
}

async function askForMerge(
  { forge, config, headCommit }: KeepRequest,
  { number, isDraft }: Pick<PullRequest, 'number' | 'isDraft'>,
  trying: Trying,
): Promise<readonly Diagnostic[]> {
  if (config.autoMerge === undefined || headCommit === undefined || isDraft) return []
  const wanted = { method: config.autoMerge, headCommit }
  const outcome = await trying(() => forge.enableAutoMerge(number, wanted))
  if (outcome === undefined || outcome === 'enabled' || outcome === 'outdated' || outcome === 'notOpen') return []
  return [
    {
      code: 'PUBLISH_AUTO_MERGE',
      severity: 'warning',
      message:
        outcome === 'notAllowed'
          ? `the repository does not allow that pull request ${String(number)} is merged by itself`
          : `nothing has to pass before pull request ${String(number)} is merged, so people merge it`,
      hint:
        outcome === 'notAllowed'
          ? 'Allow it in the settings of the repository, or take spec.publish.pullRequest.autoMerge out.'
          : 'Require a check on the branch that it goes to, or take spec.publish.pullRequest.autoMerge out.',
    },
  ]
}
