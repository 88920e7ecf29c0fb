import { isIpv6Address } from '../../../codec/text/ipv6-address.ts'

/** Whether Go's net.ParseIP accepts `text`: dotted decimal without leading zeros, or IPv6 without a zone. */
export function isIpAddress(text: string): boolean {
  if (text.includes(':')) return !text.includes('%') && isIpv6Address(text)
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)
}
