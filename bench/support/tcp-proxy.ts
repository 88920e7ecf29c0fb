import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** What stands between a program and a server; what passes is encrypted, so only counted. */
export interface TcpProxy {
  readonly port: number
  /** Bytes from the server so far. */
  readonly received: () => number
  readonly open: () => number
  /** Connections that were open at the same time. */
  readonly mostOpen: () => number
  /** Closes all connections, and takes none until `pass`. */
  readonly cut: () => void
  /** Lets nothing through and closes nothing, as a network that has gone without a word. */
  readonly fallSilent: () => void
  /** What was held back stays lost: connections of before are closed. */
  readonly pass: () => void
  readonly close: () => void
}

/** Starts one in front of a server. */
export async function startTcpProxy(target: URL): Promise<TcpProxy> {
  const pairs = new Set<readonly [Socket, Socket]>()
  let state: 'passing' | 'cut' | 'silent' = 'passing'
  let [received, mostOpen] = [0, 0]
  const closeAll = (): void => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
    pairs.clear()
  }
  const server = createServer((own) => {
    own.on('error', () => undefined)
    if (state === 'cut') {
      own.destroy()
      return
    }
    const far = connect(Number(target.port), target.hostname)
    far.on('error', () => undefined)
    const pair = [own, far] as const
    pairs.add(pair)
    mostOpen = Math.max(mostOpen, pairs.size)
    const end = (): void => {
      pairs.delete(pair)
      own.destroy()
      far.destroy()
    }
    own.on('close', end).on('data', (chunk: Buffer) => {
      if (state === 'passing') far.write(chunk)
    })
    far.on('close', end).on('data', (chunk: Buffer) => {
      received += chunk.length
      if (state === 'passing') own.write(chunk)
    })
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    port,
    received: () => received,
    open: () => pairs.size,
    mostOpen: () => mostOpen,
    cut: () => {
      state = 'cut'
      closeAll()
    },
    fallSilent: () => {
      state = 'silent'
    },
    pass: () => {
      closeAll()
      state = 'passing'
    },
    close: () => {
      closeAll()
      server.close()
    },
  }
}
