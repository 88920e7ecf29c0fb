import type { Report } from '../../report/report.ts'
import { formatClassName } from '../../model/release-name.ts'
import type { StackRollout } from '../../pipeline/publishing/plan-rollouts.ts'
import type { PublishedProposal } from '../../pipeline/publishing/proposal-desk.ts'
import type { PublishOutcome } from './outcome.ts'

/** The report of a publication for programs (schemas/publish-report.json). */
export function publishReport(outcome: PublishOutcome): Report {
  const { mode, status, fleet, source, target, files, clusters, commit, pullRequest } = outcome
  const { proposals, artifacts, attempts, waiting, rollouts, findings } = outcome
  const content = {
    mode,
    status,
    fleet,
    source,
    target,
    files,
    clusters,
    commit,
    pullRequest,
    proposals: proposals.map(proposalEntry),
    artifacts,
    attempts,
    waiting,
    rollouts: rollouts.map(rolloutEntry),
  }
  return { kind: 'PublishReport', content, findings }
}

function proposalEntry(proposal: PublishedProposal): object {
  const { group, head, status, draft, held, files, clusters, commit, pullRequest, text } = proposal
  return {
    group,
    head,
    status,
    draft,
    held,
    files: files.map(({ path }) => path),
    clusters,
    commit,
    pullRequest,
    text,
  }
}

function rolloutEntry({ stack, waves, left }: StackRollout): object {
  return {
    stack,
    waves: waves.map(({ moves, ...wave }) => ({
      ...wave,
      moves: moves.map(({ cluster, release }) => ({
        cluster: `${cluster.namespace}/${cluster.name}`,
        release: formatClassName(release),
      })),
    })),
    left,
  }
}
