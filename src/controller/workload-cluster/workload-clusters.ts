import { decodeBase64 } from '../../codec/bytes/base64.ts'
import { formatHex } from '../../codec/bytes/hex.ts'
import { decodeUtf8, encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { ApiError } from '../../kube/api-error.ts'
import { KubeconfigError, parseKubeconfig } from '../../kube/kubeconfig/workload-kubeconfig.ts'
import { ApiServer, type CountRequest } from '../../kube/api-server.ts'
import { textField } from '../../kube/json-field.ts'
import { formatKey, type ObjectKey } from '../../kube/kube-object.ts'
import { readObject } from '../../kube/read-object.ts'
import { secrets } from '../../kube/resource.ts'
import { TokenBucket } from '../../kube/token-bucket.ts'
import { HttpError } from '../../model/http.ts'
import type { KubeConnector } from '../../model/kube-access.ts'
import type { Clock, Crypto, Random } from '../../model/ports.ts'
import type { HttpStream, ServerAccess, ServerConnection } from '../../model/server-connection.ts'
import { backoffAfter, type BackoffTimes } from '../queue/backoff.ts'
import { ConnectionPool } from './connection-pool.ts'

/** Why there is no way to a workload cluster. `KubeconfigRefused` needs a person; the others may pass by themselves. */
export type WorkloadClusterReason = 'KubeconfigNotFound' | 'KubeconfigRefused' | 'ClusterUnreachable' | 'Unauthorized'

/**
 * A workload cluster cannot be asked now. The message is for conditions: it repeats nothing of Secrets, and no words of
 * its server.
 */
export class WorkloadClusterError extends Error {
  readonly reason: WorkloadClusterReason
  /** Milliseconds after which it may be tried again; until then nothing is asked. 0: when the kubeconfig changes. */
  readonly again: number

  constructor(
    reason: WorkloadClusterReason,
    message: string,
    { again = 0, ...options }: ErrorOptions & { again?: number } = {},
  ) {
    super(message, options)
    this.name = 'WorkloadClusterError'
    this.reason = reason
    this.again = again
  }
}

/** The options of {@link WorkloadClusters}. */
export interface WorkloadClustersOptions {
  /** The management cluster. */
  readonly api: ApiServer
  readonly connect: KubeConnector['connect']
  readonly clock: Clock
  readonly crypto: Pick<Crypto, 'hash'>
  readonly random: Random
  readonly userAgent: string
  /** Requests for each second to each of them, and how many more at once after a pause. */
  readonly rate: { readonly perSecond: number; readonly burst: number }
  readonly count: CountRequest
  /** Called right before anything is written; what it throws keeps the request back. */
  readonly beforeWrite?: () => void
  /** Milliseconds for a request. */
  readonly timeout?: number
  readonly backoff?: BackoffTimes
  /** Connections that are kept while nobody uses them. */
  readonly mostIdle?: number
}

/** Much less than for the management cluster: who waits for one that does not answer holds up others. */
const REQUEST_TIMEOUT = 5000
/**
 * Milliseconds: a server that answers each request a little before its time is up would hold those who work for as long
 * as there are requests.
 */
const PATIENCE = { free: 2000, most: 15_000 }
/** A Secret has a megabyte, and a third more in base64; servers are not trusted. */
const MOST_BYTES = 8 * 1024 * 1024
const BACKOFF: BackoffTimes = { first: 2000, most: 5 * 60_000 }
const MOST_IDLE = 64
/** More than any pause between two looks at a cluster. */
const IDLE_FOR = 45 * 60_000
/** Clusters that did not answer and are tried at the same time: the others have the rest of those who work. */
const MOST_SUSPECTS = 1
/** Milliseconds to wait where another such cluster is being tried. */
const SUSPECT_PAUSE = 2000

interface Failure {
  readonly fingerprint: string
  readonly reason: WorkloadClusterReason
  readonly message: string
  /** Milliseconds that the server asks for at least. */
  readonly asked: number
}

interface Failures extends Failure {
  readonly count: number
  readonly until: number
}

/**
 * Ways to workload clusters, by the kubeconfigs that Cluster API keeps for them. Each is read anew whenever it is
 * used, so that a rotated one is followed; its connection is shared by all that have the same server and credentials. A
 * cluster that does not answer is left alone for a while, each by itself.
 */
export class WorkloadClusters {
  readonly #options: WorkloadClustersOptions
  readonly #pool: ConnectionPool
  /** Makes fingerprints worthless outside of this process. */
  readonly #salt: Uint8Array
  readonly #failures = new Map<string, Failures>()
  /** Each keeps to the rate, whoever asks it. */
  readonly #servers = new WeakMap<ServerConnection, ApiServer>()
  #suspects = 0

  constructor(options: WorkloadClustersOptions) {
    const { clock, random, mostIdle = MOST_IDLE } = options
    this.#options = options
    this.#pool = new ConnectionPool({ clock, most: mostIdle, idleFor: IDLE_FOR })
    this.#salt = random.bytes(32)
  }

  /**
   * Does work that asks the API server of a Cluster. What the server refuses reaches the caller as it is; what only
   * says that it cannot be asked does not. The words of its refusals are not to be shown: they may repeat what was
   * sent.
   * @throws WorkloadClusterError, ApiError, or what `work` throws
   */
  async within<T>(cluster: ObjectKey, work: (api: ApiServer) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.#reach(cluster, signal, (user, open) =>
      this.#pool.use(user, open, async (connection) =>
        work(this.#serverOf(connection).patient({ clock: this.#options.clock, ...PATIENCE })),
      ),
    )
  }

  /**
   * Starts a watch on the API server of a Cluster. Its connection stays open until the stream has been read to its end,
   * or the reader has left it.
   * @throws WorkloadClusterError, ApiError, HttpError
   */
  async follow(
    cluster: ObjectKey,
    request: Parameters<ApiServer['follow']>[0],
    signal: AbortSignal,
  ): Promise<HttpStream> {
    return this.#reach(cluster, signal, async (user, open) => {
      const { connection, release } = await this.#pool.hold(user, open)
      try {
        const stream = await this.#serverOf(connection).follow(request, signal)
        return { ...stream, chunks: endedBy(stream.chunks, release) }
      } catch (error) {
        release()
        throw error
      }
    })
  }

  /** Asks the API server of a Cluster, unless that is to be left alone; notes how it went. */
  async #reach<T>(
    cluster: ObjectKey,
    signal: AbortSignal,
    ask: (
      user: { readonly user: string; readonly fingerprint: string },
      open: () => Promise<ServerConnection>,
    ) => Promise<T>,
  ): Promise<T> {
    const user = formatKey(cluster)
    const access = await this.accessOf(cluster, signal)
    const fingerprint = this.#fingerprintOf(access)
    const failed = this.#failures.get(user)
    const isSuspect = failed?.fingerprint === fingerprint
    if (isSuspect) this.#assertDue(failed)
    if (isSuspect) this.#suspects += 1
    try {
      const result = await ask({ user, fingerprint }, () => this.#options.connect(access))
      this.#failures.delete(user)
      return result
    } catch (error) {
      throw this.#explain(error, { cluster, fingerprint, signal })
    } finally {
      if (isSuspect) this.#suspects -= 1
    }
  }

  /**
   * How a Cluster's API server is reached, by its kubeconfig as it is now. It is secret. @throws WorkloadClusterError
   */
  async accessOf(cluster: ObjectKey, signal: AbortSignal): Promise<ServerAccess> {
    const key = kubeconfigKey(cluster)
    const { name } = key
    const secret = await readObject(this.#options.api, { resource: secrets, key }, signal)
    const encoded = textField(secret?.content, 'data', 'value')
    if (encoded === undefined) {
      this.forget(cluster)
      const what = secret === undefined ? 'is not there yet' : 'has no key value yet'
      throw new WorkloadClusterError('KubeconfigNotFound', `Secret ${name} ${what}, which Cluster API makes`)
    }
    try {
      return parseKubeconfig(decodeUtf8(decodeBase64(encoded) ?? new Uint8Array()))
    } catch (error) {
      if (!(error instanceof KubeconfigError)) throw error
      this.forget(cluster)
      throw new WorkloadClusterError(
        'KubeconfigRefused',
        `the kubeconfig in Secret ${name} is refused: ${error.message}`,
      )
    }
  }

  /** The Cluster is gone: its connection is closed, and nothing is kept of it. */
  forget(cluster: ObjectKey): void {
    const user = formatKey(cluster)
    this.#pool.leave(user)
    this.#failures.delete(user)
  }

  /** Connections that are open. */
  get connections(): number {
    return this.#pool.size
  }

  /** Closes all connections; to be called when nobody works any more. */
  async close(): Promise<void> {
    await this.#pool.close()
  }

  #fingerprintOf(access: ServerAccess): string {
    const text = encodeUtf8(JSON.stringify(access))
    const bytes = new Uint8Array(this.#salt.length + text.length)
    bytes.set(this.#salt)
    bytes.set(text, this.#salt.length)
    return formatHex(this.#options.crypto.hash('sha256', bytes))
  }

  /** @throws WorkloadClusterError where the cluster, or another one that did not answer either, is being waited for */
  #assertDue({ until, reason, message }: Failures): void {
    const left = until - this.#options.clock.monotonic()
    const again = left > 0 ? left : this.#suspects >= MOST_SUSPECTS ? SUSPECT_PAUSE : 0
    if (again > 0) throw new WorkloadClusterError(reason, message, { again })
  }

  #serverOf(connection: ServerConnection): ApiServer {
    const { clock, userAgent, rate, count, beforeWrite, timeout = REQUEST_TIMEOUT } = this.#options
    const known = this.#servers.get(connection)
    if (known !== undefined) return known
    const server = new ApiServer(connection, {
      timeout,
      userAgent,
      limit: new TokenBucket(rate, clock),
      count,
      maxBytes: MOST_BYTES,
      beforeWrite,
    })
    this.#servers.set(connection, server)
    return server
  }

  #explain(
    error: unknown,
    {
      cluster,
      fingerprint,
      signal,
    }: { readonly cluster: ObjectKey; readonly fingerprint: string; readonly signal: AbortSignal },
  ): unknown {
    if (signal.aborted) return error
    const found = failureOf(error, cluster)
    if (found === undefined) return error
    const again = this.#note(cluster, { ...found, fingerprint })
    return new WorkloadClusterError(found.reason, found.message, { again, cause: error })
  }

  /** Remembers a failure, and says how long the cluster is left alone. */
  #note(cluster: ObjectKey, failure: Failure): number {
    const { clock, random, backoff = BACKOFF } = this.#options
    const user = formatKey(cluster)
    const before = this.#failures.get(user)
    const count = before?.fingerprint === failure.fingerprint ? before.count + 1 : 1
    const pause = Math.max(backoff.first, failure.asked, backoffAfter(count, backoff, random))
    this.#failures.set(user, { ...failure, count, until: clock.monotonic() + pause })
    return pause
  }
}

async function* endedBy<T>(items: AsyncIterable<T>, onEnd: () => void): AsyncIterable<T> {
  try {
    yield* items
  } finally {
    onEnd()
  }
}

const LONGEST_MESSAGE = 512

/** The failure by which the whole cluster cannot be asked. */
function failureOf(error: unknown, cluster: ObjectKey): Omit<Failure, 'fingerprint'> | undefined {
  if (error instanceof ApiError && error.status === 401) {
    const message = `the API server of the Cluster does not accept the credentials in Secret ${kubeconfigKey(cluster).name}`
    return { reason: 'Unauthorized', message, asked: 0 }
  }
  const isBroken =
    error instanceof HttpError || (error instanceof ApiError && (error.status >= 500 || error.status === 429))
  if (!isBroken) return undefined
  const said = error instanceof HttpError ? error.message : `it answers with status ${String(error.status)}`
  const message = `the API server of the Cluster cannot be reached: ${said.slice(0, LONGEST_MESSAGE)}`
  return { reason: 'ClusterUnreachable', message, asked: error instanceof ApiError ? error.retryAfter : 0 }
}

/** The Secret in which Cluster API keeps the kubeconfig of a Cluster. */
export function kubeconfigKey({ namespace, name }: ObjectKey): ObjectKey {
  return { namespace, name: `${name}-kubeconfig` }
}
