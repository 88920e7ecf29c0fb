import { formatHex } from '../codec/bytes/hex.ts'
import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Crypto, FileParts } from '../model/ports.ts'

/** The sha256 of bytes, in whatever parts, or of text as UTF-8, in lower-case hex. */
export function sha256(content: FileParts | string, crypto: Crypto): string {
  const parts = typeof content === 'string' ? encodeUtf8(content) : content
  return parts instanceof Uint8Array ? crypto.sha256Hex(parts) : formatHex(crypto.hashParts(parts))
}
