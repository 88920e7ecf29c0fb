import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import type { HttpErrorReason, HttpResponse } from '../../model/http.ts'
import type { Random } from '../../model/ports.ts'

/** Ceiling of the first pause, milliseconds; it doubles from try to try. */
const FIRST_PAUSE = 500
const LONGEST_PAUSE = 8_000
/** The pause that GitHub asks for where it does not say how long its secondary limit lasts. */
const SECONDARY_PAUSE = 60_000
/** Bytes of an answer that are looked at. */
const LOOKED_AT = 8_192

/**
 * How a failure may be met: by no other try, by one if nothing is done twice by it, or by one in any case because
 * nothing was done.
 */
export type Repetition = 'never' | 'idempotent' | 'always'

const byReason: Readonly<Record<HttpErrorReason, Repetition>> = {
  'name-not-found': 'always',
  refused: 'always',
  unreachable: 'always',
  reset: 'idempotent',
  truncated: 'idempotent',
  timeout: 'idempotent',
  tls: 'never',
  'no-tls': 'never',
  proxy: 'never',
  'too-large': 'never',
  protocol: 'never',
}

/** How to repeat an exchange that broke off. */
export function repetitionOfReason(reason: HttpErrorReason): Repetition {
  return byReason[reason]
}

/** How to repeat a request that was refused. */
export function repetitionOfStatus(response: HttpResponse): Repetition {
  if (isRateLimit(response)) return 'always'
  return [408, 425, 500, 502, 503, 504].includes(response.status) ? 'idempotent' : 'never'
}

/**
 * True if the server wants fewer requests (429; GitHub also says it with 403: docs.github.com, "Rate limits for the
 * REST API").
 */
export function isRateLimit(response: HttpResponse): boolean {
  const { status, headers } = response
  if (status === 429) return true
  if (status !== 403) return false
  return headers.get('x-ratelimit-remaining') === '0' || headers.has('retry-after') || isSecondaryLimit(response)
}

/** GitHub's limit on what comes too fast, which no header has to tell. */
function isSecondaryLimit({ status, body }: HttpResponse): boolean {
  const isCandidate = status === 403 || status === 429
  return isCandidate && decodeUtf8(body.subarray(0, LOOKED_AT)).includes('exceeded a secondary rate limit')
}

/**
 * Milliseconds that the server asks to wait: Retry-After in both forms (RFC 9110, 10.2.3), else GitHub's
 * x-ratelimit-reset where nothing remains, else a minute after its secondary limit. Times are compared with the
 * server's own clock where it tells it. Undefined when nothing is asked.
 */
export function requestedPause(response: HttpResponse, now: number): number | undefined {
  const { headers } = response
  const serverNow = readHttpDate(headers.get('date')) ?? now
  const retryAfter = headers.get('retry-after')?.trim() ?? ''
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter) * 1000
  const reset = headers.get('x-ratelimit-reset')?.trim() ?? ''
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0' && /^\d+$/.test(reset)
  const until = readHttpDate(retryAfter) ?? (isUsedUp ? Number(reset) * 1000 : undefined)
  if (until !== undefined) return Math.max(0, until - serverNow)
  return isSecondaryLimit(response) ? SECONDARY_PAUSE : undefined
}

function readHttpDate(text: string = ''): number | undefined {
  const instant = text.endsWith(' GMT') ? Date.parse(text) : Number.NaN
  return Number.isNaN(instant) ? undefined : instant
}

/** Milliseconds before the try after the given one: exponential, with full jitter so that clients spread. */
export function backoff(attempt: number, random: Random): number {
  const ceiling = Math.min(FIRST_PAUSE * 2 ** (attempt - 1), LONGEST_PAUSE)
  const [high = 0, low = 0] = random.bytes(2)
  return Math.floor(((high * 256 + low) / 65_536) * ceiling)
}
