import { HttpError } from '../model/http.ts'
import type { Environment } from '../model/ports.ts'

/** A proxy that the environment names. */
export interface HttpProxy {
  /** With user and password, where the variable has them: never for messages. */
  readonly address: string
  readonly host: string
  readonly hostname: string
  readonly port: number
  /** The variable that names it. */
  readonly variable: string
}

/** The proxy settings of the environment. */
export interface HttpProxies {
  readonly http: HttpProxy | undefined
  readonly https: HttpProxy | undefined
  /** Hosts to be reached without one. */
  readonly none: string
}

/**
 * Reads http_proxy, https_proxy and no_proxy; the small spelling wins over the capital one, as with curl.
 * @throws HttpError when one holds no address
 */
export function readHttpProxies(environment: Environment): HttpProxies {
  return {
    http: readProxy(environment, ['http_proxy', 'HTTP_PROXY']),
    https: readProxy(environment, ['https_proxy', 'HTTPS_PROXY']),
    none: environment.get('no_proxy') ?? environment.get('NO_PROXY') ?? '',
  }
}

function readProxy(environment: Environment, names: readonly string[]): HttpProxy | undefined {
  const variable = names.find((name) => environment.get(name) !== undefined) ?? ''
  const text = environment.get(variable) ?? ''
  if (text === '') return undefined
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  // the parser's error would show the address, and a password in it
  const url = URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined || !/^(?:https?|socks5?):$/.test(url.protocol) || !isDecodable(url.username + url.password)) {
    throw new HttpError('proxy', `the variable ${variable} is not the address of a proxy`)
  }
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80)
  return { address, host: url.host, hostname: url.hostname, port, variable }
}

/** True if user and password can be read: undici decodes them. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}
