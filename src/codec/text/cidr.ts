import { isIpv6Address } from './ipv6-address.ts'

const NUMBER = /^(?:0|[1-9]\d{0,2})$/

/** True if a text is an address and the length of its prefix, as Go's `net.ParseCIDR` reads it: `10.244.0.0/16`. */
export function isCidr(text: string): boolean {
  const [address = '', length = '', ...more] = text.split('/')
  if (more.length > 0 || !NUMBER.test(length)) return false
  if (isIpv4Address(address)) return Number(length) <= 32
  return isIpv6Address(address) && !address.includes('%') && Number(length) <= 128
}

function isIpv4Address(text: string): boolean {
  const octets = text.split('.')
  return octets.length === 4 && octets.every((octet) => NUMBER.test(octet) && Number(octet) <= 255)
}

/** True if two blocks of IPv4 have addresses in common; other texts have none. */
export function ipv4BlocksOverlap(one: string, other: string): boolean {
  const [a, b] = [one, other].map(ipv4BlockOf)
  if (a === undefined || b === undefined) return false
  const size = 2 ** (32 - Math.min(a.length, b.length))
  return Math.floor(a.address / size) === Math.floor(b.address / size)
}

function ipv4BlockOf(text: string): { readonly address: number; readonly length: number } | undefined {
  const [address = '', length = ''] = text.split('/')
  if (!isCidr(text) || !isIpv4Address(address)) return undefined
  return { address: address.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0), length: Number(length) }
}
