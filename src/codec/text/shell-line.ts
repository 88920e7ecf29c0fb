/** A command of a line, up to what ends it: `|`, `;`, `&` or a closing bracket. */
export interface ShellCommand {
  /** Without their quotes. */
  readonly words: readonly string[]
  /** The text behind `<<<`. */
  readonly hereString?: string
  /** The word behind `<<`, at which the text ends that it reads. */
  readonly heredoc?: string
  /** The file behind `>` or `>>`. */
  readonly target?: string
  /** True if the next command reads what this one writes. */
  readonly isPiped: boolean
}

/** Longer lines are none that people write. */
const LONGEST = 20_000
const ENDS = '|;&)`\n\r'
const REDIRECTION = /^(?:\d?>>?&?|<<<|<<-?|<(?!\())/
const SUBSTITUTION: ReadonlyMap<string, string> = new Map([
  ['$(', ')'],
  ['${', '}'],
  ['{{', '}}'],
])

/** Splits a line of a script into its commands, without comments. What a quote leaves open goes to the end. */
export function readCommands(line: string): readonly ShellCommand[] {
  const commands: ShellCommand[] = []
  const text = line.slice(0, LONGEST)
  for (let at = 0; at < text.length;) {
    const { command, end } = readCommand(text, at)
    commands.push(command)
    at = Math.max(end, at + 1)
  }
  return commands
}

interface ReadCommand {
  readonly command: ShellCommand
  readonly end: number
}

function readCommand(text: string, from: number): ReadCommand {
  const words: string[] = []
  const found: { hereString?: string; heredoc?: string; target?: string } = {}
  let into: keyof typeof found | 'nowhere' | 'words' = 'words'
  let at = from
  while (at < text.length && !ENDS.includes(text.charAt(at))) {
    const character = text.charAt(at)
    if (/\s/.test(character)) {
      at++
      continue
    }
    if (character === '#' && (at === 0 || /\s/.test(text.charAt(at - 1)))) {
      at = text.length
      break
    }
    const [sign] = REDIRECTION.exec(text.slice(at, at + 4)) ?? []
    if (sign !== undefined) {
      into = kindOf(sign)
      at += sign.length
      continue
    }
    const { value, end } = readWord(text, at)
    if (into === 'words') words.push(value)
    else if (into !== 'nowhere') found[into] = value
    into = 'words'
    at = Math.max(end, at + 1)
  }
  const isPiped = text.charAt(at) === '|' && text.charAt(at + 1) !== '|'
  while (at < text.length && ENDS.includes(text.charAt(at))) at++
  return { command: { words, ...found, isPiped }, end: at }
}

function kindOf(sign: string): 'hereString' | 'heredoc' | 'target' | 'nowhere' {
  if (sign === '<<<') return 'hereString'
  if (sign.startsWith('<<')) return 'heredoc'
  return /^1?>>?$/.test(sign) ? 'target' : 'nowhere'
}

function readWord(text: string, from: number): { readonly value: string; readonly end: number } {
  let value = ''
  let at = from
  while (at < text.length) {
    const character = text.charAt(at)
    if (/[\s<>]/.test(character) || ENDS.includes(character)) break
    const closing = SUBSTITUTION.get(text.slice(at, at + 2))
    // quotes of a text within quotes have signs before them
    const [quote] = /^\\{0,3}["']/.exec(text.slice(at, at + 4)) ?? []
    const end = closing === undefined ? at + 1 : endOfSubstitution(text, at, closing)
    if (quote === undefined) {
      value += text.slice(at, end)
      at = end
    } else {
      const close = endOfQuoted(text, at + quote.length, quote)
      value += text.slice(at + quote.length, close)
      at = close + quote.length
    }
  }
  return { value, end: Math.min(at, text.length) }
}

function endOfQuoted(text: string, start: number, quote: string): number {
  for (let at = start; at < text.length; at++) {
    if (text.startsWith(quote, at)) return at
    if (quote === '"' && text.charAt(at) === '\\') at++
  }
  return text.length
}

function endOfSubstitution(text: string, start: number, closing: string): number {
  if (closing === '}}') {
    const end = text.indexOf(closing, start)
    return end === -1 ? text.length : end + 2
  }
  const opening = text.charAt(start + 1)
  let depth = 0
  for (let at = start + 1; at < text.length; at++) {
    if (text.charAt(at) === opening) depth++
    if (text.charAt(at) === closing && --depth === 0) return at + 1
  }
  return text.length
}
