import { type CommitStatus, type FindingsReport, type FindingsWeight, findingsWeights } from '../../model/forge.ts'

/** A verdict that a commit has. */
export interface KnownVerdict {
  readonly weight: FindingsWeight
  readonly state: CommitStatus
}

/** The weight of a report. */
export function weightOf({ weight = 'compared' }: Pick<FindingsReport, 'weight'>): FindingsWeight {
  return weight
}

/**
 * True if what is there stays, since it goes by more than the report does. A check that fails replaces what has passed;
 * one that is not done may yet fail.
 */
export function isOutweighed(report: Pick<FindingsReport, 'weight' | 'conclusion'>, known: KnownVerdict): boolean {
  const weight = weightOf(report)
  if (findingsWeights.indexOf(weight) >= findingsWeights.indexOf(known.weight)) return false
  return weight === 'publish' || report.conclusion === 'success' || known.state !== 'success'
}
