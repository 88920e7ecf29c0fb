import { joinPath } from '../../codec/path.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { Ports } from '../../model/ports.ts'
import { readLock } from '../../sources/lock/read-lock.ts'
import { createCompleteChart } from './complete-charts.ts'
import type { ReleaseInputs } from './load-releases.ts'
import { createSourceContext, type Network } from './open-source.ts'

/** Where the lock of a fleet lies. */
export function lockFileOf({ root }: Fleet): string {
  return joinPath(root, 'stackmason.lock')
}

/**
 * Opens what rendering takes releases and charts from: the lock, if there is one, and the cache.
 * @throws StackmasonError LOCK_INVALID, FILE_UNREADABLE
 */
export async function openInputs(fleet: Fleet, network: Network, ports: Ports): Promise<ReleaseInputs> {
  const context = createSourceContext(ports, network)
  const lock = await readLock(lockFileOf(fleet), ports)
  return { context, lock, complete: createCompleteChart(lock, context, fleet.chartRepositories) }
}
