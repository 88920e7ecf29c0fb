import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { CommittedAddons } from '../../model/handoff.ts'
import { objectOfKey } from '../../model/manifest.ts'
import { inClusterTree } from '../../model/tree-path.ts'
import { stepsTogether } from '../steps/find-steps-together.ts'
import { isEmptyNote } from './empty-note.ts'

/** Objects that a message names; the others are counted. */
const NAMED = 3

/**
 * The error for a tree in which objects leave a unit that goes on without having orphaned them, or a unit has gone that
 * was not emptied, compared with the tree that it is to replace: a GitOps tool would delete the first, and leave the
 * others behind. Undefined where neither is so. `revision` is how people named that tree.
 */
export function findMovesTogether(
  cluster: Cluster,
  { before, after }: { readonly before: CommittedAddons; readonly after: CommittedAddons },
  revision: string,
): Diagnostic | undefined {
  const units = new Set(after.units.values())
  const taken = new Set([...before.objects].flatMap(([key, { unit }]) => (after.objects.has(key) ? [unit] : [])))
  const moved: string[] = []
  const ended = new Set<string>()
  for (const [key, { unit, isOrphaned }] of before.objects) {
    const { kind, namespace, name } = objectOfKey(key)
    const now = after.objects.get(key)
    if (now !== undefined && now.unit !== unit && units.has(unit) && !isOrphaned)
      moved.push(`${kind} ${namespace === '' ? '' : `${namespace}/`}${name} leaves ${inClusterTree(unit)}`)
    const isLeft = !units.has(unit) && !taken.has(unit) && !isOrphaned
    if (isLeft && !isEmptyNote({ kind, namespace, name })) ended.add(unit)
  }
  const what = [
    ...some(moved).map((text) => `${text}, which has not orphaned it`),
    ...some([...ended].map(inClusterTree)).map((unit) => `${unit} goes, which was not emptied`),
  ]
  return what.length === 0 ? undefined : stepsTogether(cluster, what.join('; '), revision)
}

function some(texts: readonly string[]): readonly string[] {
  const more = texts.length - NAMED
  return more > 0 ? [...texts.slice(0, NAMED - 1), `${texts[NAMED - 1] ?? ''} (and ${String(more)} more)`] : texts
}
