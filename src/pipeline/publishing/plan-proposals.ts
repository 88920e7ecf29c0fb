import { NO_EDITS, type ProposalPlan } from '../../publish/proposal.ts'

/** What a run proposes: one change of the whole fleet. */
export function planProposals({ isUpdated }: { readonly isUpdated: boolean }): ProposalPlan {
  const edits = isUpdated ? { ...NO_EDITS, lock: 'moved' as const } : NO_EDITS
  return { proposals: [{ group: 'fleet', edits }], held: [], kinds: new Set(['fleet']) }
}
