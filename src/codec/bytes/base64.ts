const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const digits: ReadonlyMap<string, number> = new Map(Array.from(alphabet, (digit, value) => [digit, value]))

/** Returns standard base64 with padding (Go's base64.StdEncoding). */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at
    const group = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    text += alphabet.charAt(group >> 18) + alphabet.charAt((group >> 12) & 63)
    text += left > 1 ? alphabet.charAt((group >> 6) & 63) : '='
    text += left > 2 ? alphabet.charAt(group & 63) : '='
  }
  return text
}

/** Reads standard base64 with padding; line breaks are skipped as Go does. Undefined when it is not valid. */
export function decodeBase64(text: string): Uint8Array | undefined {
  const compact = text.replace(/[\r\n]/g, '')
  const padding = compact.endsWith('==') ? 2 : compact.endsWith('=') ? 1 : 0
  if (compact.length % 4 !== 0) return undefined
  const bytes = new Uint8Array((compact.length / 4) * 3)
  for (let at = 0; at < compact.length; at += 4) {
    let group = 0
    for (let next = at; next < at + 4; next++) {
      const digit = next >= compact.length - padding ? 0 : digits.get(compact.charAt(next))
      if (digit === undefined) return undefined
      group = (group << 6) | digit
    }
    bytes.set([group >> 16, (group >> 8) & 255, group & 255], (at / 4) * 3)
  }
  return bytes.subarray(0, bytes.length - padding)
}
