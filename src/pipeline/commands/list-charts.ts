import { compareBytes } from '../../codec/text/text-order.ts'
import type { Cluster, RemoteChart } from '../../model/fleet.ts'
import type { Lock } from '../../model/lock.ts'
import { objectPath } from '../../model/object-name.ts'
import { findLockedDependency } from '../../sources/lock/find-locked.ts'

/** A chart of a repository that addons of the fleet's own use. */
export interface ListedChart {
  readonly name: string
  readonly repository: string
  /** The version or range that addons.yaml asks for. */
  readonly request: string
  /** The locked version; absent if the lock has none. */
  readonly version?: string
  readonly digest?: string
  /** Names of the addons. */
  readonly addons: readonly string[]
  /** Clusters that have one of them, `namespace/name`. */
  readonly usedBy: readonly string[]
}

/** The charts of repositories that addons of the clusters use, in order of name, repository and version asked for. */
export function listCharts(clusters: readonly Cluster[], lock: Lock | undefined): readonly ListedChart[] {
  const asked = new Map<string, { readonly chart: RemoteChart; addons: Set<string>; usedBy: Set<string> }>()
  for (const cluster of clusters) {
    for (const { name, enabled, remote } of cluster.addons) {
      if (remote === undefined || !enabled) continue
      const key = [remote.name, remote.repository, remote.request].join('\n')
      const known = asked.get(key) ?? { chart: remote, addons: new Set(), usedBy: new Set() }
      asked.set(key, known)
      known.addons.add(name)
      known.usedBy.add(objectPath(cluster))
    }
  }
  return [...asked]
    .toSorted(([a], [b]) => compareBytes(a, b))
    .map(([, { chart, addons, usedBy }]) => {
      const { name, repository, request } = chart
      const locked = lock === undefined ? undefined : findLockedDependency(lock, chart)
      return {
        name,
        repository,
        request,
        ...(locked !== undefined && { version: locked.version, digest: locked.digest }),
        addons: [...addons].toSorted(compareBytes),
        usedBy: [...usedBy],
      }
    })
}
