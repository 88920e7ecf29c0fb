/** A text as one word of a POSIX shell, in quotes only where it needs them: for commands that a person copies. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./][\w@%+=:,./-]*$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}
