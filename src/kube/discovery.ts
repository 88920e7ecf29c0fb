import type { Clock } from '../model/ports.ts'
import { ApiError, isRefusal } from './api-error.ts'
import type { ApiServer } from './api-server.ts'
import { listField, textField, textsField } from './json-field.ts'
import { groupPath, type Resource } from './resource.ts'

/** Milliseconds for which an answer is taken for good: definitions change with upgrades of providers. */
const KEPT = 10 * 60_000

/**
 * Contracts of Cluster API that we know, the newest first: a definition says by labels which of its versions keeps to
 * which.
 */
const contracts: readonly string[] = ['cluster.x-k8s.io/v1beta2', 'cluster.x-k8s.io/v1beta1']

/** Which kind is asked for; without a version the one of the newest contract, else the one that the server prefers. */
export interface KindQuery {
  readonly group: string
  readonly kind: string
  readonly version: string
}

/** Finds kinds of objects on an API server. */
export class Discovery {
  readonly #api: ApiServer
  readonly #clock: Clock
  readonly #found = new Map<string, { readonly resource: Resource; readonly at: number }>()

  constructor(api: ApiServer, clock: Clock) {
    this.#api = api
    this.#clock = clock
  }

  /** Undefined: the server has no such kind. @throws ApiError, HttpError */
  async find(query: KindQuery, signal: AbortSignal): Promise<Resource | undefined> {
    const key = JSON.stringify([query.group, query.kind, query.version])
    const known = this.#found.get(key)
    const now = this.#clock.monotonic()
    if (known !== undefined && now - known.at < KEPT) return known.resource
    const resource = await this.#ask(query, signal)
    if (resource !== undefined) this.#found.set(key, { resource, at: now })
    return resource
  }

  /** Forgets what was found of a group: the server does not know one of its versions any more. */
  forget(group: string): void {
    for (const [key, { resource }] of this.#found) if (resource.group === group) this.#found.delete(key)
  }

  async #ask({ group, kind, version }: KindQuery, signal: AbortSignal): Promise<Resource | undefined> {
    const listed = await this.#get(`/apis/${encodeURIComponent(group)}`, signal)
    const served = listField(listed, 'versions').flatMap((item) => textField(item, 'version') ?? [])
    const preferred = textField(listed, 'preferredVersion', 'version') ?? served[0]
    // a version that is no longer served: what the server has instead is the same object
    const first = served.includes(version) ? version : preferred
    if (first === undefined) return undefined
    for (const candidate of [first, ...served.filter((other) => other !== first)]) {
      const plural = await this.#pluralOf({ group, kind, version: candidate }, signal)
      if (plural === undefined) continue
      const resource = { group, kind, plural, version: candidate }
      if (version === candidate) return resource
      const agreed = await this.#contractVersion(resource, signal)
      return { ...resource, version: agreed !== undefined && served.includes(agreed) ? agreed : candidate }
    }
    return undefined
  }

  async #pluralOf({ group, kind, version }: KindQuery, signal: AbortSignal): Promise<string | undefined> {
    const listed = await this.#get(groupPath({ group, version }), signal)
    const names = listField(listed, 'resources')
      .filter((resource) => textField(resource, 'kind') === kind)
      .flatMap((resource) => textField(resource, 'name') ?? [])
    return names.find((name) => !name.includes('/'))
  }

  /** The version that keeps to the newest contract; undefined where the definition says none, or may not be read. */
  async #contractVersion({ group, plural }: Resource, signal: AbortSignal): Promise<string | undefined> {
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${encodeURIComponent(`${plural}.${group}`)}`
    try {
      const definition = await this.#api.send({ method: 'GET', path, content: 'metadata' }, signal)
      const labels = textsField(definition, 'metadata', 'labels')
      const versions = contracts.map((contract) => labels.get(contract)).find((label) => label !== undefined)
      return versions?.split('_').at(-1)
    } catch (error) {
      if (error instanceof ApiError && (error.status === 403 || error.status === 404)) return undefined
      throw error
    }
  }

  async #get(path: string, signal: AbortSignal): Promise<unknown> {
    try {
      return await this.#api.send({ method: 'GET', path }, signal)
    } catch (error) {
      if (isRefusal(error, 404)) return undefined
      throw error
    }
  }
}
