/**
 * Where the line begins that an offset of a text is in. A search that starts before the text looks at its first
 * character, and would find a break there behind the offset.
 */
export function startOfLine(text: string, offset: number): number {
  return offset <= 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1
}
