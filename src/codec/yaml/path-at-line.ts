import type { PathStep } from '../../model/field.ts'
import { Dict, type Value } from '../../model/value.ts'
import type { Positioned } from '../../model/positioned.ts'
import { spanOf } from './positioned-yaml.ts'

/**
 * The path of the deepest entry of a document that begins on `line` (from 1), or that holds it when it goes over
 * several lines.
 */
export function pathAtLine(document: Positioned, line: number): readonly PathStep[] {
  const lineEnd = endOfLine(document.span.source.text, line)
  let best: { readonly path: readonly PathStep[]; readonly start: number } = { path: [], start: -1 }
  const visit = (value: Value, path: readonly PathStep[]): void => {
    const children: readonly (readonly [PathStep, Value])[] =
      value instanceof Dict ? [...value] : Array.isArray(value) ? [...value.entries()] : []
    for (const [step, child] of children) {
      const own = [...path, step]
      const { start } = spanOf(document, own, 'key')
      if (start >= lineEnd) continue
      if (start >= best.start) best = { path: own, start }
      visit(child, own)
    }
  }
  visit(document.value, [])
  return best.path
}

function endOfLine(text: string, line: number): number {
  let end = -1
  for (let count = 0; count < line; count++) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) return text.length
  }
  return end
}
