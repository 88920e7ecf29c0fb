import type { AdoptResult } from '../../pipeline/commands/adopt.ts'
import type { CompareResult } from '../../pipeline/commands/compare-live.ts'
import type { CommandResult } from '../command.ts'

/** A fleet that was written, or the comparison of one with what runs. */
export type AdoptOutcome = CommandResult &
  (
    | { readonly action: 'write'; readonly written: AdoptResult }
    | { readonly action: 'compare'; readonly compared: CompareResult }
  )

/** The result of a comparison in one word: `unknown` where no difference was found, and not all could be compared. */
export function comparisonStatus({ clusters }: CompareResult): 'same' | 'different' | 'unknown' {
  if (clusters.some(({ differences }) => differences.length > 0)) return 'different'
  return clusters.some(({ unknown }) => unknown.length > 0) ? 'unknown' : 'same'
}

/** True if applying the fleet would change something, or may. */
export function mayChange(outcome: AdoptOutcome): boolean {
  return outcome.action === 'compare' && comparisonStatus(outcome.compared) !== 'same'
}

/** The name of a place: a cluster, or the one that manages them all. */
export function clusterName(clusterKey: string): string {
  return clusterKey === '' ? 'management cluster' : clusterKey
}
