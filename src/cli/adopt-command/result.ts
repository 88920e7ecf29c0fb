import type { AdoptResult } from '../../pipeline/commands/adopt.ts'
import type { CompareResult } from '../../pipeline/commands/compare-live.ts'
import type { CommandResult } from '../command.ts'

/** A fleet that was written, or the comparison of one with what runs. */
export type AdoptOutcome = CommandResult &
  (
    | { readonly action: 'write'; readonly written: AdoptResult }
    | { readonly action: 'compare'; readonly compared: CompareResult }
  )

/** True if applying the fleet would change something. */
export function hasDifferences(outcome: AdoptOutcome): boolean {
  return outcome.action === 'compare' && outcome.compared.clusters.some(({ differences }) => differences.length > 0)
}

/** The name of a place: a cluster, or the one that manages them all. */
export function clusterName(clusterKey: string): string {
  return clusterKey === '' ? 'management cluster' : clusterKey
}
