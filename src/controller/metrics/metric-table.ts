import type { MetricDefinition } from '../../model/metrics.ts'

/** Seconds of a pass. */
const passSeconds: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
/** Seconds in a queue. */
const queueSeconds: readonly number[] = [0.001, 0.01, 0.1, 1, 10, 60, 300]

/** The names of what the controller counts of itself. */
export type MetricName =
  | 'controller_runtime_reconcile_total'
  | 'controller_runtime_reconcile_errors_total'
  | 'controller_runtime_reconcile_time_seconds'
  | 'controller_runtime_active_workers'
  | 'controller_runtime_max_concurrent_reconciles'
  | 'workqueue_depth'
  | 'workqueue_queue_duration_seconds'
  | 'leader_election_master_status'
  | 'rest_client_requests_total'
  | 'stackmason_objects'
  | 'stackmason_writes_total'
  | 'stackmason_certificate_expiry_timestamp_seconds'
  | 'stackmason_watch_silence_seconds'
  | 'stackmason_watch_failures_total'
  | 'stackmason_build_info'

/**
 * All that the controller counts of itself, beside what Node tells of the process. What controller-runtime and
 * client-go count, too, has their names, so that dashboards serve both. `controller` and `name` are kinds, in lower
 * case.
 */
export const metricTable: Readonly<Record<MetricName, MetricDefinition>> = {
  controller_runtime_reconcile_total: {
    type: 'counter',
    help: 'Passes over objects, by how they ended: success, requeue_after or error.',
    labels: ['controller', 'result'],
  },
  controller_runtime_reconcile_errors_total: {
    type: 'counter',
    help: 'Passes that failed, and are tried again.',
    labels: ['controller'],
  },
  controller_runtime_reconcile_time_seconds: {
    type: 'histogram',
    help: 'How long passes took.',
    labels: ['controller'],
    buckets: passSeconds,
  },
  controller_runtime_active_workers: {
    type: 'gauge',
    help: 'Passes that are under way.',
    labels: ['controller'],
  },
  controller_runtime_max_concurrent_reconciles: {
    type: 'gauge',
    help: 'Passes that may be under way at the same time.',
    labels: ['controller'],
  },
  workqueue_depth: {
    type: 'gauge',
    help: 'Objects that wait for a pass.',
    labels: ['name'],
  },
  workqueue_queue_duration_seconds: {
    type: 'histogram',
    help: 'How long objects waited for a pass.',
    labels: ['name'],
    buckets: queueSeconds,
  },
  leader_election_master_status: {
    type: 'gauge',
    help: '1 while this instance holds the lease, 0 while it waits for it; absent without a lease.',
    labels: ['name'],
  },
  rest_client_requests_total: {
    type: 'counter',
    help: 'Requests to API servers, by status; `<error>` where none answered. The host of every workload cluster is `workload`.',
    labels: ['code', 'method', 'host'],
  },
  stackmason_objects: {
    type: 'gauge',
    help: 'Objects that this instance works on, by state: ready, waiting, stalled or paused.',
    labels: ['controller', 'state'],
  },
  stackmason_writes_total: {
    type: 'counter',
    help: 'What passes wanted to be written, by kind of object: written, or noop_skipped because it was so already.',
    labels: ['controller', 'object', 'result'],
  },
  stackmason_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'When the first of the certificates that generators have made ends, by who renews it: controller or nobody; absent without one. The condition CertificatesValid names them.',
    labels: ['renewed_by'],
  },
  stackmason_watch_silence_seconds: {
    type: 'gauge',
    help: 'How long the most silent watch of a resource has not heard of the server.',
    labels: ['resource'],
  },
  stackmason_watch_failures_total: {
    type: 'counter',
    help: 'Lists and watches that failed, and go on.',
    labels: ['resource'],
  },
  stackmason_build_info: {
    type: 'gauge',
    help: 'Always 1, for the version in its label.',
    labels: ['version'],
  },
}
