import { createSecureContext } from 'node:tls'
import { HttpError } from '../model/http.ts'
import type { Environment } from '../model/ports.ts'
import type { HttpStream, ServerAccess, ServerConnection, StreamRequest } from '../model/server-connection.ts'
import { openDispatcher } from './http-dispatcher.ts'
import { type Connection, exchangeOnce, readHeaders } from './http-exchange.ts'
import { explainHttpFailure } from './node-http-failure.ts'
import { readHttpProxies } from './node-http-proxies.ts'

/** How a server is reached, and who we are to it. */
export interface ConnectionTarget extends Omit<ServerAccess, 'token' | 'proxy'> {
  /** Whoever answers is taken for the server. */
  readonly isUnverified?: boolean
  /** Says who we are, anew for each request: tokens are replaced while we run. */
  readonly authorize?: (() => Promise<ReadonlyMap<string, string>>) | undefined
}

/**
 * Makes the one set of connections to a server; proxies of the environment are respected. @throws HttpError for a proxy
 * without an address, Error for certificates or a key that OpenSSL does not take
 */
export async function openConnection(target: ConnectionTarget, environment: Environment): Promise<ServerConnection> {
  const url = new URL(target.url)
  const proxies = readHttpProxies(environment)
  const { certificateAuthorities, clientCertificate, serverName, isUnverified = false } = target
  const isOwn = certificateAuthorities !== undefined || clientCertificate !== undefined
  const dispatcher = await openDispatcher(proxies, {
    // one for all sockets: OpenSSL keeps some 100 kB for each, which the garbage collector knows nothing of
    ...(isOwn && { secureContext: createSecureContext({ ca: certificateAuthorities, ...clientCertificate }) }),
    ...(serverName !== undefined && { servername: serverName }),
    rejectUnauthorized: !isUnverified,
  })
  const connection: Connection = { dispatcher, proxies }
  const base = url.href.replace(/\/$/, '')
  const headersOf = async (given: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> =>
    new Map([...given, ...((await target.authorize?.()) ?? [])])
  return {
    host: url.host,
    exchange: async (request, signal) => {
      const headers = await headersOf(request.headers)
      return exchangeOnce({ ...request, url: `${base}${request.path}`, headers }, connection, signal)
    },
    follow: async (request, signal) => {
      const headers = await headersOf(request.headers)
      return followOnce({ ...request, headers, url: new URL(`${base}${request.path}`) }, connection, signal)
    },
    reopen: () => openConnection(target, environment),
    close: () => dispatcher.destroy(),
  }
}

async function followOnce(
  { url, headers, headTimeout }: StreamRequest & { readonly url: URL },
  { dispatcher, proxies }: Connection,
  signal: AbortSignal,
): Promise<HttpStream> {
  const tooLate = new AbortController()
  const timer = setTimeout(() => {
    tooLate.abort(new HttpError('timeout', `${url.host} did not answer in time`))
  }, headTimeout)
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'GET',
      headers: Object.fromEntries(headers),
      signal: AbortSignal.any([signal, tooLate.signal]),
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    const { statusCode: status, body } = answer
    // a body that breaks off while nobody reads it is an error that nobody would catch
    body.on('error', () => undefined)
    return {
      status,
      headers: readHeaders(answer.headers),
      chunks: chunksOf(body, (error) => explainHttpFailure(error, { url, stage: 'body', proxies })),
    }
  } catch (error) {
    throw error instanceof HttpError ? error : explainHttpFailure(error, { url, stage: 'head', proxies })
  } finally {
    clearTimeout(timer)
  }
}

async function* chunksOf(
  body: AsyncIterable<unknown>,
  explain: (error: unknown) => HttpError,
): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of body) if (chunk instanceof Uint8Array) yield chunk
  } catch (error) {
    throw error instanceof HttpError ? error : explain(error)
  }
}
