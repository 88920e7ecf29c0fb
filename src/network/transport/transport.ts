import { StackmasonError } from '../../model/diagnostic.ts'
import type { AccessSettings } from '../../model/credentials.ts'
import type { HttpRequest, HttpResponse } from '../../model/http.ts'
import type { Ports } from '../../model/ports.ts'
import type { Secret } from '../../model/secret.ts'
import type { Span } from '../../model/source.ts'
import { isDigest } from './check-content.ts'
import { permanentFailure, type FetchFailure } from './fetch-failure.ts'
import { hintOfSettings } from './hint-of-settings.ts'
import { withoutUser, type Hop } from './redirect.ts'
import { backoff } from './retry.ts'
import { shownUrl } from './shown-url.ts'
import { tryRequest } from './try-request.ts'

/** The options for all requests to a server. */
export interface TransportOptions {
  /** Certificates in PEM to trust besides the built-in ones. */
  readonly certificateAuthorities?: string
  /** True if http without TLS is allowed. */
  readonly plainHttp: boolean
  /** Nothing may be sent: FETCH_OFFLINE. */
  readonly offline?: boolean
  /** Where the fleet names the server. */
  readonly at?: Span | undefined
  /** Where `plainHttp` and `caFile` of the server are set, if it is no source. */
  readonly settings?: AccessSettings | undefined
  /** Milliseconds for one `send` with all its tries; 300,000 without. */
  readonly deadline?: number
  /** Tries of one `send`; 5 without. */
  readonly attempts?: number
}

/** A request to a server. */
export interface TransportRequest {
  readonly method: HttpRequest['method']
  /** Absolute; user and password in it are not sent. */
  readonly url: string
  /** The purpose of the request, in messages: "the manifest of host/repo:tag". */
  readonly purpose: string
  /** Names in lower case; no credentials. */
  readonly headers?: ReadonlyMap<string, string>
  /** The whole value of the header; it does not follow a redirect to another origin. */
  readonly authorization?: Secret | undefined
  /** The hint where a server refuses that header. Default: credentials are in it, and to blame. */
  readonly refusedHint?: string | undefined
  readonly body?: Uint8Array | undefined
  /** A longer answer is an error. */
  readonly maxBytes: number
  /** Statuses that the caller wants to see at once, instead of an error, other tries or a redirect that is followed. */
  readonly accept?: readonly number[] | undefined
  /** True if an accepted 401 is a question of the server that was asked: that of another one is an error. */
  readonly challenged?: boolean | undefined
  /** `sha256:<hex>` that a successful answer must have. */
  readonly digest?: string | undefined
  /** Bytes that a successful answer must have. */
  readonly size?: number | undefined
  /** The moment on the monotonic clock after which it is over, where that is before its own deadline. */
  readonly end?: number | undefined
  /** True if the request may be sent twice though its method is not idempotent. */
  readonly repeatable?: boolean | undefined
}

/** Sends with the policy of this product: redirects, retries, deadlines, checks. */
export interface Transport {
  /**
   * Gives the answer; its status is below 400 or one of `accept`. Other tries follow what may pass, with growing pauses
   * or as the server asks.
   * @throws StackmasonError FETCH_FAILED, FETCH_TIMEOUT, FETCH_TLS, FETCH_PLAIN_HTTP, FETCH_UNAUTHORIZED (401, 403),
   * FETCH_NOT_FOUND (404, 410), FETCH_RATE_LIMITED, FETCH_REFUSED (any other status), FETCH_INVALID, FETCH_TOO_LARGE,
   * FETCH_DIGEST_MISMATCH, FETCH_OFFLINE
   */
  readonly send: (request: TransportRequest) => Promise<HttpResponse>
}

/** The ports that a transport works with. */
export type TransportPorts = Pick<Ports, 'http' | 'clock' | 'random' | 'crypto'>

/**
 * Milliseconds for all pages of a list together: ten seconds for each of sixty. With a deadline for each page alone, a
 * server could keep a run for days.
 */
export const LIST_DEADLINE: number = 600_000

const DEADLINE = 300_000
const ATTEMPTS = 5
/** Wrong content is given another chance, once. */
const MISMATCHES = 2
/** A server that does not answer in time seldom does the next time, and each try takes long. */
const TIMEOUTS = 2

/** Makes a transport. */
export function createTransport(options: TransportOptions, ports: TransportPorts): Transport {
  return { send: (request) => send(request, { options, ports }) }
}

interface Setting {
  readonly options: TransportOptions
  readonly ports: TransportPorts
}

async function send(request: TransportRequest, { options, ports }: Setting): Promise<HttpResponse> {
  const context = { request, options }
  const first = firstHop(request)
  if (!('url' in first)) throw refusal(first, context)
  const problem = requestProblem(request, first, options)
  if (problem !== undefined) throw refusal(problem, { ...context, first })
  const attempts = options.attempts ?? ATTEMPTS
  const end = Math.min(
    ports.clock.monotonic() + (options.deadline ?? DEADLINE),
    request.end ?? Number.POSITIVE_INFINITY,
  )
  let mismatches = 0
  let timeouts = 0
  for (let attempt = 1; ; attempt++) {
    const hop = attempt === 1 || request.digest === undefined ? first : pastCaches(first)
    const outcome = await tryRequest(
      { ...request, first: hop, end, certificateAuthorities: options.certificateAuthorities },
      ports,
    )
    if ('response' in outcome) return outcome.response
    const { failure, last } = outcome
    const pause = (failure.pause ?? 0) + backoff(attempt, ports.random)
    if (failure.code === 'FETCH_DIGEST_MISMATCH') mismatches++
    if (failure.code === 'FETCH_TIMEOUT') timeouts++
    const isEnough = attempt >= attempts || mismatches >= MISMATCHES || timeouts >= TIMEOUTS
    const isLast = isEnough || !mayRepeat(request, failure)
    if (isLast || pause >= end - ports.clock.monotonic()) {
      throw refusal(failure, { ...context, first, last, tries: attempt })
    }
    await ports.clock.sleep(pause)
  }
}

function firstHop({ method, url, headers, authorization, body }: TransportRequest): Hop | FetchFailure {
  const parsed = URL.canParse(url) ? withoutUser(new URL(url)) : undefined
  if (parsed?.protocol !== 'https:' && parsed?.protocol !== 'http:') {
    return permanentFailure('FETCH_INVALID', `${JSON.stringify(shownUrl(url))} is not an address of a web server`)
  }
  const all = new Map([['user-agent', 'stackmason'], ...(headers ?? [])])
  return { method, url: parsed, headers: all, authorization, body }
}

function requestProblem(
  { digest }: TransportRequest,
  { url }: Hop,
  { plainHttp, offline }: TransportOptions,
): FetchFailure | undefined {
  if (url.protocol === 'http:' && !plainHttp) {
    return permanentFailure('FETCH_PLAIN_HTTP', 'the address uses http without TLS')
  }
  if (digest !== undefined && !isDigest(digest)) {
    return permanentFailure('FETCH_INVALID', 'it is to have a digest that is neither sha256 nor sha512')
  }
  return offline === true ? permanentFailure('FETCH_OFFLINE', 'the network may not be used (--offline)') : undefined
}

/** The request that bypasses caches on the way, one of which may hold content with a wrong digest. */
function pastCaches(hop: Hop): Hop {
  return { ...hop, headers: new Map([...hop.headers, ['cache-control', 'no-cache']]) }
}

function mayRepeat({ method, repeatable }: TransportRequest, { repetition }: FetchFailure): boolean {
  if (repetition !== 'idempotent') return repetition === 'always'
  return repeatable === true || (method !== 'POST' && method !== 'PATCH')
}

interface Refusal {
  readonly request: TransportRequest
  readonly options: TransportOptions
  readonly first?: Hop
  /** Where redirects had led. */
  readonly last?: Hop
  readonly tries?: number
}

function refusal(failure: FetchFailure, context: Refusal): StackmasonError {
  const { code, what, hint, cause } = failure
  const { request, options, first, last, tries = 0 } = context
  const [verb, preposition] = verbs[request.method]
  const host = first?.url.host
  const server = host === undefined ? '' : ` ${preposition} ${host}`
  const way = last === undefined || last.url.host === host ? '' : `, which redirects to ${last.url.host}`
  const message = `cannot ${verb} ${request.purpose}${server}${way}: ${what}${tries > 1 ? ` (tried ${String(tries)} times)` : ''}`
  const { at, settings } = options
  return new StackmasonError(
    { code, severity: 'error', message, at, hint: hint ?? hintOfSettings(failure, settings) },
    { cause },
  )
}

const verbs: Readonly<Record<HttpRequest['method'], readonly [string, string]>> = {
  GET: ['get', 'from'],
  HEAD: ['get', 'from'],
  POST: ['send', 'to'],
  PUT: ['send', 'to'],
  PATCH: ['send', 'to'],
  DELETE: ['delete', 'from'],
}
