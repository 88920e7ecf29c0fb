import type { PathStep } from '../model/field.ts'
import type { Source } from '../model/source.ts'

/** The offset at which a template speaks of a field, or else of what would hold it; 0 where it does of neither. */
export function templatePlace({ text }: Source, path: readonly PathStep[]): number {
  for (const step of path.toReversed()) {
    const at = text.search(new RegExp(`(?<=^[ \\t-]*)${String(step).replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')}:`, 'm'))
    if (at !== -1) return at
  }
  return 0
}
