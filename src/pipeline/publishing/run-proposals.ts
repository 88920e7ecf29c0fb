import type { Diagnostic } from '../../model/diagnostic.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import type { StepPlan } from '../../model/steps.ts'
import { SHARED } from '../../publish/group-files.ts'
import { headBranch } from '../../publish/head-branch.ts'
import { type InputEdits, NO_EDITS } from '../../publish/proposal.ts'
import type { StackRollout } from './plan-rollouts.ts'
import { planProposals } from './plan-proposals.ts'
import {
  type MadeProposal,
  openDesk,
  type ProposalsRun,
  type PublishedProposal,
  renderInto,
  withdrawOthers,
} from './proposal-desk.ts'
import { type FoundBefore, isOfOne, judgedPart, takesPart } from './judged-change.ts'
import { proposeReleases } from './release-proposals.ts'
import { settleRollouts } from './settle-rollouts.ts'
import { proposeWaves } from './wave-proposals.ts'
import { clustersOf, type SourceChange } from './source-change.ts'
import type { JudgedFindings } from './tell-findings.ts'

/** The outcome of all proposals of a run. */
export interface ProposalsEnd {
  readonly proposals: readonly PublishedProposal[]
  readonly fleet: string
  readonly steps: readonly StepPlan[]
  readonly findings: readonly Diagnostic[]
  /** How releases reach clusters, by stack. */
  readonly rollouts: readonly StackRollout[]
}

/**
 * Makes each proposal from the same commit, brings it onto its branch, and closes the pull requests of branches of ours
 * that nothing is left for.
 * @throws StackmasonError PUBLISH_*, FETCH_*, GIT_FAILED; as `render` and `update`
 */
export async function runProposals(run: ProposalsRun, ports: Ports): Promise<ProposalsEnd | 'outdated'> {
  const { prepared, checkout, branches, isUpdated } = run
  const desk = openDesk(run, ports)
  const edits: InputEdits = isUpdated ? { ...NO_EDITS, lock: 'rest' } : NO_EDITS
  const rendered = await renderInto(run, { tree: prepared.tree, edits }, ports)
  const { result } = rendered.change
  const { pullRequest, oci } = checkout.fleet.publish
  const hasPinsAlone = oci?.artifacts === 'units' && rendered.change.files.length === 0
  const grouping = hasPinsAlone ? 'fleet' : pullRequest.grouping
  const plan = await planProposals(rendered, { grouping })
  const merged = hasPinsAlone ? { ...plan, proposals: [{ group: 'fleet' }] } : plan
  const kinds = new Set(['fleet', SHARED, 'namespace', 'cluster', ...(isUpdated ? ['release'] : [])])
  // an open one of what waits could be merged, also by itself
  const planned = new Set(merged.proposals.map(({ group }) => headBranch(branches, group)))
  const withdrawn = await withdrawOthers(
    run,
    (head, kind) => kind !== 'release' && kinds.has(kind) && !planned.has(head),
    ports,
  )
  for (const held of merged.held) await desk.hold(held)
  let all: Promise<JudgedFindings> | undefined
  let before: ReturnType<FoundBefore> | undefined
  const made = merged.proposals.map(({ group, part }): MadeProposal => {
    const change = part === undefined ? rendered.change : partOf(rendered.change, group, part)
    const judge = async (carried: SourceChange): Promise<JudgedFindings> =>
      judgedPart(
        await (all ??= run.check(rendered.tree)),
        { group, files: carried.files, all: rendered.change.files },
        () => (before ??= run.foundBefore()),
      )
    return { group, rendered, change, judge, part }
  })
  if ((await desk.take(...made)) === 'outdated') return 'outdated'
  if (isUpdated && (await proposeReleases(desk, rendered)) === 'outdated') return 'outdated'
  const waves = await run.planWaves()
  if ((await proposeWaves(desk, rendered, waves)) === 'outdated') return 'outdated'
  const heads = new Set(desk.ended.map(({ head }) => head))
  const later = new Set(isUpdated ? ['release', 'rollout'] : ['rollout'])
  const gone = await withdrawOthers(run, (head, kind) => later.has(kind) && !heads.has(head), ports)
  const proposals = [...desk.ended, ...withdrawn, ...gone]
  return {
    proposals,
    fleet: result.fleet,
    steps: result.steps ?? [],
    findings: [...result.findings, ...waves.findings],
    rollouts: settleRollouts(waves.rollouts, desk.ended),
  }
}

/** Of a change what a group carries, and what is told of it. */
function partOf(change: SourceChange, group: string, part: ReadonlySet<string>): SourceChange {
  const files = change.files.filter(({ path }) => part.has(path))
  if (!isOfOne(group)) return { ...change, files }
  const clusters = new Set(clustersOf(files))
  const { result } = change
  const { steps = [] } = result
  return {
    ...change,
    files,
    result: {
      ...result,
      steps: steps.filter(({ cluster }) => clusters.has(objectPath(cluster))),
      findings: result.findings.filter(takesPart(files)),
    },
  }
}
