import { trimSpace } from '../functions/text/strings.ts'

/** A document of a rendered file. */
export interface DocumentText {
  readonly text: string
  /** Where it starts in the file. */
  readonly offset: number
}

const blank = new Set(['\t', '\n', '\f', '\r', ' '])

/**
 * Cuts a rendered file into documents as Helm does (pkg/release/v1/util, SplitManifests): at every `---` that starts a
 * line, together with the white space around it, blank lines after it included. So of two marks with only blank lines
 * between them the second stays in the text. A loop, because Helm's expression would take quadratic time here on long
 * runs of blank lines.
 */
export function splitManifests(file: string): readonly DocumentText[] {
  const text = trimSpace(file)
  const base = file.indexOf(text)
  const documents: DocumentText[] = []
  const add = (start: number, end: number): void => {
    if (start === end) return
    const part = text.slice(start, end)
    const document = trimSpace(part)
    documents.push({ text: document, offset: base + start + part.indexOf(document) })
  }
  let start = text.startsWith('---') ? skipBlank(text, 3) : 0
  for (;;) {
    const mark = text.indexOf('\n---', start)
    if (mark === -1) break
    let end = mark
    while (end > start && blank.has(text.charAt(end - 1))) end--
    add(start, end)
    start = skipBlank(text, mark + 4)
  }
  add(start, text.length)
  return documents
}

function skipBlank(text: string, from: number): number {
  let at = from
  while (blank.has(text.charAt(at))) at++
  return at
}
