import { comparedPath } from '../../codec/compared-path.ts'
import { addressBytes, isIpAddress } from '../../generate/certificates/ip-address.ts'

/** The Service of the API server in every cluster, whatever the cluster's domain is. */
const OWN_SERVICE = /^kubernetes(?:\.default(?:\.svc(?:\..+)?)?)?$/
const LOCALHOST = /^(?:(?:.+\.)?localhost[46]?(?:\.localdomain[46]?)?|ip6-(?:localhost|loopback))$/

/**
 * The reason why an address cannot be that of a workload cluster; undefined where nothing is against it. One that means
 * the management cluster would take the place of Argo CD's own entry for it, with the credentials of whoever names it;
 * one of the machine that asks means another server on each. Names are not looked up.
 */
export function refuseServer(server: string, managementHost: string): string | undefined {
  // nobody reaches anything by it
  if (!URL.canParse(server)) return undefined
  const url = new URL(server)
  const host = hostOf(url)
  if (OWN_SERVICE.test(host) || hostAndPort(url) === hostAndPort(new URL(`https://${managementHost}`)))
    return 'it is the API server of the management cluster'
  return LOCALHOST.test(host) || (isIpAddress(host) && isOfMachine(addressBytes(host)))
    ? 'it is an address of whichever machine asks (loopback, unspecified or link-local)'
    : undefined
}

/**
 * The one spelling of an API server's address by which it is compared with others. Argo CD tells clusters apart by the
 * address as it is written, less slashes at its end.
 */
export function comparedServer(server: string): string {
  if (!URL.canParse(server)) return server
  const url = new URL(server)
  return `${url.protocol}//${hostAndPort(url)}${comparedPath(url)}`
}

function hostAndPort(url: URL): string {
  return `${hostOf(url)} ${url.port}`
}

/** The host without brackets and without empty parts; an address of IPv4 is one in every spelling. */
function hostOf({ hostname }: URL): string {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  if (!host.includes(':'))
    return host
      .split('.')
      .filter((label) => label !== '')
      .join('.')
  const bytes = addressBytes(host)
  const isOfIpv4 = bytes.length === 4 || (holdsIpv4(bytes) && !isUnspecifiedOrLoopback(bytes))
  return isOfIpv4 ? bytes.slice(-4).join('.') : host
}

/** Addresses of IPv6 that hold one of IPv4 in their last bytes (RFC 4291, 2.5.5.1; RFC 6052, 2.1). */
const ipv4Holders: readonly (readonly number[])[] = [
  [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
  [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0],
]

function holdsIpv4(bytes: Uint8Array): boolean {
  return ipv4Holders.some((prefix) => prefix.every((byte, at) => bytes[at] === byte))
}

function isUnspecifiedOrLoopback(bytes: Uint8Array): boolean {
  return bytes.subarray(0, 15).every((byte) => byte === 0) && (bytes[15] ?? 0) <= 1
}

function isOfMachine(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes
  if (bytes.length === 4) return first === 0 || first === 127 || (first === 169 && second === 254)
  return isUnspecifiedOrLoopback(bytes) || (first === 0xfe && (second & 0xc0) === 0x80)
}
