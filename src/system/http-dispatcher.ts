import type { Dispatcher } from 'undici'
import type { HttpProxies } from './node-http-proxies.ts'
import type { ConnectionOptions } from 'node:tls'

/** Milliseconds for a connection to come about, TLS included. */
const CONNECT_TIMEOUT = 10_000

/** The dispatcher that keeps connections and sends requests through them. */
export type HttpDispatcher = Dispatcher

/** Whom to trust, and who we are. */
export type HttpTrust = Pick<
  ConnectionOptions,
  'secureContext' | 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'
>

/** Makes one of undici, which is loaded now. */
export async function openDispatcher(proxies: HttpProxies, trust: HttpTrust): Promise<HttpDispatcher> {
  const tls = { timeout: CONNECT_TIMEOUT, ...trust }
  const { EnvHttpProxyAgent } = await import('undici')
  return new EnvHttpProxyAgent({
    httpProxy: proxies.http?.address ?? '',
    httpsProxy: proxies.https?.address ?? '',
    noProxy: proxies.none,
    // as other programs do: CONNECT for https only, many proxies allow no other
    proxyTunnel: false,
    connect: tls,
    requestTls: tls,
    proxyTls: tls,
  })
}
