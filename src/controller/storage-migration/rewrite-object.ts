import type { Clock } from '../../model/ports.ts'
import { HttpError } from '../../model/http.ts'
import { ApiError, isConflict, isRefusal } from '../../kube/api-error.ts'
import type { ApiServer } from '../../kube/api-server.ts'
import { fieldAt, textField } from '../../kube/json-field.ts'
import type { KubeObject } from '../../kube/kube-object.ts'
import { readSurely } from '../../kube/read-object.ts'
import { apiVersionOf, objectPath, type Resource } from '../../kube/resource.ts'
import { describeFailure, type Failure, isNotAllowed } from './describe-failure.ts'
import { servedFields, type ServedVersions } from './managed-fields.ts'
import type { ListedObject } from './object-pages.ts'
import type { Pace } from './pace.ts'

/** Who has written, on the API server. */
export const FIELD_MANAGER = 'stackmason-storage-migration'

/** The outcome for an object. */
export type RewriteOutcome =
  /** It was written since it was listed, by us or by somebody else, and so in the storage version. */
  | { readonly type: 'rewritten' }
  /** It is stored as it should be: writing it anew would change nothing. */
  | { readonly type: 'current' }
  | { readonly type: 'gone' }
  /** `isPassing`: it lies in the server, and may be another answer later. */
  | { readonly type: 'failed'; readonly failure: Failure; readonly isPassing: boolean }

/** How objects are rewritten. */
export interface RewriteOptions {
  readonly api: ApiServer
  readonly clock: Clock
  readonly pace: Pace
  readonly resource: Resource
  readonly hasStatus: boolean
  /** Only asks whether it would be taken. */
  readonly isDryRun: boolean
  readonly served: ServedVersions
  /** Milliseconds before the server is asked again after trouble; twice as many the next time. */
  readonly pause: number
}

/** How often an object is tried where the server has trouble. */
const TRIES = 4

/**
 * Writes an object as it is, so that the server stores it anew in the storage version: it drops a write that changes
 * no byte, so a new resourceVersion proves that one was needed. Nothing is created, and nothing of somebody else is
 * overwritten: the resourceVersion must still be the one that was listed.
 * @throws ApiError where we may not write objects of the kind, LeaseLostError
 */
export async function rewriteObject(
  object: ListedObject,
  options: RewriteOptions,
  signal: AbortSignal,
): Promise<RewriteOutcome> {
  const { pace, clock, pause } = options
  let subresource: '' | '/status' = ''
  let refusal: Failure | undefined
  for (let tries = 1; ;) {
    await pace.take(signal)
    const began = clock.monotonic()
    try {
      const written = await writeAsItIs(object, subresource, { options, signal })
      pace.answered(clock.monotonic() - began)
      return { type: written === object.resourceVersion ? 'current' : 'rewritten' }
    } catch (error) {
      signal.throwIfAborted()
      if (isNotAllowed(error)) throw error
      if (isConflict(error) || isRefusal(error, 404)) {
        // whoever wrote it since, or made it anew, wrote in the storage version
        const became = await outcomeOf(object, { options, signal })
        if (became !== undefined) return became
      }
      if (isConflict(error)) {
        if (tries === TRIES) {
          return {
            type: 'failed',
            failure: { reason: 'Conflict', message: 'the server says that it has changed, and it has not' },
            isPassing: true,
          }
        }
        tries += 1
      } else if (error instanceof HttpError || (error instanceof ApiError && isBusy(error.status))) {
        const asked = error instanceof ApiError ? error.retryAfter : 0
        pace.refused(asked)
        if (tries === TRIES) return { type: 'failed', failure: describeFailure(error), isPassing: true }
        await clock.sleep(Math.max(asked, pause * 2 ** (tries - 1)), signal)
        tries += 1
      } else if (error instanceof ApiError) {
        refusal ??= describeFailure(error)
        // its status lies with it in one place of the store, and other webhooks look at it
        if (!options.hasStatus || subresource !== '') return { type: 'failed', failure: refusal, isPassing: false }
        subresource = '/status'
      } else throw error
    }
  }
}

/**
 * Takes the entries of versions that are not served out of an object's managedFields. True if it has none of them now.
 * @throws ApiError, HttpError, LeaseLostError
 */
export async function dropUnservedFields(
  object: Pick<ListedObject, 'namespace' | 'name'>,
  options: RewriteOptions,
  signal: AbortSignal,
): Promise<boolean> {
  const { api, resource, served, pace } = options
  const path = objectPath(resource, object)
  for (let tries = 1; tries <= TRIES; tries++) {
    const live = await readMetadata(object, { options, signal })
    const kept = live && servedFields(fieldAt(live.content, 'metadata'), served)
    if (live === undefined || kept === undefined) return true
    await pace.take(signal)
    const body = [
      { op: 'replace', path: '/metadata/managedFields', value: kept },
      { op: 'replace', path: '/metadata/resourceVersion', value: live.resourceVersion },
    ]
    try {
      const query = { fieldManager: FIELD_MANAGER }
      const contentType = 'application/json-patch+json'
      await api.send({ method: 'PATCH', path, query, contentType, body, content: 'metadata' }, signal)
      return true
    } catch (error) {
      if (isRefusal(error, 404) && (await readMetadata(object, { options, signal })) === undefined) return true
      if (!isConflict(error)) throw error
    }
  }
  return false
}

interface At {
  readonly options: RewriteOptions
  readonly signal: AbortSignal
}

/** The resourceVersion that it has afterwards. */
async function writeAsItIs(
  { namespace, name, resourceVersion }: ListedObject,
  subresource: '' | '/status',
  { options: { api, resource, isDryRun }, signal }: At,
): Promise<string> {
  const answer = await api.send(
    {
      method: 'PATCH',
      path: `${objectPath(resource, { namespace, name })}${subresource}`,
      query: { fieldManager: FIELD_MANAGER, ...(isDryRun && { dryRun: 'All' }) },
      contentType: 'application/merge-patch+json',
      body: {
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        metadata: { name, ...(namespace !== '' && { namespace }), resourceVersion },
      },
      content: 'metadata',
    },
    signal,
  )
  const written = textField(answer, 'metadata', 'resourceVersion')
  if (written === undefined) throw new Error('the server answers a write without a resourceVersion')
  return written
}

/**
 * The end of an object that could not be written; undefined: it is there as it was. No refusal of a write says
 * that it is gone: a webhook gives any status.
 * @throws ApiError where we may not read it
 */
async function outcomeOf(object: ListedObject, at: At): Promise<RewriteOutcome | undefined> {
  let now: KubeObject | undefined
  try {
    now = await readMetadata(object, at)
  } catch (error) {
    at.signal.throwIfAborted()
    if (isNotAllowed(error) || !(error instanceof ApiError || error instanceof HttpError)) throw error
    return { type: 'failed', failure: describeFailure(error), isPassing: true }
  }
  if (now === undefined) return { type: 'gone' }
  const isSame = now.uid === object.uid && now.resourceVersion === object.resourceVersion
  return isSame ? undefined : { type: 'rewritten' }
}

/** The metadata of an object as it is now, by name; undefined: it is gone. @throws ApiError, HttpError */
async function readMetadata(
  key: Pick<ListedObject, 'namespace' | 'name'>,
  { options: { api, resource }, signal }: At,
): Promise<KubeObject | undefined> {
  return readSurely(api, { resource, key, content: 'metadata' }, signal)
}

function isBusy(status: number): boolean {
  return status === 429 || status >= 500
}
