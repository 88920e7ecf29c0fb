import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { type ListenAddress, ListenError, type Listener, type TextAnswer, type TlsFiles } from '../model/listener.ts'

/** Who asks how we are comes with few connections; more of them would take memory. */
const MOST_CONNECTIONS = 64
/** Milliseconds in which a request must have come. */
const REQUEST_TIMEOUT = 10_000

/** {@link Listener} over HTTP/1.1. */
export const nodeListener: Listener = {
  listen: async (address, answer, tls) => {
    const { host, port } = address
    const handle = (request: IncomingMessage, response: ServerResponse): void => {
      void respond(request, response, answer)
    }
    const closed = new AbortController()
    const options = { requestTimeout: REQUEST_TIMEOUT }
    let server: Server | SecureServer
    if (tls === undefined) server = createServer(options, handle)
    else {
      const pair = await readPair(tls).catch((cause: unknown) => {
        throw new ListenError(address, 'the certificate or its key cannot be read', { cause, reason: 'certificate' })
      })
      const secure = startSecure(address, () => createSecureServer({ ...options, ...wholePair(pair) }, handle))
      server = secure
      void keepPair(secure, tls, { pair, signal: closed.signal })
    }
    server.maxConnections = MOST_CONNECTIONS
    try {
      await begin(server, address, { port, ...(host !== '' && { host }) })
    } catch (error) {
      closed.abort()
      throw error
    }
    const bound = server.address()
    return {
      port: typeof bound === 'object' && bound !== null ? bound.port : port,
      close: async () => {
        closed.abort()
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  },
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  answer: (path: string) => TextAnswer | Promise<TextAnswer>,
): Promise<void> {
  const isAsked = request.method === 'GET' || request.method === 'HEAD'
  const [path = ''] = (request.url ?? '').split('?', 1)
  let found: TextAnswer
  try {
    found = isAsked ? await answer(path) : { status: 405, text: 'only GET is answered here\n' }
  } catch {
    // what it says is not for those who ask
    found = { status: 500, text: 'no answer could be made\n' }
  }
  const { status, text, contentType = 'text/plain; charset=utf-8' } = found
  response.writeHead(status, { 'content-type': contentType, 'x-content-type-options': 'nosniff' })
  response.end(text)
}

/** A certificate and its key, in PEM. */
interface Pair {
  readonly cert: string
  readonly key: string
}

async function readPair({ certificate, key }: TlsFiles): Promise<Pair> {
  const [cert, pem] = await Promise.all([readFile(certificate, 'utf8'), readFile(key, 'utf8')])
  return { cert, key: pem }
}

/**
 * Node takes an empty text for none, and serves without a certificate: that is how a file looks that is being written.
 * @throws Error when a part is empty
 */
function wholePair(pair: Pair): Pair {
  if (pair.cert.trim() === '' || pair.key.trim() === '') throw new Error('empty')
  return pair
}

function startSecure(address: ListenAddress, start: () => SecureServer): SecureServer {
  try {
    return start()
  } catch (cause) {
    throw new ListenError(address, 'the certificate and the key cannot be used together', {
      cause,
      reason: 'certificate',
    })
  }
}

/** Takes up files that have been replaced, for connections that come from then on. */
async function keepPair(
  server: SecureServer,
  tls: TlsFiles,
  { pair, signal }: { readonly pair: Pair; readonly signal: AbortSignal },
): Promise<void> {
  let seen = pair
  let isTold = false
  while (!signal.aborted) {
    try {
      await setTimeout(tls.rereadEvery, undefined, { signal, ref: false })
    } catch {
      return
    }
    try {
      const found = await readPair(tls)
      if (found.cert === seen.cert && found.key === seen.key) continue
      server.setSecureContext({ ...wholePair(found) })
      seen = found
      isTold = false
    } catch {
      // one of the two may come a moment later
      if (isTold) continue
      isTold = true
      tls.onProblem('the certificate and its key cannot be used; the earlier ones stay in use')
    }
  }
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'another program listens there'],
  ['EACCES', 'it is not permitted'],
  ['EADDRNOTAVAIL', 'this machine does not have the address'],
  ['ENOTFOUND', 'the name is not known'],
])

async function begin(
  server: Server | SecureServer,
  address: ListenAddress,
  at: { readonly host?: string; readonly port: number },
): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const code = 'code' in cause ? String(cause.code) : ''
      reject(new ListenError(address, reasons.get(code) ?? 'the system refuses', { cause }))
    })
    server.listen(at, resolve)
  })
}
