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

/**
 * The offset in a template at which it writes the line of `rendered` around `offset`: of the lines that begin with the
 * same text, as far as no expression gives it, the one that has most of it. 0 where there is none.
 */
export function writtenPlace({ text }: Source, rendered: string, offset: number): number {
  const start = rendered.lastIndexOf('\n', offset - 1) + 1
  const line = rendered.slice(start).split('\n', 1)[0] ?? ''
  const column = offset - start
  let [best, length, at] = [0, 0, 0]
  for (const written of text.split('\n')) {
    const isFixed = !written.includes('{{')
    const head = written.split('{{', 1)[0] ?? ''
    const fits = isFixed ? line === written : line.startsWith(head)
    if (fits && head.trim().length > length) {
      length = head.trim().length
      best = at + Math.min(column, head.length)
    }
    at += written.length + 1
  }
  return best
}
