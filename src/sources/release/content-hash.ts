import { formatHex } from '../../codec/bytes/hex.ts'
import { encodeBase64 } from '../../codec/bytes/base64.ts'
import { compareBytes } from '../../codec/text/text-order.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { ChartFile } from '../../model/chart.ts'
import type { Crypto } from '../../model/ports.ts'

/**
 * The hash that csctl prints for a provider directory: Go's dirhash `h1` over all files, base64 without `/`, `+`, `=`,
 * in lower case. Sources: golang.org/x/mod/sumdb/dirhash `Hash1`, csctl pkg/cshash `clean`. Its first 7 characters are
 * the patch of a `v0-sha.` version.
 */
export function contentHash(files: readonly ChartFile[], crypto: Crypto): string {
  return encodeBase64(hashLines(files, crypto)).replace(/[/+=]/g, '').toLowerCase()
}

/** The digest of a release: lower-case hex sha256 over the sorted lines `<hex sha256 of the file>  <path>`. */
export function releaseDigest(files: readonly ChartFile[], crypto: Crypto): string {
  return encodeHex(hashLines(files, crypto))
}

function hashLines(files: readonly ChartFile[], crypto: Crypto): Uint8Array {
  const sorted = files.toSorted((a, b) => compareBytes(a.path, b.path))
  const lines = sorted.map(({ path, bytes }) => `${encodeHex(crypto.hash('sha256', bytes))}  ${path}\n`)
  return crypto.hash('sha256', encodeUtf8(lines.join('')))
}

function encodeHex(bytes: Uint8Array): string {
  return formatHex(bytes)
}
