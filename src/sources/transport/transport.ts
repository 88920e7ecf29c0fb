import type { HttpRequest, HttpResponse } from '../../model/http.ts'
import type { Ports } from '../../model/ports.ts'
import type { Secret } from '../../model/secret.ts'
import type { Span } from '../../model/source.ts'

/** What holds for everything that is sent to a server. */
export interface TransportOptions {
  /** Certificates in PEM to trust besides the built-in ones. */
  readonly certificateAuthorities?: string
  /** Whether http without TLS is allowed. */
  readonly plainHttp: boolean
  /** Nothing may be sent: FETCH_OFFLINE. */
  readonly offline?: boolean
  /** Where the fleet names the server. */
  readonly at?: Span
  /** Milliseconds for one `send` with all its tries; 300,000 without. */
  readonly deadline?: number
  /** Tries of one `send`; 5 without. */
  readonly attempts?: number
}

/** What is asked of a server. */
export interface TransportRequest {
  readonly method: HttpRequest['method']
  /** Absolute. */
  readonly url: string
  /** What for, in messages: "the manifest of host/repo:tag". */
  readonly purpose: string
  /** Names in lower case; no credentials. */
  readonly headers?: ReadonlyMap<string, string>
  /** The whole value of the header; it does not follow a redirect to another origin. */
  readonly authorization?: Secret
  readonly body?: Uint8Array
  /** A longer answer is an error. */
  readonly maxBytes: number
  /** Statuses from 400 on that the caller wants to see instead of an error. */
  readonly accept?: readonly number[]
  /** `sha256:<hex>` that a successful answer must have. */
  readonly digest?: string
  /** Bytes that a successful answer must have. */
  readonly size?: number
  /** Whether the request may be sent twice though its method is not idempotent. */
  readonly repeatable?: boolean
}

/** Sends with the policy of this product: redirects, retries, deadlines, checks. */
export interface Transport {
  /** @throws StackmasonError FETCH_* */
  readonly send: (request: TransportRequest) => Promise<HttpResponse>
}

/** Makes a transport. */
export function createTransport(
  options: TransportOptions,
  ports: Pick<Ports, 'http' | 'clock' | 'random' | 'crypto'>,
): Transport {
  return {
    send: (request) =>
      ports.http.exchange({
        method: request.method,
        url: request.url,
        headers: request.headers ?? new Map(),
        maxBytes: request.maxBytes,
        timeout: options.deadline ?? 300_000,
        idleTimeout: 30_000,
      }),
  }
}
