const ipv4 = /^(?:(?:0|[1-9]\d{0,2})\.){3}(?:0|[1-9]\d{0,2})$/

/**
 * True if Go's netip.ParseAddr takes the text as an IPv6 address: with a zone after `%`, or with an IPv4 address at its
 * end.
 */
export function isIpv6Address(text: string): boolean {
  const percent = text.indexOf('%')
  if (percent === text.length - 1) return false
  const address = percent === -1 ? text : text.slice(0, percent)
  if (!address.includes(':')) return false
  const lastColon = address.lastIndexOf(':')
  const tail = address.slice(lastColon + 1)
  if (!tail.includes('.')) return areGroups(address, 8)
  const isTail = ipv4.test(tail) && tail.split('.').every((number) => Number(number) <= 255)
  // the IPv4 part takes the place of two groups
  return isTail && areGroups(`${address.slice(0, lastColon + 1)}0:0`, 8)
}

function areGroups(text: string, count: number): boolean {
  const halves = text.split('::')
  if (halves.length > 2) return false
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')))
  if (!groups.every((group) => /^[0-9a-fA-F]{1,4}$/.test(group))) return false
  return halves.length === 1 ? groups.length === count : groups.length < count
}
