import { formatKey, type ObjectKey } from '../../kube/kube-object.ts'
import { numberField, textField } from '../../kube/json-field.ts'
import { collectionPath, secrets } from '../../kube/resource.ts'
import type { Clock, Random } from '../../model/ports.ts'
import { backoffAfter, type BackoffTimes, shareOf } from '../queue/backoff.ts'
import { splitLines } from '../watching/split-lines.ts'
import type { WorkloadClusters } from './workload-clusters.ts'

/** The options of {@link WorkloadWatches}. */
export interface WorkloadWatchesOptions {
  readonly clusters: Pick<WorkloadClusters, 'follow'>
  readonly clock: Clock
  readonly random: Random
  /** Each keeps a connection open: no more are watched at the same time. */
  readonly most: number
  /** Aborted when the controller ends. */
  readonly ending: AbortSignal
  /** Is told of failures, after which a watch ends: its words are those of other clusters. */
  readonly onFailure: (cluster: ObjectKey, error: unknown) => void
}

/** Secrets that we have made in a workload cluster. */
export interface WatchedSecrets {
  readonly cluster: ObjectKey
  /** Of ours alone. */
  readonly labelSelector: string
  /** The server's version when they were listed. */
  readonly version: string
}

/** The server ends a watch after this many seconds, and up to a quarter less, so that not all watches end together. */
const WATCH_SECONDS = 300
/** Milliseconds beyond that after which a connection is taken for dead. */
const SILENCE = 30_000
/** Milliseconds by which the server's clock may be ahead when it ends a watch. */
const EARLY = 5000
/** Milliseconds that a watch must have lived for failures to be forgotten. */
const LIVED = 60_000
/** Milliseconds between two changes that are told of: whoever rules the cluster may make as many as he likes. */
const ONCE_IN = 10_000
/** Milliseconds before the first one is told of: changes often come together. */
const TOGETHER = 500
/** Metadata; servers are not trusted. */
const LONGEST_LINE = 1024 * 1024

const backoff: BackoffTimes = { first: 4000, most: 5 * 60_000 }

interface Watch {
  readonly stop: AbortController
  readonly cluster: string
}

/**
 * Tells of changes of Secrets in workload clusters, of their metadata alone, and keeps nothing of them. A watch that
 * fails ends; whoever has looked at the cluster again begins another one.
 */
export class WorkloadWatches {
  readonly #options: WorkloadWatchesOptions
  readonly #watches = new Map<string, Watch>()
  readonly #failures = new Map<string, number>()
  readonly #running = new Set<Promise<void>>()

  constructor(options: WorkloadWatchesOptions) {
    this.#options = options
  }

  /** Watches that are kept open. */
  get size(): number {
    return this.#watches.size
  }

  /**
   * Tells of changes since that version, until it is forgotten or the watch fails; it goes on where it is watched
   * already.
   */
  follow(owner: ObjectKey, watched: WatchedSecrets, onChange: () => void): void {
    const { most, ending } = this.#options
    const key = formatKey(owner)
    const cluster = formatKey(watched.cluster)
    const before = this.#watches.get(key)
    if (before?.cluster === cluster || watched.version === '' || ending.aborted) return
    before?.stop.abort()
    this.#watches.delete(key)
    if (this.#watches.size >= most) return
    const watch = { stop: new AbortController(), cluster }
    this.#watches.set(key, watch)
    const signal = AbortSignal.any([watch.stop.signal, ending])
    const running = this.#run(key, watched, { signal, onChange })
    this.#running.add(running)
    void running.then(() => {
      this.#running.delete(running)
      if (this.#watches.get(key) === watch) this.#watches.delete(key)
      if (!signal.aborted) onChange()
    })
  }

  /** Nothing is of interest there any more. */
  forget(owner: ObjectKey): void {
    const key = formatKey(owner)
    this.#watches.get(key)?.stop.abort()
    this.#watches.delete(key)
    this.#failures.delete(key)
  }

  /** Resolves when all watches have come to their end; to be called when the controller ends. */
  async ended(): Promise<void> {
    await Promise.all(this.#running)
  }

  /** Watches until that fails, and waits for a while then; never rejects. */
  async #run(key: string, watched: WatchedSecrets, { signal, onChange }: Told): Promise<void> {
    const { clock, random, onFailure } = this.#options
    let version = watched.version
    const tell = this.#throttled(onChange, signal)
    while (!signal.aborted) {
      const startedAt = clock.monotonic()
      let failure: unknown
      try {
        version = await this.#watch({ ...watched, version }, { signal, onChange: tell })
      } catch (error) {
        failure = error
      }
      if (signal.aborted) return
      const hasLived = clock.monotonic() - startedAt > LIVED
      if (hasLived) this.#failures.delete(key)
      if (failure === undefined) continue
      onFailure(watched.cluster, failure)
      const failures = (this.#failures.get(key) ?? 0) + 1
      this.#failures.set(key, failures)
      await clock.sleep(backoffAfter(failures, backoff, random), signal)
      return
    }
  }

  /** One watch, and the version at its end. @throws WorkloadClusterError, ApiError, HttpError, RangeError, Error */
  async #watch(
    { cluster, labelSelector, version: since }: WatchedSecrets,
    { signal, onChange }: Told,
  ): Promise<string> {
    const { clusters, clock, random } = this.#options
    const seconds = Math.ceil(WATCH_SECONDS * (1 - shareOf(random) / 4))
    const tooLong = new AbortController()
    const timer = new AbortController()
    void clock.sleep(seconds * 1000 + SILENCE, timer.signal).then(() => {
      tooLong.abort()
    })
    const openedAt = clock.monotonic()
    let version = since
    try {
      const stream = await clusters.follow(
        cluster,
        {
          path: collectionPath(secrets, ''),
          query: {
            labelSelector,
            watch: 'true',
            allowWatchBookmarks: 'true',
            resourceVersion: version,
            timeoutSeconds: String(seconds),
          },
          content: 'metadata',
        },
        AbortSignal.any([signal, tooLong.signal]),
      )
      for await (const line of splitLines(stream.chunks, LONGEST_LINE)) {
        if (line === '') continue
        const event = readEvent(line)
        if (event.type !== 'BOOKMARK') onChange()
        version = event.version
      }
      // the server may be another one soon, or one whose data is restored: the cluster is to be looked at again
      if (clock.monotonic() - openedAt < seconds * 1000 - EARLY)
        throw new Error('the server ends the watch before its time')
      return version
    } finally {
      timer.abort()
    }
  }

  /** Tells soon, and then no sooner than after a while, of whatever has come meanwhile. */
  #throttled(onChange: () => void, signal: AbortSignal): () => void {
    const { clock } = this.#options
    let isWaiting = false
    let toldAt = -Infinity
    return () => {
      if (isWaiting) return
      isWaiting = true
      void clock.sleep(Math.max(TOGETHER, toldAt + ONCE_IN - clock.monotonic()), signal).then(() => {
        isWaiting = false
        if (signal.aborted) return
        toldAt = clock.monotonic()
        onChange()
      })
    }
  }
}

interface Told {
  readonly signal: AbortSignal
  readonly onChange: () => void
}

/** @throws Error for what is no event, and for one that ends the watch */
function readEvent(line: string): { readonly type: string; readonly version: string } {
  const event: unknown = JSON.parse(line)
  const type = textField(event, 'type') ?? ''
  const version = textField(event, 'object', 'metadata', 'resourceVersion') ?? ''
  if (type === 'ERROR') {
    throw new Error(`the server ends the watch with status ${String(numberField(event, 'object', 'code') ?? 0)}`)
  }
  if (version === '') throw new Error('the server tells of something without a version')
  return { type, version }
}
