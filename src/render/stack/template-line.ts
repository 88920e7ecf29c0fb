import type { Source, Span } from '../../model/source.ts'

/** Where in a template a character of what it rendered to comes from; undefined when nobody can tell. */
export type LocateText = (offset: number) => Span | undefined

/** The place in a file that was taken as it is. */
export function locateInFile(source: Source): LocateText {
  return (offset) => spanAt(source, offset)
}

/**
 * The place in a Handlebars template, which keeps no origins: the lines of its output are found again in it, in order, by what stands in
 * them outside of `{{…}}`. After a line of a loop that began again the search begins again, too.
 */
export function locateInTemplate(source: Source, rendered: string): LocateText {
  return (offset) => {
    const lines = sourceLines(source.text)
    const above = rendered.slice(0, offset).split('\n')
    if (above.length * lines.length > MAX_COMPARISONS) return undefined
    const lineStart = offset - (above.at(-1) ?? '').length
    const last = /^.*/.exec(rendered.slice(lineStart))?.[0] ?? ''
    let next = 0
    let found: SourceLine | undefined
    for (const line of [...above.slice(0, -1), last]) {
      const fits = (candidate: SourceLine): boolean => canRender(candidate, line.trimEnd())
      const later = lines.findIndex((candidate, index) => index >= next && fits(candidate))
      const index = later === -1 ? lines.findIndex(fits) : later
      found = lines[index]
      if (index !== -1) next = index + 1
    }
    if (found === undefined) return undefined
    const column = offset - lineStart
    const isText = found.text.startsWith(last.slice(0, column))
    return spanAt(source, found.start + (isText ? column : found.text.length - found.text.trimStart().length))
  }
}

const MAX_COMPARISONS = 4_000_000

interface SourceLine {
  readonly start: number
  readonly text: string
  /** What stands around its actions; empty for a line that is nothing but actions, and writes none. */
  readonly literals: readonly string[]
}

function sourceLines(text: string): readonly SourceLine[] {
  let start = 0
  return text.split('\n').map((line) => {
    const here = start
    start += line.length + 1
    const literals = line.trimEnd().split(/\{\{[^}]*\}\}+/)
    const isAction = literals.length > 1 && literals.every((literal) => literal.trim() === '')
    return { start: here, text: line, literals: isAction ? [] : literals }
  })
}

function canRender({ literals }: SourceLine, line: string): boolean {
  const [first, ...rest] = literals
  const last = rest.pop()
  if (first === undefined) return false
  if (last === undefined) return line === first
  if (!line.startsWith(first) || !line.endsWith(last)) return false
  let at = first.length
  for (const literal of rest) {
    const index = line.indexOf(literal, at)
    if (index === -1) return false
    at = index + literal.length
  }
  return at <= line.length - last.length
}

/** From the offset to the end of its line. */
function spanAt(source: Source, offset: number): Span {
  const start = Math.min(offset, source.text.length)
  const rest = /^.*/.exec(source.text.slice(start))?.[0] ?? ''
  return { source, start, end: start + rest.trimEnd().length }
}
