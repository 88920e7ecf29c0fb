/** An address as messages and the lock show it: without user, password, query and fragment; what is no address comes back without what could hold them. */
export function shownUrl(url: string): string {
  const [, scheme = '', authority = '', path = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?([^/?#]*)([^?#]*)/is.exec(url) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return (scheme + host + path).replace(/[\p{Cc}\p{Cf}]/gu, '')
}
