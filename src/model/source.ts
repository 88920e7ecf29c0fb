/** A named piece of text that diagnostics can point into. */
export interface Source {
  /** The path as the user would write it, or what templates call the file. */
  readonly name: string
  readonly text: string
  /** Where the file lies, when `name` does not say it; in an archive `<path of the archive>!/<path in it>`. */
  readonly path?: string
  /**
   * Values that the user gives may be secret: of such a text only keys are shown. Names of values files say the same.
   */
  readonly holds?: 'values'
  /** The commit that has it, as people name it; absent: it lies on disk, or is made. */
  readonly revision?: string
}

/** A half-open range of UTF-16 offsets in a source. Line and column are computed once, when it is reported. */
export interface Span {
  readonly source: Source
  readonly start: number
  readonly end: number
}

/** Where the file of a source lies. */
export function pathOf({ name, path }: Pick<Source, 'name' | 'path'>): string {
  return path ?? name
}

/** A place in a source as people count: `line` and `column` start at 1; `column` counts UTF-16 units. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Returns the position of `offset` in `source`; offsets past the end give the end. */
export function positionAt(source: Source, offset: number): Position {
  const end = Math.min(Math.max(offset, 0), source.text.length)
  let line = 1
  let lineStart = 0
  for (let at = source.text.indexOf('\n'); at !== -1 && at < end; at = source.text.indexOf('\n', at + 1)) {
    line++
    lineStart = at + 1
  }
  return { line, column: end - lineStart + 1 }
}
