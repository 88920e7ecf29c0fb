import type { Clock } from '../../model/ports.ts'
import { HttpError } from '../../model/http.ts'
import { ApiError, isRefusal } from '../../kube/api-error.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { fieldAt, listField, numberField, textField } from '../../kube/json-field.ts'
import { collectionPath, type Resource } from '../../kube/resource.ts'
import { describeFailure, type Failure } from './describe-failure.ts'
import { fieldVersions } from './managed-fields.ts'

/** An object as a list names it. */
export interface ListedObject {
  readonly namespace: string
  readonly name: string
  readonly uid: string
  readonly resourceVersion: string
  /** Versions that its managedFields are written in. */
  readonly fieldVersions: ReadonlySet<string>
}

/** A part of a list. */
export type ObjectPage =
  | {
      readonly type: 'objects'
      readonly objects: readonly ListedObject[]
      /** The state of the server that the list shows. */
      readonly resourceVersion: string
      /** How many follow; undefined where the server does not say. */
      readonly remaining: number | undefined
    }
  /** One object that the server cannot read in the version that is asked for. */
  | {
      readonly type: 'unreadable'
      readonly object: Pick<ListedObject, 'namespace' | 'name'>
      readonly failure: Failure
    }
  /** The server cannot read what comes next, nor say what it is. */
  | { readonly type: 'broken'; readonly after: string; readonly failure: Failure }
  | { readonly type: 'end' }
  /** The server has forgotten where we were. */
  | { readonly type: 'expired' }
  /** The kind is not there. */
  | { readonly type: 'gone' }

/** Whose objects are listed. */
export interface ObjectPagesOptions {
  readonly clock: Clock
  readonly resource: Resource
  /** Further versions that are served: an object that cannot be converted into one may be stored in another. */
  readonly otherVersions: readonly string[]
  /** Milliseconds before a list that failed is asked for again; twice as many the next time. */
  readonly pause: number
  /** Objects that are listed at once. */
  readonly page: number
}

/** How often a list is asked for that the server fails to give. */
const TRIES = 3

interface Asking {
  readonly api: ApiServer
  readonly signal: AbortSignal
}

/**
 * Lists the metadata of all objects of a kind, page by page, and finds the object for which a page cannot be listed.
 */
export class ObjectPages {
  readonly #options: ObjectPagesOptions
  #token = ''
  #isAtEnd = false
  #limit: number
  #last = ''

  constructor(options: ObjectPagesOptions) {
    this.#options = options
    this.#limit = options.page
  }

  /** The next part. @throws ApiError, HttpError where the server cannot be asked at all */
  async next(api: ApiServer, signal: AbortSignal): Promise<ObjectPage> {
    if (this.#isAtEnd) return { type: 'end' }
    const { resource, pause, page: most } = this.#options
    for (let tries = 1; ;) {
      try {
        const page = this.#take(await this.#ask(resource, this.#limit, { api, signal }))
        this.#limit = Math.min(most, this.#limit * 2)
        return page
      } catch (error) {
        signal.throwIfAborted()
        if (isRefusal(error, 404)) return { type: 'gone' }
        if (isRefusal(error, 410)) {
          const token = error instanceof ApiError ? error.continueToken : ''
          if (token === '' || token === this.#token) return { type: 'expired' }
          // goes on with what is there now: whatever came meanwhile is stored as it should be
          this.#token = token
          continue
        }
        if (!isTrouble(error)) throw error
        if (this.#limit < most || tries === TRIES) {
          if (!isRefusal(error, 500)) throw error
          if (this.#limit === 1) return await this.#pass(describeFailure(error), { api, signal })
          this.#limit = Math.ceil(this.#limit / 4)
          continue
        }
        await this.#options.clock.sleep(Math.max(pause * 2 ** (tries - 1), askedPause(error)), signal)
        tries += 1
      }
    }
  }

  /** Gets past one object that cannot be listed: in the version that it is stored in it can. */
  async #pass(failure: Failure, at: Asking): Promise<ObjectPage> {
    for (const version of this.#options.otherVersions) {
      try {
        const page = this.#take(await this.#ask({ ...this.#options.resource, version }, 1, at))
        const [object] = page.objects
        if (object !== undefined) return { type: 'unreadable', object, failure }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
      }
    }
    return { type: 'broken', after: this.#last, failure }
  }

  #take(list: unknown): Extract<ObjectPage, { type: 'objects' }> {
    const { group } = this.#options.resource
    const objects = listField(list, 'items').flatMap((item): readonly ListedObject[] => {
      const metadata = fieldAt(item, 'metadata')
      const [name, uid] = [textField(metadata, 'name'), textField(metadata, 'uid')]
      const resourceVersion = textField(metadata, 'resourceVersion')
      if (name === undefined || uid === undefined || resourceVersion === undefined) {
        throw new Error('the server lists an object without a name, uid or resourceVersion')
      }
      const namespace = textField(metadata, 'namespace') ?? ''
      return [{ namespace, name, uid, resourceVersion, fieldVersions: fieldVersions(metadata, group) }]
    })
    const last = objects.at(-1)
    if (last !== undefined) this.#last = last.namespace === '' ? last.name : `${last.namespace}/${last.name}`
    this.#token = textField(list, 'metadata', 'continue') ?? ''
    this.#isAtEnd = this.#token === ''
    return {
      type: 'objects',
      objects,
      resourceVersion: textField(list, 'metadata', 'resourceVersion') ?? '',
      remaining: this.#isAtEnd ? 0 : numberField(list, 'metadata', 'remainingItemCount'),
    }
  }

  #ask(resource: Resource, limit: number, { api, signal }: Asking): Promise<unknown> {
    return api.send(
      {
        method: 'GET',
        path: collectionPath(resource, ''),
        query: { limit: String(limit), ...(this.#token !== '' && { continue: this.#token }) },
        content: 'metadataList',
      },
      signal,
    )
  }
}

/** True if it may be another answer the next time. */
function isTrouble(error: unknown): boolean {
  return error instanceof HttpError || (error instanceof ApiError && (error.status >= 500 || error.status === 429))
}

function askedPause(error: unknown): number {
  return error instanceof ApiError ? error.retryAfter : 0
}
