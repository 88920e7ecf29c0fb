import { joinPath, relativePath } from '../../codec/path.ts'
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

/** How the inputs are opened. */
export interface InputOptions {
  readonly network: Network
  /** In place of the fleet's lock; absolute. */
  readonly lock?: string | undefined
}

/**
 * Opens what rendering takes releases and charts from: the lock, if there is one, and the cache.
 * @throws StackmasonError LOCK_INVALID, FILE_UNREADABLE
 */
export async function openInputs(
  fleet: Fleet,
  { network, lock: standIn }: InputOptions,
  ports: Ports,
): Promise<ReleaseInputs> {
  const context = createSourceContext(ports, network)
  const read = await readLock(standIn ?? lockFileOf(fleet), ports)
  const lock =
    read === undefined || standIn === undefined ? read : { ...read, standIn: relativePath(fleet.root, standIn) }
  return { context, lock, complete: createCompleteChart(lock, context, fleet.chartRepositories) }
}
