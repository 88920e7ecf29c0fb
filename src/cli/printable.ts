/**
 * The text with everything that a terminal might obey or a log might choke on made visible: charts come from strangers, and their text
 * ends up in messages. Newlines and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll(/(?!\n|\t)[\p{Cc}\p{Cs}\u2028\u2029\u200E\u200F\u202A-\u202E\u2066-\u2069]/gu, (character) => {
    const code = character.charCodeAt(0)
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}
