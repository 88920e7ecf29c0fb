import type { CommitStatus, NamedStatus } from '../../model/forge.ts'
import { isRequired, type RequiredStatus } from './required-statuses.ts'

/** The verdict on a required status. */
export interface StatusVerdict {
  /** As the fleet names it, with its placeholders filled in. */
  readonly context: string
  readonly state: CommitStatus
  /** The commit that says so; absent where none does. */
  readonly commit?: string
}

/**
 * Judges the statuses that are needed, from commits of a branch, newest first. A GitOps tool reports on the commit that
 * was the newest when it looked: often a later one than brought the change. So the newest commit counts on which a
 * status has ended; one that is pending there says nothing yet. One that was skipped has ended, and not well.
 */
export class StatusJudge {
  readonly #required: readonly RequiredStatus[]
  readonly #verdicts = new Map<RequiredStatus, StatusVerdict>()

  constructor(required: readonly RequiredStatus[]) {
    this.#required = required
  }

  /** True if no older commit changes anything. */
  get isDecided(): boolean {
    return this.#required.every((required) => isEnded(this.#verdicts.get(required)?.state))
  }

  /** Notes the next older commit. */
  note(commit: string, statuses: readonly NamedStatus[]): void {
    for (const required of this.#required) {
      const known = this.#verdicts.get(required)?.state
      if (isEnded(known)) continue
      const state = stateOf(statuses.filter(({ context }) => isRequired(required, context)))
      if (state === 'missing' || (known !== undefined && !isEnded(state))) continue
      this.#verdicts.set(required, { context: required.pattern, state, commit })
    }
  }

  /** In the order in which they are required. */
  verdicts(): readonly StatusVerdict[] {
    return this.#required.map(
      (required) => this.#verdicts.get(required) ?? { context: required.pattern, state: 'missing' },
    )
  }
}

/** All of them together: nothing is fine while one is not. */
export function worstOf(verdicts: readonly StatusVerdict[]): CommitStatus {
  const order: readonly CommitStatus[] = ['failure', 'skipped', 'missing', 'pending']
  return order.find((state) => verdicts.some((verdict) => verdict.state === state)) ?? 'success'
}

function isEnded(state: CommitStatus | undefined): boolean {
  return state === 'success' || state === 'failure' || state === 'skipped'
}

/** Several may have the name: those of two management clusters, or a status and a check run. */
function stateOf(statuses: readonly NamedStatus[]): CommitStatus {
  const has = (state: CommitStatus): boolean => statuses.some((status) => status.state === state)
  const order: readonly CommitStatus[] = ['failure', 'skipped', 'pending', 'success']
  return order.find(has) ?? 'missing'
}
