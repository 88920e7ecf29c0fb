import { type ObjectName, objectPath } from '../../model/object-name.ts'

/** Numbers of clusters on a page. */
export interface ClusterNumbers {
  /** Sorted. */
  readonly clusters: readonly ObjectName[]
  /** Those of some of them as ranges, which is short where most are meant: `0-37 40`. Undefined: none. */
  readonly ranges: (some: readonly ObjectName[]) => string | undefined
}

/** Numbers the clusters that a page names. */
export function numberClusters(named: Iterable<ObjectName>): ClusterNumbers {
  const byPath = new Map<string, ObjectName>()
  for (const cluster of named) byPath.set(objectPath(cluster), cluster)
  const sorted = [...byPath].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const numbers = new Map(sorted.map(([path], index) => [path, index]))
  return {
    clusters: sorted.map(([, cluster]) => cluster),
    ranges: (some) => {
      const own = some.flatMap((cluster) => numbers.get(objectPath(cluster)) ?? []).toSorted((a, b) => a - b)
      const ranges: { readonly from: number; to: number }[] = []
      for (const number of own) {
        const last = ranges.at(-1)
        if (last !== undefined && number <= last.to + 1) last.to = number
        else ranges.push({ from: number, to: number })
      }
      if (ranges.length === 0) return undefined
      return ranges.map(({ from, to }) => (from === to ? String(from) : `${String(from)}-${String(to)}`)).join(' ')
    },
  }
}
