import type { Listening, TextAnswer, TlsFiles } from '../model/listener.ts'
import type { Clock } from '../model/ports.ts'
import type { ControllerOptions, ControllerPorts } from './controller-options.ts'
import { Health } from './health.ts'
import { LeaseElection, LeaseLostError } from './lease/lease-election.ts'
import { type Log, messageOf } from './log.ts'
import { ControllerMetrics } from './metrics/controller-metrics.ts'
import { metricTable } from './metrics/metric-table.ts'
import { EventRecorder } from './objects/event-recorder.ts'
import { pauses } from './objects/pauses.ts'
import { reconcilers } from './reconcilers.ts'
import { type RunningReconciler, type SharedTools, startReconciler } from './run-reconciler.ts'
import { ApiServer } from '../kube/api-server.ts'
import { formatKey } from '../kube/kube-object.ts'
import { Discovery } from '../kube/discovery.ts'
import { TokenBucket } from '../kube/token-bucket.ts'
import { Trouble } from './trouble.ts'
import { LONGEST_PAUSE, type ObjectChange, Reflector, type WatchTarget } from './watching/reflector.ts'
import { SourceWatches } from './watching/source-watches.ts'
import type { WorkedKind } from './worked-kinds.ts'
import { WorkloadWatches } from './workload-cluster/workload-watches.ts'
import { WorkloadClusters, type WorkloadClustersOptions } from './workload-cluster/workload-clusters.ts'

/** Milliseconds for a request: less than a lease holds, so that none of a former leader arrives late. */
const REQUEST_TIMEOUT = 8000

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
  const { listener, log } = ports
  const health = new Health()
  const open: Listening[] = []
  try {
    if (healthAddress !== undefined) {
      const listening = await listener.listen(healthAddress, (path) => health.answer(path))
      open.push(listening)
      log.info('answering probes', { port: listening.port })
    }
    const store = options.metrics === undefined ? undefined : await ports.metrics.open(metricTable)
    const metrics = new ControllerMetrics(store, options.version)
    if (options.metrics !== undefined && store !== undefined) {
      const { address, tls } = options.metrics
      const answer = async (path: string): Promise<TextAnswer> =>
        path === '/metrics'
          ? { status: 200, text: await metrics.text(), contentType: store.contentType }
          : { status: 404, text: 'there is /metrics\n' }
      const listening = await listener.listen(address, answer, tls === undefined ? undefined : rereading(tls, log))
      open.push(listening)
      log.info('telling metrics', { port: listening.port })
    }
    await lead(options, { ...ports, health, metrics }, signal)
  } finally {
    for (const listening of open) await listening.close()
  }
}

/** Milliseconds after which a certificate that was replaced is taken up at the latest. */
const REREAD = 10_000

function rereading(files: Pick<TlsFiles, 'certificate' | 'key'>, log: Log): TlsFiles {
  const onProblem = (message: string): void => {
    log.warn(`of the metrics: ${message}`)
  }
  return { ...files, rereadEvery: REREAD, onProblem }
}

/** The ports of a run, with its health and metrics. */
type RunPorts = Omit<ControllerPorts, 'metrics'> & { readonly health: Health; readonly metrics: ControllerMetrics }

/** Works when it is our turn. */
async function lead(options: ControllerOptions, ports: RunPorts, signal: AbortSignal): Promise<void> {
  const { clock, log, connection, metrics } = ports
  const { identity, lease, shard, rate, userAgent } = options
  const count = metrics.requestsTo(connection.host)
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
  const name = shard === '' ? 'stackmason-controller' : `stackmason-controller-${shard}`
  metrics.led(name, false)
  const { namespace } = lease
  const trouble = new Trouble({
    clock,
    log,
    message: 'the lease cannot be taken or renewed: nothing is done without it',
    works: 'the lease can be seen again',
    fields: { lease: name, namespace },
  })
  let hasSeen = false
  ports.health.needLease(name, { hasSeen: () => hasSeen }, trouble)
  const election = new LeaseElection({
    ...lease,
    api: own,
    clock,
    name,
    identity,
    onFailure: (error) => {
      log.debug('the lease could not be taken or renewed', { error: messageOf(error) })
      trouble.failed(error)
    },
    onAnswer: () => {
      hasSeen = true
      trouble.passed()
    },
    onLeading: (isLeading) => {
      log.info(isLeading ? 'leading' : 'no longer leading')
      metrics.led(name, isLeading)
    },
  })
  const beforeWrite = (): void => {
    election.assertLeading()
  }
  const api = new ApiServer(connection, { ...asking, beforeWrite })
  log.info('waiting for the lease', { namespace: lease.namespace })
  await election.lead((leading) => work(options, { ...ports, api, beforeWrite }, leading), signal)
}

type WorkPorts = RunPorts & Pick<WorkloadClustersOptions, 'api' | 'beforeWrite'>

async function work(options: ControllerOptions, ports: WorkPorts, signal: AbortSignal): Promise<void> {
  const { api, clock, random, log, health, metrics } = ports
  const namespaces = options.namespaces.length === 0 ? [''] : options.namespaces
  const running = new Set<Promise<void>>()
  const start = (
    target: WatchTarget,
    onChange: (change: ObjectChange) => void,
    needed: 'needed' | 'further',
  ): { readonly reflector: Reflector; readonly stop: () => void } => {
    const { resource, namespace } = target
    const watched = resource.plural
    const fields = { watched, ...(namespace !== '' && { namespace }) }
    const trouble = new Trouble({
      clock,
      log,
      message: 'a watch failed, and is tried again',
      whenUnknown: 'the API server does not know a kind: apply its definition, or leave it out with --kind',
      works: 'a watch works again',
      fields,
    })
    const onFailure = (error: unknown, pause: number): void => {
      log.debug('a watch failed, and goes on', { ...fields, error: messageOf(error), pause })
      trouble.failed(error)
      metrics.watchFailed(watched)
    }
    const onAnswer = (): void => {
      trouble.passed()
    }
    // what is needed is in the roles, once somebody has applied them; who names a kind of which we know nothing waits
    // as long as the object that it is for
    const forbiddenPause = needed === 'needed' ? LONGEST_PAUSE : pauses.person
    const reflector = new Reflector(target, { api, clock, random, onChange, onAnswer, onFailure, forbiddenPause })
    health.follow(reflector)
    if (needed === 'needed') health.need(reflector, trouble)
    metrics.followWatch(reflector)
    const stopped = new AbortController()
    const run = reflector.run(AbortSignal.any([signal, stopped.signal])).then(() => {
      running.delete(run)
    })
    running.add(run)
    const stop = (): void => {
      stopped.abort()
      health.leave(reflector)
      metrics.leaveWatch(reflector)
    }
    return { reflector, stop }
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
  const sources = new SourceWatches({
    namespaces,
    start: (target, onChange) => start(target, onChange, 'further').stop,
    onChange: ({ kind, key }) => started.get(kind)?.enqueue(key),
  })
  const passes = endAfter(signal, clock)
  const workloadClusters = new WorkloadClusters({
    ...ports,
    connect: ports.kube.connect,
    // one name for all of them: there may be many
    count: metrics.requestsTo('workload'),
    userAgent: options.userAgent,
    rate: options.rate,
  })
  const workloadWatches = new WorkloadWatches({
    clusters: workloadClusters,
    clock,
    random,
    most: options.workload.watches,
    ending: signal,
    onFailure: (cluster, error) => {
      log.debug('a watch of a workload cluster ended', { cluster: formatKey(cluster), error: messageOf(error) })
    },
  })
  const shared: SharedTools = {
    ...ports,
    managementHost: ports.connection.host,
    events,
    discovery: new Discovery(api, clock),
    workloadClusters,
    workloadWatches,
    sources,
    passes: passes.signal,
    ending: signal,
    startWatch: (target, onChange) => start(target, onChange, 'needed').reflector,
  }
  const started: ReadonlyMap<WorkedKind, RunningReconciler> = new Map(
    options.kinds.map((kind) => [kind, startReconciler(kind, reconcilers[kind], options, { ...shared, log })]),
  )
  await Promise.all(Array.from(started.values(), (reconciler) => reconciler.run(signal)))
  passes.abort()
  await Promise.all(running)
  await workloadWatches.ended()
  await workloadClusters.close()
  log.info('stopped')
}

/** Aborted a while after the signal is: requests of a pass may end, but not take long. */
function endAfter(signal: AbortSignal, clock: Clock): AbortController {
  const passes = new AbortController()
  const stop = (): void => {
    // another one may work already
    if (signal.reason instanceof LeaseLostError) passes.abort()
    void clock.sleep(REQUEST_TIMEOUT, passes.signal).then(() => {
      passes.abort()
    })
  }
  if (signal.aborted) stop()
  else signal.addEventListener('abort', stop, { once: true })
  return passes
}
