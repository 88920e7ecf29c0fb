import type { Dispatcher, Pool } from 'undici'
import { isWithoutProxy } from './no-proxy.ts'
import type { HttpProxies, HttpProxy } from './node-http-proxies.ts'
import type { ConnectionOptions } from 'node:tls'

/** Milliseconds for a connection to come about, TLS included. */
const CONNECT_TIMEOUT = 10_000

/** The dispatcher that keeps connections and sends requests through them. */
export interface HttpDispatcher {
  readonly request: (options: Dispatcher.RequestOptions) => Promise<Dispatcher.ResponseData>
  readonly destroy: () => Promise<void>
}

/** Whom to trust, and who we are. */
export type HttpTrust = Pick<
  ConnectionOptions,
  'secureContext' | 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'
>

/** Makes one of undici, which is loaded now. */
export async function openDispatcher(proxies: HttpProxies, trust: HttpTrust): Promise<HttpDispatcher> {
  const tls = { timeout: CONNECT_TIMEOUT, ...trust }
  const { Agent, EnvHttpProxyAgent, Pool } = await import('undici')
  const direct = new Agent({ connect: tls })
  if (proxies.http === undefined && proxies.https === undefined) return direct
  const proxied = new EnvHttpProxyAgent({
    factory: (origin, options: Pool.Options) => new Pool(origin, { ...options, ...endingConnect(options, proxies) }),
    httpProxy: proxies.http?.address ?? '',
    httpsProxy: proxies.https?.address ?? '',
    // undici knows no ranges, and takes no domain for those below it
    noProxy: '',
    // as other programs do: CONNECT for https only, many proxies allow no other
    proxyTunnel: false,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
  })
  return {
    request: (options) => {
      const { origin = '' } = options
      return (isWithoutProxy(new URL(String(origin)), proxies.none) ? direct : proxied).request(options)
    },
    destroy: async () => {
      await Promise.all([direct.destroy(), proxied.destroy()])
    },
  }
}

/** A proxy that closed the connection instead of answering, in the words of Node's errors. */
class ProxyClosedError extends Error {
  readonly code = 'ECONNRESET'
  readonly hostname: string | undefined
  readonly port: number | undefined

  constructor(proxy: HttpProxy | undefined, cause: Error) {
    super(cause.message, { cause })
    this.name = 'ProxyClosedError'
    this.hostname = proxy?.hostname
    this.port = proxy?.port
  }
}

/**
 * The connect function of a tunnel, so that it fails but once. A client of undici takes a socket that was closed for
 * the end of an idle connection, and asks for another one at once and for ever.
 */
function endingConnect(options: Pool.Options, { http, https }: HttpProxies): Pick<Pool.Options, 'connect'> {
  const { connect } = options
  if (typeof connect !== 'function') return {}
  return {
    connect: (target, callback) => {
      connect(target, (...result) => {
        const [error] = result
        const isClosed = error !== null && 'code' in error && /^UND_ERR_(?:SOCKET|INFO)$/.test(String(error.code))
        const proxy = target.protocol === 'https:' ? (https ?? http) : http
        if (isClosed) callback(new ProxyClosedError(proxy, error), null)
        else callback(...result)
      })
    },
  }
}
