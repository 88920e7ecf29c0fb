/** A key, a value, or what stands around them (signs, spaces, colons), in the order of the text and without gaps. */
export interface FlowPart {
  readonly kind: 'key' | 'value' | 'sign'
  readonly text: string
  /** True if the key of the value, or one further out, is one that the reader asked about. */
  readonly isMeant: boolean
}

/** How {@link readFlow} reads. */
export interface FlowOptions {
  /** True if what stands under a key of this name is meant, with all that is in it. */
  readonly means: (key: string) => boolean
  /** Everything is meant from the beginning. */
  readonly isMeant?: boolean
}

/** A quoted text, a sign of collections in flow style, or what stands between. */
const PIECE = /"(?:[^"\\]|\\.){0,10000}"?|'[^']{0,10000}'?|[{}[\],]|[^{}[\],"']+/g
const PLAIN_KEY = /^(\s*(?:-\s+)*)([A-Za-z0-9_./-]{1,200})(\s*:(?=\s|$)\s*)/
const COLON = /^\s*:\s*/
const TEMPLATE_ACTION = /\{\{.{0,1000}?\}\}/g

/**
 * Takes a line apart as YAML's flow style and JSON do, also one that begins or ends within a collection, or in none.
 * Actions of templates are text.
 */
export function readFlow(line: string, { means, isMeant = false }: FlowOptions): readonly FlowPart[] {
  const parts: FlowPart[] = []
  const plain = line.includes('{{') ? line.replaceAll(TEMPLATE_ACTION, (action) => '.'.repeat(action.length)) : line
  const pieces = [...plain.matchAll(PIECE)]
  /** For each open collection whether all in it is meant. */
  const open = [isMeant]
  let isUnderMeant = false
  let isKeyNext = true
  const add = (kind: FlowPart['kind'], start: number, end: number): void => {
    if (end > start) parts.push({ kind, text: line.slice(start, end), isMeant: open.at(-1) === true || isUnderMeant })
  }
  const addKey = (key: string, start: number): void => {
    add('key', start, start + key.length)
    // outside of collections a comma may be part of the value of the key before
    isUnderMeant = means(key.replaceAll(/^["']|["']$/g, '')) || (open.length === 1 && isUnderMeant)
    isKeyNext = false
  }
  for (const [index, { 0: piece, index: start }] of pieces.entries()) {
    const end = start + piece.length
    if (/^[{}[\],]$/.test(piece)) {
      add('sign', start, end)
      if (piece === '{' || piece === '[') open.push(open.at(-1) === true || isUnderMeant)
      if ((piece === '}' || piece === ']') && open.length > 1) open.pop()
      if (piece !== ',' || open.length > 1) isUnderMeant = false
      isKeyNext = piece !== '}' && piece !== ']'
      continue
    }
    if (/^["']/.test(piece)) {
      if (isKeyNext && COLON.test(pieces[index + 1]?.[0] ?? '')) addKey(piece, start)
      else add('value', start, end)
      continue
    }
    const [, before = '', key, colon = ''] = isKeyNext ? (PLAIN_KEY.exec(piece) ?? []) : []
    const isAfterKey = parts.at(-1)?.kind === 'key'
    const after = isAfterKey ? (COLON.exec(piece)?.[0] ?? '') : ''
    if (key !== undefined) {
      add('sign', start, start + before.length)
      addKey(key, start + before.length)
      add('sign', start + before.length + key.length, start + before.length + key.length + colon.length)
      addText(start + before.length + key.length + colon.length, end)
    } else {
      add('sign', start, start + after.length)
      addText(start + after.length, end)
    }
  }
  return parts

  function addText(start: number, end: number): void {
    const [spaces = ''] = /^\s*/.exec(line.slice(start, end)) ?? []
    add('sign', start, start + spaces.length)
    add('value', start + spaces.length, end)
    if (start + spaces.length < end) isKeyNext = false
  }
}
