import type { ForgeComment } from './forge-calls.ts'
import { countAt, mapOf, optionalTextAt } from './forge-shape.ts'

/** A comment, which all forges write alike. @throws ForgeShapeError */
export function parseForgeComment(value: unknown): ForgeComment {
  const map = mapOf(value, 'a comment')
  return { id: countAt(map, 'id'), body: optionalTextAt(map, 'body') }
}
