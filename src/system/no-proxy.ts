import { BlockList, isIP } from 'node:net'

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' }

/**
 * True if NO_PROXY names the host of an address, by the rules of curl and of Go's programs, such as kubectl and helm
 * (golang.org/x/net/http/httpproxy): `*`, an address, a range of them, or a domain, which stands for all below it, too;
 * with a dot before it for those alone. All but a range may have a port. An entry that is none of these names nothing.
 */
export function isWithoutProxy({ protocol, hostname, port }: URL, list: string): boolean {
  const host = hostname.replaceAll(/^\[|\]$|\.$/g, '').toLowerCase()
  const own = port === '' ? DEFAULT_PORTS[protocol] : port
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true
      const [, base = '', bits] = /^([^/]+)\/(\d{1,3})$/.exec(entry) ?? []
      if (base !== '') return isInRange(host, base, Number(bits))
      if (isIP(entry) !== 0) return isInRange(host, entry)
      const [, written = '', asked] = /^(.+?)(?::(\d+))?$/.exec(entry) ?? []
      const name = written.replaceAll(/^\[|\]$|\.$/g, '').replace(/^\*\./, '.')
      if (name === '' || (asked !== undefined && asked !== own)) return false
      if (isIP(name) !== 0) return isInRange(host, name)
      return name.startsWith('.') ? host.endsWith(name) : host === name || host.endsWith(`.${name}`)
    })
}

function isInRange(host: string, base: string, bits?: number): boolean {
  const family = isIP(base)
  const length = family === 4 ? 32 : 128
  if (family === 0 || isIP(host) !== family || (bits ?? 0) > length) return false
  const range = new BlockList()
  const kind = family === 4 ? 'ipv4' : 'ipv6'
  range.addSubnet(base, bits ?? length, kind)
  return range.check(host, kind)
}
