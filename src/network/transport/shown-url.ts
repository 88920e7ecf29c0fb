/**
 * An address as messages and the lock show it: without user, password, query and fragment. What is no address is cut in
 * the same places.
 */
export function shownUrl(url: string): string {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:\/\/)?(.*)$/is.exec(url) ?? []
  const [authority = ''] = rest.split(/[/?#]/)
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  // a password with a character that should have been encoded
  const isBroken = scheme !== '' && !/^(?:\[[^\]]*\]|[^:]*)(?::\d*)?$/.test(host)
  const start = isBroken ? rest.lastIndexOf('@') + 1 : authority.length - host.length
  const [shown = ''] = rest.slice(start).split(/[?#]/)
  return (scheme + shown).replace(/[\p{Cc}\p{Cf}]/gu, '')
}
