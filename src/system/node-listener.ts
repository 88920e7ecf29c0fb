import { createServer, type Server } from 'node:http'
import { ListenError, type Listener } from '../model/listener.ts'

/** Who asks how we are comes with few connections; more of them would take memory. */
const MOST_CONNECTIONS = 64
/** Milliseconds in which a request must have come. */
const REQUEST_TIMEOUT = 10_000

/** {@link Listener} over plain HTTP. */
export const nodeListener: Listener = {
  listen: async ({ host, port }, answer) => {
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT }, (request, response) => {
      const isAsked = request.method === 'GET' || request.method === 'HEAD'
      const [path = ''] = (request.url ?? '').split('?', 1)
      const { status, text } = isAsked ? answer(path) : { status: 405, text: 'only GET is answered here\n' }
      response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'x-content-type-options': 'nosniff' })
      response.end(text)
    })
    server.maxConnections = MOST_CONNECTIONS
    await begin(server, { port, ...(host !== '' && { host }) })
    const bound = server.address()
    return {
      port: typeof bound === 'object' && bound !== null ? bound.port : port,
      close: async () => {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      },
    }
  },
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['EADDRINUSE', 'another program listens there'],
  ['EACCES', 'it is not permitted'],
  ['EADDRNOTAVAIL', 'this machine does not have the address'],
  ['ENOTFOUND', 'the name is not known'],
])

async function begin(server: Server, at: { readonly host?: string; readonly port: number }): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      const code = 'code' in cause ? String(cause.code) : ''
      reject(new ListenError(reasons.get(code) ?? 'the system refuses', { cause }))
    })
    server.listen(at, resolve)
  })
}
