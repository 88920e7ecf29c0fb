/**
 * Breaks a line at its spaces, so that none is longer than `width`; lines after the first begin with `indent`. A word that is longer (a path, a URL) stays
 * whole. Columns are counted without escape sequences of colours.
 */
export function wrapWords(
  line: string,
  { width, indent }: { readonly width: number; readonly indent: string },
): string {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    if (current === '') current = lines.length === 0 ? word : indent + word
    else if (columnsOf(current) + 1 + columnsOf(word) <= width) current += ` ${word}`
    else {
      lines.push(current)
      current = indent + word
    }
  }
  return [...lines, current].join('\n')
}

function columnsOf(text: string): number {
  // eslint-disable-next-line no-control-regex -- colours are control characters, and take no room on a terminal
  return text.replaceAll(/\u001B\[[\d;]*m/g, '').length
}
