import type { HttpRequest, HttpResponse } from './http.ts'

/** A request to the server of a {@link ServerConnection}. */
export interface ConnectionRequest extends Omit<HttpRequest, 'url' | 'certificateAuthorities'> {
  /** Path and query, with a slash first. */
  readonly path: string
}

/** An answer whose body comes bit by bit, for as long as the server likes. */
export interface HttpStream {
  readonly status: number
  /** Names in lower case; several values joined by ", ". */
  readonly headers: ReadonlyMap<string, string>
  /** @throws HttpError where the server or the connection breaks off */
  readonly chunks: AsyncIterable<Uint8Array>
}

/** The request that starts an {@link HttpStream}. */
export interface StreamRequest {
  /** Path and query, with a slash first. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** Milliseconds in which the head of the answer must arrive; for the body there is no limit. */
  readonly headTimeout: number
}

/** How a server is reached, and who we are to it: plain data, which may be secret. */
export interface ServerAccess {
  /** Absolute, https, without user, password and query; its path stands before those of requests. */
  readonly url: string
  /** In PEM, instead of the built-in ones. */
  readonly certificateAuthorities?: string | undefined
  /** In PEM. */
  readonly clientCertificate?: { readonly cert: string; readonly key: string } | undefined
  /** Sent as a bearer token. */
  readonly token?: string | undefined
  /** The name that the server's certificate must be for, if that is not the host. */
  readonly serverName?: string | undefined
  /** The address of a proxy, http or https, instead of those of the environment; user and password may be in it. */
  readonly proxy?: string | undefined
}

/** One server, and who we are to it: all requests share connections. */
export interface ServerConnection {
  /** Host and port, for messages. */
  readonly host: string
  /** @throws HttpError, also when the signal is aborted */
  readonly exchange: (request: ConnectionRequest, signal: AbortSignal) => Promise<HttpResponse>
  /** A GET; the signal ends the body, too. @throws HttpError, also when the signal is aborted */
  readonly follow: (request: StreamRequest, signal: AbortSignal) => Promise<HttpStream>
  /**
   * The same server and the same us, over connections of their own: behind one address there may be several servers,
   * and a connection stays with one of them. @throws HttpError
   */
  readonly reopen: () => Promise<ServerConnection>
  /** Cuts what is open. */
  readonly close: () => Promise<void>
}
