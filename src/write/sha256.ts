import { formatHex } from '../codec/bytes/hex.ts'
import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Crypto } from '../model/ports.ts'

/** The sha256 of bytes, or of text as UTF-8, in lower-case hex. */
export function sha256(content: Uint8Array | string, crypto: Crypto): string {
  const digest = crypto.hash('sha256', typeof content === 'string' ? encodeUtf8(content) : content)
  return formatHex(digest)
}
