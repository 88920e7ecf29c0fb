import { formatHex } from '../codec/bytes/hex.ts'
import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Crypto, DirectoryEntry } from '../model/ports.ts'

/** The hash of a variable's value with a salt; `''` where it is not set. */
export function digestOfVariable(value: string | undefined, salt: string, crypto: Crypto): string {
  return value === undefined ? '' : digestOfBytes(encodeUtf8(`${salt}\0${value}`), crypto)
}

/** The hash of the names in a folder, and of their kinds. */
export function digestOfEntries(entries: readonly DirectoryEntry[], crypto: Crypto): string {
  return digestOfBytes(encodeUtf8(entries.map(({ name, type }) => `${type} ${name}\0`).join('')), crypto)
}

/** The hash of a list of paths. */
export function digestOfPaths(paths: readonly string[], crypto: Crypto): string {
  return digestOfBytes(encodeUtf8(paths.join('\0')), crypto)
}

/** The hash of what parts make together, hex. */
export function digestOfParts(parts: Iterable<Uint8Array>, crypto: Crypto): string {
  return formatHex(crypto.hashParts(parts))
}

/** The hash of bytes, hex. */
export function digestOfBytes(bytes: Uint8Array, crypto: Crypto): string {
  return crypto.sha256Hex(bytes)
}
