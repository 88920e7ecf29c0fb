import type { Diagnostic } from '../../model/diagnostic.ts'
import type { PublishTree } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import type { StepPlan } from '../../model/steps.ts'
import type { PublishedFile } from '../../publish/commit-message.ts'
import { headBranch, type HeadBranches, kindOfHead } from '../../publish/head-branch.ts'
import { isUnedited, type Proposal, type ProposalPlan } from '../../publish/proposal.ts'
import { propose, type ProposalEnd, type ProposingRun, type PublishedPullRequest, withdraw } from './propose.ts'
import { placedFiles, withTree } from './publish-attempt.ts'
import { askingGit } from './publish-problem.ts'
import { relocateFindings, relocating } from './relocate-findings.ts'
import { clustersOf, type SourceChange } from './source-change.ts'

/** What became of a proposal, or would. */
export interface PublishedProposal {
  readonly group: string
  /** The branch of its pull request. */
  readonly head: string
  /** `current`: it stands as it should. */
  readonly status: 'published' | 'planned' | 'current' | 'held'
  /** Why it is a draft. */
  readonly draft?: string
  /** Why it waits. */
  readonly held?: string
  readonly files: readonly PublishedFile[]
  readonly clusters: readonly string[]
  /** The commit that was made. */
  readonly commit?: string
  readonly pullRequest?: PublishedPullRequest
  readonly findings: readonly Diagnostic[]
}

/** What all proposals of a run came to. */
export interface ProposalsEnd {
  readonly proposals: readonly PublishedProposal[]
  readonly fleet: string | undefined
  readonly steps: readonly StepPlan[]
}

/** A run, and how it renders. */
export interface ProposalsRun extends ProposingRun {
  readonly branches: HeadBranches
  /** Renders a commit into its work tree, after edits. */
  readonly render: (tree: PublishTree, proposal: Proposal) => Promise<SourceChange>
}

/**
 * Makes each proposal from the same commit, brings it onto its branch, and closes the pull requests of branches of ours
 * that nothing is left for.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED; as `render` and `update`
 */
export async function runProposals(
  run: ProposalsRun,
  { proposals, held, kinds }: ProposalPlan,
  ports: Ports,
): Promise<ProposalsEnd | 'outdated'> {
  const { prepared, branches } = run
  const ended: PublishedProposal[] = []
  const steps: StepPlan[] = []
  let fleet: string | undefined
  for (const proposal of proposals) {
    const { group, edits } = proposal
    const head = headBranch(branches, group)
    const end = await inTree(run, isUnedited(edits) ? prepared.tree : undefined, ports, async (tree) => {
      const roots = { from: tree.folder, to: run.checkout.facts.root }
      const change = partOf(await relocating(roots, () => run.render(tree, proposal)), proposal)
      fleet = change.result.fleet
      steps.push(...(change.result.steps ?? []))
      const { files, committed } = placedFiles(change, change.files, prepared)
      const found = relocateFindings(change.result.findings, roots)
      const outcome =
        files.length === 0
          ? await withdraw(run, head, ports)
          : await propose(run, { ...proposal, head, change, committed }, ports)
      if (outcome === 'outdated') return outcome
      return {
        ...endOf(run, outcome),
        files,
        clusters: clustersOf(change.files),
        findings: [...found, ...(outcome.findings ?? [])],
      }
    })
    if (end === 'outdated') return end
    ended.push({ group, head, ...(proposal.draft !== undefined && { draft: proposal.draft }), ...end })
  }
  for (const { group, reason } of held) {
    ended.push({
      group,
      head: headBranch(branches, group),
      status: 'held',
      held: reason,
      files: [],
      clusters: [],
      findings: [],
    })
  }
  const planned = new Set(ended.map(({ head }) => head))
  for (const head of [...prepared.others.keys()].sort()) {
    const kind = kindOfHead(branches, head)
    if (kind === undefined || !kinds.has(kind) || planned.has(head)) continue
    const outcome = await withdraw(run, head, ports)
    ended.push({ group: kind, head, ...endOf(run, outcome), files: [], clusters: [], findings: outcome.findings ?? [] })
  }
  return { proposals: ended, fleet, steps }
}

/** Runs work in a work tree: the one that is there, or one of its own. */
async function inTree<Result>(
  { prepared, checkout }: ProposalsRun,
  tree: PublishTree | undefined,
  ports: Ports,
  work: (tree: PublishTree) => Promise<Result>,
): Promise<Result> {
  if (tree !== undefined) return work(tree)
  const { repository, url } = checkout.remote
  const own = await askingGit(url, () => ports.gitWriter.addTree(repository, prepared.tree.commit))
  return withTree({ tree: own }, () => work(own))
}

/** Of a change what a proposal carries. */
function partOf(change: SourceChange, { part }: Proposal): SourceChange {
  return part === undefined ? change : { ...change, files: change.files.filter(({ path }) => part.has(path)) }
}

function endOf(
  { mode }: ProposalsRun,
  { commit, pullRequest, isPlanned }: Partial<ProposalEnd>,
): Pick<PublishedProposal, 'status' | 'commit' | 'pullRequest'> {
  const isWritten = commit !== undefined || (pullRequest !== undefined && pullRequest.action !== 'leave')
  const isDone = isWritten || isPlanned === true
  return {
    ...(commit !== undefined && { commit }),
    ...(pullRequest !== undefined && { pullRequest }),
    status: !isDone ? 'current' : mode === 'plan' ? 'planned' : 'published',
  }
}
