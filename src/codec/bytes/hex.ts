/** Bytes as lower-case hex: of hashes, and nothing that is longer by far. */
export function formatHex(bytes: Uint8Array): string {
  const codes: number[] = []
  for (const byte of bytes) codes.push(digitOf(byte >> 4), digitOf(byte & 15))
  // at once, not added up: V8 would keep each piece as a string of its own for as long as the text lives
  return String.fromCharCode(...codes)
}

/** The code of a digit: `0` is 48, `a` is 97. */
function digitOf(value: number): number {
  return value + (value < 10 ? 48 : 87)
}
