import { HttpError, type HttpErrorReason } from '../model/http.ts'
import type { HttpProxies, HttpProxy } from './node-http-proxies.ts'

/** Where an exchange was when it failed. */
export interface HttpFailureContext {
  readonly url: URL
  /** The part of the answer that was awaited. */
  readonly stage: 'head' | 'body'
  readonly proxies: HttpProxies
}

/** The fields of undici's and Node's errors, as far as they are known here. */
interface Cause {
  readonly code: string
  readonly message: string
  /** The name that was looked up, or the address that was called. */
  readonly host: unknown
  readonly port: unknown
}

const reasons: readonly (readonly [RegExp, HttpErrorReason])[] = [
  [/^(?:ENOTFOUND|EAI_\w+|ENODATA)$/, 'name-not-found'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(?:EHOSTUNREACH|ENETUNREACH|EHOSTDOWN|ENETDOWN|EADDRNOTAVAIL|EACCES|EPERM)$/, 'unreachable'],
  [/^(?:ETIMEDOUT|UND_ERR_(?:CONNECT|HEADERS|BODY)_TIMEOUT)$/, 'timeout'],
  [/^(?:ECONNRESET|EPIPE|ECONNABORTED)$/, 'reset'],
  [/^(?:UND_ERR_RES_CONTENT_LENGTH_MISMATCH|HPE_EOF|HPE_INVALID_EOF_STATE|UND_ERR_SOCKET)$/, 'truncated'],
  [/^(?:HPE_|UND_ERR_HEADERS_OVERFLOW$)/, 'protocol'],
  // Node's list of certificate errors
  [/^(?:UNABLE_TO|CERT|CRL|ERROR_IN_C|DEPTH_ZERO|SELF_SIGNED|INVALID_(?:CA|PURPOSE)$|PATH_LENGTH|HOSTNAME_)/, 'tls'],
  [/^(?:EPROTO$|ERR_SSL_|ERR_TLS_|UND_ERR_PRX_TLS$)/, 'tls'],
]

/** Tells what went wrong from undici's or Node's error; no header, password or query reaches the message. */
export function explainHttpFailure(error: unknown, context: HttpFailureContext): HttpError {
  const causes = causesOf(error, 0)
  for (const cause of causes) {
    const status = /^Proxy (?:response|Authentication Required) \((\d{3})\)/.exec(cause.message)?.[1]
    if (status !== undefined) return proxyRefusal(Number(status), context)
  }
  for (const cause of causes) {
    const reason = reasons.find(([pattern]) => pattern.test(cause.code))?.[1]
    if (reason === undefined) continue
    const message = describe(reason, cause, context)
    return new HttpError(reason === 'tls' && isPlain(causes) ? 'no-tls' : reason, message, { cause: error })
  }
  // undici's parser asks for much of the address space at once
  if (causes.some(({ message }) => /out of memory/i.test(message)))
    return new HttpError('protocol', `there is too little memory for an exchange with ${context.url.host}`, {
      cause: error,
    })
  const code = causes.find((cause) => cause.code !== '')?.code ?? 'no reason given'
  return new HttpError('protocol', `the exchange with ${context.url.host} failed (${code})`, { cause: error })
}

/** The error and what is behind it: several for a name with several addresses. */
function causesOf(error: unknown, depth: number): readonly Cause[] {
  if (!(error instanceof Error) || depth > 4) return []
  const { message } = error
  // undici gives its parser's errors no code
  const given = error.name === 'HTTPParserError' ? `HPE_${/invalid eof/i.test(error.message) ? 'EOF' : 'SYNTAX'}` : ''
  const code = 'code' in error && typeof error.code === 'string' ? error.code : given
  const reason = 'reason' in error && typeof error.reason === 'string' ? error.reason : message
  const own: Cause = {
    code,
    message: reason,
    host: 'hostname' in error ? error.hostname : 'address' in error ? error.address : undefined,
    port: 'port' in error ? error.port : undefined,
  }
  const nested: readonly unknown[] = error instanceof AggregateError ? error.errors : []
  return [own, ...[...nested, error.cause].flatMap((item) => causesOf(item, depth + 1))]
}

/**
 * True if it was no TLS that came back: OpenSSL's texts for the first bytes of another protocol. What a proxy with TLS
 * answers says nothing of the server.
 */
function isPlain(causes: readonly Cause[]): boolean {
  const isOfProxy = causes.some(({ code }) => code === 'UND_ERR_PRX_TLS')
  return (
    !isOfProxy && causes.some(({ message }) => /wrong version number|packet length too long|http request/.test(message))
  )
}

/** A proxy that cannot reach the server is as good as a server that cannot be reached. */
function proxyRefusal(status: number, { url, proxies }: HttpFailureContext): HttpError {
  const proxy = proxyFor(url, proxies)
  const who = proxy === undefined ? 'the proxy' : `the proxy ${proxy.host}`
  return status >= 500
    ? new HttpError('unreachable', `${who} cannot reach ${url.host} (status ${String(status)})`)
    : new HttpError('proxy', `${who} refuses to reach ${url.host} (status ${String(status)})`)
}

function describe(reason: HttpErrorReason, cause: Cause, { url, stage, proxies }: HttpFailureContext): string {
  const proxy = proxyFor(url, proxies)
  const isProxy = proxy !== undefined && isOf(proxy, cause, url)
  const host = isProxy ? `the proxy ${proxy.host} (${proxy.variable})` : url.host
  if (reason === 'name-not-found') return `${isProxy ? host : `the name ${url.hostname}`} has no address`
  if (reason === 'refused') return `${host} refuses connections`
  if (reason === 'unreachable') return `${host} cannot be reached (${cause.code})`
  if (reason === 'timeout') return `${host} did not answer in time`
  if (reason === 'protocol') return `${host} does not answer in HTTP/1.1`
  if (reason !== 'tls') {
    const when = stage === 'head' ? 'before it answered' : 'in the middle of its answer'
    return `${host} closed the connection ${when}`
  }
  return /^(?:EPROTO|ERR_SSL_|UND_ERR_PRX_TLS)/.test(cause.code)
    ? `no TLS with ${host}: ${cause.message}`
    : `the certificate of ${host} is not trusted: ${cause.message.replace(flagOfNode, '')}`
}

/** Node 22 and later add a flag of their own program, which nobody who runs ours can give. */
const flagOfNode = /; if the root CA is installed locally, .*$/s

/** True if it was the proxy that was called, and not the server. */
function isOf({ hostname, port }: HttpProxy, cause: Cause, url: URL): boolean {
  const ownPort = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  return (cause.port === port && port !== ownPort) || (cause.host === hostname && hostname !== url.hostname)
}

function proxyFor(url: URL, { http, https }: HttpProxies): HttpProxy | undefined {
  return url.protocol === 'https:' ? (https ?? http) : http
}
