import { createServer, request as forward } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'

/** A proxy that listens on 127.0.0.1. */
export interface WebProxy {
  /** `127.0.0.1:<port>` */
  readonly host: string
  /** What was asked for: `CONNECT host:port`, or method and address. */
  readonly requests: readonly string[]
  /** The headers of each request. */
  readonly headers: readonly ReadonlyMap<string, string>[]
  readonly close: () => Promise<void>
}

/** How {@link startWebProxy} answers. */
export interface WebProxyOptions {
  /** `user:password` that it asks for. */
  readonly credentials?: string
  /** Answers every CONNECT with this status. */
  readonly status?: number
  /** `https://host:port` to which every tunnel leads, whatever was asked for. */
  readonly to?: string
  /** Closes every connection when CONNECT has come, and answers nothing. */
  readonly closes?: boolean
}

/** Starts a real proxy: CONNECT for what is tunnelled, absolute addresses for plain http. */
export async function startWebProxy(options: WebProxyOptions = {}): Promise<WebProxy> {
  const requests: string[] = []
  const headers: ReadonlyMap<string, string>[] = []
  const sockets = new Set<Socket>()
  const wanted = `Basic ${Buffer.from(options.credentials ?? '').toString('base64')}`

  /** Notes a request, and tells the status that it is refused with. */
  function receive(what: string, given: NodeJS.Dict<string | string[]>): number | undefined {
    requests.push(what)
    headers.push(new Map(Object.entries(given).map(([name, value]) => [name, String(value)])))
    if (options.credentials !== undefined && given['proxy-authorization'] !== wanted) return 407
    return options.status
  }

  function keep(socket: Socket): void {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  }

  const server = createServer((message, response) => {
    const refusal = receive(`${message.method ?? ''} ${message.url ?? ''}`, message.headers)
    if (refusal !== undefined) {
      response.writeHead(refusal).end()
      return
    }
    const { 'proxy-authorization': _, 'proxy-connection': __, ...sent } = message.headers
    const next = forward(message.url ?? '', { method: message.method, headers: sent }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    next.on('error', () => response.writeHead(502).end())
    message.pipe(next)
  })
  server.on('connection', keep)
  server.on('connect', (message, socket: Socket) => {
    const refusal = receive(`CONNECT ${message.url ?? ''}`, message.headers)
    if (options.closes === true) {
      socket.end()
      return
    }
    if (refusal !== undefined) {
      socket.end(`HTTP/1.1 ${refusal} Refused\r\ncontent-length: 0\r\n\r\n`)
      return
    }
    const { hostname, port } = new URL(options.to ?? `http://${message.url ?? ''}`)
    const target = connect(Number(port || '80'), hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      target.pipe(socket)
      socket.pipe(target)
    })
    keep(target)
    target.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    requests,
    headers,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        for (const socket of sockets) socket.destroy()
      }),
  }
}
