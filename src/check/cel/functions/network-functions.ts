import { isCidr } from '../../../codec/text/cidr.ts'
import { isIpv6Address } from '../../../codec/text/ipv6-address.ts'
import { isIpv4Address } from '../../schema/string-formats.ts'
import { CelFailure } from '../cel-failure.ts'
import { type CelData, type CelFunction, celFunction, celMethod, Opaque } from '../cel-values.ts'

/** An address. */
class Ip extends Opaque {
  readonly type = 'net.IP'
  readonly family: 4 | 6
  readonly bits: bigint

  constructor(family: 4 | 6, bits: bigint) {
    super()
    this.family = family
    this.bits = bits
  }

  get key(): readonly CelData[] {
    return [BigInt(this.family), this.bits]
  }
}

/** A range of addresses. */
class Cidr extends Opaque {
  readonly type = 'net.CIDR'
  readonly ip: Ip
  readonly length: number

  constructor(ip: Ip, length: number) {
    super()
    this.ip = ip
    this.length = length
  }

  get key(): readonly CelData[] {
    return [...this.ip.key, BigInt(this.length)]
  }
}

function parseIp(text: string): Ip | undefined {
  if (isIpv4Address(text)) return new Ip(4, numberOf(text.split('.').map(BigInt), 8n))
  // zones, and IPv4 addresses in IPv6 ones, are refused
  if (!isIpv6Address(text) || text.includes('%') || text.includes('.')) return undefined
  const [before = '', after] = text.split('::')
  const groups = (half: string): bigint[] => (half === '' ? [] : half.split(':').map((group) => BigInt(`0x${group}`)))
  const [head, tail] = [groups(before), after === undefined ? [] : groups(after)]
  const bits = numberOf([...head, ...Array<bigint>(8 - head.length - tail.length).fill(0n), ...tail], 16n)
  // ::ffff:0:0/96
  return bits >> 32n === 0xffffn ? undefined : new Ip(6, bits)
}

function numberOf(parts: readonly bigint[], width: bigint): bigint {
  return parts.reduce((bits, part) => (bits << width) | part, 0n)
}

function parseCidr(text: string): Cidr | undefined {
  if (!isCidr(text)) return undefined
  const [address = '', length = ''] = text.split('/')
  const ip = parseIp(address)
  return ip && new Cidr(ip, Number(length))
}

const widthOf = ({ family }: Ip): number => (family === 4 ? 32 : 128)

function masked({ ip, length }: Cidr): Cidr {
  const host = BigInt(widthOf(ip) - length)
  return new Cidr(new Ip(ip.family, (ip.bits >> host) << host), length)
}

function ipOf(value: CelData | undefined): Ip {
  const ip = typeof value === 'string' ? parseIp(value) : value
  if (ip instanceof Ip) return ip
  throw new CelFailure('the text is no IP address')
}

function cidrOf(value: CelData | undefined): Cidr {
  const cidr = typeof value === 'string' ? parseCidr(value) : value
  if (cidr instanceof Cidr) return cidr
  throw new CelFailure('the text is no CIDR')
}

function containsIp(range: Cidr, ip: Ip): boolean {
  const host = BigInt(widthOf(range.ip) - range.length)
  return range.ip.family === ip.family && range.ip.bits >> host === ip.bits >> host
}

function formatIp({ family, bits }: Ip): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => String((bits >> shift) & 0xffn)).join('.')
  const groups = Array.from({ length: 8 }, (_, index) => ((bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16))
  // the longest run of two or more zeros, the first of equal ones
  let [start, length] = [-1, 1]
  for (let at = 0; at < 8; at++) {
    let end = at
    while (end < 8 && groups[end] === '0') end++
    if (end - at > length) [start, length] = [at, end - at]
  }
  if (start === -1) return groups.join(':')
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`
}

/** A property of addresses, for both families. */
function property(name: string, v4: (bits: bigint) => boolean, v6: (bits: bigint) => boolean): CelFunction {
  return celMethod(name, [Ip], ([value]) => {
    const { family, bits } = ipOf(value)
    return family === 4 ? v4(bits) : v6(bits)
  })
}

const isMulticast4 = (bits: bigint): boolean => bits >> 28n === 0xen
const isMulticast6 = (bits: bigint): boolean => bits >> 120n === 0xffn
const isLocal4 = (bits: bigint): boolean => bits >> 16n === 0xa9fen
const isLocal6 = (bits: bigint): boolean => bits >> 118n === 0xfe80n >> 6n

/** `ip(text)`, `cidr(text)` and what can be asked of addresses and ranges. */
export const networkFunctions: readonly CelFunction[] = [
  celFunction('ip', ['string'], ([text]) => ipOf(text)),
  celFunction('isIP', ['string'], ([text]) => typeof text === 'string' && parseIp(text) !== undefined),
  celFunction('ip.isCanonical', ['string'], ([text]) => formatIp(ipOf(text)) === text),
  celFunction('string', [Ip], ([value]) => formatIp(ipOf(value))),
  celMethod('family', [Ip], ([value]) => BigInt(ipOf(value).family)),
  property(
    'isUnspecified',
    (bits) => bits === 0n,
    (bits) => bits === 0n,
  ),
  property(
    'isLoopback',
    (bits) => bits >> 24n === 127n,
    (bits) => bits === 1n,
  ),
  property(
    'isLinkLocalMulticast',
    (bits) => bits >> 8n === 0xe00000n,
    (bits) => (bits >> 112n) % 0x10n === 2n && isMulticast6(bits),
  ),
  property('isLinkLocalUnicast', isLocal4, isLocal6),
  property(
    'isGlobalUnicast',
    (bits) => bits !== 0n && bits !== 0xffffffffn && bits >> 24n !== 127n && !isMulticast4(bits) && !isLocal4(bits),
    (bits) => bits !== 0n && bits !== 1n && !isMulticast6(bits) && !isLocal6(bits),
  ),
  celFunction('cidr', ['string'], ([text]) => cidrOf(text)),
  celFunction('isCIDR', ['string'], ([text]) => typeof text === 'string' && parseCidr(text) !== undefined),
  celFunction('string', [Cidr], ([value]) => {
    const { ip, length } = cidrOf(value)
    return `${formatIp(ip)}/${String(length)}`
  }),
  celMethod('ip', [Cidr], ([value]) => cidrOf(value).ip),
  celMethod('prefixLength', [Cidr], ([value]) => BigInt(cidrOf(value).length)),
  celMethod('masked', [Cidr], ([value]) => masked(cidrOf(value))),
  ...([Ip, 'string'] as const).map((type) =>
    celMethod('containsIP', [Cidr, type], ([range, ip]) => containsIp(cidrOf(range), ipOf(ip))),
  ),
  ...([Cidr, 'string'] as const).map((type) =>
    celMethod('containsCIDR', [Cidr, type], ([range, part]) => {
      const [outer, inner] = [cidrOf(range), cidrOf(part)]
      return inner.length >= outer.length && containsIp(outer, masked(inner).ip)
    }),
  ),
]
