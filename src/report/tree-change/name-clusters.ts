import { type ObjectName, objectPath } from '../../model/object-name.ts'

/** How much is shown: what fits a screen, or everything. */
export type Detail = 'short' | 'all'

/** Names clusters in one text. */
export type NameClusters = (clusters: readonly ObjectName[]) => string

/** Names of one namespace, and namespaces, that a short list shows. */
const [NAMES, NAMESPACES] = [3, 3]

/** Clusters that are named where others are counted. */
const FEW = 10

/**
 * Makes the names of clusters for one text: `team-a/web`, or `38 clusters: team-a/{web,db,…}`; where the same ones have
 * been listed before only `the same 38 clusters`.
 */
export function createClusterNames(detail: Detail): NameClusters {
  const listed = new Set<string>()
  return (clusters) => {
    if (clusters.length <= 2) return listClusters(clusters, detail)
    const key = clusters.map(objectPath).join()
    const count = `${String(clusters.length)} clusters`
    if (listed.has(key)) return `the same ${count}`
    listed.add(key)
    return `${count}: ${listClusters(clusters, detail)}`
  }
}

/** Names a few clusters, and says of more how many of `total` they are. */
export function countClusters(total: number): NameClusters {
  return (clusters) =>
    clusters.length <= FEW ? listClusters(clusters, 'all') : `${String(clusters.length)} of ${String(total)} clusters`
}

function listClusters(clusters: readonly ObjectName[], detail: Detail): string {
  const byNamespace = new Map<string, string[]>()
  for (const { namespace, name } of clusters) {
    const names = byNamespace.get(namespace)
    if (names === undefined) byNamespace.set(namespace, [name])
    else names.push(name)
  }
  const shown = [...byNamespace].slice(0, detail === 'all' ? Infinity : NAMESPACES).map(([namespace, names]) => {
    const [only = ''] = names
    return names.length === 1 ? `${namespace}/${only}` : `${namespace}/{${shortList(names, detail).join(',')}}`
  })
  const more = byNamespace.size - shown.length
  return [...shown, ...(more > 0 ? [`${String(more)} more namespaces`] : [])].join(', ')
}

/** The first of them; one more takes no more room than the sign that there is one. */
function shortList(names: readonly string[], detail: Detail): readonly string[] {
  return detail === 'all' || names.length <= NAMES + 1 ? names : [...names.slice(0, NAMES), '…']
}
