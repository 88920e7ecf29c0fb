import type { Code } from '../../model/error-codes.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { CreatedPullRequest, Forge, NewPullRequest, PullRequest } from '../../model/forge.ts'
import type { Ports } from '../../model/ports.ts'
import { backoff } from '../transport/retry.ts'

/** One pull request on its way. */
export interface Creation {
  readonly wanted: NewPullRequest
  readonly forge: Pick<Forge, 'openPullRequests'>
  /** Asks the forge, once. */
  readonly create: () => Promise<PullRequest>
}

/** Problems after which the forge may have opened it all the same, or had one already. */
const mayBeThere: ReadonlySet<Code> = new Set(['FETCH_FAILED', 'FETCH_TIMEOUT', 'FETCH_REFUSED', 'FETCH_INVALID'])
/** Those among them that may pass. */
const mayPass: ReadonlySet<Code> = new Set(['FETCH_FAILED', 'FETCH_TIMEOUT', 'FETCH_REFUSED'])
const ATTEMPTS = 3

/**
 * Opens a pull request, or finds the one that is there: after a failure that does not tell whether it was opened, the
 * forge is asked for one of this branch before another try. A forge has one open pull request for a branch and its base
 * at most, so a try that comes too late is refused, and what is there is found.
 * @throws StackmasonError what `create` and the look for it throw
 */
export async function createOrFind(
  { wanted, forge, create }: Creation,
  { clock, random }: Pick<Ports, 'clock' | 'random'>,
): Promise<CreatedPullRequest> {
  for (let attempt = 1; ; attempt++) {
    try {
      return { pullRequest: await create(), outcome: 'created' }
    } catch (error) {
      if (!(error instanceof StackmasonError) || !hasCode(error, mayBeThere)) throw error
      const open = await forge.openPullRequests(wanted.head)
      const found = open.filter(({ head }) => head === wanted.head)
      const pullRequest = found.find(({ base }) => base === wanted.base) ?? found[0]
      if (pullRequest !== undefined) return { pullRequest, outcome: 'found' }
      if (attempt >= ATTEMPTS || !hasCode(error, mayPass)) throw error
    }
    await clock.sleep(backoff(attempt, random))
  }
}

function hasCode({ diagnostics }: StackmasonError, codes: ReadonlySet<Code>): boolean {
  return diagnostics.some(({ code }) => codes.has(code))
}
