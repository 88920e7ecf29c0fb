import { joinPath, relativePath } from '../../codec/path.ts'
import type { Fleet } from '../../model/fleet.ts'
import type { Lock } from '../../model/lock.ts'
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
  /** A tag: set, no other release of the lock is there. */
  readonly release?: string | undefined
}

/**
 * Opens what rendering takes releases and charts from: the lock, if there is one, and the cache.
 * @throws StackmasonError LOCK_INVALID, FILE_UNREADABLE
 */
export async function openInputs(fleet: Fleet, options: InputOptions, ports: Ports): Promise<ReleaseInputs> {
  const context = createSourceContext(ports, options.network)
  const lock = await openLock(fleet, options, ports)
  return { context, lock, complete: createCompleteChart(lock, context, fleet.chartRepositories) }
}

async function openLock(
  fleet: Fleet,
  { lock: standIn, release }: InputOptions,
  ports: Ports,
): Promise<Lock | undefined> {
  const lock = await readLock(standIn ?? lockFileOf(fleet), ports)
  if (lock === undefined) return undefined
  const releases = lock.releases.filter(({ name }) => release === undefined || name === release)
  if (standIn === undefined) return { ...lock, releases }
  const of = { standIn: relativePath(fleet.root, standIn) }
  return {
    ...lock,
    ...of,
    releases: releases.map((locked) => ({ ...locked, ...of })),
    dependencies: lock.dependencies.map((locked) => ({ ...locked, ...of })),
  }
}
