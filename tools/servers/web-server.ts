import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { makeWebCertificates, type WebCertificates } from './web-certificates.ts'

/** A request as the server saw it. */
export interface WebRequest {
  readonly method: string
  /** Path and query, as sent. */
  readonly path: string
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  readonly body: Uint8Array
  /** Milliseconds since the server started. */
  readonly at: number
}

/** What goes wrong on the wire; `after` = bytes of the body that are sent before. */
export type WebFault =
  /** The connection is reset (RST); without `after` before anything is answered. */
  | { readonly type: 'reset'; readonly after?: number }
  /** The connection is closed in order, though more bytes were announced. */
  | { readonly type: 'truncate'; readonly after: number }
  /** Nothing more is sent, and the connection stays; without `after` not even a head. */
  | { readonly type: 'stall'; readonly after?: number }
  /** `bytes` at once, with a pause of so many milliseconds before each. */
  | { readonly type: 'slow'; readonly bytes: number; readonly pause: number }
  /** These bytes instead of an answer. */
  | { readonly type: 'raw'; readonly bytes: string }

/** What the server answers. */
export interface WebAnswer {
  /** 200 without. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /**
   * An object is sent as JSON. `content-length` is set by the body, unless `headers` has one or says
   * `transfer-encoding: chunked`.
   */
  readonly body?: string | Uint8Array | object
  readonly fault?: WebFault
  /** Milliseconds before the answer starts. */
  readonly delay?: number
}

/** Answers a request; `count` says how many of this method and path there were, this one included. Undefined = 404. */
export type WebHandler = (request: WebRequest, count: number) => WebAnswer | undefined | Promise<WebAnswer | undefined>

/**
 * Answers by path. A key is a path without query (`/a/b`), or method and path (`PUT /a/b`). A list gives one answer per
 * request; its last one is given again. HEAD is answered like GET, without the body.
 */
export type WebRoutes = Readonly<Record<string, WebAnswer | readonly WebAnswer[] | WebHandler>>

/** How {@link startWebServer} serves. */
export interface WebServerOptions {
  /**
   * HTTPS with a certificate for localhost, 127.0.0.1 and ::1, made for this run by an authority that is made for this
   * run.
   */
  readonly tls?: boolean
  /** Other certificates, e.g. for another name. */
  readonly certificates?: WebCertificates
}

/** A server that listens on 127.0.0.1. */
export interface WebServer {
  /** `http[s]://127.0.0.1:<port>`, without a slash at the end. */
  readonly url: string
  /** The same server under another host: `http[s]://localhost:<port>`. For redirects that leave the host. */
  readonly otherUrl: string
  /** `127.0.0.1:<port>` */
  readonly host: string
  readonly port: number
  /** With TLS: the authority in PEM, for `caFile` and the like. */
  readonly ca?: string
  /** All requests so far, in order. */
  readonly requests: readonly WebRequest[]
  /** Connections so far. */
  readonly connections: () => number
  /** Cuts all connections and stops. */
  readonly close: () => Promise<void>
}

/**
 * Starts a real server. In a test:
 * `const server = await startWebServer({ '/a': { body: 'A' } }); onTestFinished(server.close)`.
 *
 * ```ts
 * startWebServer({
 *   '/file': { body: 'content' },
 *   '/busy': [{ status: 503, headers: { 'retry-after': '0' } }, { body: 'at last' }],
 *   '/cut': { body: 'content', fault: { type: 'reset', after: 3 } },
 *   '/moved': () => ({ status: 302, headers: { location: `${other.url}/file` } }),
 *   '/private': requireBasic('user', 'password', { body: 'secret' }),
 *   'PUT /file': (request) => ({ status: request.body.length > 0 ? 201 : 400 }),
 * })
 * ```
 */
export async function startWebServer(
  routes: WebRoutes | WebHandler,
  options: WebServerOptions = {},
): Promise<WebServer> {
  const certificates = options.certificates ?? (options.tls === true ? makeWebCertificates() : undefined)
  const handler = typeof routes === 'function' ? routes : routesHandler(routes)
  const requests: WebRequest[] = []
  const counts = new Map<string, number>()
  const sockets = new Set<Socket>()
  const started = performance.now()
  let connections = 0

  async function listen(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const request = await readRequest(message, started)
    requests.push(request)
    const key = `${request.method} ${request.path}`
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    const answer = (await handler(request, count)) ?? { status: 404, body: 'not found' }
    await sendAnswer(answer, { message, response })
  }

  function onRequest(message: IncomingMessage, response: ServerResponse): void {
    listen(message, response).catch((error: unknown) => {
      // the client went away, or the handler is wrong: the test sees a reset either way
      if (!message.complete || response.destroyed) return
      console.error('web server:', error)
      response.destroy()
    })
  }

  const server =
    certificates === undefined
      ? createHttpServer(onRequest)
      : createHttpsServer({ cert: certificates.server.cert, key: certificates.server.key }, onRequest)
  server.on('connection', (socket: Socket) => {
    connections++
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const scheme = certificates === undefined ? 'http' : 'https'
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    otherUrl: `${scheme}://localhost:${port}`,
    host: `127.0.0.1:${port}`,
    port,
    ...(certificates !== undefined && { ca: certificates.ca }),
    requests,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        for (const socket of sockets) socket.destroy()
      }),
  }
}

/** Answers 401 with a challenge unless user and password are right. */
export function requireBasic(username: string, password: string, answer: WebAnswer | WebHandler): WebHandler {
  return requireAuthorization(
    `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    'Basic realm="test"',
    answer,
  )
}

/** Answers 401 with a challenge unless the token is right; `challenge` is the header's value. */
export function requireBearer(token: string, challenge: string, answer: WebAnswer | WebHandler): WebHandler {
  return requireAuthorization(`Bearer ${token}`, challenge, answer)
}

function requireAuthorization(wanted: string, challenge: string, answer: WebAnswer | WebHandler): WebHandler {
  return (request, count) => {
    if (request.headers.get('authorization') !== wanted) {
      return { status: 401, headers: { 'www-authenticate': challenge }, body: { message: 'authentication required' } }
    }
    return typeof answer === 'function' ? answer(request, count) : answer
  }
}

function routesHandler(routes: WebRoutes): WebHandler {
  const byKey = new Map(Object.entries(routes))
  const counts = new Map<string, number>()
  return (request) => {
    const path = request.path.replace(/\?.*$/s, '')
    const methods = request.method === 'HEAD' ? ['HEAD', 'GET'] : [request.method]
    const key = [...methods.map((method) => `${method} ${path}`), path].find((candidate) => byKey.has(candidate))
    const route = key === undefined ? undefined : byKey.get(key)
    if (key === undefined || route === undefined) return undefined
    const count = (counts.get(key) ?? 0) + 1
    counts.set(key, count)
    if (typeof route === 'function') return route(request, count)
    return isList(route) ? route[Math.min(count, route.length) - 1] : route
  }
}

function isList(route: WebAnswer | readonly WebAnswer[]): route is readonly WebAnswer[] {
  return Array.isArray(route)
}

async function readRequest(message: IncomingMessage, started: number): Promise<WebRequest> {
  const chunks: Uint8Array[] = []
  for await (const chunk of message) chunks.push(chunk)
  const headers = new Map<string, string>()
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  return {
    method: message.method ?? '',
    path: message.url ?? '',
    headers,
    body: new Uint8Array(Buffer.concat(chunks)),
    at: performance.now() - started,
  }
}

interface Exchange {
  readonly message: IncomingMessage
  readonly response: ServerResponse
}

async function sendAnswer(answer: WebAnswer, { message, response }: Exchange): Promise<void> {
  const { fault, delay } = answer
  if (delay !== undefined) await setTimeout(delay)
  const socket = message.socket
  if (fault?.type === 'reset' && fault.after === undefined) {
    resetSocket(socket)
    return
  }
  if (fault?.type === 'raw') {
    socket.end(fault.bytes)
    return
  }
  if (fault?.type === 'stall' && fault.after === undefined) return
  const body = bodyBytes(answer.body)
  const given = Object.entries(answer.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const)
  const names = new Set(given.map(([name]) => name))
  if (isJson(answer.body) && !names.has('content-type')) response.setHeader('content-type', 'application/json')
  if (!names.has('content-length') && !names.has('transfer-encoding')) response.setHeader('content-length', body.length)
  for (const [name, value] of given) response.setHeader(name, value)
  response.writeHead(answer.status ?? 200)
  if (message.method === 'HEAD') {
    response.end()
    return
  }
  if (fault === undefined) {
    response.end(body)
    return
  }
  if (fault.type === 'slow') {
    for (let at = 0; at < body.length && !socket.destroyed; at += fault.bytes) {
      await setTimeout(fault.pause)
      response.write(body.subarray(at, at + fault.bytes))
    }
    response.end()
    return
  }
  await new Promise<void>((resolve) => {
    response.write(body.subarray(0, fault.after ?? 0), () => {
      resolve()
    })
  })
  // what was sent must arrive before the connection goes
  await setTimeout(20)
  if (fault.type === 'truncate') socket.end()
  if (fault.type === 'reset') resetSocket(socket)
}

/** A TLS socket can only be destroyed; the connection below it is what resets. */
function resetSocket(socket: Socket): void {
  const below: unknown = Reflect.get(socket, '_parent')
  const raw = typeof below === 'object' && below !== null && 'resetAndDestroy' in below ? (below as Socket) : socket
  raw.resetAndDestroy()
}

function isJson(body: WebAnswer['body']): boolean {
  return typeof body === 'object' && !(body instanceof Uint8Array)
}

function bodyBytes(body: WebAnswer['body']): Uint8Array {
  if (body === undefined) return new Uint8Array()
  if (body instanceof Uint8Array) return body
  return new Uint8Array(Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)))
}
