const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Bytes as lower-case hex. */
export function formatHex(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += HEX[byte]
  return text
}
