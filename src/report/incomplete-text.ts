import { type ObjectName, objectPath } from '../model/object-name.ts'
import { plural } from './plural.ts'

/** Clusters that a sentence names. */
const NAMED = 10

/** One sentence on the part that a check did not judge; `clusters` undefined: it could not render anything. */
export function incompleteText(clusters: readonly ObjectName[] | undefined): string {
  if (clusters === undefined) return 'Incomplete: an error stopped the check, so nothing was judged but inputs.'
  const named = clusters.slice(0, NAMED).map(objectPath)
  const more = clusters.length - named.length
  const names = [...named, ...(more > 0 ? [`${String(more)} more`] : [])].join(', ')
  const verb = clusters.length === 1 ? 'was' : 'were'
  const what = clusters.length === 0 ? '' : `${plural(clusters.length, 'cluster')} ${verb} not judged (${names}), and `
  return `Incomplete: ${what}rules that need the whole fleet, or compare it with the base, were not asked.`
}
