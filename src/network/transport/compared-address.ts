import { withoutTrailingSlashes } from '../../codec/path.ts'
import { canonicalHost } from '../registry/repository-name.ts'

/** How `oci://` is reached, which decides its default port. */
export type Reached = 'https' | 'http'

/**
 * The one spelling of an address by which it is compared with others: scheme and host in lower case, no default port,
 * no dot at the end of the host, one name for Docker Hub, a path without dots, empty parts, trailing slashes and
 * needless escapes, no user. What is no address keeps its spelling. For comparing only: nothing is asked by it.
 */
export function comparedAddress(address: string, reached: Reached = 'https'): string {
  const [, scheme = '', rest = ''] = /^\s*(oci|https?):(.*)$/is.exec(address) ?? []
  const isRegistry = scheme.toLowerCase() === 'oci'
  const web = isRegistry ? `${reached}:${rest}` : address
  if (scheme === '' || !URL.canParse(web)) return withoutTrailingSlashes(address)
  const url = new URL(web)
  const host = comparedHost(url.host, url.protocol === 'http:' ? 'http' : 'https')
  const name = isRegistry ? canonicalHost(host) : host
  const path = withoutTrailingSlashes(plainPath(url.pathname).replaceAll(/\/{2,}/g, '/'))
  return `${scheme.toLowerCase()}://${name}${path}${url.search}`
}

/** The one spelling of `host[:port]` by which it is compared with others; what is none keeps its letters. */
export function comparedHost(host: string, reached: Reached = 'https'): string {
  const url = `${reached}://${host}`
  if (!URL.canParse(url)) return host.toLowerCase()
  const { hostname, port } = new URL(url)
  return hostname.replace(/\.$/, '') + (port === '' ? '' : `:${port}`)
}

/** Letters, digits and the like mean the same with and without an escape (RFC 3986, 6.2.2.2). */
function plainPath(path: string): string {
  return path.replaceAll(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16))
    return /[A-Za-z0-9._~-]/.test(character) ? character : escape.toUpperCase()
  })
}
