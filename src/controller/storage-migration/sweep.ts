import { compareBytes } from '../../codec/text/text-order.ts'
import { HttpError } from '../../model/http.ts'
import { objectPath } from '../../model/object-name.ts'
import { ApiError } from '../../kube/api-error.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { describeFailure, type Failure, isNotAllowed } from './describe-failure.ts'
import { isNewerVersion } from './newer-version.ts'
import { type ListedObject, ObjectPages } from './object-pages.ts'
import { dropUnservedFields, rewriteObject, type RewriteOptions } from './rewrite-object.ts'

/** Objects of a definition, counted. */
export interface SweepCounts {
  /** Written in the storage version since the migration began. */
  readonly rewritten: number
  /** Stored as they should be, without a write. */
  readonly alreadyCurrent: number
  readonly failed: number
  /** Not looked at yet; undefined where the server does not say. */
  readonly remaining: number | undefined
  /** The first that failed. */
  readonly failures: readonly FailedObject[]
  /** How many objects have managedFields of a version, the storage version aside. */
  readonly fieldOwners: ReadonlyMap<string, number>
}

/** An object that could not be rewritten. */
export interface FailedObject extends Failure {
  readonly namespace: string
  /** Empty where the server does not say which one it is. */
  readonly name: string
}

/** How far a sweep is. */
export type SweepProgress = 'more' | 'done' | 'broken' | 'expired' | 'gone'

/**
 * `rewrite` writes every object that is not proven to be stored as it should be; `fields` only looks after
 * managedFields; `preflight` writes nothing.
 */
export type SweepMode = 'rewrite' | 'fields' | 'preflight'

/** The options of a {@link Sweep}. */
export interface SweepOptions extends Omit<RewriteOptions, 'api'> {
  readonly mode: SweepMode
  readonly otherVersions: readonly string[]
  /** Objects that are listed at once. */
  readonly page: number
  readonly storageVersion: string
  /** The state of the server from which on all is written in the storage version; empty: that of the first page. */
  readonly since: string
}

/** How a sweep goes on. */
interface Running {
  /** Of the cluster that the objects are in; it may be another one each time. */
  readonly api: ApiServer
  readonly isEnough: () => boolean
  readonly signal: AbortSignal
}

/** Objects in work at the same time. */
const TOGETHER = 4
/** Names that are kept. */
const MOST_FAILURES = 20
/** Objects in a row for which the server has trouble: then it is not because of them. */
const TROUBLE_IN_A_ROW = 3

/**
 * One walk over all objects of a definition. It goes on where it stopped, for as long as it lives; what it throws
 * ends it for good, for objects may then be left out: only a sweep that says `done` has seen them all.
 */
export class Sweep {
  readonly #options: SweepOptions
  readonly #pages: ObjectPages
  #buffer: readonly ListedObject[] = []
  #at = 0
  #remaining: number | undefined
  #since: string
  #rewritten = 0
  #alreadyCurrent = 0
  #failed = 0
  #troubleInARow = 0
  #isBroken = false
  readonly #failures: FailedObject[] = []
  readonly #fieldOwners = new Map<string, number>()

  constructor(options: SweepOptions) {
    this.#options = options
    this.#since = options.since
    this.#pages = new ObjectPages(options)
  }

  /** See {@link SweepOptions.since}. */
  get since(): string {
    return this.#since
  }

  get counts(): SweepCounts {
    const listed = this.#buffer.length - this.#at
    return {
      rewritten: this.#rewritten,
      alreadyCurrent: this.#alreadyCurrent,
      failed: this.#failed,
      remaining: this.#remaining === undefined ? undefined : this.#remaining + listed,
      // requests end in any order
      failures: this.#failures.toSorted((a, b) => compareBytes(objectPath(a), objectPath(b))),
      fieldOwners: this.#fieldOwners,
    }
  }

  /** Goes on until it is told to stop. @throws ApiError, HttpError, LeaseLostError */
  async run(at: Running): Promise<SweepProgress> {
    const { api, isEnough, signal } = at
    while (!isEnough()) {
      if (this.#isBroken) return 'broken'
      if (this.#at < this.#buffer.length) {
        await this.#work(at)
        continue
      }
      const page = await this.#pages.next(api, signal)
      if (page.type === 'end') return 'done'
      if (page.type === 'expired' || page.type === 'gone') return page.type
      if (page.type === 'objects') {
        if (this.#since === '') this.#since = page.resourceVersion
        this.#buffer = page.objects
        this.#at = 0
        this.#remaining = page.remaining
        continue
      }
      if (page.type === 'unreadable') this.#fail(page.object, page.failure, true)
      else {
        const message = page.after === '' ? 'the first object' : `the object after ${page.after}`
        this.#fail(
          { namespace: '', name: '' },
          { ...page.failure, message: `${message}: ${page.failure.message}` },
          true,
        )
        this.#isBroken = true
      }
    }
    return this.#isBroken ? 'broken' : 'more'
  }

  async #work(at: Running): Promise<void> {
    let isFailing = false
    const worker = async (): Promise<void> => {
      while (!isFailing && !this.#isBroken && !at.isEnough()) {
        const object = this.#buffer[this.#at]
        if (object === undefined) return
        this.#at += 1
        try {
          await this.#workOn(object, at)
        } catch (error) {
          isFailing = true
          throw error
        }
      }
    }
    // all of them come to their end first: none must go on behind the back of a later pass
    const ended = await Promise.allSettled(Array.from({ length: TOGETHER }, worker))
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  }

  async #workOn(object: ListedObject, { api, signal }: Running): Promise<void> {
    const { mode, served, storageVersion } = this.#options
    const isStale = [...object.fieldVersions].some((version) => !served.served.has(version))
    if (mode === 'preflight') this.#noteOwners(object.fieldVersions)
    if (mode === 'fields') this.#alreadyCurrent += 1
    else if (mode === 'rewrite' && isNewerVersion(object.resourceVersion, this.#since)) {
      this.#troubleInARow = 0
      this.#rewritten += 1
    } else {
      const outcome = await rewriteObject(object, { ...this.#options, api }, signal)
      if (outcome.type === 'failed') {
        this.#fail(object, outcome.failure, outcome.isPassing)
        return
      }
      this.#troubleInARow = 0
      if (outcome.type === 'gone') return
      if (outcome.type === 'rewritten') this.#rewritten += 1
      else this.#alreadyCurrent += 1
    }
    if (mode === 'preflight') return
    if (isStale && !(await this.#dropFields(object, { api, signal }))) return
    this.#noteOwners(
      [...object.fieldVersions].filter((version) => served.served.has(version) && version !== storageVersion),
    )
  }

  async #dropFields(object: ListedObject, { api, signal }: Omit<Running, 'isEnough'>): Promise<boolean> {
    try {
      if (await dropUnservedFields(object, { ...this.#options, api }, signal)) return true
      this.#fail(object, { reason: 'Conflict', message: 'its managedFields change all the time' }, true)
    } catch (error) {
      signal.throwIfAborted()
      if (isNotAllowed(error) || !(error instanceof ApiError || error instanceof HttpError)) throw error
      const { reason, message } = describeFailure(error)
      const isPassing = error instanceof HttpError || error.status >= 500
      this.#fail(object, { reason, message: `managedFields: ${message}` }, isPassing)
    }
    return false
  }

  #noteOwners(versions: Iterable<string>): void {
    for (const version of versions) this.#fieldOwners.set(version, (this.#fieldOwners.get(version) ?? 0) + 1)
  }

  #fail({ namespace, name }: Pick<ListedObject, 'namespace' | 'name'>, failure: Failure, isPassing: boolean): void {
    this.#failed += 1
    if (this.#failures.length < MOST_FAILURES) this.#failures.push({ namespace, name, ...failure })
    if (!isPassing) return
    this.#troubleInARow += 1
    if (this.#troubleInARow >= TROUBLE_IN_A_ROW) this.#isBroken = true
  }
}
