import { HttpError } from '../../model/http.ts'
import type { Clock, Random } from '../../model/ports.ts'
import { backoffAfter, type BackoffTimes, shareOf } from '../queue/backoff.ts'
import { ApiError, isRefusal } from '../../kube/api-error.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { listField, numberField, textField } from '../../kube/json-field.ts'
import { formatKey, type KubeObject, readKubeObject, stripped } from '../../kube/kube-object.ts'
import { collectionPath, type Resource } from '../../kube/resource.ts'
import { isSameJson } from '../objects/same-json.ts'
import { ObjectStore } from './object-store.ts'
import { splitLines } from './split-lines.ts'

/** Which objects are watched, and what of them. */
export interface WatchTarget {
  readonly resource: Resource
  /** Empty: all. */
  readonly namespace: string
  /** Empty: all. */
  readonly labelSelector: string
  /** `metadata`: without what is in the objects. */
  readonly content: 'object' | 'metadata'
}

/** An object came, changed or went; `before` is what was known of it. */
export type ObjectChange =
  | { readonly type: 'set'; readonly object: KubeObject; readonly before: KubeObject | undefined }
  | { readonly type: 'removed'; readonly object: KubeObject }

/** The options of a {@link Reflector}. */
export interface ReflectorOptions {
  readonly api: ApiServer
  readonly clock: Clock
  readonly random: Random
  /** Only notes the change: it must not wait for anything. What it throws is reported, and the watch goes on. */
  readonly onChange: (change: ObjectChange) => void
  /** The server lets us watch. */
  readonly onAnswer: () => void
  /** Is told of failures; the reflector goes on after `pause` milliseconds. */
  readonly onFailure: (error: unknown, pause: number) => void
  /** Milliseconds to the next try at most, where the server does not allow it (403). */
  readonly forbiddenPause: number
}

/** The server ends a watch after this many seconds, and up to a quarter less, so that not all watches end together. */
const WATCH_SECONDS = 300
/** Milliseconds beyond the end of a watch after which a silent connection is taken for dead. */
const SILENCE = 30_000
/** Milliseconds by which the server's clock may be ahead when it ends a watch. */
const EARLY = 5000
const EARLIER = 'the server tells of an earlier state than before, as after its data was restored: all is listed again'
/** Milliseconds that a watch must have lived for failures to be forgotten. */
const LIVED = 60_000
const PAGE = '500'
const NUMBER = /^[1-9][0-9]{0,30}$/
/** Milliseconds to the next try at most. */
export const LONGEST_PAUSE = 30_000

/** After failures; 429 may ask for more. */
const backoff: BackoffTimes = { first: 800, most: LONGEST_PAUSE }

/**
 * Keeps a store in step with an API server: lists once, then watches, one watch after the other. Where one ends in any
 * other way than by its time, or the server tells of an earlier state, it lists again: the server may have forgotten
 * what came since, or its data may have been restored, and a watch from a version that it has not reached hears
 * nothing. It never gives up.
 */
export class Reflector {
  readonly target: WatchTarget
  readonly store: ObjectStore
  readonly #options: ReflectorOptions
  /** The version of the server's state in the store; undefined: it has to be listed. */
  #version: string | undefined
  /** The version that was in the store last. */
  #reached: string | undefined
  #failures = 0
  #seenAt: number
  /** When the server refused us for what is there, which no restart of ours would mend. */
  #refusedAt = -Infinity
  #hasSynced = false
  readonly #synced: Promise<void>
  #markSynced: () => void = () => undefined

  constructor(target: WatchTarget, options: ReflectorOptions) {
    this.target = target
    this.#options = options
    this.store = new ObjectStore({ namespace: target.namespace, isSelective: target.labelSelector !== '' })
    this.#seenAt = options.clock.monotonic()
    this.#synced = new Promise((resolve) => {
      this.#markSynced = resolve
    })
  }

  /** Resolves after the first whole list. */
  get synced(): Promise<void> {
    return this.#synced
  }

  /** Milliseconds since the server has last been heard. */
  get silence(): number {
    return this.#options.clock.monotonic() - this.#seenAt
  }

  /** True after the first whole list. */
  get hasSynced(): boolean {
    return this.#hasSynced
  }

  /**
   * Milliseconds since the last list or watch. A kind that is not there, or that we may not see, does not count: to
   * start again would not help.
   */
  get stuckFor(): number {
    return this.#options.clock.monotonic() - Math.max(this.#seenAt, this.#refusedAt)
  }

  /** Runs until the signal is aborted; never rejects. */
  async run(until: AbortSignal): Promise<void> {
    // many reflectors share one signal, and who listens to it would pile up
    const signal = AbortSignal.any([until])
    const { clock, random, onFailure, forbiddenPause } = this.#options
    while (!signal.aborted) {
      const startedAt = clock.monotonic()
      let failure: unknown
      try {
        if (this.#version === undefined) await this.#list(signal)
        if ((await this.#watch(signal)) === 'early') this.#version = undefined
      } catch (error) {
        failure = error
        this.#version = undefined
        if (isRefusal(error, 403) || isRefusal(error, 404)) this.#refusedAt = clock.monotonic()
      }
      if (signal.aborted) return
      const hasLived = clock.monotonic() - startedAt > LIVED
      if (hasLived) this.#failures = 0
      // a watch that ends in order is taken up at once, but not one that ends as soon as it begins
      if (failure === undefined && hasLived) continue
      this.#failures += 1
      const asked = failure instanceof ApiError ? failure.retryAfter : 0
      const times = isRefusal(failure, 403) ? { ...backoff, most: forbiddenPause } : backoff
      const pause = Math.max(asked, backoffAfter(this.#failures, times, random))
      if (failure !== undefined) onFailure(failure, pause)
      await clock.sleep(pause, signal)
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { api } = this.#options
    const { resource, namespace, content } = this.target
    const listed = new Set<string>()
    const pages: KubeObject[][] = []
    let next = ''
    let version = ''
    do {
      const page = await api.send(
        {
          method: 'GET',
          path: collectionPath(resource, namespace),
          query: { ...this.#selector(), limit: PAGE, ...(next !== '' && { continue: next }) },
          ...(content === 'metadata' && { content: 'metadataList' }),
        },
        signal,
      )
      this.#seenAt = this.#options.clock.monotonic()
      version = textField(page, 'metadata', 'resourceVersion') ?? ''
      next = textField(page, 'metadata', 'continue') ?? ''
      pages.push(listField(page, 'items').flatMap((item) => readKubeObject(item) ?? []))
    } while (next !== '')
    if (version === '') throw new Error('the server lists without a version')
    // a version that was there before may be of another object now
    const known = isBefore(version, this.#reached) ? 'nothing' : 'versions'
    for (const object of pages.flat()) {
      listed.add(formatKey(object))
      this.#take(object, known)
    }
    for (const object of this.store.missingFrom(listed)) this.#drop(object)
    this.#reach(version)
    this.#hasSynced = true
    this.#markSynced()
  }

  /** Watches until the server ends it: after its time, or before. */
  async #watch(signal: AbortSignal): Promise<'early' | 'in time'> {
    const { api, clock, random, onAnswer } = this.#options
    const { resource, namespace, content } = this.target
    const seconds = Math.ceil(WATCH_SECONDS * (1 - shareOf(random) / 4))
    const ended = new AbortController()
    const both = AbortSignal.any([signal, ended.signal])
    try {
      const stream = await api.follow(
        {
          path: collectionPath(resource, namespace),
          query: {
            ...this.#selector(),
            watch: 'true',
            allowWatchBookmarks: 'true',
            resourceVersion: this.#version ?? '',
            timeoutSeconds: String(seconds),
          },
          ...(content === 'metadata' && { content }),
        },
        both,
      )
      const openedAt = clock.monotonic()
      this.#seenAt = openedAt
      onAnswer()
      void this.#endSilence(ended, seconds * 1000 + SILENCE)
      for await (const line of splitLines(this.#noted(stream.chunks))) if (line !== '') this.#handle(line)
      return clock.monotonic() - openedAt < seconds * 1000 - EARLY ? 'early' : 'in time'
    } finally {
      ended.abort()
    }
  }

  /** Ends a watch of which nothing has been heard for so long: the connection may be gone without a word. */
  async #endSilence(watch: AbortController, most: number): Promise<void> {
    const { clock } = this.#options
    while (!watch.signal.aborted) {
      const left = most - this.silence
      if (left <= 0) watch.abort(new HttpError('timeout', 'the server has been silent for too long'))
      else await clock.sleep(left, watch.signal)
    }
  }

  async *#noted(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of chunks) {
      this.#seenAt = this.#options.clock.monotonic()
      yield chunk
    }
  }

  #handle(line: string): void {
    const event = parseEvent(line)
    const type = textField(event, 'type')
    const content = event['object']
    if (type === 'ERROR') throw errorOf(content)
    const object = readKubeObject(content)
    const version = textField(content, 'metadata', 'resourceVersion') ?? ''
    if (type === 'ADDED' || type === 'MODIFIED') {
      if (object === undefined) throw new Error('the server tells of an object without a name')
      this.#take(object)
    } else if (type === 'DELETED') {
      if (object === undefined) throw new Error('the server tells of an object without a name')
      this.#drop(object)
    }
    // an object that is gone may have the version that it had
    if (type !== 'DELETED' && isBefore(version, this.#version)) throw new Error(EARLIER)
    if (version !== '') this.#reach(version)
  }

  #reach(version: string): void {
    this.#version = version
    this.#reached = version
  }

  /** `known`: what of the objects in the store is still to be believed. */
  #take(found: KubeObject, known: 'versions' | 'nothing' = 'versions'): void {
    const object = stripped(found)
    const held = this.store.set(object)
    const before = known === 'nothing' ? undefined : held
    if (before === undefined || !isSame(before, object)) this.#tell({ type: 'set', object, before })
  }

  #drop(object: KubeObject): void {
    const before = this.store.remove(object)
    this.#tell({ type: 'removed', object: before ?? stripped(object) })
  }

  #tell(change: ObjectChange): void {
    try {
      this.#options.onChange(change)
    } catch (error) {
      this.#options.onFailure(error, 0)
    }
  }

  #selector(): Readonly<Record<string, string>> {
    const { labelSelector } = this.target
    return labelSelector === '' ? {} : { labelSelector }
  }
}

/**
 * True if a version of the server's state is an earlier one. Versions are numbers that only grow, by the rules of
 * Kubernetes' own API since 1.35; of others nothing is said.
 */
function isBefore(version: string, other: string | undefined): boolean {
  return NUMBER.test(version) && NUMBER.test(other ?? '') && BigInt(version) < BigInt(other ?? '')
}

/** True if nothing has changed: after its data was restored, a server may give a version a second time. */
function isSame(before: KubeObject, object: KubeObject): boolean {
  // of a list's items only some say their type
  const type = { apiVersion: '', kind: '' }
  return (
    before.resourceVersion === object.resourceVersion &&
    isSameJson({ ...before.content, ...type }, { ...object.content, ...type })
  )
}

function parseEvent(line: string): Readonly<Record<string, unknown>> {
  try {
    const event: unknown = JSON.parse(line)
    if (typeof event === 'object' && event !== null) return { ...event }
  } catch {
    // said below: the parser's words may repeat the line
  }
  throw new Error('the server sends a line that is no event')
}

/** The error that a watch sends before it ends. */
function errorOf(status: unknown): ApiError {
  const code = numberField(status, 'code') ?? 500
  const reason = textField(status, 'reason') ?? ''
  const isForgotten = reason === 'Expired' || reason === 'Gone'
  return new ApiError(isForgotten ? 410 : code, {
    reason,
    message: textField(status, 'message') ?? 'the server ends the watch without a reason',
    retryAfter: (numberField(status, 'details', 'retryAfterSeconds') ?? 0) * 1000,
  })
}
