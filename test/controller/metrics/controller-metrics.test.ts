import { expect, test } from 'vitest'
import { ControllerMetrics } from '../../../src/controller/metrics/controller-metrics.ts'
import { metricTable } from '../../../src/controller/metrics/metric-table.ts'
import { configMaps } from '../../../src/kube/resource.ts'
import { type KubeObject, readKubeObject } from '../../../src/kube/kube-object.ts'
import { nodeMetrics } from '../../../src/system/node-metrics.ts'

function object(name: string, ...conditions: readonly string[]): KubeObject {
  const read = readKubeObject({
    metadata: { name, namespace: 'team-a', generation: 2 },
    status: {
      conditions: conditions.map((text) => {
        const [type, status, observedGeneration = '2'] = text.split('=')
        return { type, status, observedGeneration: Number(observedGeneration) }
      }),
    },
  })
  if (read === undefined) throw new Error('no object')
  return read
}

const names = new RegExp(`^(?:${Object.keys(metricTable).join('|')})`)

/** Lines of our own metrics, without those of ranges. */
async function linesOf(metrics: ControllerMetrics): Promise<readonly string[]> {
  return (await metrics.text()).split('\n').filter((line) => names.test(line) && !line.includes('_bucket{'))
}

test('tells of all that was counted', async () => {
  const metrics = new ControllerMetrics(await nodeMetrics.open(metricTable), '1.2.3')
  metrics.passed('RuntimeValues', 'requeue_after', 250)
  metrics.passed('RuntimeValues', 'requeue_after', 750)
  metrics.passed('RuntimeValues', 'error', 1000)
  metrics.began('RuntimeValues', 1500)
  metrics.wrote('RuntimeValues', 'ConfigMap', 'written')
  metrics.wrote('RuntimeValues', 'ConfigMap', 'unchanged')
  const count = metrics.requestsTo('10.0.0.1:6443')
  for (const status of [200, 200, 404, 0]) count('GET', status)
  metrics.led('stackmason-controller', true)
  metrics.watchFailed('configmaps')
  metrics.follow({
    kind: 'RuntimeValues',
    concurrency: 4,
    queue: { depth: 7, active: 2 },
    objects: () => [
      object('a', 'Ready=True'),
      object('b', 'Ready=True=1'),
      object('c', 'Ready=False', 'Stalled=True'),
      object('d', 'Ready=True', 'Paused=True'),
      object('e'),
    ],
  })
  for (const [namespace, silence] of [
    ['a', 2000],
    ['b', 9000],
    ['c', 1000],
  ] as const) {
    metrics.followWatch({
      target: { resource: configMaps, namespace, labelSelector: '', content: 'metadata' },
      silence,
    })
  }
  expect(await linesOf(metrics)).toEqual([
    'controller_runtime_reconcile_total{controller="runtimevalues",result="requeue_after"} 2',
    'controller_runtime_reconcile_total{controller="runtimevalues",result="error"} 1',
    'controller_runtime_reconcile_errors_total{controller="runtimevalues"} 1',
    'controller_runtime_reconcile_time_seconds_sum{controller="runtimevalues"} 2',
    'controller_runtime_reconcile_time_seconds_count{controller="runtimevalues"} 3',
    'controller_runtime_active_workers{controller="runtimevalues"} 2',
    'controller_runtime_max_concurrent_reconciles{controller="runtimevalues"} 4',
    'workqueue_depth{name="runtimevalues"} 7',
    'workqueue_queue_duration_seconds_sum{name="runtimevalues"} 1.5',
    'workqueue_queue_duration_seconds_count{name="runtimevalues"} 1',
    'leader_election_master_status{name="stackmason-controller"} 1',
    'rest_client_requests_total{code="200",method="GET",host="10.0.0.1:6443"} 2',
    'rest_client_requests_total{code="404",method="GET",host="10.0.0.1:6443"} 1',
    'rest_client_requests_total{code="<error>",method="GET",host="10.0.0.1:6443"} 1',
    'stackmason_objects{controller="runtimevalues",state="ready"} 1',
    'stackmason_objects{controller="runtimevalues",state="waiting"} 2',
    'stackmason_objects{controller="runtimevalues",state="stalled"} 1',
    'stackmason_objects{controller="runtimevalues",state="paused"} 1',
    'stackmason_writes_total{controller="runtimevalues",object="ConfigMap",result="written"} 1',
    'stackmason_writes_total{controller="runtimevalues",object="ConfigMap",result="noop_skipped"} 1',
    'stackmason_watch_silence_seconds{resource="configmaps"} 9',
    'stackmason_watch_failures_total{resource="configmaps"} 1',
    'stackmason_build_info{version="1.2.3"} 1',
  ])
})

test('tells of no watch that was stopped', async () => {
  const metrics = new ControllerMetrics(await nodeMetrics.open(metricTable), '1.2.3')
  const target = { resource: configMaps, namespace: '', labelSelector: '', content: 'metadata' } as const
  const silences = async (): Promise<readonly string[]> =>
    (await linesOf(metrics)).filter((line) => line.startsWith('stackmason_watch_silence_seconds'))
  const [one, other] = [
    { target, silence: 9000 },
    { target: { ...target, namespace: 'a' }, silence: 2000 },
  ]
  for (const watch of [one, other]) metrics.followWatch(watch)
  expect(await silences()).toEqual(['stackmason_watch_silence_seconds{resource="configmaps"} 9'])
  metrics.leaveWatch(one)
  expect(await silences()).toEqual(['stackmason_watch_silence_seconds{resource="configmaps"} 2'])
  metrics.leaveWatch(other)
  expect(await silences()).toEqual([])
})

test('tells when the first certificate ends, as long as its object is there', async () => {
  const metrics = new ControllerMetrics(await nodeMetrics.open(metricTable), '1.2.3')
  const ends = async (): Promise<readonly string[]> =>
    (await linesOf(metrics)).filter((line) => line.includes('certificate'))
  const name = 'stackmason_certificate_expiry_timestamp_seconds'
  const nobody = (notAfter: number) => ({ notAfter, isRenewable: false })
  expect(await ends()).toEqual([])
  metrics.certified('RuntimeValues', 'team-a/web', [
    nobody(9_000_000),
    nobody(7_000_500),
    { notAfter: 3000, isRenewable: true },
  ])
  metrics.certified('RuntimeValues', 'team-a/edge', [nobody(8_000_000)])
  expect(await ends()).toEqual([`${name}{renewed_by="controller"} 3`, `${name}{renewed_by="nobody"} 7000.5`])
  metrics.certified('RuntimeValues', 'team-a/web', [nobody(9_000_000)])
  expect(await ends()).toEqual([`${name}{renewed_by="nobody"} 8000`])
  metrics.certified('NodeImageGate', 'team-a/web', [])
  metrics.certified('RuntimeValues', 'team-a/edge', [])
  expect(await ends()).toEqual([`${name}{renewed_by="nobody"} 9000`])
  metrics.certified('RuntimeValues', 'team-a/web', [])
  expect(await ends()).toEqual([])
})

test('tells of the process, too', async () => {
  const text = await new ControllerMetrics(await nodeMetrics.open(metricTable), '1.2.3').text()
  for (const name of [
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_heap_size_used_bytes',
  ]) {
    expect(text).toMatch(new RegExp(`^${name} [0-9]`, 'm'))
  }
})

test('counts nothing where nobody asks', async () => {
  const metrics = new ControllerMetrics(undefined, '1.2.3')
  metrics.passed('RuntimeValues', 'success', 1)
  expect(await metrics.text()).toBe('')
})
