import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Clock } from '../model/ports.ts'
import { HttpError, type HttpRequest, type HttpResponse } from '../model/http.ts'
import type { HttpStream, ServerConnection } from '../model/server-connection.ts'
import { ApiError } from './api-error.ts'
import { listField, numberField, textField } from './json-field.ts'
import type { TokenBucket } from './token-bucket.ts'

/** A request to an API server. */
export interface ApiRequest {
  readonly method: HttpRequest['method']
  /** Without query. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Of the body; `application/json` without. */
  readonly contentType?: string
  /**
   * Only metadata, not what is in the objects: of one object or a watch, or of a list. The server takes no both at
   * once.
   */
  readonly content?: 'metadata' | 'metadataList'
}

/** Is told of every answer; status 0 where there was none. */
export type CountRequest = (method: string, status: number) => void

/** How an {@link ApiServer} asks. */
export interface ApiServerOptions {
  /** Milliseconds for a request that is no watch. */
  readonly timeout: number
  readonly userAgent: string
  /** Slows requests down; watches are free. */
  readonly limit: TokenBucket
  readonly count: CountRequest
  /** Called right before anything is written; what it throws keeps the request back. */
  readonly beforeWrite?: (() => void) | undefined
  /** Absent: only each request has a time. */
  readonly patience?: Patience
  /** A longer answer is an error; without, a page of 500 of the largest objects is none. */
  readonly maxBytes?: number
}

/** How long a server may keep others waiting, all its answers together. */
export interface Patience {
  readonly clock: Pick<Clock, 'monotonic'>
  /** Milliseconds that any answer may take. */
  readonly free: number
  /** Milliseconds beyond that of all answers. */
  readonly most: number
}

/** An API server takes no larger object, and a page of a list holds 500 of them. */
const MOST_BYTES = 256 * 1024 * 1024

/** Milliseconds to wait where a server that has too much to do does not say how long. */
const BUSY_PAUSE = 1000

/** Asks an API server, and reads its answers. */
export class ApiServer {
  readonly #connection: ServerConnection
  readonly #options: ApiServerOptions
  #lost = 0

  constructor(connection: ServerConnection, options: ApiServerOptions) {
    this.#connection = connection
    this.#options = options
  }

  /** The same server for one piece of work, which ends with an HttpError when the server answers too slowly for it. */
  patient(patience: Patience): ApiServer {
    return new ApiServer(this.#connection, { ...this.#options, patience })
  }

  /**
   * Sends a request, and gives the JSON of its answer.
   * @throws ApiError where the server refuses, HttpError where it does not answer, or with something that is no JSON
   */
  async send(request: ApiRequest, until: AbortSignal): Promise<unknown> {
    // many requests share one signal, and who listens to it would pile up
    const signal = AbortSignal.any([until])
    const { timeout, limit, beforeWrite, patience, maxBytes = MOST_BYTES } = this.#options
    await limit.take(signal)
    signal.throwIfAborted()
    const { method, body, contentType = 'application/json' } = request
    const headers = this.#headersOf(request)
    if (body !== undefined) headers.set('content-type', contentType)
    if (method !== 'GET') beforeWrite?.()
    const started = patience?.clock.monotonic() ?? 0
    const answer = await this.#counted(
      method,
      this.#connection.exchange(
        {
          method,
          path: pathOf(request),
          headers,
          ...(body !== undefined && { body: encodeUtf8(JSON.stringify(body)) }),
          maxBytes,
          timeout,
          idleTimeout: timeout,
        },
        signal,
      ),
    )
    if (patience !== undefined) this.#wait(patience, started)
    if (answer.status >= 400) throw refusal(answer)
    return parseJson(answer.body)
  }

  /**
   * Asks over connections of their own, which are cut afterwards: behind one address there may be several servers, and
   * a connection stays with one of them.
   */
  async overFreshConnection<T>(ask: (api: ApiServer) => Promise<T>): Promise<T> {
    const connection = await this.#connection.reopen()
    try {
      return await ask(new ApiServer(connection, this.#options))
    } finally {
      await connection.close()
    }
  }

  /** Starts a watch: its events come as lines of JSON. @throws ApiError, HttpError */
  async follow(request: Omit<ApiRequest, 'method'>, signal: AbortSignal): Promise<HttpStream> {
    const stream = await this.#counted(
      'WATCH',
      this.#connection.follow(
        { path: pathOf(request), headers: this.#headersOf(request), headTimeout: this.#options.timeout },
        signal,
      ),
    )
    if (stream.status < 400) return stream
    throw refusal({ ...stream, body: await readAll(stream.chunks) })
  }

  #wait({ clock, free, most }: Patience, started: number): void {
    this.#lost += Math.max(0, clock.monotonic() - started - free)
    if (this.#lost > most) throw new HttpError('timeout', 'it answers too slowly')
  }

  #headersOf({ content }: Pick<ApiRequest, 'content'>): Map<string, string> {
    const accept = content === undefined ? 'application/json' : accepts[content]
    return new Map([
      ['accept', accept],
      ['user-agent', this.#options.userAgent],
    ])
  }

  async #counted<T extends { readonly status: number }>(method: string, answer: Promise<T>): Promise<T> {
    let status = 0
    try {
      const found = await answer
      status = found.status
      return found
    } finally {
      this.#options.count(method, status)
    }
  }
}

const accepts = {
  metadata: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  metadataList: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
} as const

function pathOf({ path, query = {} }: Pick<ApiRequest, 'path' | 'query'>): string {
  const text = new URLSearchParams(query).toString()
  return text === '' ? path : `${path}?${text}`
}

function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(decodeUtf8(body))
  } catch (cause) {
    // the parser's words may repeat what the body holds
    throw new HttpError('protocol', 'the server answers with something that is no JSON', { cause })
  }
}

function refusal({ status, headers, body }: Pick<HttpResponse, 'status' | 'headers' | 'body'>): ApiError {
  let parsed: unknown
  try {
    parsed = parseJson(body)
  } catch {
    parsed = undefined
  }
  const asked = headers.get('retry-after')?.trim() ?? ''
  const seconds = /^[0-9]+$/.test(asked) ? Number(asked) : (numberField(parsed, 'details', 'retryAfterSeconds') ?? 0)
  const retryAfter = seconds > 0 ? seconds * 1000 : status === 429 ? BUSY_PAUSE : 0
  const message = textField(parsed, 'message')
  const causes = listField(parsed, 'details', 'causes').map((cause) => textField(cause, 'reason'))
  return new ApiError(status, {
    reason: textField(parsed, 'reason') ?? '',
    message: message ?? `the server answers with status ${String(status)}`,
    retryAfter,
    continueToken: textField(parsed, 'metadata', 'continue') ?? '',
    subject: textField(parsed, 'details', 'name') ?? '',
    subjectKind: textField(parsed, 'details', 'kind') ?? '',
    isNamespaceLeaving: causes.includes('NamespaceTerminating'),
  })
}

/** A refusal is short. */
const LONGEST_REFUSAL = 65_536

async function readAll(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const found: Uint8Array[] = []
  let length = 0
  for await (const chunk of chunks) {
    found.push(chunk)
    length += chunk.length
    if (length > LONGEST_REFUSAL) break
  }
  const body = new Uint8Array(length)
  let at = 0
  for (const chunk of found) {
    body.set(chunk, at)
    at += chunk.length
  }
  return body
}
