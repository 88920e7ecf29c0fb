import { createHash } from 'node:crypto'
import type { MigrationMemory, MigrationStep } from '../../../src/controller/storage-migration/migrate-definition.ts'
import { migrateDefinition } from '../../../src/controller/storage-migration/migrate-definition.ts'
import type { MigrationState } from '../../../src/controller/storage-migration/migration-state.ts'
import { Pace } from '../../../src/controller/storage-migration/pace.ts'
import { ApiServer } from '../../../src/kube/api-server.ts'
import { TokenBucket } from '../../../src/kube/token-bucket.ts'
import type { HttpResponse } from '../../../src/model/http.ts'
import type { Clock } from '../../../src/model/ports.ts'
import type { ConnectionRequest, ServerConnection } from '../../../src/model/server-connection.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { fieldOf } from '../../../tools/servers/kube-client.ts'

const GROUP = 'example.com'

interface StoredObject {
  uid: string
  version: number
  /** In which it is stored. */
  stored: string
  /** Of managedFields. */
  fields: readonly string[]
}

/** A request, taken apart. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly body: unknown
}

/** Does work with an API server. */
type Reach = (
  reached: { readonly connection: ServerConnection; readonly clock: Clock },
  work: (api: ApiServer) => Promise<MigrationStep>,
) => Promise<MigrationStep>

/** An API server of one definition and its objects, which keeps versions as Kubernetes does, and a clock that sleeps at once. */
export class FakeDefinition {
  uid = 'crd-1'
  generation = 3
  storage = 'v2'
  /** What API servers that have not learned of it write. */
  lagging: string | undefined
  served: readonly string[] = ['v1', 'v2']
  storedVersions: readonly string[] = ['v1', 'v2']
  conditions: readonly object[] = [{ type: 'Established', status: 'True' }]
  annotations: Readonly<Record<string, string>> = {}
  isThere = true
  readonly objects: Map<string, StoredObject> = new Map()
  readonly requests: SeenRequest[] = []
  /** What etcd held at each prune. */
  readonly pruned: Readonly<Record<string, number>>[] = []
  /** Connections that were opened anew. */
  fresh = 0
  now = 0
  page: number = 500
  preflight = false
  wantedVersion: string | undefined
  objectsPerSecond: number = 1000
  /** How the server is reached. */
  through: Reach = async ({ connection, clock }, work) => {
    const limit = new TokenBucket({ perSecond: 1e6, burst: 1e6 }, clock)
    return work(new ApiServer(connection, { timeout: 8000, userAgent: 'test', limit, count: () => undefined }))
  }
  /** Instead of an answer, or before it. */
  fate: (request: SeenRequest) => HttpResponse | undefined = () => undefined
  readonly memory: MigrationMemory = {}
  state: MigrationState | undefined
  #version = 100
  #definitionVersion = 100
  readonly #stop = new AbortController()

  /** Puts objects there. */
  fill(count: number, stored: string, prefix: string = stored): void {
    for (let at = 0; at < count; at++) {
      const version = ++this.#version
      this.objects.set(`${prefix}-${String(at)}`, {
        uid: `uid-${prefix}-${String(at)}`,
        version,
        stored,
        fields: [stored],
      })
    }
  }

  /** Changes the spec. */
  define(change: { readonly storage?: string; readonly served?: readonly string[] }): void {
    this.generation += 1
    this.#definitionVersion = ++this.#version
    this.served = change.served ?? this.served
    this.storage = change.storage ?? this.storage
    this.storedVersions = [...new Set([...this.storedVersions, this.storage])]
  }

  /**
   * Brings back etcd of before the last change of the spec, with the old version of all objects and with
   * resourceVersions that go on, as `etcdutl snapshot restore --bump-revision` does; then the same change is made again.
   */
  restore(stored: string): void {
    for (const object of this.objects.values()) {
      object.stored = stored
      object.version = ++this.#version
    }
    this.#definitionVersion = ++this.#version
    this.storedVersions = [stored, this.storage]
  }

  /** Writes an object as somebody else would. */
  write(name: string): void {
    const object = this.objects.get(name)
    if (object === undefined) throw new Error(`no ${name}`)
    object.version = ++this.#version
    object.stored = this.lagging ?? this.storage
  }

  /** How many objects are stored in each version. */
  inStore(): Readonly<Record<string, number>> {
    const counts: Record<string, number> = {}
    for (const { stored } of this.objects.values()) counts[stored] = (counts[stored] ?? 0) + 1
    return counts
  }

  /** One pass, as after a restart with `memory` of its own; `requests` end the slice. */
  async step(memory: MigrationMemory = this.memory, isEnough: () => boolean = () => false): Promise<MigrationStep> {
    const clock: Clock = {
      monotonic: () => this.now,
      now: () => this.now,
      sleep: async (duration) => {
        this.now += duration
      },
    }
    const { crypto } = createNodePorts()
    const step = await this.through({ connection: this.#connection(), clock }, (api) =>
      migrateDefinition(
        `things.${GROUP}`,
        { memory, before: this.state },
        {
          tools: {
            api,
            clock,
            crypto,
            random: { bytes: (count) => new Uint8Array(count).fill(128) },
            pace: new Pace(this.objectsPerSecond, clock),
            isPreflight: this.preflight,
            wantedVersion: this.wantedVersion,
            isEnough,
            options: {
              settle: 30_000,
              slice: 10_000,
              pause: 1000,
              page: this.page,
              retry: { first: 60_000, most: 3_600_000 },
            },
          },
          signal: this.#stop.signal,
        },
      ),
    )
    this.state = step.state
    return step
  }

  /** Passes until nothing more is to be done soon; gives the reasons that were stated. */
  async settle(memory: MigrationMemory = this.memory): Promise<readonly string[]> {
    const reasons: string[] = []
    for (let passes = 0; passes < 100; passes++) {
      const { state, again } = await this.step(memory)
      reasons.push(state.reason)
      if (again === undefined || again > 30_000) return reasons
      this.now += again
    }
    throw new Error(`never settles: ${reasons.join(', ')}`)
  }

  #connection(): ServerConnection {
    return {
      host: 'test',
      exchange: async (request) => this.#answer(request),
      follow: () => Promise.reject(new Error('no watch')),
      reopen: async () => {
        this.fresh += 1
        return this.#connection()
      },
      close: async () => undefined,
    }
  }

  #answer({ method, path, body }: ConnectionRequest): HttpResponse {
    const url = new URL(path, 'http://test')
    const parsed: unknown = body === undefined ? undefined : JSON.parse(new TextDecoder().decode(body))
    const request: SeenRequest = { method, path: url.pathname, query: url.searchParams, body: parsed }
    this.requests.push(request)
    return this.fate(request) ?? this.#usual(request)
  }

  #usual(request: SeenRequest): HttpResponse {
    const { method, path, query } = request
    if (path.startsWith('/apis/apiextensions.k8s.io/')) return this.#answerDefinition(request)
    if (!this.isThere) return refusal(404, 'NotFound')
    const [, version = '', , name, subresource] =
      /^\/apis\/example\.com\/([^/]+)(\/things(?:\/([^/]+)(\/status)?)?)?$/.exec(path) ?? []
    if (!path.includes('/things')) {
      const hash = createHash('sha256')
        .update(`${GROUP}/${this.lagging ?? this.storage}/Thing`)
        .digest()
        .subarray(0, 8)
      return answer(200, {
        resources: [{ name: 'things', kind: 'Thing', storageVersionHash: hash.toString('base64') }],
      })
    }
    if (!this.served.includes(version)) return refusal(404, 'NotFound')
    if (name === undefined) return this.#list(query)
    const object = this.objects.get(name)
    if (object === undefined) return notFound('things', name)
    if (method === 'GET') return answer(200, this.#shown(name, object))
    return this.#patch(name, { ...request, path: subresource ?? '' })
  }

  #list(query: URLSearchParams): HttpResponse {
    const start = Number(query.get('continue') ?? '0')
    const all = [...this.objects]
    const end = start + Number(query.get('limit'))
    const metadata = {
      resourceVersion: String(this.#version),
      ...(end < all.length && { continue: String(end), remainingItemCount: all.length - end }),
    }
    return answer(200, { metadata, items: all.slice(start, end).map(([name, object]) => this.#shown(name, object)) })
  }

  #shown(name: string, { uid, version, fields }: StoredObject): object {
    const managedFields = fields.map((field) => ({ manager: `by-${field}`, apiVersion: `${GROUP}/${field}` }))
    return { metadata: { name, uid, resourceVersion: String(version), managedFields } }
  }

  #patch(name: string, { body, query }: SeenRequest): HttpResponse {
    const object = this.objects.get(name)
    if (object === undefined) return notFound('things', name)
    const isList = Array.isArray(body)
    const wanted = isList ? fieldOf(body, '1.value') : fieldOf(body, 'metadata.resourceVersion')
    if (wanted !== String(object.version)) return refusal(409, 'Conflict')
    if (isList) {
      object.fields = [fieldOf(body, '0.value')]
        .flat()
        .map((entry) => String(fieldOf(entry, 'apiVersion')).split('/')[1] ?? '')
      object.version = ++this.#version
    }
    const stored = this.lagging ?? this.storage
    if (object.stored !== stored && query.get('dryRun') === null) {
      object.stored = stored
      object.version = ++this.#version
    }
    return answer(200, this.#shown(name, object))
  }

  #answerDefinition({ method, body }: SeenRequest): HttpResponse {
    if (!this.isThere) return notFound('customresourcedefinitions', `things.${GROUP}`)
    if (method === 'PATCH') {
      const wanted = fieldOf(body, 'metadata.resourceVersion')
      if (wanted !== undefined && wanted !== String(this.#definitionVersion)) return refusal(409, 'Conflict')
      this.pruned.push(this.inStore())
      this.storedVersions = [fieldOf(body, 'status.storedVersions')].flat().map(String)
      this.#definitionVersion = ++this.#version
    }
    const { uid, generation, storage, served, annotations, conditions, storedVersions } = this
    return answer(200, {
      metadata: {
        name: `things.${GROUP}`,
        uid,
        generation,
        annotations,
        resourceVersion: String(this.#definitionVersion),
      },
      spec: {
        group: GROUP,
        names: { kind: 'Thing', plural: 'things' },
        versions: ['v1', 'v2', 'v3'].map((name) => ({
          name,
          served: served.includes(name),
          storage: name === storage,
          subresources: { status: {} },
        })),
      },
      status: { storedVersions, conditions },
    })
  }
}

function answer(status: number, body: object, headers: readonly (readonly [string, string])[] = []): HttpResponse {
  return { status, headers: new Map(headers), body: new TextEncoder().encode(JSON.stringify(body)) }
}

/** A refusal as Kubernetes writes it. */
export function refusal(code: number, reason: string, message: string = reason, metadata: object = {}): HttpResponse {
  return answer(code, { kind: 'Status', code, reason, message, metadata })
}

/** How Kubernetes says that one object is not there; `message` is of an admission webhook that says so. */
export function notFound(kind: string, name: string, message: string = `${kind} "${name}" not found`): HttpResponse {
  return answer(404, { kind: 'Status', code: 404, reason: 'NotFound', message, details: { kind, name } })
}
