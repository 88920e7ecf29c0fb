import { parseSync, Visitor } from 'oxc-parser'

/**
 * A program in which no object literal begins with a spread that other properties follow: `{...null,...` spreads the same,
 * in the same order. V8 of Node 20 copies the first spread of a literal as a whole, and then gives each object that gets
 * another property a shape of its own: it costs several times the time, some hundred bytes for each object, and whatever
 * reads these objects is never quick. Later versions share the shapes either way.
 * @throws Error where the text is no script
 */
export function withSharedShapes(text: string): string {
  const { program, errors } = parseSync('program.cjs', text)
  const [error] = errors
  if (error !== undefined) throw new Error(`cannot be parsed: ${error.message}`)
  const places: number[] = []
  new Visitor({
    ObjectExpression({ properties }) {
      const [first, second] = properties
      if (first?.type !== 'SpreadElement' || second === undefined) return
      const isDone = first.argument.type === 'Literal' && first.argument.value === null
      if (!isDone) places.push(first.start)
    },
  }).visit(program)
  const parts: string[] = []
  let end = 0
  for (const place of places.toSorted((a, b) => a - b)) {
    parts.push(text.slice(end, place), '...null,')
    end = place
  }
  return parts.join('') + text.slice(end)
}
