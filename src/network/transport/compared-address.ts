import { comparedPath } from '../../codec/compared-path.ts'
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
  return `${scheme.toLowerCase()}://${name}${comparedPath(url)}`
}

/** The one spelling of `host[:port]` by which it is compared with others; what is none keeps its letters. */
export function comparedHost(host: string, reached: Reached = 'https'): string {
  const url = `${reached}://${host}`
  if (!URL.canParse(url)) return host.toLowerCase()
  const { hostname, port } = new URL(url)
  return hostname.replace(/\.$/, '') + (port === '' ? '' : `:${port}`)
}
