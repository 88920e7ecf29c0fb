import type { ControllerOptions } from '../../src/controller/controller-options.ts'
import { workedKinds } from '../../src/controller/worked-kinds.ts'

/** Options of a controller that works on all, in short times, and tells nobody of itself. */
export function controllerOptions(options: Partial<ControllerOptions> = {}): ControllerOptions {
  return {
    identity: 'test',
    kinds: workedKinds,
    namespaces: [],
    watchFilter: '',
    shard: '',
    concurrency: { RuntimeValues: 4, NodeImageGate: 4, StorageMigration: 4 },
    rate: { perSecond: 500, burst: 500 },
    backoff: { first: 50, most: 500 },
    workload: { watches: 50, check: 300_000 },
    storageMigration: { settle: 100, slice: 10_000, pause: 50, page: 50, retry: { first: 200, most: 1000 } },
    argoNamespace: undefined,
    lease: undefined,
    userAgent: 'stackmason-test',
    healthAddress: undefined,
    metrics: undefined,
    version: 'test',
    ...options,
  }
}
