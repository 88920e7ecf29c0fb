/** One exchange with a server: no redirect is followed, nothing is tried again. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Absolute, http or https, without user and password. */
  readonly url: string
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body?: Uint8Array
  /** A longer body is an error. */
  readonly maxBytes: number
  /** Milliseconds for the whole exchange. */
  readonly timeout: number
  /** Milliseconds in which at least one byte must arrive. */
  readonly idleTimeout: number
  /** Certificates in PEM to trust besides the built-in ones. */
  readonly certificateAuthorities?: string
}

/** An answer of a server; `body` is complete. */
export interface HttpResponse {
  readonly status: number
  /** Names in lower case; several values joined by ", ". */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
}

/** Why an exchange did not come to an end. */
export type HttpErrorReason =
  | 'name-not-found'
  | 'refused'
  | 'unreachable'
  | 'reset'
  | 'truncated'
  | 'timeout'
  | 'tls'
  /** The server does not speak TLS. */
  | 'no-tls'
  | 'proxy'
  | 'too-large'
  | 'protocol'

/** Thrown by {@link Http}; the message names host and cause, never headers or a query. */
export class HttpError extends Error {
  readonly reason: HttpErrorReason

  constructor(reason: HttpErrorReason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'HttpError'
    this.reason = reason
  }
}

/** HTTP of this machine; HTTP_PROXY, HTTPS_PROXY and NO_PROXY are respected. */
export interface Http {
  /** @throws HttpError */
  readonly exchange: (request: HttpRequest) => Promise<HttpResponse>
}
