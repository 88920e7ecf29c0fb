import { startOfLine } from '../codec/text/start-of-line.ts'
import type { PathStep } from '../model/field.ts'
import type { Source } from '../model/source.ts'

/**
 * The offset at which a template speaks of a field, or else of the nearest that would hold it; 0 where it does of none.
 * Lines with the same key below another are told apart by their indentation.
 */
export function templatePlace({ text }: Source, path: readonly PathStep[]): number {
  let [place, lines] = [0, linesOf(text)]
  for (const step of path) {
    if (typeof step === 'number') continue
    const wanted = lines.filter(({ key }) => key === step)
    const [first] = wanted.toSorted((a, b) => a.indent - b.indent)
    if (first === undefined) break
    place = first.at
    const below = lines.slice(lines.indexOf(first) + 1)
    const end = below.findIndex(({ indent }) => indent <= first.indent)
    lines = end === -1 ? below : below.slice(0, end)
  }
  return place
}

interface TemplateLine {
  /** The offset of its text. */
  readonly at: number
  readonly indent: number
  readonly key: string | undefined
}

/** The lines that have a text of their own, and are neither comments nor expressions alone. */
function linesOf(text: string): readonly TemplateLine[] {
  return [...text.matchAll(/^[ \t]*(?:-[ \t]+)*(?=[^ \t\n\r#])(?!\{\{)/gm)].map(({ index, 0: { length } }) => {
    const at = index + length
    const [, , quoted, plain] = /^(?:(["'])(.*?)\1|([^"'{[][^:\n]*?))[ \t]*:(?=\s|$)/.exec(text.slice(at)) ?? []
    return { at, indent: length, key: quoted ?? plain }
  })
}

/**
 * The offset in a template at which it writes the line of `rendered` around `offset`: of the lines that begin with the
 * same text, as far as no expression gives it, the one that has most of it. 0 where there is none.
 */
export function writtenPlace({ text }: Source, rendered: string, offset: number): number {
  const start = startOfLine(rendered, offset)
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
