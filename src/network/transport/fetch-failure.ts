import type { Code } from '../../model/error-codes.ts'
import type { HttpError, HttpErrorReason, HttpResponse } from '../../model/http.ts'
import type { Hop } from './redirect.ts'
import { isRateLimit, repetitionOfReason, repetitionOfStatus, requestedPause, type Repetition } from './retry.ts'
import { serverMessage } from './server-message.ts'

/** Why one try failed, and whether another may do better. */
export interface FetchFailure {
  readonly code: Code
  /** Goes on after "cannot get … from …: ". */
  readonly what: string
  readonly hint?: string | undefined
  /** What is wrong with TLS, where the settings of the server may mend it. */
  readonly tls?: 'absent' | 'untrusted-by-own' | undefined
  readonly repetition: Repetition
  /** Milliseconds that the server asks to wait. */
  readonly pause?: number | undefined
  readonly cause?: unknown
}

/** The known facts about a request that failed. */
export interface FailureContext {
  /** The last that was sent. */
  readonly hop: Hop
  /** True if credentials were sent to the first host. */
  readonly hadCredentials: boolean
  /** The remedy where the first host refuses them, if something else is to blame. */
  readonly refusedHint?: string | undefined
  /** True if a redirect led to another origin than the first. */
  readonly isElsewhere: boolean
  /** True if own authorities were given. */
  readonly hasAuthorities: boolean
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The cause of an error that tells of an answer with a status from 400 on. */
export class RefusedAnswer extends Error {
  readonly status: number

  /** @param said what the server said, without secrets; '' for nothing */
  constructor(status: number, said: string) {
    super(said)
    this.name = 'RefusedAnswer'
    this.status = status
  }
}

const codes: Readonly<Partial<Record<HttpErrorReason, Code>>> = {
  timeout: 'FETCH_TIMEOUT',
  tls: 'FETCH_TLS',
  'no-tls': 'FETCH_TLS',
  'too-large': 'FETCH_TOO_LARGE',
  protocol: 'FETCH_INVALID',
}

/** A failure that no other try changes. */
export function permanentFailure(code: Code, what: string): FetchFailure {
  return { code, what, repetition: 'never' }
}

/** An exchange that did not come to an end. */
export function exchangeFailure(error: HttpError, { hasAuthorities }: FailureContext): FetchFailure {
  const { reason } = error
  const isUntrusted = reason === 'tls' && hasAuthorities
  return {
    code: codes[reason] ?? 'FETCH_FAILED',
    what: error.message,
    hint:
      reason === 'proxy'
        ? 'Check user, password and port in the proxy variables, or name the server in NO_PROXY.'
        : undefined,
    tls: reason === 'no-tls' ? 'absent' : isUntrusted ? 'untrusted-by-own' : undefined,
    repetition: repetitionOfReason(reason),
    cause: error,
  }
}

/** The next step where credentials, which may do more, were shown. */
const LIMITED =
  'Wait, and run again: the limit is that of the credentials that were sent, and others who use them count.'

/** An answer that refuses. */
export function statusFailure(response: HttpResponse, context: FailureContext): FetchFailure {
  const { status } = response
  const pause = requestedPause(response, context.now)
  const said = serverMessage(response, context.hop)
  const answered = `it answered ${String(status)}${said === undefined ? '' : `, "${said}"`}`
  const common = {
    repetition: repetitionOfStatus(response),
    pause,
    cause: new RefusedAnswer(status, said ?? ''),
  }
  if (isRateLimit(response)) {
    const until = pause === undefined ? '' : `; it takes no more requests until ${formatTime(context.now + pause)}`
    const hint = context.hadCredentials ? LIMITED : undefined
    return { ...common, code: 'FETCH_RATE_LIMITED', what: answered + until, hint }
  }
  if (status === 401 || status === 403) {
    return { ...common, code: 'FETCH_UNAUTHORIZED', what: answered, hint: hintOfCredentials(context) }
  }
  const code = status === 404 || status === 410 ? 'FETCH_NOT_FOUND' : 'FETCH_REFUSED'
  return { ...common, code, what: answered }
}

function hintOfCredentials({ hop, hadCredentials, refusedHint, isElsewhere }: FailureContext): string {
  if (isElsewhere && !hadCredentials) {
    return `No credentials were sent to ${hop.url.host}, and those of the first host are not for it: name that host in the fleet if it is the right one.`
  }
  if (!hadCredentials) {
    return 'No credentials were sent: name their variables under `credentialsFrom` of the source; for a registry, logging in with the Docker client does too.'
  }
  return hop.authorization === undefined
    ? `Credentials are for the first host only and were not sent on to ${hop.url.host}: name that host in the fleet if it is the right one.`
    : (refusedHint ?? 'The credentials are wrong or expired, or do not reach far enough.')
}

function formatTime(instant: number): string {
  // beyond the calendar of dates
  if (!(instant < 8.64e15)) return 'the end of time'
  return new Date(instant)
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/, ' UTC')
}
