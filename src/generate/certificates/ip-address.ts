import { isIpv6Address } from '../../codec/text/ipv6-address.ts'

/** True if Go's net.ParseIP accepts `text`: dotted decimal without leading zeros, or IPv6 without a zone. */
export function isIpAddress(text: string): boolean {
  if (text.includes(':')) return !text.includes('%') && isIpv6Address(text)
  const parts = text.split('.')
  return parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) <= 255)
}

/** The 4 or 16 bytes of an address that {@link isIpAddress} accepts; IPv4 in IPv6 is IPv4. */
export function addressBytes(address: string): Uint8Array {
  if (!address.includes(':')) return Uint8Array.from(address.split('.').map(Number))
  const tail = /[^:]*\.[^:]*$/.exec(address)?.[0]
  const groups = tail === undefined ? address : address.slice(0, -tail.length) + hexGroups(tail)
  const [head = [], rest] = groups.split('::').map((half) => (half === '' ? [] : half.split(':')))
  const missing = rest === undefined ? 0 : 8 - head.length - rest.length
  const all = [...head, ...Array.from({ length: missing }, () => '0'), ...(rest ?? [])]
  const bytes = Uint8Array.from(
    all.flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 255]),
  )
  const isMapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 255 && bytes[11] === 255
  return isMapped ? bytes.slice(12) : bytes
}

function hexGroups(dotted: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = dotted.split('.').map(Number)
  return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
}
