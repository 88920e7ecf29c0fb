/** Wraps text in a colour, or not. */
export interface Palette {
  readonly error: (text: string) => string
  readonly warning: (text: string) => string
  readonly note: (text: string) => string
  readonly good: (text: string) => string
  readonly strong: (text: string) => string
  readonly faint: (text: string) => string
}

/** Colours for terminals; `plain` leaves text as it is. */
export function createPalette(mode: 'colour' | 'plain'): Palette {
  const wrap =
    (code: string) =>
    (text: string): string =>
      mode === 'plain' || text === '' ? text : `\u001B[${code}m${text}\u001B[0m`
  return {
    error: wrap('1;31'),
    warning: wrap('1;33'),
    note: wrap('36'),
    good: wrap('32'),
    strong: wrap('1'),
    faint: wrap('2'),
  }
}
