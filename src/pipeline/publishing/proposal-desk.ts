import { ARTIFACTS } from '../../model/artifact-unit.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { PublishTree } from '../../model/git-writer.ts'
import type { Ports } from '../../model/ports.ts'
import type { PublishedFile } from '../../publish/commit-message.ts'
import { headBranch, type HeadBranches, kindOfHead } from '../../publish/head-branch.ts'
import type { HeldProposal, InputEdits, Proposal } from '../../publish/proposal.ts'
import type { RolloutsPlan } from './plan-rollouts.ts'
import {
  haltPullRequest,
  type PlannedText,
  propose,
  type ProposalEnd,
  type ProposingRun,
  type PublishedPullRequest,
  refusalOfOne,
} from './propose.ts'
import { PROPOSALS_AT_ONCE } from './forge-session.ts'
import { withdraw } from './withdraw.ts'
import { type FoundBefore, tellJudged } from './judged-change.ts'
import { targetFiles, withTree } from './publish-attempt.ts'
import { askingGit } from './publish-problem.ts'
import { relocateResult, relocating } from './relocate-findings.ts'
import { renderedSource, type RenderedSource } from './rendered-source.ts'
import { clustersOf, type SourceChange, type TreeFile } from './source-change.ts'
import type { JudgedFindings } from './tell-findings.ts'

/** The outcome for a proposal, or its plan. */
export interface PublishedProposal {
  readonly group: string
  /** The branch of its pull request. */
  readonly head: string
  /** `current`: it stands as it should; `refused`: the server or the forge did not take it, its findings say why. */
  readonly status: 'published' | 'planned' | 'current' | 'held' | 'refused'
  /** Why it is a draft. */
  readonly draft?: string | undefined
  /** Why it waits. */
  readonly held?: string
  /** Why nothing is done about it: somebody does not want it, or has changed its branch. */
  readonly left?: 'declined' | 'foreign' | undefined
  /** True if its branch gets a commit, or would. */
  readonly isPushed: boolean
  /** True if its branch is gone, or would be: nothing was left to propose. */
  readonly isBranchGone?: boolean | undefined
  readonly files: readonly PublishedFile[]
  readonly clusters: readonly string[]
  /** The commit that was made. */
  readonly commit?: string | undefined
  readonly pullRequest?: PublishedPullRequest | undefined
  /** The texts that a plan would write. */
  readonly text?: PlannedText | undefined
  readonly findings: readonly Diagnostic[]
}

/** A run, and how it renders. */
export interface ProposalsRun extends ProposingRun {
  readonly branches: HeadBranches
  /** True if newer releases are proposed, too. */
  readonly isUpdated: boolean
  /** Renders a commit into its work tree, after edits. */
  readonly render: (tree: PublishTree, edits: InputEdits) => Promise<SourceChange>
  /** Adds to a change what belongs to it on a branch, and to the part of it that the branch carries. */
  readonly complete: (
    rendered: RenderedSource,
    branch: { readonly head: string; readonly part?: ReadonlySet<string> | undefined },
  ) => Promise<SourceChange>
  /** Judges what was rendered into a work tree. */
  readonly check: (tree: PublishTree) => Promise<JudgedFindings>
  /** Judges the inputs that the branch has the tree of. */
  readonly foundBefore: FoundBefore
  /** Plans what waves may get. */
  readonly planWaves: () => Promise<RolloutsPlan>
  /** Results of earlier attempts of this run, by branch. */
  readonly done: Map<string, PublishedProposal>
}

/** A proposal that was made, and is to be brought onto its branch. */
export interface MadeProposal extends Proposal {
  readonly rendered: RenderedSource
  /** Of what was rendered, what it carries; pins of artifacts are added to it. */
  readonly change: SourceChange
  /** Runs a check there; absent: nobody asks. */
  readonly judge?: (change: SourceChange) => Promise<JudgedFindings>
}

/** Brings proposals to where people see them, and keeps what became of them. */
export interface ProposalDesk {
  readonly run: ProposalsRun
  /** Outcomes of proposals so far; one that is refused holds back no other. */
  readonly ended: readonly PublishedProposal[]
  /**
   * Also a draft whose change is empty has a branch; nothing else that is. @returns whether somebody was faster with
   * one of them
   */
  readonly take: (...proposals: readonly MadeProposal[]) => Promise<'taken' | 'outdated'>
  /** Notes that one waits. Where it cannot be made any more, nobody should merge what it has proposed before. */
  readonly hold: (
    held: HeldProposal & { readonly isBroken?: boolean },
    findings?: readonly Diagnostic[],
  ) => Promise<void>
  /** Renders the commit into a work tree of its own, and works with it, or with why it cannot be rendered. */
  readonly rendering: <Result>(
    edits: InputEdits,
    work: (rendered: RenderedSource) => Promise<Result>,
    failed: (error: StackmasonError) => Promise<Result>,
  ) => Promise<Result>
}

/** Begins to bring proposals to where people see them. */
export function openDesk(run: ProposalsRun, ports: Ports): ProposalDesk {
  const { prepared, branches, done } = run
  const ended: PublishedProposal[] = []
  return {
    run,
    ended,
    take: async (...all) => {
      for (let at = 0; at < all.length; at += PROPOSALS_AT_ONCE) {
        const some: CarriedProposal[] = []
        for (const made of all.slice(at, at + PROPOSALS_AT_ONCE)) some.push(await carry(run, made))
        const outcomes = await bringOut(run, some, ports)
        for (const [index, one] of some.entries()) {
          const outcome = outcomes[index] ?? 'outdated'
          if (outcome === 'outdated') continue
          const untold = await tellFindings(run, { one, outcome }, ports)
          ended.push(remember(done, publishedOf(run, { one, outcome, untold })))
        }
        if (outcomes.includes('outdated')) return 'outdated'
      }
      return 'taken'
    },
    hold: async ({ group, reason, isBroken = false }, findings = []) => {
      const head = headBranch(branches, group)
      // what it proposed before may be merged meanwhile
      const open = await run.session.findOpen(head)
      const isHalting = open !== undefined && isBroken
      const halted = isHalting ? await haltPullRequest(run, open).catch(refusalOfOne) : 'leave'
      const refused = halted instanceof StackmasonError ? halted.diagnostics : undefined
      const action = halted instanceof StackmasonError ? 'leave' : halted
      ended.push({
        group,
        head,
        status: 'held',
        held: reason,
        pullRequest: open === undefined ? undefined : { action, number: open.number, url: open.url },
        draft: isHalting && refused === undefined ? reason : undefined,
        isPushed: false,
        files: [],
        clusters: [],
        findings: [...findings, ...(refused ?? [])],
      })
    },
    rendering: async (edits, work, failed) => {
      const { repository, url } = run.checkout.remote
      const tree = await askingGit(url, () => ports.gitWriter.addTree(repository, prepared.tree.commit))
      return withTree({ tree }, async () => {
        const rendered = await renderInto(run, { tree, edits }, ports).catch((error: unknown) => {
          if (error instanceof StackmasonError) return error
          throw error
        })
        return rendered instanceof StackmasonError ? failed(rendered) : work(rendered)
      })
    },
  }
}

/** A proposal, and what its branch gets. */
interface CarriedProposal {
  readonly made: MadeProposal
  readonly head: string
  /** With what belongs to it on the branch. */
  readonly change: SourceChange
  readonly judged: JudgedFindings | undefined
  readonly targeted: ReturnType<typeof targetFiles>
}

async function carry(run: ProposalsRun, made: MadeProposal): Promise<CarriedProposal> {
  // where the checkout lies is nothing that others should read, or that texts should differ by
  const draft = made.draft?.replaceAll(`${run.checkout.facts.root}/`, '')
  const head = headBranch(run.branches, made.group)
  const change = await completed(run, { ...made, head })
  const judged = change.files.length + change.inputs.length > 0 ? await made.judge?.(change) : undefined
  const targeted = targetFiles(change, change.files, run.prepared)
  return { made: { ...made, draft }, head, change, judged, targeted }
}

/** Proposes what has something to propose, and withdraws the others; in order. */
async function bringOut(
  run: ProposalsRun,
  some: readonly CarriedProposal[],
  ports: Ports,
): Promise<readonly (Partial<ProposalEnd> | 'outdated')[]> {
  const isNothing = ({ made, targeted }: CarriedProposal): boolean =>
    targeted.files.length === 0 && made.draft === undefined
  const [nothing, wanted] = [some.filter(isNothing), some.filter((one) => !isNothing(one))]
  const withdrawn = await withdraw(
    run,
    nothing.map(({ head }) => head),
    ports,
  )
  const changes = wanted.map(({ made, head, change, judged, targeted }) => ({
    ...made,
    head,
    part: made.part,
    change: tellingOf(change, judged),
    committed: targeted.committed,
  }))
  const proposed = await propose(run, changes, ports)
  return some.map((one) => withdrawn[nothing.indexOf(one)] ?? proposed[wanted.indexOf(one)] ?? 'outdated')
}

/** Shows what a check found beside the pull request, and gives what cannot be shown. */
async function tellFindings(
  run: ProposalsRun,
  { one: { judged }, outcome }: { readonly one: CarriedProposal; readonly outcome: Partial<ProposalEnd> },
  ports: Ports,
): Promise<readonly Diagnostic[]> {
  const { headCommit: commit, pullRequest } = outcome
  if (judged === undefined || commit === undefined || pullRequest?.number === undefined) return []
  return (await tellJudged(run, judged, { commit, number: pullRequest.number }, ports)).findings
}

function publishedOf(
  run: ProposalsRun,
  {
    one: { made, head, change, targeted },
    outcome,
    untold,
  }: {
    readonly one: CarriedProposal
    readonly outcome: Partial<ProposalEnd>
    readonly untold: readonly Diagnostic[]
  },
): PublishedProposal {
  return {
    group: made.group,
    head,
    ...endOf(run, outcome),
    draft: made.draft,
    files: targeted.files,
    clusters: clustersOf(change.files),
    findings: [...change.result.findings, ...(outcome.findings ?? []), ...untold, ...(outcome.refused ?? [])],
  }
}

/** The content of a branch, with the pins that belong to it; a branch that only reports something has none. */
async function completed(
  run: ProposalsRun,
  { rendered, change, part, draft, head }: MadeProposal & { readonly head: string },
): Promise<SourceChange> {
  if (draft !== undefined && change.files.length === 0) return change
  const whole = await run.complete(rendered, { head, part })
  const { beforehand } = whole
  const isCarried = ({ path }: TreeFile): boolean =>
    part === undefined || part.has(path) || path.startsWith(`${ARTIFACTS}/`)
  return { ...change, files: whole.files.filter(isCarried), ...(beforehand !== undefined && { beforehand }) }
}

/** Texts tell what a check finds, which is more than rendering does. */
function tellingOf(change: SourceChange, judged: JudgedFindings | undefined): SourceChange {
  return judged === undefined ? change : { ...change, result: { ...change.result, findings: judged.findings } }
}

/** Renders a commit into its work tree. @throws StackmasonError as `render` and `update` */
export async function renderInto(
  { render, checkout }: ProposalsRun,
  { tree, edits }: { readonly tree: PublishTree; readonly edits: InputEdits },
  ports: Ports,
): Promise<RenderedSource> {
  const roots = { from: tree.folder, to: checkout.facts.root }
  const change = await relocating(roots, () => render(tree, edits))
  return renderedSource(tree, { ...change, result: relocateResult(change.result, roots) }, ports)
}

/**
 * Closes what earlier runs have proposed and this one does not. @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED
 */
export async function withdrawOthers(
  run: ProposalsRun,
  isGone: (head: string, kind: string) => boolean,
  ports: Ports,
): Promise<readonly PublishedProposal[]> {
  const { prepared, branches, done } = run
  const withdrawn: PublishedProposal[] = []
  const gone = [...prepared.others.keys()].sort().flatMap((head) => {
    const kind = kindOfHead(branches, head)
    return kind !== undefined && isGone(head, kind) ? [{ head, group: kind }] : []
  })
  for (let at = 0; at < gone.length; at += PROPOSALS_AT_ONCE) {
    const some = gone.slice(at, at + PROPOSALS_AT_ONCE)
    const heads = some.map(({ head }) => head)
    for (const [index, outcome] of (await withdraw(run, heads, ports)).entries()) {
      const one = some[index]
      if (one === undefined) continue
      const findings = [...(outcome.findings ?? []), ...(outcome.refused ?? [])]
      withdrawn.push(remember(done, { ...one, ...endOf(run, outcome), files: [], clusters: [], findings }))
    }
  }
  return withdrawn
}

/** An earlier attempt may have done it: then nothing is left to do now, or no more than its pull request. */
function remember(done: Map<string, PublishedProposal>, end: PublishedProposal): PublishedProposal {
  const earlier = done.get(end.head)
  const isPushedBefore = end.status === 'refused' && end.commit === undefined && earlier?.commit !== undefined
  const kept =
    end.status === 'current' && earlier?.status === 'published'
      ? earlier
      : isPushedBefore
        ? { ...end, commit: earlier.commit, isPushed: true }
        : end
  done.set(end.head, kept)
  return kept
}

function endOf(
  { mode }: ProposalsRun,
  { commit, pullRequest, isPlanned, isBranchGone, held, left, refused, text }: Partial<ProposalEnd>,
): Pick<
  PublishedProposal,
  'status' | 'commit' | 'pullRequest' | 'held' | 'left' | 'isPushed' | 'isBranchGone' | 'text'
> {
  if (held !== undefined) return { status: 'held', held, isPushed: false }
  const isWritten = commit !== undefined || (pullRequest !== undefined && pullRequest.action !== 'leave')
  const isDone = isWritten || isPlanned === true
  return {
    commit,
    pullRequest,
    left,
    isBranchGone,
    text,
    isPushed: commit !== undefined || (isPlanned === true && pullRequest?.action !== 'close'),
    status: refused !== undefined ? 'refused' : !isDone ? 'current' : mode === 'plan' ? 'planned' : 'published',
  }
}
