import type { ObjectName } from '../../model/object-name.ts'
import type { TreeChange, UndoLimit } from '../../model/tree-change.ts'
import { partTitle, undoWords } from './describe-risk.ts'
import type { FactRow } from './format-facts.ts'
import type { NameClusters } from './name-clusters.ts'
import { nameObjects } from './name-objects.ts'

/** Describes what a revert would not bring back, the worst first; one row for each reason and part of the fleet. */
export function describeUndo({ facts, groups }: TreeChange, name: NameClusters): readonly FactRow[] {
  const gone = facts.clusters.removed.filter(({ isKept }) => !isKept).map(({ cluster }) => cluster)
  const rows = new Map<UndoLimit, string[]>(order.map((limit) => [limit, []]))
  if (gone.length > 0) rows.get('cluster-is-gone')?.push(clusterText(gone, name))
  for (const { part, clusters, objects } of groups) {
    for (const [limit, texts] of rows) {
      const meant = objects.filter(({ undo }) => undo.includes(limit))
      if (meant.length === 0) continue
      const [first] = meant
      if (part.kind === 'cluster' && meant.length === 1 && first?.kind === 'Cluster') {
        texts.push(clusterText(clusters, name))
        continue
      }
      const what = nameObjects(
        meant.map((object) => ({ object, said: '', isWorse: false, rank: 0 })),
        0,
        'short',
      )
      const where = clusters.length === 0 ? '' : ` on ${name(clusters)}`
      texts.push(`${partTitle(part)}: ${what}${where}`)
    }
  }
  return [...rows].flatMap(([limit, texts]) => texts.map((text): FactRow => [undoWords[limit], text]))
}

const order: readonly UndoLimit[] = [
  'cluster-is-gone',
  'content-is-gone',
  'machines-are-gone',
  'applied-is-gone',
  'kubernetes-version',
  'stored-version',
  'fields-are-gone',
]

function clusterText(clusters: readonly ObjectName[], name: NameClusters): string {
  return clusters.length > 2 ? `Cluster of ${name(clusters)}` : `Cluster ${name(clusters)}`
}
