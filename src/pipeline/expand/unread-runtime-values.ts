import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { isOwnInput } from '../../model/input-path.ts'
import { nearestDotted, nearestName } from '../../model/nearest-name.ts'
import type { Span } from '../../model/source.ts'
import { placeOf, type UsedInputs } from './unused-inputs.ts'

/**
 * Values under `spec.runtimeValues`, or in a file for a preview, that no addon of any cluster below them reads: a
 * warning where one that is asked for has a name like it, else a note. A cluster with a switched-off addon says
 * nothing, for that addon may read them. `results` are of `clusters`, in their order; when there are fewer, some
 * failed, and nothing can be said.
 */
export function unreadRuntimeValues(
  clusters: readonly Cluster[],
  results: readonly UsedInputs[],
  looked: 'whole' | 'part',
): readonly Diagnostic[] {
  if (results.length < clusters.length) return []
  const entries = new Map<string, SuppliedValue>()
  for (const [index, cluster] of clusters.entries()) {
    const { supplied, asked } = results[index]?.runtime ?? { supplied: [], asked: [] }
    const isOpen = cluster.addons.some(({ enabled }) => !enabled)
    const previewed: Cluster['runtimeValues'] = cluster.previewValues ?? new Map()
    // charts see no value of a preview: they ask for it
    const isFilled = (path: string): boolean => asked.includes(path) || cluster.runtimeValues.has(path)
    for (const [path, { at: value, keyAt: at = value }] of [...cluster.runtimeValues, ...previewed]) {
      if (looked === 'part' && !isOwnInput(at.source.name, cluster)) continue
      const entry = entries.get(placeOf({ at })) ?? { path, at, asked: new Set(), isRead: false }
      entries.set(placeOf({ at }), entry)
      for (const name of asked) entry.asked.add(name)
      entry.isRead ||= isOpen || supplied.includes(path) || (previewed.has(path) && isFilled(path))
    }
  }
  return [...entries.values()].filter(({ isRead }) => !isRead).map(unread)
}

interface SuppliedValue {
  readonly path: string
  readonly at: Span
  /** Paths that the clusters ask for, and that nobody supplies. */
  readonly asked: Set<string>
  isRead: boolean
}

function unread({ path, at, asked }: SuppliedValue): Diagnostic {
  const alike = [...asked].filter((name) => nearestDotted(path, [name]) !== undefined)
  const near = nearestName(path, alike)
  return {
    code: 'CONFIG_REFERENCE',
    severity: near === undefined ? 'note' : 'warning',
    message: `no addon reads ${path}`,
    at,
    hint: near === undefined ? 'Remove the entry.' : `Did you mean ${near}?`,
  }
}
