import type { HttpRequest, HttpResponse } from '../../model/http.ts'
import type { Secret } from '../../model/secret.ts'

/** One request on the way to an answer. */
export interface Hop {
  readonly method: HttpRequest['method']
  readonly url: URL
  readonly headers: ReadonlyMap<string, string>
  readonly authorization: Secret | undefined
  readonly body: Uint8Array | undefined
}

/** Headers that are for the first host alone. */
const PRIVATE: ReadonlySet<string> = new Set(['authorization', 'cookie', 'proxy-authorization'])

/** True if the answer sends the client elsewhere. */
export function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status)
}

/** Where a redirect leads, without user, password and fragment; undefined when it names no place. */
export function redirectTarget(response: HttpResponse, from: URL): URL | undefined {
  const location = response.headers.get('location') ?? ''
  if (location === '' || !URL.canParse(location, from.href)) return undefined
  return withoutUser(new URL(location, from.href))
}

/** The same address without user, password and fragment. */
export function withoutUser(url: URL): URL {
  const stripped = new URL(url.href)
  stripped.username = ''
  stripped.password = ''
  stripped.hash = ''
  return stripped
}

/**
 * The request for a redirect's target: the method as fetch changes it (Fetch Standard, HTTP-redirect fetch),
 * credentials only within one origin. Once dropped they stay away, even when a later redirect leads back.
 */
export function followRedirect(hop: Hop, status: number, target: URL): Hop {
  const isLoss = status === 303 ? hop.method !== 'HEAD' : status <= 302 && hop.method === 'POST'
  const isLeaving = target.origin !== hop.url.origin
  const kept = [...hop.headers].filter(
    ([name]) => !(isLeaving && PRIVATE.has(name)) && !(isLoss && name.startsWith('content-')),
  )
  return {
    method: isLoss ? 'GET' : hop.method,
    url: target,
    headers: new Map(kept),
    authorization: isLeaving ? undefined : hop.authorization,
    body: isLoss ? undefined : hop.body,
  }
}
