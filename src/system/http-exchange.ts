import { Readable } from 'node:stream'
import { HttpError, type HttpRequest, type HttpResponse } from '../model/http.ts'
import type { HttpDispatcher } from './http-dispatcher.ts'
import { explainHttpFailure } from './node-http-failure.ts'
import type { HttpProxies } from './node-http-proxies.ts'

/** Timers take no more. */
const LONGEST_TIMER = 2 ** 31 - 1
/** The size of the pieces in which a request's body is written, bytes. */
const PIECE = 65_536

/** The connection that requests go through. */
export interface Connection {
  readonly dispatcher: HttpDispatcher
  readonly proxies: HttpProxies
}

/** Sends a request, and reads the whole answer. The signal breaks it off. @throws HttpError */
export async function exchangeOnce(
  request: HttpRequest,
  { dispatcher, proxies }: Connection,
  signal?: AbortSignal,
): Promise<HttpResponse> {
  const url = new URL(request.url)
  const watch = startWatch(request, url.host)
  let stage: 'head' | 'body' = 'head'
  try {
    const answer = await dispatcher.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: {
        // what is asked for is packed already, and digests are those of the bytes as they are
        'accept-encoding': 'identity',
        ...Object.fromEntries(request.headers),
        ...(request.body !== undefined && { 'content-length': String(request.body.length) }),
      },
      body: request.body === undefined ? null : readPieces(request.body, watch.note),
      signal: signal === undefined ? watch.signal : AbortSignal.any([signal, watch.signal]),
      headersTimeout: 0,
      bodyTimeout: 0,
    })
    stage = 'body'
    watch.note()
    const headers = readHeaders(answer.headers)
    const expected = request.method === 'HEAD' ? 0 : Number(headers.get('content-length') ?? '0')
    const body = await readBody(answer.body, { expected, maxBytes: request.maxBytes, note: watch.note })
    if (body !== undefined) return { status: answer.statusCode, headers, body }
    throw new HttpError('too-large', `${url.host} sends more than ${String(request.maxBytes)} bytes`)
  } catch (error) {
    throw error instanceof HttpError ? error : explainHttpFailure(error, { url, stage, proxies })
  } finally {
    watch.end()
  }
}

interface Watch {
  readonly signal: AbortSignal
  /** To be told of everything that moves. */
  readonly note: () => void
  readonly end: () => void
}

/** Aborts with an HttpError when the exchange takes too long, or nothing moves for too long. */
function startWatch({ timeout, idleTimeout }: HttpRequest, host: string): Watch {
  const controller = new AbortController()
  const start = (duration: number, message: string): NodeJS.Timeout =>
    setTimeout(
      () => {
        controller.abort(new HttpError('timeout', `${host} ${message} ${formatSeconds(duration)}`))
      },
      Math.min(duration, LONGEST_TIMER),
    )
  const whole = start(timeout, 'did not complete its answer within')
  const idle = start(idleTimeout, 'sent nothing for')
  return {
    signal: controller.signal,
    note: () => {
      idle.refresh()
    },
    end: () => {
      clearTimeout(whole)
      clearTimeout(idle)
    },
  }
}

function formatSeconds(milliseconds: number): string {
  return `${String(Math.round(milliseconds / 100) / 10)} s`
}

/** The bytes piece by piece, so that a slow upload is seen to move. */
function readPieces(bytes: Uint8Array, note: () => void): Readable {
  function* pieces(): Generator<Uint8Array> {
    for (let at = 0; at < bytes.length; at += PIECE) {
      note()
      yield bytes.subarray(at, at + PIECE)
    }
  }
  return Readable.from(pieces())
}

/** The headers as the ports give them. */
export function readHeaders(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
): ReadonlyMap<string, string> {
  const read = new Map<string, string>()
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) read.set(name.toLowerCase(), typeof value === 'string' ? value : value.join(', '))
  }
  return read
}

interface BodyOptions {
  /** As announced; 0 when it is not. */
  readonly expected: number
  readonly maxBytes: number
  readonly note: () => void
}

/** The whole body; undefined when it is longer than allowed, then the connection is given up. */
async function readBody(
  stream: AsyncIterable<unknown>,
  { expected, maxBytes, note }: BodyOptions,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of stream) {
    note()
    if (!(chunk instanceof Uint8Array)) continue
    length += chunk.length
    if (Math.max(length, expected) > maxBytes) return undefined
    chunks.push(chunk)
  }
  const body = new Uint8Array(length)
  let at = 0
  for (const chunk of chunks) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}
