import type { ListenAddress, Listener } from '../model/listener.ts'
import type { Clock, Crypto, Random } from '../model/ports.ts'
import type { ServerConnection } from '../model/server-connection.ts'
import { Health } from './health.ts'
import { LeaseElection, LeaseLostError, type LeaseTimes } from './lease/lease-election.ts'
import { type Log, messageOf } from './log.ts'
import { EventRecorder } from './objects/event-recorder.ts'
import { KeyQueue } from './queue/key-queue.ts'
import type { BackoffTimes } from './queue/backoff.ts'
import { MANAGED_BY, MANAGER, OWNER_LABEL } from './runtime-values/published-map.ts'
import { reconcileRuntimeValues, runtimeValuesResource } from './runtime-values/reconcile.ts'
import { ApiError } from './server/api-error.ts'
import { ApiServer } from './server/api-server.ts'
import { Discovery } from './server/discovery.ts'
import { formatKey, type KubeObject, type ObjectKey, parseKey } from './server/kube-object.ts'
import { configMaps } from './server/resource.ts'
import { TokenBucket } from './server/token-bucket.ts'
import { type ObjectChange, Reflector, type WatchTarget } from './watching/reflector.ts'
import { SourceWatches } from './watching/source-watches.ts'

/** The kinds of objects that the controller works on, as it is told of them. */
export const workedKinds = ['RuntimeValues'] as const

/** One of {@link workedKinds}. */
export type WorkedKind = (typeof workedKinds)[number]

/** How the controller runs. */
export interface ControllerOptions {
  /** Names this process among others, and among its own runs. */
  readonly identity: string
  /** None: all. */
  readonly namespaces: readonly string[]
  /** Value of the label `cluster.x-k8s.io/watch-filter` that objects must have; empty: all. */
  readonly watchFilter: string
  /** Value of the label `stackmason.dev/shard` that objects must have; empty: only those without. */
  readonly shard: string
  /** Objects of each kind that are worked on at the same time. */
  readonly concurrency: Readonly<Record<WorkedKind, number>>
  /** Requests for each second, and how many more at once after a pause. */
  readonly rate: { readonly perSecond: number; readonly burst: number }
  readonly backoff: BackoffTimes
  /** Undefined: no other instance runs. */
  readonly lease: { readonly namespace: string; readonly times: LeaseTimes } | undefined
  readonly userAgent: string
  /** Where probes are answered; undefined: nowhere. */
  readonly healthAddress: ListenAddress | undefined
}

/** What the controller works with. */
export interface ControllerPorts {
  readonly connection: ServerConnection
  readonly listener: Listener
  readonly clock: Clock
  readonly random: Random
  readonly crypto: Pick<Crypto, 'hash'>
  readonly log: Log
}

/** Milliseconds for a request: less than a lease holds, so that none of a former leader arrives late. */
const REQUEST_TIMEOUT = 8000
const WATCH_FILTER = 'cluster.x-k8s.io/watch-filter'
const SHARD = 'stackmason.dev/shard'

/**
 * Runs the controller until the signal is aborted: what was begun then comes to its end, and the lease is given back.
 * @throws LeaseLostError when another instance may have taken over, ListenError
 */
export async function runController(
  options: ControllerOptions,
  ports: ControllerPorts,
  signal: AbortSignal,
): Promise<void> {
  const { healthAddress } = options
  const health = new Health()
  const listening =
    healthAddress === undefined ? undefined : await ports.listener.listen(healthAddress, (path) => health.answer(path))
  if (listening !== undefined) ports.log.info('answering probes', { port: listening.port })
  try {
    await lead(options, { ...ports, health }, signal)
  } finally {
    await listening?.close()
  }
}

/** Works when it is our turn. */
async function lead(
  options: ControllerOptions,
  ports: ControllerPorts & { readonly health: Health },
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, connection } = ports
  const { identity, lease, shard, rate, userAgent } = options
  const count = (): void => undefined
  const limit = new TokenBucket(rate, clock)
  const asking = { timeout: REQUEST_TIMEOUT, userAgent, limit, count }
  if (lease === undefined) {
    await work(options, { ...ports, api: new ApiServer(connection, asking) }, signal)
    return
  }
  // requests of the election wait for no others
  const own = new ApiServer(connection, {
    timeout: REQUEST_TIMEOUT,
    userAgent,
    limit: new TokenBucket({ perSecond: 10, burst: 10 }, clock),
    count,
  })
  const election = new LeaseElection({
    ...lease,
    api: own,
    clock,
    name: shard === '' ? 'stackmason-controller' : `stackmason-controller-${shard}`,
    identity,
    onFailure: (error) => {
      log.warn('the lease could not be taken or renewed', { error: messageOf(error) })
    },
    onLeading: (isLeading) => {
      log.info(isLeading ? 'leading' : 'no longer leading')
    },
  })
  const api = new ApiServer(connection, {
    ...asking,
    beforeWrite: () => {
      election.assertLeading()
    },
  })
  log.info('waiting for the lease', { namespace: lease.namespace })
  await election.lead((leading) => work(options, { ...ports, api }, leading), signal)
}

async function work(
  options: ControllerOptions,
  ports: ControllerPorts & { readonly api: ApiServer; readonly health: Health },
  signal: AbortSignal,
): Promise<void> {
  const { api, clock, random, crypto, log, health } = ports
  const namespaces = options.namespaces.length === 0 ? [''] : options.namespaces
  const running: Promise<void>[] = []
  const watch = (target: WatchTarget, onChange: (change: ObjectChange) => void): Reflector => {
    const watched = target.resource.plural
    const onFailure = (error: unknown, pause: number): void => {
      log.warn('a watch failed, and goes on', { watched, error: messageOf(error), pause })
    }
    const reflector = new Reflector(target, { api, clock, random, onChange, onFailure })
    running.push(reflector.run(signal))
    return reflector
  }
  const start: typeof watch = (target, onChange) => {
    const reflector = watch(target, onChange)
    health.follow(reflector, 'needed')
    return reflector
  }
  const events = new EventRecorder({
    api,
    clock,
    controller: 'stackmason.dev/controller',
    instance: options.identity,
    onFailure: (error) => {
      log.warn('an event could not be told', { error: messageOf(error) })
    },
  })
  const discovery = new Discovery(api, clock)
  // requests of a pass may end after the signal, but not much
  const passes = new AbortController()
  const queue = new KeyQueue({
    clock,
    random,
    concurrency: options.concurrency.RuntimeValues,
    backoff: options.backoff,
    work: async (key) => {
      const object = findObject(parseKey(key))
      if (object === undefined) return {}
      log.debug('a pass begins', { key, generation: object.generation })
      return reconcileRuntimeValues(object, context, passes.signal)
    },
    askedPause: (error) => (error instanceof ApiError ? error.retryAfter : 0),
    onFailure: (key, error, pause) => {
      log.error('a pass failed, and is tried again', { key, error: messageOf(error), pause: Math.round(pause) })
    },
  })
  const sources = new SourceWatches({
    namespaces,
    start: (target, onChange) => {
      const reflector = watch(target, onChange)
      health.follow(reflector, 'further')
      return reflector
    },
    onChange: (key) => queue.add(key),
  })
  const published = namespaces.map((namespace) =>
    start(
      {
        resource: configMaps,
        namespace,
        labelSelector: `${MANAGED_BY}=${MANAGER},${OWNER_LABEL}`,
        content: 'metadata',
      },
      ({ object }) => queue.add(formatKey(ownerOf(object))),
    ),
  )
  const objects = namespaces.map((namespace) =>
    start(
      { resource: runtimeValuesResource, namespace, labelSelector: selectorOf(options), content: 'object' },
      (change) => {
        if (change.type === 'removed') sources.forget(change.object)
        else if (asksForMore(change.object, change.before)) queue.add(formatKey(change.object))
      },
    ),
  )
  const context = {
    api,
    discovery,
    clock,
    crypto,
    events,
    follow: (key: ObjectKey, resource: WatchTarget['resource'], source: ObjectKey) => {
      sources.follow(key, resource, source)
    },
    publishedBefore: (key: ObjectKey) =>
      published.flatMap(({ store }) => store.all().filter((map) => formatKey(ownerOf(map)) === formatKey(key))),
    onWrite: (what: string, result: string) => {
      log.debug('a write', { what, result })
    },
  }

  function findObject(key: ObjectKey): KubeObject | undefined {
    return objects.flatMap(({ store }) => {
      const found = store.get(key)
      return found.answer === 'found' ? [found.object] : []
    })[0]
  }

  const stopped = new Promise<void>((resolve) => {
    const stop = (): void => {
      resolve()
      // another one may work already
      if (signal.reason instanceof LeaseLostError) passes.abort()
      void clock.sleep(REQUEST_TIMEOUT, passes.signal).then(() => {
        passes.abort()
      })
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
  await Promise.race([Promise.all([...published, ...objects].map(({ synced }) => synced)), stopped])
  if (!signal.aborted) log.info('working', { objects: objects.reduce((sum, { store }) => sum + store.size, 0) })
  await queue.run(signal)
  passes.abort()
  await Promise.all(running)
  log.info('stopped')
}

/** Objects that belong to this instance. */
function selectorOf({ watchFilter, shard }: ControllerOptions): string {
  const ofShard = shard === '' ? `!${SHARD}` : `${SHARD}=${shard}`
  return watchFilter === '' ? ofShard : `${ofShard},${WATCH_FILTER}=${watchFilter}`
}

function ownerOf({ namespace, labels }: KubeObject): ObjectKey {
  return { namespace, name: labels.get(OWNER_LABEL) ?? '' }
}

/** Whether an object says something new; of a status that is our own there is nothing to learn. */
function asksForMore(object: KubeObject, before: KubeObject | undefined): boolean {
  return (
    before === undefined ||
    before.uid !== object.uid ||
    before.generation !== object.generation ||
    before.isBeingDeleted !== object.isBeingDeleted ||
    !isSameMap(before.labels, object.labels) ||
    !isSameMap(before.annotations, object.annotations)
  )
}

function isSameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)
}
