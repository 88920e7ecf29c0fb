import {
  type CommitStatus,
  type FailOn,
  failOnLevels,
  type FindingsReport,
  type FindingsWeight,
  findingsWeights,
} from '../../model/forge.ts'

/** How much a verdict counts. */
export interface VerdictRank {
  readonly weight: FindingsWeight
  readonly failOn: FailOn
}

/** A verdict that a commit has. */
export interface KnownVerdict extends VerdictRank {
  readonly state: CommitStatus
}

/** All ranks that verdicts have. */
export const verdictRanks: readonly VerdictRank[] = findingsWeights.flatMap((weight) =>
  failOnLevels.map((failOn) => ({ weight, failOn })),
)

/** The rank of a report. */
export function rankOf({
  weight = 'compared',
  failOn = 'error',
}: Pick<FindingsReport, 'weight' | 'failOn'>): VerdictRank {
  return { weight, failOn }
}

/**
 * True if what is there stays, since it goes by more than the report does, or is stricter. A check that fails replaces
 * what has passed; one that is not done may yet fail.
 */
export function isOutweighed(
  report: Pick<FindingsReport, 'weight' | 'failOn' | 'conclusion'>,
  known: KnownVerdict,
): boolean {
  const { weight, failOn } = rankOf(report)
  const goesByLess = findingsWeights.indexOf(weight) < findingsWeights.indexOf(known.weight)
  const isLaxer = failOnLevels.indexOf(failOn) < failOnLevels.indexOf(known.failOn)
  if (goesByLess && weight === 'publish') return true
  return (goesByLess || isLaxer) && (report.conclusion === 'success' || known.state !== 'success')
}
