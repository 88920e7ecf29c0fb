import { type PlainMessage, PlainReceiver, PlainSender } from '../../codec/plain-text.ts'
import { type Thread, ThreadError, type Threads } from '../../model/ports.ts'
import type { ThreadQuestion, ThreadSettings } from './expanding-thread.ts'
import { isPacked, unpackContents } from './packed-contents.ts'
import type { ExpandUnits, Taker, UnitPool, UnitResult } from './unit-results.ts'

/** The inputs of expanding in threads. */
export interface ThreadsRun {
  readonly threads: Threads
  /** How many of them; undefined: as many as pay. */
  readonly wanted: number | undefined
  readonly settings: ThreadSettings
  readonly taker: Extract<Taker, { readonly of: 'files' }>
  /** Expands what no thread does. */
  readonly here: ExpandUnits
}

/** Clusters for which a thread pays: until then, it takes longer to learn what others know than it saves. */
const CLUSTERS_EACH = 150
/** Fewer are expanded here. */
const FROM_CLUSTERS = 300
/** Each thread has a heap of its own; and this one reads, compares and writes for all of them. */
const MOST_THREADS = 4
/** Questions that wait in a thread, so that it need not wait itself. */
const QUESTIONS_EACH = 2

/** Opens as many threads as pay for that many clusters; without one, all is expanded here, with the same result. */
export function openThreads(clusters: number, run: ThreadsRun): UnitPool {
  const { threads, wanted, settings, taker, here } = run
  const most = Math.min(threads.parallelism() - 1, MOST_THREADS)
  const pays = Math.min(most, Math.floor(clusters / CLUSTERS_EACH))
  const count = wanted ?? (clusters < FROM_CLUSTERS ? 0 : pays)
  const open: OpenThread[] = []
  for (let index = 0; index < count; index++) {
    const thread = threads.start()
    if (thread !== undefined) open.push(new OpenThread(thread, settings))
  }
  const expand: ExpandUnits = async (units) => {
    const [first] = open.filter(({ isOver }) => !isOver).sort((a, b) => a.waiting - b.waiting)
    if (first === undefined) return here(units)
    let answer: unknown
    try {
      answer = await first.ask({ kind: 'units', units })
    } catch (error) {
      // whatever it was, it happens again here, where it can be told; or it was the thread's
      if (!(error instanceof ThreadError)) throw error
      return here(units)
    }
    if (!isPacked(answer)) throw new Error('a thread gave no clusters')
    return unpackContents(answer).map(({ folders, ...content }): UnitResult => ({
      ...content,
      give: () => taker.take(folders),
    }))
  }
  return {
    expand,
    ahead: open.length * QUESTIONS_EACH,
    end: () => {
      for (const thread of open) thread.end()
    },
  }
}

/** A thread that knows the settings, and what it was told before. */
class OpenThread {
  readonly #thread: Thread
  readonly #sender = new PlainSender()
  readonly #receiver = new PlainReceiver()
  #waiting = 0
  #isOver = false

  constructor(thread: Thread, settings: ThreadSettings) {
    this.#thread = thread
    const question: ThreadQuestion = { kind: 'settings', settings }
    // how it fails is told to who asks next
    this.#send(this.#sender.send(question, 'lasting')).catch(() => undefined)
  }

  /** How many questions wait. */
  get waiting(): number {
    return this.#waiting
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** @throws ThreadError */
  ask(question: ThreadQuestion): Promise<unknown> {
    return this.#send(this.#sender.send(question))
  }

  end(): void {
    this.#isOver = true
    this.#thread.end()
  }

  async #send(message: PlainMessage): Promise<unknown> {
    this.#waiting++
    try {
      return this.#receiver.receive(await this.#thread.ask(message))
    } catch (error) {
      this.#isOver = true
      throw error
    } finally {
      this.#waiting--
    }
  }
}
