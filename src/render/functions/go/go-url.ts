import { quoteGo } from '../../engine/format.ts'
import { fromByteString, toByteString } from '../../../codec/bytes/byte-text.ts'
import { isIpv6Address } from '../../../codec/text/ipv6-address.ts'

/**
 * A URL that Go's net/url would not parse; the message is Go's, `unquoted` the same without what it quotes of the URL.
 */
export class UrlError extends Error {
  readonly unquoted: string

  constructor(message: string, unquoted: string = message) {
    super(message)
    this.name = 'UrlError'
    this.unquoted = unquoted
  }
}

/** The parts of a URL that templates see, decoded where Go decodes them. */
export interface GoUrl {
  readonly scheme: string
  readonly opaque: string
  /** User and password as they stand between `//` and `@`, encoded again by Go's rules. */
  readonly userinfo: string
  readonly host: string
  readonly path: string
  readonly query: string
  readonly fragment: string
}

/** Part of a URL with its own set of characters that need no escape. */
type Part = 'path' | 'host' | 'zone' | 'user' | 'fragment'

const plain: Readonly<Record<Part, RegExp>> = {
  path: /^[\w.~$&+,/:;=@-]$/,
  host: /^[\w.~!"$&'()*+,:;<=>[\]-]$/,
  zone: /^[\w.~!"$&'()*+,:;<=>[\]-]$/,
  user: /^[\w.~$&+,;=-]$/,
  fragment: /^[\w.~!$&()*+,/:;=?@-]$/,
}

/** Escapes every byte that may not stand in `part`. */
function escape(bytes: string, part: Part): string {
  const pattern = plain[part]
  return Array.from(bytes, (byte) =>
    pattern.test(byte) ? byte : `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('')
}

/** @throws UrlError for a bad escape, and in hosts for characters that may not stand there */
function unescape(bytes: string, part: Part): string {
  const isHost = part === 'host' || part === 'zone'
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes.charAt(at)
    if (byte === '%') {
      const escaped = bytes.slice(at, at + 3)
      if (!/^%[0-9a-fA-F]{2}$/.test(escaped) || !isAllowedEscape(escaped, part)) throw badEscape(escaped)
      at += 2
    } else if (isHost && byte < '\x80' && !plain[part].test(byte)) {
      throw new UrlError(`invalid character ${quote(byte)} in host name`, 'invalid character in host name')
    }
  }
  return bytes.replace(/%([0-9a-fA-F]{2})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
}

/** In a host only bytes beyond ASCII may be escaped, in a zone what could stand there anyway; `%25` is fine in both. */
function isAllowedEscape(escaped: string, part: Part): boolean {
  if (escaped === '%25' || (part !== 'host' && part !== 'zone')) return true
  const byte = Number.parseInt(escaped.slice(1), 16)
  return part === 'host' ? byte >= 0x80 : byte === 0x20 || plain.host.test(String.fromCharCode(byte))
}

function badEscape(escaped: string): UrlError {
  return new UrlError(`invalid URL escape ${quote(escaped)}`, 'invalid URL escape')
}

function quote(bytes: string): string {
  return quoteGo(fromByteString(bytes))
}

function cut(text: string, separator: string): readonly [before: string, after: string, found: boolean] {
  const at = text.indexOf(separator)
  return at === -1 ? [text, '', false] : [text.slice(0, at), text.slice(at + separator.length), true]
}

/**
 * Parses a URL as Go's url.Parse does.
 * @throws UrlError `parse "<url>": <reason>`
 */
export function parseUrl(text: string): GoUrl {
  const raw = toByteString(text)
  const [body, fragment] = cut(raw, '#')
  const url = attempt(body, () => parseBody(body))
  const decoded = attempt(raw, () => unescape(fragment, 'fragment'))
  const [scheme, opaque, userinfo, host, path, query] = [
    url.scheme,
    url.opaque,
    url.userinfo,
    url.host,
    url.path,
    url.query,
  ].map(fromByteString)
  return {
    scheme: scheme ?? '',
    opaque: opaque ?? '',
    userinfo: userinfo ?? '',
    host: host ?? '',
    path: path ?? '',
    query: query ?? '',
    fragment: fromByteString(decoded),
  }
}

function attempt<T>(url: string, parse: () => T): T {
  try {
    return parse()
  } catch (error) {
    if (!(error instanceof UrlError)) throw error
    throw new UrlError(`parse ${quote(url)}: ${error.message}`, error.unquoted)
  }
}

type Body = Omit<GoUrl, 'fragment'>

const nothing: Body = { scheme: '', opaque: '', userinfo: '', host: '', path: '', query: '' }

function parseBody(raw: string): Body {
  if (/[\0-\x1f\x7f]/.test(raw)) throw new UrlError('net/url: invalid control character in URL')
  if (raw === '*') return { ...nothing, path: '*' }
  const [schemeText, afterScheme] = splitScheme(raw)
  const scheme = schemeText.toLowerCase()
  const [rest, query] = cut(afterScheme, '?')
  if (!rest.startsWith('/')) {
    if (scheme !== '') return { ...nothing, scheme, opaque: rest, query }
    if (cut(rest, '/')[0].includes(':')) throw new UrlError('first path segment in URL cannot contain colon')
  }
  if (!rest.startsWith('//') || (scheme === '' && rest.startsWith('///'))) {
    return { ...nothing, scheme, path: unescape(rest, 'path'), query }
  }
  const authorityEnd = rest.indexOf('/', 2)
  const authority = authorityEnd === -1 ? rest.slice(2) : rest.slice(2, authorityEnd)
  const path = authorityEnd === -1 ? '' : rest.slice(authorityEnd)
  return { ...nothing, ...parseAuthority(authority), scheme, path: unescape(path, 'path'), query }
}

function splitScheme(raw: string): readonly [scheme: string, rest: string] {
  if (raw.startsWith(':')) throw new UrlError('missing protocol scheme')
  const [, scheme, rest] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/s.exec(raw) ?? []
  return scheme === undefined || rest === undefined ? ['', raw] : [scheme, rest]
}

function parseAuthority(authority: string): Pick<GoUrl, 'userinfo' | 'host'> {
  const at = authority.lastIndexOf('@')
  const host = parseHost(authority.slice(at + 1))
  if (at === -1) return { userinfo: '', host }
  const userinfo = authority.slice(0, at)
  if (!/^[A-Za-z0-9._:~!$&'()*+,;=%@-]*$/.test(userinfo)) throw new UrlError('net/url: invalid userinfo')
  return { userinfo: normalizeUser(userinfo), host }
}

function normalizeUser(userinfo: string): string {
  const [name, password, hasPassword] = cut(userinfo, ':')
  const user = escape(unescape(name, 'user'), 'user')
  return hasPassword ? `${user}:${escape(unescape(password, 'user'), 'user')}` : user
}

function parseHost(host: string): string {
  const open = host.lastIndexOf('[')
  if (open > 0) throw new UrlError('invalid IP-literal')
  if (open === 0) return parseIpLiteral(host)
  const colon = host.lastIndexOf(':')
  if (colon !== -1) requirePort(host.slice(colon))
  return unescape(host, 'host')
}

function parseIpLiteral(host: string): string {
  const close = host.lastIndexOf(']')
  if (close === -1) throw new UrlError("missing ']' in host")
  const port = host.slice(close + 1)
  requirePort(port)
  const name = host.slice(1, close)
  const zone = name.indexOf('%25')
  const address =
    zone === -1 ? unescape(name, 'host') : unescape(name.slice(0, zone), 'host') + unescape(name.slice(zone), 'zone')
  if (/^\d+(?:\.\d+){3}$/.test(address)) throw new UrlError('invalid IP-literal')
  if (!isIpv6Address(address)) {
    const message = `invalid host: ParseAddr(${quote(address)}): unable to parse IP`
    throw new UrlError(message, 'invalid host: unable to parse IP')
  }
  return `[${address}]${port}`
}

function requirePort(colonPort: string): void {
  if (!/^(?::[0-9]*)?$/.test(colonPort))
    throw new UrlError(`invalid port ${quote(colonPort)} after host`, 'invalid port after host')
}

/** The host without port and brackets (Go's URL.Hostname). */
export function hostName(host: string): string {
  const colon = host.lastIndexOf(':')
  const name = colon !== -1 && /^:[0-9]*$/.test(host.slice(colon)) ? host.slice(0, colon) : host
  return name.startsWith('[') && name.endsWith(']') ? name.slice(1, -1) : name
}

/**
 * Writes a URL as Go's URL.String does; `userinfo` is parsed and encoded again.
 * @throws UrlError as {@link parseUrl} of `proto://<userinfo>@host`
 */
export function formatUrl(url: GoUrl): string {
  const hasUser = url.userinfo !== ''
  const userinfo = hasUser ? userinfoOf(url.userinfo) : undefined
  let text = url.scheme === '' ? '' : `${url.scheme}:`
  if (url.opaque !== '') text += url.opaque
  else
    text += formatAuthority(url, userinfo) + formatPath(url, text === '' && url.host === '' && userinfo === undefined)
  if (url.query !== '') text += `?${url.query}`
  return url.fragment === '' ? text : `${text}#${escapeText(url.fragment, 'fragment')}`
}

/** Undefined when the parsed URL has no user: `@` may stand in a part that is not the authority. */
function userinfoOf(userinfo: string): string | undefined {
  const raw = `proto://${toByteString(userinfo)}@host`
  const [body, fragment] = cut(raw, '#')
  const parsed = attempt(body, () => {
    const rest = cut(body.slice('proto:'.length), '?')[0]
    const end = rest.indexOf('/', 2)
    const authority = end === -1 ? rest.slice(2) : rest.slice(2, end)
    parseBody(body)
    return authority.includes('@') ? parseAuthority(authority).userinfo : undefined
  })
  attempt(raw, () => unescape(fragment, 'fragment'))
  return parsed === undefined ? undefined : fromByteString(parsed)
}

function formatAuthority(url: GoUrl, userinfo: string | undefined): string {
  if (url.scheme === '' && url.host === '' && userinfo === undefined) return ''
  const slashes = url.host !== '' || url.path !== '' || userinfo !== undefined ? '//' : ''
  return slashes + (userinfo === undefined ? '' : `${userinfo}@`) + escapeText(url.host, 'host')
}

function formatPath(url: GoUrl, isFirst: boolean): string {
  const path = url.path === '*' ? '*' : escapeText(url.path, 'path')
  if (path !== '' && !path.startsWith('/') && url.host !== '') return `/${path}`
  return isFirst && cut(path, '/')[0].includes(':') ? `./${path}` : path
}

function escapeText(text: string, part: Part): string {
  return escape(toByteString(text), part)
}
