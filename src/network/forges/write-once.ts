import { StackmasonError } from '../../model/diagnostic.ts'
import type { Code } from '../../model/error-codes.ts'
import type { Ports } from '../../model/ports.ts'
import { backoff } from '../transport/retry.ts'

/** Something that is to be there once. */
export interface OnceWritten<Item> {
  /** Asks the forge to make it. */
  readonly write: () => Promise<Item>
  /** Looks whether it is there; undefined when it is not. */
  readonly look: () => Promise<Item | undefined>
  /** Problems that may pass besides those that always may. */
  readonly passing?: readonly Code[]
}

/** Problems after which it may be there all the same, or was before. */
const mayBeThere: ReadonlySet<Code> = new Set([
  'FETCH_FAILED',
  'FETCH_TIMEOUT',
  'FETCH_REFUSED',
  'FETCH_INVALID',
  'PUBLISH_REFUSED',
])
/** Those among them that may pass. */
const mayPass: ReadonlySet<Code> = new Set(['FETCH_FAILED', 'FETCH_TIMEOUT', 'FETCH_REFUSED'])
const ATTEMPTS = 3
/** A forge learns of new commits within seconds. */
const PASSING_ATTEMPTS = 6

/**
 * Makes something that must not be there twice: after a failure that does not tell whether it was made, it is looked
 * for before another try.
 * @throws StackmasonError what `write` and `look` throw
 */
export async function writeOnce<Item>(
  { write, look, passing = [] }: OnceWritten<Item>,
  { clock, random }: Pick<Ports, 'clock' | 'random'>,
): Promise<{ readonly item: Item; readonly outcome: 'created' | 'found' }> {
  const codes = new Set(passing)
  const isPassing = (error: StackmasonError): boolean => hasCode(error, mayPass) || hasCode(error, codes)
  for (let attempt = 1; ; attempt++) {
    try {
      return { item: await write(), outcome: 'created' }
    } catch (error) {
      if (!(error instanceof StackmasonError) || !(hasCode(error, mayBeThere) || isPassing(error))) throw error
      const item = await look()
      if (item !== undefined) return { item, outcome: 'found' }
      const attempts = hasCode(error, codes) ? PASSING_ATTEMPTS : ATTEMPTS
      if (attempt >= attempts || !isPassing(error)) throw error
    }
    await clock.sleep(backoff(attempt, random))
  }
}

function hasCode({ diagnostics }: StackmasonError, codes: ReadonlySet<Code>): boolean {
  return diagnostics.some(({ code }) => codes.has(code))
}
