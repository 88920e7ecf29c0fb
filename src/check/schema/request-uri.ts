/** By what it is not: Go refuses those of ASCII, and takes those beyond. */
const ASCII_CONTROL = /[^ -~\u0080-\u{10FFFF}]/u
const BAD_ESCAPE = /%(?![0-9A-Fa-f]{2})/

/** True for a URI, or an absolute path, as Go's `url.ParseRequestURI` reads it. */
export function isRequestUri(text: string): boolean {
  if (text === '' || ASCII_CONTROL.test(text)) return false
  if (text === '*') return true
  const [head = '', scheme = ''] = /^([A-Za-z][-A-Za-z0-9+.]*):/.exec(text) ?? []
  const [rest = ''] = text.slice(head.length).split('?')
  if (!rest.startsWith('/')) return scheme !== ''
  if (scheme === '' || !rest.startsWith('//')) return !BAD_ESCAPE.test(rest)
  const [, authority = '', path = ''] = /^\/\/([^/]*)(.*)$/s.exec(rest) ?? []
  return isAuthority(authority) && !BAD_ESCAPE.test(path)
}

function isAuthority(text: string): boolean {
  const at = text.lastIndexOf('@')
  const user = text.slice(0, Math.max(at, 0))
  return !BAD_ESCAPE.test(user) && /^[-A-Za-z0-9._:~!$&'()*+,;=%@]*$/.test(user) && isHost(text.slice(at + 1))
}

/** In hosts only what ASCII cannot say is escaped, and the percent of a zone. */
function isHost(text: string): boolean {
  const isBracketed = text.startsWith('[')
  const end = isBracketed ? text.lastIndexOf(']') + 1 : text.lastIndexOf(':')
  if (isBracketed && end === 0) return false
  const port = end === -1 ? '' : text.slice(end)
  return (
    /^(?::[0-9]*)?$/.test(port) &&
    /^(?:[-A-Za-z0-9_.~!$&'()*+,;=:[\]<>"]|[^\u0000-\u007f]|%25|%[89A-Fa-f][0-9A-Fa-f])*$/.test(text)
  )
}
