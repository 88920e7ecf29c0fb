/** True if a text is an address with a scheme. */
function isAbsoluteUrl(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text)
}

/**
 * The address that `reference` means in a repository, as Helm reads it (pkg/repo, ResolveReferenceURL): absolute ones
 * stay as they are; relative ones are seen from the repository as a folder, and carry the repository's query, never one
 * of their own. The query may hold a token, so unlike Helm a reference such as `//host/path` takes it to no other
 * server. Undefined when it is no address.
 */
export function resolveUrl(repository: string, reference: string): string | undefined {
  if (isAbsoluteUrl(reference)) return reference
  try {
    const base = new URL(repository)
    const { search } = base
    base.search = ''
    base.hash = ''
    base.pathname = `${base.pathname.replace(/\/$/, '')}/`
    const resolved = new URL(reference, base)
    resolved.search = resolved.origin === base.origin ? search : ''
    return resolved.href
  } catch {
    return undefined
  }
}

/** Scheme, host and port in one form, for comparing; undefined when the text is no web address. */
export function originOf(url: string): string | undefined {
  try {
    const { protocol, host } = new URL(url)
    return protocol === 'https:' || protocol === 'http:' ? `${protocol}//${host}` : undefined
  } catch {
    return undefined
  }
}
