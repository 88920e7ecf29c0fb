import { formatHex } from '../../codec/bytes/hex.ts'
import type { HttpResponse } from '../../model/http.ts'
import type { Crypto } from '../../model/ports.ts'

/** The requirements for the content of an answer. */
export interface ExpectedContent {
  readonly digest?: string | undefined
  readonly size?: number | undefined
}

/** True if the digest is of a kind that can be checked: `sha256:<hex>` or `sha512:<hex>`. */
export function isDigest(digest: string): boolean {
  return /^(?:sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$/.test(digest)
}

/** The problem of the content; undefined if there is none. */
export function contentProblem(
  body: Uint8Array,
  { digest, size }: ExpectedContent,
  crypto: Pick<Crypto, 'hash'>,
): string | undefined {
  if (size !== undefined && body.length !== size) {
    return `what it sends has ${String(body.length)} bytes, not ${String(size)}`
  }
  if (digest === undefined) return undefined
  const algorithm = digest.startsWith('sha512:') ? 'sha512' : 'sha256'
  const hash = crypto.hash(algorithm, body)
  const found = `${algorithm}:${formatHex(hash)}`
  return found === digest ? undefined : `what it sends has the digest ${found}, not ${digest}`
}

/**
 * The encoding of an answer that nobody asked for and nobody undoes. Packed files (`.tgz`) do not count: stores that
 * label them so send them as they are.
 */
export function foreignEncoding({ headers }: Pick<HttpResponse, 'headers'>, url: URL): string | undefined {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity' || /gz$/i.test(url.pathname)) return undefined
  return encoding.replaceAll(/[^a-z0-9, -]/g, '').slice(0, 40)
}
