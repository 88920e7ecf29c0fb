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
