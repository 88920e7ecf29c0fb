import { HttpError, type HttpResponse } from '../../model/http.ts'
import type { Ports } from '../../model/ports.ts'
import type { Secret } from '../../model/secret.ts'
import { contentProblem, foreignEncoding } from './check-content.ts'
import { exchangeFailure, permanentFailure, statusFailure, type FetchFailure } from './fetch-failure.ts'
import { followRedirect, isRedirect, redirectTarget, type Hop } from './redirect.ts'

/** One try, redirects included. */
export interface Try {
  readonly first: Hop
  /** The header that the caller gave, whether it is still sent or not. */
  readonly authorization?: Secret | undefined
  readonly refusedHint?: string | undefined
  readonly maxBytes: number
  readonly accept?: readonly number[] | undefined
  /** True if a 401 of another origin than the first is not accepted. */
  readonly challenged?: boolean | undefined
  readonly digest?: string | undefined
  readonly size?: number | undefined
  readonly certificateAuthorities: string | undefined
  /** When all must be over, by the monotonic clock. */
  readonly end: number
}

/** How a try ended. */
export type Outcome =
  | { readonly response: HttpResponse }
  /** `last` is what was sent last. */
  | { readonly failure: FetchFailure; readonly last: Hop }

type TryPorts = Pick<Ports, 'http' | 'clock' | 'crypto'>

const MAX_REDIRECTS = 10
/** Registries copy between stores before they answer to an upload. */
const IDLE_TIMEOUT = 60_000
/** Refusals come with pages of their own, whatever the caller expects. */
const REFUSAL_BYTES = 1_048_576

/** Sends once, follows redirects and judges the answer. */
export async function tryRequest(request: Try, ports: TryPorts): Promise<Outcome> {
  let hop = request.first
  for (let redirects = 0; ; redirects++) {
    const response = await exchange(hop, request, ports)
    const context = {
      hop,
      hadCredentials: request.authorization !== undefined,
      refusedHint: request.refusedHint,
      isElsewhere: hop.url.origin !== request.first.url.origin,
      hasAuthorities: request.certificateAuthorities !== undefined,
      now: ports.clock.now(),
    }
    if (response instanceof HttpError) return { failure: exchangeFailure(response, context), last: hop }
    const isForeign = response.status === 401 && request.challenged === true && context.isElsewhere
    if (request.accept?.includes(response.status) === true && !isForeign) return { response }
    if (response.status >= 400) return { failure: statusFailure(response, context), last: hop }
    const target = isRedirect(response.status) ? redirectTarget(response, hop.url) : undefined
    const problem = isRedirect(response.status)
      ? redirectProblem(target, hop, redirects)
      : answerProblem(response, hop, { request, ports })
    if (problem !== undefined) return { failure: problem, last: hop }
    if (target === undefined) return { response }
    hop = followRedirect(hop, response.status, target)
  }
}

async function exchange(hop: Hop, request: Try, { http, clock }: TryPorts): Promise<HttpResponse | HttpError> {
  const { method, url, headers, authorization, body } = hop
  try {
    return await http.exchange({
      method,
      url: url.href,
      headers: authorization === undefined ? headers : new Map([...headers, ['authorization', authorization.reveal()]]),
      ...(body !== undefined && { body }),
      maxBytes: Math.max(request.maxBytes, REFUSAL_BYTES),
      timeout: Math.max(1, request.end - clock.monotonic()),
      idleTimeout: IDLE_TIMEOUT,
      ...(request.certificateAuthorities !== undefined && { certificateAuthorities: request.certificateAuthorities }),
    })
  } catch (error) {
    if (error instanceof HttpError) return error
    throw error
  }
}

function redirectProblem(target: URL | undefined, { url }: Hop, redirects: number): FetchFailure | undefined {
  if (target === undefined) return permanentFailure('FETCH_INVALID', 'it redirects without saying where to')
  if (redirects >= MAX_REDIRECTS) {
    return permanentFailure('FETCH_INVALID', `it redirects more than ${String(MAX_REDIRECTS)} times`)
  }
  if (target.protocol === 'http:' && url.protocol === 'https:') {
    return {
      ...permanentFailure('FETCH_PLAIN_HTTP', `it redirects to ${target.host} by http without TLS`),
      hint: 'Correct the address, or let the server redirect to https: nothing allows a redirect from https to http.',
    }
  }
  const isWeb = target.protocol === 'https:' || target.protocol === 'http:'
  return isWeb ? undefined : permanentFailure('FETCH_INVALID', 'it redirects to what is not an address of a web server')
}

interface Judging {
  readonly request: Try
  readonly ports: TryPorts
}

function answerProblem(
  response: HttpResponse,
  { method, url }: Hop,
  { request, ports }: Judging,
): FetchFailure | undefined {
  const { status } = response
  // its body is not what was asked for, and nothing would look at it
  if (status >= 300)
    return permanentFailure('FETCH_INVALID', `it answers with status ${String(status)}, which is no redirect to follow`)
  if (method === 'HEAD') return undefined
  const { maxBytes, digest } = request
  if (response.body.length > maxBytes) {
    return permanentFailure('FETCH_TOO_LARGE', `it sends more than ${String(maxBytes)} bytes`)
  }
  const encoding = digest === undefined ? foreignEncoding(response, url) : undefined
  if (encoding !== undefined) {
    return permanentFailure('FETCH_INVALID', `it answers in the encoding ${encoding}, which nobody asked for`)
  }
  const what = contentProblem(response.body, request, ports.crypto)
  return what === undefined ? undefined : { code: 'FETCH_DIGEST_MISMATCH', what, repetition: 'idempotent' }
}
