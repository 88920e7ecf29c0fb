import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { PullRequest } from '../../model/forge.ts'
import type { Ports } from '../../model/ports.ts'
import { branchChanged } from './branch-changed.ts'
import { type HeadState, readHeadStates } from './head-state.ts'
import { keepPullRequest } from './keep-pull-request.ts'
import { type ProposalEnd, type ProposingRun, refusalOfOne } from './propose.ts'
import { pushBranches } from './publish-attempt.ts'

/**
 * Closes the pull requests of changes that are there by now, and removes their branches; nothing is asked where there
 * is no branch. What became of each, in order.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED
 */
export async function withdraw(
  run: ProposingRun,
  heads: readonly string[],
  ports: Ports,
): Promise<readonly Partial<ProposalEnd>[]> {
  const { target, remote, others } = run.prepared
  const there = heads.filter((head) => others.has(head))
  if (target === undefined || there.length === 0) return heads.map(() => ({}))
  const wanted = (await ports.gitWriter.treeOf(remote.repository, target, '')) ?? ''
  const states = await readHeadStates(
    run.prepared,
    there.map((head) => ({ head, wanted })),
    ports,
  )
  const stateOf = new Map(there.map((head, index) => [head, states[index]]))
  const ends: Partial<ProposalEnd>[] = []
  const gone: { readonly branch: string; readonly expected: string }[] = []
  for (const head of heads) {
    const state = stateOf.get(head)
    const end = state === undefined ? {} : await close(run, head, state)
    // with its branch a pull request would go that the forge keeps open, or somebody else
    const isOver = state?.commit !== undefined && state.kind !== 'foreign' && end.refused === undefined
    const other = isOver ? await run.session.findOther(head) : undefined
    ends.push(other === undefined ? end : { ...end, findings: [...(end.findings ?? []), stillUsed(head, other)] })
    if (isOver && other === undefined) gone.push({ branch: head, expected: state.commit })
  }
  // whoever was faster has a reason: the next run looks again
  const removed = gone.map((one) => ({ ...one, commit: undefined, mode: 'lease' as const }))
  const outcomes =
    run.mode === 'plan'
      ? removed.map(() => 'pushed' as const)
      : await pushBranches(
          { remote, branches: [], purpose: 'pullRequest', atOnce: run.session.branchesPerPush },
          removed,
          ports,
        )
  const outcomeOf = new Map(gone.map(({ branch }, index) => [branch, outcomes[index]]))
  return ends.map((end, index) => {
    const head = heads[index] ?? ''
    const outcome = outcomeOf.get(head)
    if (outcome === 'pushed') return { ...end, isBranchGone: true }
    return outcome instanceof StackmasonError
      ? { ...end, findings: [...(end.findings ?? []), branchKept(head, outcome)] }
      : end
  })
}

/** A branch that the server keeps does no harm, and each run tries again. */
function branchKept(head: string, { message }: StackmasonError): Diagnostic {
  return {
    code: 'PUBLISH_BRANCH_KEPT',
    severity: 'warning',
    message: `branch ${head} is not deleted, although nothing is left to propose on it: ${message}`,
    hint: 'Let this user delete such branches, or delete it by hand; rules that protect branches often forbid it.',
  }
}

function stillUsed(head: string, { number, base }: PullRequest): Diagnostic {
  return {
    code: 'PUBLISH_BRANCH_KEPT',
    severity: 'warning',
    message: `branch ${head} is not deleted, although nothing is left to propose on it: somebody has opened pull request ${String(number)} from it into ${base}`,
    hint: 'Merge or close that pull request; the next run deletes the branch.',
  }
}

async function close(
  { checkout, mode, session }: ProposingRun,
  head: string,
  state: HeadState,
): Promise<Partial<ProposalEnd>> {
  if (state.kind === 'foreign') return { findings: [branchChanged(head, state)] }
  const findings: readonly Diagnostic[] = session.findings
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
  if (forge === undefined || open === undefined) return { findings }
  const end = await keepPullRequest({
    forge,
    ...known,
    wanted: undefined,
    headCommit: undefined,
    isPushed: false,
    isForeign: false,
    config: checkout.fleet.publish.pullRequest,
  }).catch(refusalOfOne)
  if (!(end instanceof StackmasonError)) return { findings, pullRequest: end.kept }
  const { number, url } = open.pullRequest
  return { findings, refused: end.diagnostics, pullRequest: { action: 'leave', number, url } }
}
