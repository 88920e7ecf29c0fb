import { plural } from '../plural.ts'
import type { ObjectName } from '../../model/object-name.ts'

/** How much is shown: what fits a screen, or everything. */
export type Detail = 'short' | 'all'

/** Names of one namespace, and namespaces, that a short list shows. */
const [NAMES, NAMESPACES] = [3, 3]

/** Clusters as people name them: `38 clusters: team-a/{web,db,…}, team-b/{…}`; one or two without a count. */
export function nameClusters(clusters: readonly ObjectName[], detail: Detail): string {
  const byNamespace = new Map<string, string[]>()
  for (const { namespace, name } of clusters) {
    const names = byNamespace.get(namespace)
    if (names === undefined) byNamespace.set(namespace, [name])
    else names.push(name)
  }
  const most = detail === 'all' ? Infinity : NAMES
  const shown = [...byNamespace].slice(0, detail === 'all' ? Infinity : NAMESPACES).map(([namespace, names]) => {
    const [only] = names
    if (names.length === 1) return `${namespace}/${only ?? ''}`
    // one more name takes no more room than the sign that there is one
    const listed = names.length <= most + 1 ? names : [...names.slice(0, most), '…']
    return `${namespace}/{${listed.join(',')}}`
  })
  const more = byNamespace.size - shown.length
  const list = [...shown, ...(more > 0 ? [`${String(more)} more namespaces`] : [])].join(', ')
  return clusters.length <= 2 ? list : `${plural(clusters.length, 'cluster')}: ${list}`
}
