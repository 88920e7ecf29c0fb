/** A piece of what a template rendered to, and where in the template the text or action is that wrote it. */
export interface HandlebarsPiece {
  readonly text: string
  readonly offset: number
}

/** Marks in programs what each of its statements writes. */
export interface StatementMarks {
  /** Cuts what the program rendered to at its marks, which are taken out. */
  readonly cut: (rendered: string) => readonly HandlebarsPiece[]
}

/**
 * Puts a mark before each statement of a parsed template, of which all programs are given. `isFree` says of a character
 * whether it is in no text of the rendering: marks are made of the first such of Unicode's private ones.
 */
export function markStatements(
  programs: readonly hbs.AST.Program[],
  template: string,
  isFree: (character: string) => boolean,
): StatementMarks | undefined {
  const mark = privateCharacters.find(isFree)
  if (mark === undefined) return undefined
  const offsetOf = createOffsets(template)
  const offsets: number[] = []
  const marked = (statement: hbs.AST.Statement): readonly hbs.AST.Statement[] => {
    offsets.push(offsetOf(statement.loc.start) + (isContent(statement) ? strippedBefore(statement) : 0))
    const value = `${mark}${String(offsets.length - 1)}${mark}`
    return [contentOf(value, statement), statement]
  }
  for (const program of programs) program.body = program.body.flatMap(marked)
  return {
    cut(rendered) {
      const [before = '', ...parts] = rendered.split(mark)
      const pieces: HandlebarsPiece[] = before === '' ? [] : [{ text: before, offset: 0 }]
      for (let index = 0; index + 1 < parts.length; index += 2) {
        const [id = '', text = ''] = parts.slice(index, index + 2)
        if (text !== '') pieces.push({ text, offset: offsets[Number(id)] ?? 0 })
      }
      return pieces
    },
  }
}

const privateCharacters: readonly string[] = Array.from({ length: 64 }, (_, index) =>
  String.fromCharCode(0xe000 + index * 7),
)

function isContent(statement: hbs.AST.Statement): statement is hbs.AST.ContentStatement {
  return statement.type === 'ContentStatement'
}

function contentOf(value: string, { loc }: hbs.AST.Statement): hbs.AST.ContentStatement {
  // the types of Handlebars are wrong about `original`, which nothing reads any more
  return { type: 'ContentStatement', value, original: { open: false, close: false }, loc }
}

/** Blanks around a block that stands alone in its line are left out. */
function strippedBefore({ original, value }: hbs.AST.ContentStatement): number {
  // a text, whatever the types say
  const whole: unknown = original
  if (typeof whole !== 'string') return 0
  const blanks = (text: string): number => text.length - text.trimStart().length
  return value.trim() === '' ? Math.max(0, whole.indexOf(value)) : blanks(whole) - blanks(value)
}

function createOffsets(text: string): (place: hbs.AST.Position) => number {
  const starts = [0, ...[...text.matchAll(/\r\n?|\n/g)].map((match) => match.index + match[0].length)]
  return ({ line, column }) => Math.min((starts[line - 1] ?? text.length) + column, text.length)
}
