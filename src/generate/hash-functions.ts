import { formatHex } from '../codec/bytes/hex.ts'
import type { Crypto } from '../model/ports.ts'

/** Returns the hash of bytes as text. */
export type HashFunction = (bytes: Uint8Array, crypto: Pick<Crypto, 'hash'>) => string

/** sprig's hashes, by their names: lower-case hex, and Adler-32 (RFC 1950) as a decimal number. */
export const hashFunctions: ReadonlyMap<string, HashFunction> = new Map<string, HashFunction>([
  ['sha1sum', (bytes, crypto) => formatHex(crypto.hash('sha1', bytes))],
  ['sha256sum', (bytes, crypto) => formatHex(crypto.hash('sha256', bytes))],
  ['sha512sum', (bytes, crypto) => formatHex(crypto.hash('sha512', bytes))],
  ['adler32sum', adler32],
])

function adler32(bytes: Uint8Array): string {
  let low = 1
  let high = 0
  for (const byte of bytes) {
    low = (low + byte) % 65521
    high = (high + low) % 65521
  }
  return String(high * 65536 + low)
}
