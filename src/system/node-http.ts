import { readFileSync } from 'node:fs'
import type { SecureContext } from 'node:tls'
import { HttpError, type Http } from '../model/http.ts'
import type { Environment } from '../model/ports.ts'
import { type HttpDispatcher, openDispatcher } from './http-dispatcher.ts'
import { exchangeOnce } from './http-exchange.ts'
import { readHttpProxies } from './node-http-proxies.ts'

/**
 * {@link Http} through undici, which is loaded at the first exchange. Connections are kept for further exchanges with
 * the same trust, and do not keep the process from ending.
 */
export function createNodeHttp(environment: Environment = { get: (name) => process.env[name] }): Http {
  /** By the certificates that are trusted besides the built-in ones. */
  const dispatchers = new Map<string, Promise<HttpDispatcher>>()
  return {
    async exchange(request) {
      const proxies = readHttpProxies(environment)
      const trusted = request.certificateAuthorities ?? ''
      const open = async (): Promise<HttpDispatcher> =>
        openDispatcher(proxies, trusted === '' ? {} : { secureContext: await trust(trusted, environment) })
      const dispatcher = dispatchers.get(trusted) ?? open()
      dispatchers.set(trusted, dispatcher)
      return exchangeOnce(request, { dispatcher: await dispatcher, proxies })
    },
  }
}

/** Node takes given authorities instead of its own, so its own are given too. */
async function trust(certificates: string, environment: Environment): Promise<SecureContext> {
  // its list of certificates takes longer to load than the rest of the program
  const { createSecureContext, rootCertificates } = await import('node:tls')
  const ca = [...rootCertificates, certificates]
  const extra = environment.get('NODE_EXTRA_CA_CERTS') ?? ''
  try {
    if (extra !== '') ca.push(readFileSync(extra, 'utf8'))
    return createSecureContext({ ca })
  } catch (cause) {
    throw new HttpError('tls', 'the certificates to trust cannot be read', { cause })
  }
}
