import type { ControllerOptions, ControllerPorts } from './controller-options.ts'
import { messageOf } from './log.ts'
import type { ControllerMetrics, PassResult } from './metrics/controller-metrics.ts'
import { StateLog } from './objects/state-log.ts'
import { pauses } from './objects/pauses.ts'
import { isSameJson } from './objects/same-json.ts'
import { KeyQueue, type WorkResult } from './queue/key-queue.ts'
import type { MakeReconciler, ReconcilerTools, WatchedObjects } from './reconciler.ts'
import { ApiError } from '../kube/api-error.ts'
import { formatKey, type KubeObject, type ObjectKey, parseKey } from '../kube/kube-object.ts'
import type { ObjectChange, Reflector, WatchTarget } from './watching/reflector.ts'
import type { SourceWatches } from './watching/source-watches.ts'
import type { WorkedKind } from './worked-kinds.ts'

/** The tools that all reconcilers share. */
export interface SharedTools extends Omit<
  ReconcilerTools,
  'follow' | 'followAll' | 'enqueue' | 'watch' | 'onWrite' | 'tell' | 'states' | 'onCertificates'
> {
  /** Watches something, and runs it until the controller ends. */
  readonly startWatch: (target: WatchTarget, onChange: (change: ObjectChange) => void) => Reflector
  readonly sources: SourceWatches
  readonly metrics: ControllerMetrics
  /** Aborted when passes that have begun must end. */
  readonly passes: AbortSignal
}

/** A kind that is worked on. */
export interface RunningReconciler {
  /** Calls an object again. */
  readonly enqueue: (key: string) => void
  /** Works until the signal is aborted; resolves when the last pass has ended. */
  readonly run: (signal: AbortSignal) => Promise<void>
}

/** Watches the objects of one kind, and makes passes over them. */
export function startReconciler(
  kind: WorkedKind,
  make: MakeReconciler,
  options: ControllerOptions,
  ports: Pick<ControllerPorts, 'log'> & SharedTools,
): RunningReconciler {
  const { log, clock, random, sources, startWatch, metrics } = ports
  const watches: Reflector[] = []
  const watchAll = (
    target: Omit<WatchTarget, 'namespace'>,
    onChange: (change: ObjectChange) => void,
  ): readonly Reflector[] => {
    const namespaces = options.namespaces.length === 0 ? [''] : options.namespaces
    const started = namespaces.map((namespace) => startWatch({ ...target, namespace }, onChange))
    watches.push(...started)
    return started
  }
  /** Objects that were seen to go, until what they leave behind is removed. */
  const gone = new Map<string, KubeObject>()
  const states = new StateLog(kind, log)
  /** The last failure of passes, which is logged once. */
  const failures = new Map<string, string>()
  const queue = new KeyQueue({
    clock,
    random,
    concurrency: options.concurrency[kind],
    backoff: options.backoff,
    work: async (key) => {
      const object = findObject(parseKey(key))
      if (object === undefined) return cleanUp(key)
      log.debug('a pass begins', { kind, key, generation: object.generation })
      const startedAt = clock.monotonic()
      let result: PassResult = 'error'
      const endPass = sources.pass({ kind, key })
      try {
        const found = await reconciler.reconcile(object, ports.passes)
        endPass()
        result = found.again === undefined ? 'success' : 'requeue_after'
        failures.delete(key)
        return found
      } finally {
        // a pass may end after its object
        if (findObject(object) === undefined) sources.forget({ kind, key })
        metrics.passed(kind, result, clock.monotonic() - startedAt)
      }
    },
    onStart: (waited) => {
      metrics.began(kind, waited)
    },
    askedPause: (error) => (error instanceof ApiError ? error.retryAfter : 0),
    onFailure: (key, error, pause) => {
      const message = messageOf(error)
      const isNew = failures.get(key) !== message
      failures.set(key, message)
      const fields = { kind, key, error: message, pause: Math.round(pause) }
      log[isNew ? 'error' : 'debug']('a pass failed, and is tried again', fields)
    },
  })
  const tools: ReconcilerTools = {
    ...ports,
    follow: (key, resource, source) => {
      sources.follow({ kind, key: formatKey(key) }, resource, source)
    },
    followAll: (key, resource, namespace) => {
      sources.followAll({ kind, key: formatKey(key) }, resource, namespace)
    },
    enqueue: (key) => {
      queue.add(formatKey(key))
    },
    watch: (target, onChange): WatchedObjects => {
      const started = watchAll(target, onChange)
      return { all: () => started.flatMap(({ store }) => store.all()) }
    },
    tell: (key, deed, fields) => {
      log.info(deed, { kind, key: formatKey(key), ...fields })
    },
    states,
    onWrite: (what, result) => {
      log.debug('a write', { kind, what, result })
      metrics.wrote(kind, what, result)
    },
    onCertificates: (key, certificates) => {
      // a pass may end after its object
      if (findObject(key) !== undefined) metrics.certified(kind, formatKey(key), certificates)
    },
  }
  const reconciler = make(tools, options)
  const objects = watchAll(
    { resource: reconciler.resource, labelSelector: selectorOf(options), content: 'object' },
    (change) => {
      const key = formatKey(change.object)
      if (change.type === 'removed') {
        sources.forget({ kind, key })
        states.forget(key)
        failures.delete(key)
        metrics.certified(kind, key, [])
        reconciler.forget?.(change.object)
        if (reconciler.cleanUp === undefined) return
        gone.set(key, change.object)
        queue.add(key)
      } else if (asksForMore(change.object, change.before)) queue.add(key)
    },
  )

  metrics.follow({
    kind,
    concurrency: options.concurrency[kind],
    queue,
    objects: () => objects.flatMap(({ store }) => store.all()),
  })

  async function cleanUp(key: string): Promise<WorkResult> {
    const object = gone.get(key)
    const endPass = sources.pass({ kind, key })
    const left =
      object === undefined
        ? await reconciler.sweep?.(parseKey(key), ports.passes)
        : await reconciler.cleanUp?.(object, ports.passes)
    endPass()
    if (left?.again === undefined) gone.delete(key)
    return left ?? {}
  }

  /** Calls what was left behind while nobody worked, as soon as the server tells of it. */
  async function recall(signal: AbortSignal): Promise<void> {
    let isTold = false
    while (!signal.aborted) {
      try {
        for (const key of (await reconciler.leftBehind?.(ports.passes)) ?? []) {
          const isOurs = options.namespaces.length === 0 || options.namespaces.includes(key.namespace)
          if (isOurs && findObject(key) === undefined) queue.add(formatKey(key))
        }
        return
      } catch (error) {
        if (signal.aborted) return
        const fields = { kind, error: messageOf(error) }
        log[isTold ? 'debug' : 'warn']('what objects left behind cannot be listed, and is tried again', fields)
        isTold = true
        await clock.sleep(pauses.kind, signal)
      }
    }
  }

  function findObject(key: ObjectKey): KubeObject | undefined {
    return objects.flatMap(({ store }) => {
      const found = store.get(key)
      return found.answer === 'found' ? [found.object] : []
    })[0]
  }

  return {
    enqueue: (key) => {
      queue.add(key)
    },
    run: async (signal) => {
      await Promise.race([Promise.all(watches.map(({ synced }) => synced)), aborted(signal)])
      if (!signal.aborted) {
        log.info('working', { kind, objects: objects.reduce((sum, { store }) => sum + store.size, 0) })
      }
      await Promise.all([queue.run(signal), recall(signal)])
    },
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else {
      signal.addEventListener(
        'abort',
        () => {
          resolve()
        },
        { once: true },
      )
    }
  })
}

const WATCH_FILTER = 'cluster.x-k8s.io/watch-filter'
const SHARD = 'stackmason.dev/shard'

/** Objects that belong to this instance. */
function selectorOf({ watchFilter, shard }: ControllerOptions): string {
  const ofShard = shard === '' ? `!${SHARD}` : `${SHARD}=${shard}`
  return watchFilter === '' ? ofShard : `${ofShard},${WATCH_FILTER}=${watchFilter}`
}

/** True if an object has something new; its status is our own. */
function asksForMore(object: KubeObject, before: KubeObject | undefined): boolean {
  return (
    before === undefined ||
    before.uid !== object.uid ||
    before.generation !== object.generation ||
    // after its data was restored, a server counts the same generations again
    !isSameJson(before.content['spec'], object.content['spec']) ||
    before.isBeingDeleted !== object.isBeingDeleted ||
    !isSameMap(before.labels, object.labels) ||
    !isSameMap(before.annotations, object.annotations)
  )
}

function isSameMap(a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>): boolean {
  return a.size === b.size && [...a].every(([key, value]) => b.get(key) === value)
}
