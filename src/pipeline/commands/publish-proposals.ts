import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Ports } from '../../model/ports.ts'
import { whyNotOpen } from '../../publish/may-open.ts'
import type { PublishedFile } from '../../publish/commit-message.ts'
import { headBranch, type HeadBranches } from '../../publish/head-branch.ts'
import { beginForgeSession } from '../publishing/forge-session.ts'
import type { FoundBefore } from '../publishing/judged-change.ts'
import { HISTORY } from '../publishing/open-checkout.ts'
import { withTree } from '../publishing/publish-attempt.ts'
import { askingGit } from '../publishing/publish-problem.ts'
import { publishedSource } from '../publishing/published-source.ts'
import type { PublishedProposal } from '../publishing/proposal-desk.ts'
import { runProposals } from '../publishing/run-proposals.ts'
import { relocateFindings, relocating } from '../publishing/relocate-findings.ts'
import { NO_WAVES, planRollouts, type RolloutsPlan } from '../publishing/plan-rollouts.ts'
import { judgeSource } from './judge-source.ts'
import { type Attempted, type Begun, noWaves, sourceAndTarget, renderPrepared, stepsOf } from './publish-run.ts'

/** Makes the proposals of a run, and brings each to its pull request. */
export async function publishProposals(
  begun: Begun,
  branches: HeadBranches,
  ports: Ports,
): Promise<Attempted | 'outdated'> {
  const { run, prepared, artifacts, opened } = begun
  const { checkout, context, mode, options, done } = run
  // before anything is rendered the work tree has what the branch has
  await artifacts.followFirst(prepared.target)
  const session = beginForgeSession({ prepared, checkout, branches }, options.openForge, ports)
  const end = await runProposals(
    {
      prepared,
      checkout,
      context,
      mode,
      mask: options.mask,
      spare: options.spare,
      session,
      mayOpen: async () =>
        whyNotOpen(checkout.fleet.publish, {
          now: ports.clock.now(),
          timeZones: ports.timeZones,
          open: await session.countOpen(),
        }),
      branches,
      isUpdated: options.isUpdated,
      render: (tree, edits) => renderPrepared(begun, { ...prepared, tree, edits }, ports),
      complete: ({ tree, change }, { head, ...part }) =>
        relocating({ from: tree.folder, to: checkout.facts.root }, () =>
          artifacts.pin({ change, root: tree.folder, head: prepared.others.get(head), ...part }),
        ),
      check: async (tree) => {
        const { maskFinding = (finding: Diagnostic) => finding, network = 'online' } = options
        const { awaited } = opened?.gate ?? {}
        const source = {
          tree,
          file: checkout.file,
          awaited,
          root: checkout.facts.root,
          network,
        }
        const judged = await judgeSource(source, ports)
        return { ...judged, findings: judged.findings.map(maskFinding) }
      },
      foundBefore: () => foundBefore(begun, ports),
      planWaves: () => planWaves(begun, ports),
      done,
    },
    ports,
  )
  if (end === 'outdated') return end
  const { proposals, fleet, steps, findings, rollouts } = end
  const ends = sourceAndTarget(begun)
  const isActed = ({ status }: PublishedProposal): boolean => status === 'published' || status === 'planned'
  const [pullRequest] = [...proposals.filter(isActed), ...proposals].flatMap((one) => one.pullRequest ?? [])
  const commit = proposals.find((one) => one.commit !== undefined)?.commit
  const isDone = proposals.some(isActed)
  const isRefused = proposals.some(({ status }) => status === 'refused')
  return {
    ...ends,
    target: {
      ...ends.target,
      head: (proposals.find(isActed) ?? proposals[0])?.head ?? headBranch(branches, 'fleet'),
    },
    status: isDone ? (mode === 'plan' ? 'planned' : 'published') : isRefused ? 'refused' : 'unchanged',
    fleet,
    files: uniqueFiles(proposals.flatMap(({ files }) => files)),
    clusters: [...new Set(proposals.flatMap(({ clusters }) => clusters))].sort(),
    commit,
    pullRequest,
    proposals,
    artifacts: [],
    steps,
    ...stepsOf(begun, [...findings, ...proposals.flatMap(({ findings: found }) => found)]),
    rollouts,
  }
}

/** Checks the inputs that the branch has the tree of; undefined where they cannot be judged. */
async function foundBefore(
  { run: { checkout, options }, target, prepared }: Begun,
  ports: Ports,
): ReturnType<FoundBefore> {
  const { file, output, facts, remote: home } = checkout
  const { maskFinding = (finding: Diagnostic) => finding, network = 'online' } = options
  const isElsewhere = target.elsewhere !== undefined
  const tree = await askingGit(home.url, async () => {
    const source = await publishedSource(prepared, { isElsewhere }, ports)
    if (source === undefined) return undefined
    await ports.gitWriter.complete(home, source, { folder: output, history: HISTORY })
    return ports.gitWriter.addTree(home.repository, source)
  })
  if (tree === undefined) return undefined
  return withTree({ tree }, async () => {
    try {
      const { findings } = await judgeSource({ tree, file, root: facts.root, network }, ports)
      return findings.map(maskFinding)
    } catch (error) {
      if (error instanceof StackmasonError) return undefined
      throw error
    }
  })
}

/** Plans what waves may get. */
async function planWaves({ run, target, prepared, opened }: Begun, ports: Ports): Promise<RolloutsPlan> {
  const { checkout, options } = run
  const { rollouts } = checkout.fleet
  if (rollouts.length > 0 && target.elsewhere !== undefined) return { ...NO_WAVES, findings: [noWaves(rollouts)] }
  const roots = { from: prepared.tree.folder, to: checkout.facts.root }
  const { network = 'online' } = options
  const plan = await relocating(roots, () =>
    planRollouts({ prepared, checkout, reports: opened?.reports, network }, ports),
  )
  return { ...plan, findings: relocateFindings(plan.findings, roots) }
}

/** Each path once: two proposals may carry the same file. */
function uniqueFiles(files: readonly PublishedFile[]): readonly PublishedFile[] {
  return [...new Map(files.map((file) => [file.path, file])).values()]
}
