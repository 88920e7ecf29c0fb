/**
 * The characters that a terminal obeys, that turn the direction of a text, that have no width, or that end a line. Tabs
 * stay. The joiners stand apart, for lint takes them for a letter with what it joins.
 */
const OBEYED =
  /(?!\t)(?:[\p{Cc}\p{Cs}\u2028\u2029\u200B\u200E\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]|\u200C|\u200D)/gu
/** The same of a text that has lines, colours, carriage returns and spaces without a width of its own. */
const HIDDEN = /[\u007F-\u009F\p{Cs}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu
const MARK = '\n    | '

/**
 * The text as one line, with everything that a terminal might obey or a log might choke on made visible: charts come
 * from strangers, and their text ends up in names, kinds, paths and messages. Tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll(OBEYED, visible)
}

/** Several lines, each {@link printable}; ends with a newline. */
export function printableLines(lines: readonly string[]): string {
  return lines.map((line) => `${printable(line)}\n`).join('')
}

/** A message: lines of its own stay lines, marked so that none can pass for one of ours. */
export function printableMessage(message: string): string {
  return message.trimEnd().split(/\r?\n/).map(printable).join(MARK)
}

/** Makes visible at the end what nothing that is written holds on purpose: the form `\u202e` is right in JSON, too. */
export function withoutHidden(text: string): string {
  return text.replaceAll(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function visible(character: string): string {
  if (character === '\n') return '\\n'
  const code = character.charCodeAt(0)
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
}
