import type { TextAnswer } from '../model/listener.ts'
import type { Reflector } from './watching/reflector.ts'

/** Milliseconds without a list or watch after which only a restart is left. */
const STUCK = 10 * 60_000

/** A reflector, as probes see it. */
export type WatchedHealth = Pick<Reflector, 'target' | 'hasSynced' | 'stuckFor'>

/**
 * Says how the controller is: `/healthz`, whether it should be restarted; `/readyz`, whether it can do its work. An instance that waits for the lease watches
 * nothing yet, and is ready to.
 */
export class Health {
  readonly #watches: WatchedHealth[] = []
  readonly #needed: WatchedHealth[] = []

  /** Looks after a reflector; work cannot begin before one that is `needed` has listed. */
  follow(watch: WatchedHealth, needed: 'needed' | 'further'): void {
    this.#watches.push(watch)
    if (needed === 'needed') this.#needed.push(watch)
  }

  /** The answer for a path. */
  answer(path: string): TextAnswer {
    if (path === '/healthz') {
      return verdict(this.#watches.filter(({ stuckFor }) => stuckFor > STUCK).map(nameOf), 'not heard of for too long')
    }
    if (path === '/readyz') {
      return verdict(this.#needed.filter(({ hasSynced }) => !hasSynced).map(nameOf), 'not listed yet')
    }
    return { status: 404, text: 'there are /healthz and /readyz\n' }
  }
}

function nameOf({ target: { resource, namespace } }: WatchedHealth): string {
  return namespace === '' ? resource.plural : `${resource.plural} of ${namespace}`
}

function verdict(failing: readonly string[], what: string): TextAnswer {
  return failing.length === 0
    ? { status: 200, text: 'ok\n' }
    : { status: 503, text: failing.map((name) => `${name}: ${what}\n`).join('') }
}
