/** The functions that stand for the syntax of optional values in what {@link withoutOptionalSyntax} gives. */
export const optionalNames = {
  select: 'optSelect__',
  index: 'optIndex__',
  item: 'optItem__',
  entry: 'optEntry__',
} as const

type Bracket = {
  readonly close: string
  readonly holds: 'items' | 'entries' | 'arguments'
  readonly before: string
  isItem: boolean
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** Texts, comments, names with what stands for an optional field, single characters. */
const token =
  /(?:[rR]|[bB][rR]?|[rR][bB])?(?:"""(?:[^\\]|\\[\s\S])*?"""|'''(?:[^\\]|\\[\s\S])*?'''|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|\/\/[^\n]*|\.\?\s*[A-Za-z_][A-Za-z0-9_]*|[A-Za-z0-9_]+|\s+|[\s\S]/g

/**
 * The expression with calls in the place of the syntax of optional values (`a.?b`, `a[?b]`, `[?a]`, `{?a: b}`), which
 * the library does not read.
 */
export function withoutOptionalSyntax(expression: string): string {
  if (!expression.includes('?')) return expression
  const open: Bracket[] = []
  const tokens = expression.match(token) ?? []
  let result = ''
  /** The last token that is not blank. */
  let last = ''
  const write = (text: string): void => {
    result += text
  }
  for (const [position, text] of tokens.entries()) {
    const top = open.at(-1)
    if (/^(?:\s|\/\/)/.test(text)) {
      write(text)
      continue
    }
    if (text.startsWith('.?')) write(`.${optionalNames.select}("${text.slice(2).trim()}")`)
    else if (text === '[' && isOperand(last) && nextOf(tokens, position) === '?') {
      write(`.${optionalNames.index}(`)
      open.push({ close: ')', holds: 'arguments', before: ']', isItem: false })
    } else if (text === '?' && last === '[' && top?.close === ')' && top.before === ']') {
      // it stood behind the bracket that is written already
    } else if (text === '?' && top !== undefined && top.holds !== 'arguments' && /^[[{,]$/.test(last)) {
      write(`${top.holds === 'items' ? optionalNames.item : optionalNames.entry}(`)
      top.isItem = true
    } else if (text === ':' && top?.holds === 'entries' && top.isItem) {
      write('):')
      top.isItem = false
    } else if (text in closing) {
      write(text)
      const close = closing[text] ?? ''
      open.push({ close, holds: heldBy(text, last), before: close, isItem: false })
    } else if (top !== undefined && text === top.before) {
      open.pop()
      write(top.isItem ? `)${top.close}` : top.close)
    } else if (text === ',' && top?.isItem === true) {
      top.isItem = false
      write('),')
    } else write(text)
    last = text
  }
  return result
}

function heldBy(bracket: string, last: string): Bracket['holds'] {
  if (bracket === '{') return 'entries'
  return bracket === '[' && !isOperand(last) ? 'items' : 'arguments'
}

/** True if an opening bracket behind it asks for an item. */
function isOperand(last: string): boolean {
  return /[A-Za-z0-9_)\]}"']$/.test(last) && last !== 'in'
}

function nextOf(tokens: readonly string[], position: number): string | undefined {
  return tokens.slice(position + 1).find((text) => !/^(?:\s|\/\/)/.test(text))
}
