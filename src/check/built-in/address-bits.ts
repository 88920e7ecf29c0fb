/**
 * An IP address as text of zeros and ones, 32 or 128 of them; undefined for what is no address. One of IPv4 that is
 * written as one of IPv6 has 32.
 */
export function addressBits(text: string): string | undefined {
  if (!text.includes(':')) return bitsOfIpv4(text)
  const lastColon = text.lastIndexOf(':')
  const tail = text.slice(lastColon + 1)
  const ofTail = tail.includes('.') ? bitsOfIpv4(tail) : ''
  if (ofTail === undefined) return undefined
  const [before = '', after] = (ofTail === '' ? text : text.slice(0, lastColon + 1).replace(/([^:]):$/, '$1')).split(
    '::',
  )
  const [start, end] = [bitsOfGroups(before), bitsOfGroups(after ?? '')]
  const missing = 128 - start.length - end.length - ofTail.length
  if (missing < 0 || (after === undefined && missing > 0)) return undefined
  const bits = start + '0'.repeat(missing) + end + ofTail
  return bits.startsWith(MAPPED) ? bits.slice(MAPPED.length) : bits
}

const MAPPED = '0'.repeat(80) + '1'.repeat(16)

function bitsOfIpv4(text: string): string | undefined {
  const numbers = text.split('.').map(Number)
  return numbers.length === 4 && numbers.every((number) => Number.isInteger(number) && number >= 0 && number < 256)
    ? numbers.map((number) => number.toString(2).padStart(8, '0')).join('')
    : undefined
}

function bitsOfGroups(text: string): string {
  return text
    .split(':')
    .filter((group) => group !== '')
    .map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0'))
    .join('')
}
