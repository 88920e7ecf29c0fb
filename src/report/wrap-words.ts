/**
 * Breaks a line at its spaces, so that none is longer than `width`; lines after the first begin with `indent`. What
 * cannot be broken stays whole: a word that is longer (a path, a URL), and what stands between backticks, because it is
 * copied. Columns are counted without escape sequences of colours.
 */
export function wrapWords(
  line: string,
  { width, indent }: { readonly width: number; readonly indent: string },
): string {
  const lines: string[] = []
  let current = ''
  for (const word of wordsOf(line)) {
    if (current === '') current = lines.length === 0 ? word : indent + word
    else if (columnsOf(current) + 1 + columnsOf(word) <= width) current += ` ${word}`
    else {
      lines.push(current)
      current = indent + word
    }
  }
  return [...lines, current].join('\n')
}

/** Parts at single spaces; a backtick without another one quotes nothing. */
function wordsOf(line: string): readonly string[] {
  const words: string[] = []
  let quoted: string[] = []
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    const isEdge = word.split('`').length % 2 === 0
    if (quoted.length === 0 && !isEdge) words.push(word)
    else {
      quoted.push(word)
      if (!isEdge || quoted.length === 1) continue
      words.push(quoted.join(' '))
      quoted = []
    }
  }
  return [...words, ...quoted]
}

function columnsOf(text: string): number {
  // eslint-disable-next-line no-control-regex -- colours are control characters, and take no room on a terminal
  return text.replaceAll(/\u001B\[[\d;]*m/g, '').length
}
