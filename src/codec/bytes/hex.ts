const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Bytes as lower-case hex. */
export function formatHex(bytes: Uint8Array): string {
  // joined, not added up: V8 would keep each piece as a string of its own for as long as the text lives
  return Array.from(bytes, (byte) => HEX[byte]).join('')
}
