import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An object that the server holds. */
export interface FakeObject {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly labels?: Readonly<Record<string, string>>
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

/** A request as it came. */
export interface FakeRequest {
  readonly type: 'list' | 'watch'
  readonly query: URLSearchParams
  readonly accept: string
}

/** What the server does to a request instead of answering it. */
export type FakeFault =
  /** A refusal, as Kubernetes writes it. */
  | { readonly status: number; readonly reason?: string; readonly retryAfter?: number }
  /** An answer that is this text. */
  | { readonly body: string }
  /** The connection is cut before a word. */
  | 'reset'
  /** No word, and the connection stays. */
  | 'silent'
  /** A watch that ends as soon as it began. */
  | 'end'

/** What may happen to watches that run. */
export type FakeCut = 'end' | 'reset'

/**
 * A small API server of one collection, over plain HTTP: pages, watches from a version, bookmarks, and all that goes
 * wrong. It sends nothing by itself.
 */
export interface FakeKube {
  readonly url: string
  readonly requests: readonly FakeRequest[]
  /** Watches that run. */
  readonly watches: () => number
  /** Connections so far. */
  readonly connections: () => number
  /** Adds or changes an object. */
  readonly put: (object: FakeObject) => void
  readonly remove: (name: string, namespace?: string) => void
  /** Forgets what happened: who asks for it gets 410, as a status or as an event. */
  readonly forget: (how: 'status' | 'event') => void
  /** What the next requests of a type get, one each. */
  readonly fail: (type: FakeRequest['type'], ...faults: readonly FakeFault[]) => void
  /** Tells all watches the version, and nothing else. */
  readonly bookmark: () => void
  /** Sends bytes to all watches as they are. */
  readonly send: (text: string) => void
  /** From now on, events are sent in pieces of so many bytes. */
  readonly cutInto: (bytes: number) => void
  readonly endWatches: (how: FakeCut) => void
  /** Takes a backup: what it gives brings the server back to the state that it has now, without a word. */
  readonly backUp: () => () => void
  /** Changes objects without a word to the watches that run. */
  readonly silently: (change: () => void) => void
  readonly close: () => Promise<void>
}

interface Event {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: FakeObject
  readonly version: number
}

/** Starts one on a free port of this machine; `pageSize` is the most that it lists at once. */
export async function startFakeKube(pageSize: number = 500): Promise<FakeKube> {
  const objects = new Map<string, FakeObject>()
  const events: Event[] = []
  const requests: FakeRequest[] = []
  const faults: Record<FakeRequest['type'], FakeFault[]> = { list: [], watch: [] }
  const watches = new Set<ServerResponse>()
  let version = 1
  let oldest = 0
  let forgets: 'status' | 'event' = 'status'
  let piece = Infinity
  let isSilent = false
  let connections = 0

  const write = (watch: ServerResponse, text: string): void => {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += piece) watch.write(bytes.subarray(at, at + piece))
  }
  const tell = (type: Event['type'], object: FakeObject): void => {
    events.push({ type, object, version })
    if (!isSilent) for (const watch of watches) write(watch, line(type, object))
  }
  const server = createServer((request, response) => {
    const { type, query, accept } = readRequest(request)
    requests.push({ type, query, accept })
    const fault = faults[type].shift()
    if (fault !== undefined) {
      failWith(fault, request, response)
      return
    }
    if (type === 'list') list(query, response)
    else watch(query, response)
  })
  server.on('connection', () => {
    connections += 1
  })

  function list(query: URLSearchParams, response: ServerResponse): void {
    const start = Number(query.get('continue') ?? '0')
    const all = [...objects.values()]
    const end = start + Math.min(pageSize, Number(query.get('limit') ?? pageSize))
    const metadata = { resourceVersion: String(version), ...(end < all.length && { continue: String(end) }) }
    sendJson(response, 200, { kind: 'List', apiVersion: 'v1', metadata, items: all.slice(start, end) })
  }

  function watch(query: URLSearchParams, response: ServerResponse): void {
    const from = Number(query.get('resourceVersion') ?? '0')
    const isForgotten = from < oldest
    if (isForgotten && forgets === 'status') {
      sendJson(response, 410, status(410, 'Expired'))
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    if (isForgotten) {
      response.end(line('ERROR', status(410, 'Expired')))
      return
    }
    for (const event of events) if (event.version > from) write(response, line(event.type, event.object))
    watches.add(response)
    response.on('close', () => watches.delete(response))
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${String(port)}`,
    requests,
    watches: () => watches.size,
    connections: () => connections,
    put: (object) => {
      version += 1
      const key = `${object.metadata.namespace ?? ''}/${object.metadata.name}`
      const kept = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } }
      const type = objects.has(key) ? 'MODIFIED' : 'ADDED'
      objects.set(key, kept)
      tell(type, kept)
    },
    remove: (name, namespace = '') => {
      const key = `${namespace}/${name}`
      const object = objects.get(key)
      if (object === undefined) throw new Error(`no ${key}`)
      version += 1
      objects.delete(key)
      tell('DELETED', { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } })
    },
    forget: (how) => {
      version += 1
      oldest = version
      forgets = how
      events.length = 0
    },
    fail: (type, ...given) => {
      faults[type].push(...given)
    },
    bookmark: () => {
      for (const open of watches) write(open, line('BOOKMARK', { metadata: { resourceVersion: String(version) } }))
    },
    send: (text) => {
      for (const open of watches) write(open, text)
    },
    cutInto: (bytes) => {
      piece = bytes
    },
    endWatches: (how) => {
      for (const open of watches) {
        if (how === 'end') open.end()
        else open.socket?.resetAndDestroy()
      }
      watches.clear()
    },
    backUp: () => {
      const [kept, heard, reached] = [[...objects], [...events], version]
      return () => {
        objects.clear()
        for (const [key, object] of kept) objects.set(key, object)
        events.splice(0, events.length, ...heard)
        version = reached
      }
    },
    silently: (change) => {
      isSilent = true
      change()
      isSilent = false
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function readRequest(request: IncomingMessage): FakeRequest {
  const query = new URL(request.url ?? '/', 'http://localhost').searchParams
  return { type: query.get('watch') === 'true' ? 'watch' : 'list', query, accept: request.headers.accept ?? '' }
}

function failWith(fault: FakeFault, request: IncomingMessage, response: ServerResponse): void {
  if (fault === 'reset') request.socket.resetAndDestroy()
  else if (fault === 'end') response.writeHead(200, { 'content-type': 'application/json' }).end()
  else if (fault === 'silent') request.resume()
  else if ('body' in fault) response.writeHead(200, { 'content-type': 'application/json' }).end(fault.body)
  else {
    const { retryAfter } = fault
    if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter))
    sendJson(response, fault.status, status(fault.status, fault.reason ?? ''))
  }
}

function sendJson(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function status(code: number, reason: string): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message: `refused with ${String(code)}` }
}

function line(type: string, object: object): string {
  return `${JSON.stringify({ type, object })}\n`
}
