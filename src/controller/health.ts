import type { TextAnswer } from '../model/listener.ts'
import type { Trouble } from './trouble.ts'
import type { Reflector } from './watching/reflector.ts'

/** Milliseconds without a list or watch after which only a restart is left. */
const STUCK = 10 * 60_000

/** A reflector, as probes see it. */
export type WatchedHealth = Pick<Reflector, 'target' | 'hasSynced' | 'stuckFor'>

/** A failure as probes see it. */
export type KnownTrouble = Pick<Trouble, 'why' | 'last'>

interface Needed {
  readonly name: string
  readonly hasBegun: () => boolean
  /** Said while it has not begun. */
  readonly notYet: string
  readonly trouble: KnownTrouble
}

/**
 * Says how the controller is: `/healthz`, whether it should be restarted; `/readyz`, whether it can do its work. An
 * instance that sees the lease of another one watches nothing yet, and is ready to.
 */
export class Health {
  readonly #watches = new Set<WatchedHealth>()
  readonly #needed: Needed[] = []

  /** Looks after a reflector. */
  follow(watch: WatchedHealth): void {
    this.#watches.add(watch)
  }

  /** The reflector was stopped. */
  leave(watch: WatchedHealth): void {
    this.#watches.delete(watch)
  }

  /** Work cannot begin before this reflector has listed, nor go on while it has trouble. */
  need(watch: WatchedHealth, trouble: KnownTrouble): void {
    this.#needed.push({ name: nameOf(watch), hasBegun: () => watch.hasSynced, notYet: 'not listed yet', trouble })
  }

  /** Nor while it cannot be known who holds the lease. */
  needLease(name: string, { hasSeen }: { readonly hasSeen: () => boolean }, trouble: KnownTrouble): void {
    this.#needed.push({ name: `lease ${name}`, hasBegun: hasSeen, notYet: 'not seen yet', trouble })
  }

  /** The answer for a path. */
  answer(path: string): TextAnswer {
    if (path === '/healthz') {
      const failing = [...this.#watches].filter(({ stuckFor }) => stuckFor > STUCK)
      return verdict(failing.map((watch) => ({ name: nameOf(watch), why: 'not heard of for too long' })))
    }
    if (path === '/readyz') {
      return verdict(
        this.#needed.flatMap(({ name, hasBegun, notYet, trouble }) => {
          const why = hasBegun() ? trouble.why : (trouble.last ?? notYet)
          return why === undefined ? [] : [{ name, why }]
        }),
      )
    }
    return { status: 404, text: 'there are /healthz and /readyz\n' }
  }
}

function nameOf({ target: { resource, namespace } }: WatchedHealth): string {
  return namespace === '' ? resource.plural : `${resource.plural} of ${namespace}`
}

/** One line for each reason. */
function verdict(failing: readonly { readonly name: string; readonly why: string }[]): TextAnswer {
  if (failing.length === 0) return { status: 200, text: 'ok\n' }
  const reasons = [...new Set(failing.map(({ why }) => why))]
  const lines = reasons.map((reason) => {
    const names = failing.filter(({ why }) => why === reason).map(({ name }) => name)
    return `${names.join(', ')}: ${reason}\n`
  })
  return { status: 503, text: lines.join('') }
}
