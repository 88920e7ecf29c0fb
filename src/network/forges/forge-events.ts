import type { PullRequestEnding } from './forge-calls.ts'
import { mapOf, optionalTextAt } from './forge-shape.ts'

/** Something that happened to a pull request. */
export interface ForgeEvent {
  readonly kind: string
  /** RFC 3339. */
  readonly at: string
}

/** Reads an entry of a timeline; `field` says what happened. @throws ForgeShapeError */
export function parseForgeEvent(value: unknown, field: string): ForgeEvent {
  const map = mapOf(value, 'an event')
  return { kind: optionalTextAt(map, field), at: optionalTextAt(map, 'created_at') }
}

/** Looks for the newest closing and deletion among events, oldest first. */
export function endingOf(
  events: readonly ForgeEvent[],
  kinds: { readonly closed: string; readonly branchDeleted: string },
  window: PullRequestEnding['window'],
): PullRequestEnding {
  const newest = (wanted: string): string | undefined => events.findLast(({ kind }) => kind === wanted)?.at
  return { closed: newest(kinds.closed), branchDeleted: newest(kinds.branchDeleted), window }
}
