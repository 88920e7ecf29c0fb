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
  propose,
  type ProposalEnd,
  type ProposingRun,
  type PublishedPullRequest,
  withdraw,
} from './propose.ts'
import { tellJudged } from './judged-change.ts'
import { placedFiles, withTree } from './publish-attempt.ts'
import { askingGit } from './publish-problem.ts'
import { relocateResult, relocating } from './relocate-findings.ts'
import { renderedSource, type RenderedSource } from './rendered-source.ts'
import { clustersOf, type SourceChange, type TreeFile } from './source-change.ts'
import type { JudgedFindings } from './tell-findings.ts'

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
  /** Why nothing is done about it: somebody does not want it, or has changed its branch. */
  readonly left?: 'declined' | 'foreign'
  /** True if its branch gets a commit, or would. */
  readonly isPushed: boolean
  readonly files: readonly PublishedFile[]
  readonly clusters: readonly string[]
  /** The commit that was made. */
  readonly commit?: string
  readonly pullRequest?: PublishedPullRequest
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
    branch: { readonly head: string; readonly part?: ReadonlySet<string> },
  ) => Promise<SourceChange>
  /** Judges what was rendered into a work tree. */
  readonly check: (tree: PublishTree) => Promise<JudgedFindings>
  /** Plans what waves may get. */
  readonly planWaves: () => Promise<RolloutsPlan>
  /** What earlier attempts of this run have done, by branch. */
  readonly done: Map<string, PublishedProposal>
}

/** A proposal that was made, and is to be brought onto its branch. */
export interface MadeProposal extends Proposal {
  readonly rendered: RenderedSource
  /** Of what was rendered, what it carries; pins of artifacts are added to it. */
  readonly change: SourceChange
  /** What a check finds there; absent: nobody asks. */
  readonly judge?: (change: SourceChange) => Promise<JudgedFindings>
}

/** Brings proposals to where people see them, and keeps what became of them. */
export interface ProposalDesk {
  readonly run: ProposalsRun
  /** What became of proposals so far. */
  readonly ended: readonly PublishedProposal[]
  /** Also a draft whose change is empty has a branch; nothing else that is. @returns whether somebody was faster */
  readonly take: (proposal: MadeProposal) => Promise<'taken' | 'outdated'>
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
    take: async (made) => {
      const { group, rendered } = made
      // where the checkout lies is nothing that others should read, or that texts should differ by
      const draft = made.draft?.replaceAll(`${run.checkout.facts.root}/`, '')
      const head = headBranch(branches, group)
      const change = await completed(run, { ...made, head })
      const judged = change.files.length + change.inputs.length > 0 ? await made.judge?.(change) : undefined
      const { files, committed } = placedFiles(change, change.files, prepared)
      const isNothing = files.length === 0 && draft === undefined
      const own = { ...run, prepared: { ...prepared, tree: rendered.tree } }
      const outcome = isNothing
        ? await withdraw(run, head, ports)
        : await propose(
            own,
            {
              ...made,
              ...(draft !== undefined && { draft }),
              change: tellingOf(change, judged),
              part: made.part,
              head,
              committed,
            },
            ports,
          )
      if (outcome === 'outdated') return outcome
      const { headCommit: commit, pullRequest } = outcome
      const { findings: untold } =
        judged === undefined || commit === undefined || pullRequest?.number === undefined
          ? { findings: [] }
          : await tellJudged(run, judged, { commit, number: pullRequest.number }, ports)
      const end: PublishedProposal = {
        group,
        head,
        ...endOf(run, outcome),
        ...(draft !== undefined && { draft }),
        files,
        clusters: clustersOf(change.files),
        findings: [...change.result.findings, ...(outcome.findings ?? []), ...untold],
      }
      ended.push(remember(done, end))
      return 'taken'
    },
    hold: async ({ group, reason, isBroken = false }, findings = []) => {
      const head = headBranch(branches, group)
      // what it proposed before may be merged meanwhile
      const open = await run.session.findOpen(head)
      const action = open !== undefined && isBroken ? await haltPullRequest(run, open) : 'leave'
      ended.push({
        group,
        head,
        status: 'held',
        held: reason,
        ...(open !== undefined && { pullRequest: { action, number: open.number, url: open.url } }),
        ...(open !== undefined && isBroken && { draft: reason }),
        isPushed: false,
        files: [],
        clusters: [],
        findings,
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

/** What a branch carries, and the pins that belong to it; one that only tells something pins nothing. */
async function completed(
  run: ProposalsRun,
  { rendered, change, part, draft, head }: MadeProposal & { readonly head: string },
): Promise<SourceChange> {
  if (draft !== undefined && change.files.length === 0) return change
  const whole = await run.complete(rendered, { head, ...(part !== undefined && { part }) })
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

/** Closes what earlier runs have proposed and this one does not. @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED */
export async function withdrawOthers(
  run: ProposalsRun,
  isGone: (head: string, kind: string) => boolean,
  ports: Ports,
): Promise<readonly PublishedProposal[]> {
  const { prepared, branches, done } = run
  const withdrawn: PublishedProposal[] = []
  for (const head of [...prepared.others.keys()].sort()) {
    const kind = kindOfHead(branches, head)
    if (kind === undefined || !isGone(head, kind)) continue
    const outcome = await withdraw(run, head, ports)
    const { findings = [] } = outcome
    withdrawn.push(remember(done, { group: kind, head, ...endOf(run, outcome), files: [], clusters: [], findings }))
  }
  return withdrawn
}

/** An earlier attempt may have done it: then nothing is left to do now. */
function remember(done: Map<string, PublishedProposal>, end: PublishedProposal): PublishedProposal {
  const earlier = done.get(end.head)
  const kept = end.status === 'current' && earlier?.status === 'published' ? earlier : end
  done.set(end.head, kept)
  return kept
}

function endOf(
  { mode }: ProposalsRun,
  { commit, pullRequest, isPlanned, held, left }: Partial<ProposalEnd>,
): Pick<PublishedProposal, 'status' | 'commit' | 'pullRequest' | 'held' | 'left' | 'isPushed'> {
  if (held !== undefined) return { status: 'held', held, isPushed: false }
  const isWritten = commit !== undefined || (pullRequest !== undefined && pullRequest.action !== 'leave')
  const isDone = isWritten || isPlanned === true
  return {
    ...(commit !== undefined && { commit }),
    ...(pullRequest !== undefined && { pullRequest }),
    ...(left !== undefined && { left }),
    isPushed: commit !== undefined || (isPlanned === true && pullRequest?.action !== 'close'),
    status: !isDone ? 'current' : mode === 'plan' ? 'planned' : 'published',
  }
}
