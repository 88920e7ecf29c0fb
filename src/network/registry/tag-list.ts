import { fieldAt, itemsAt } from '../../model/field.ts'
import type { HttpResponse } from '../../model/http.ts'
import { parseJsonObject } from './manifest.ts'
import { nextPage } from './next-page.ts'
import { isTag } from './repository-name.ts'

const PAGE = 1000
const MAX_PAGES = 1000
/** The largest repositories known have a tenth; a list of short tags fills the memory long before its pages do. */
const MAX_TAGS = 500_000
const MAX_BYTES = 64 * 1024 * 1024

/** The tags, undefined when there is no such repository; or the reason, a clause, for which they cannot be read. */
export type CollectedTags =
  { readonly value: readonly string[] | undefined } | { readonly reason: string; readonly code?: 'FETCH_TOO_LARGE' }

/**
 * Collects the tags of a repository over all pages. Pages are followed by the Link header, and where a full page comes
 * without one by `last`. A registry that repeats itself comes to an end: an address is asked once, and a page of
 * nothing but known tags is the last; a page that is linked must be there. A registry that allows fewer tags per page
 * than were asked for says 400, and is asked without a number. `send` gives undefined when there is no such repository,
 * and so does this. Pages, tags and bytes are bounded: the server is not trusted.
 */
export async function collectTags(
  url: string,
  send: (url: string) => Promise<HttpResponse | undefined>,
): Promise<CollectedTags> {
  const tags = new Set<string>()
  const asked = new Set<string>()
  let page: string | undefined = `${url}?n=${PAGE}`
  let isLinked = false
  let bytes = 0
  while (page !== undefined && !asked.has(page)) {
    if (asked.size === MAX_PAGES) return tooLarge(`${MAX_PAGES} pages`)
    asked.add(page)
    const answer = await send(page)
    if (answer === undefined && !isLinked) return { value: asked.size === 1 ? undefined : [...tags] }
    if (answer === undefined || answer.status === 400) {
      if (asked.size > 1) return { reason: 'it refuses to give the next page' }
      page = url
      continue
    }
    bytes += answer.body.length
    if (bytes > MAX_BYTES) return tooLarge(`${MAX_BYTES} bytes`)
    const body = parseJsonObject(answer.body)
    if ('reason' in body) return body
    const listed = fieldAt(body.value, 'tags')
    if (listed !== undefined && listed !== null && !Array.isArray(listed)) return { reason: 'its tags are not a list' }
    const before = tags.size
    const items = itemsAt(body.value, 'tags')
    for (const tag of items) if (typeof tag === 'string' && isTag(tag)) tags.add(tag)
    if (tags.size > MAX_TAGS) return tooLarge(`${MAX_TAGS} tags`)
    if (items.length > 0 && tags.size === before) break
    const last = items.at(-1)
    const isFull = items.length >= PAGE && typeof last === 'string'
    const following = isFull ? `${url}?n=${PAGE}&last=${encodeURIComponent(last)}` : undefined
    const linked = nextPage(answer.headers.get('link'), page)
    if ('reason' in linked && following === undefined) return linked
    const next = 'value' in linked ? linked.value : undefined
    isLinked = next !== undefined
    page = next ?? following
  }
  return { value: [...tags] }
}

function tooLarge(what: string): CollectedTags {
  return { reason: `its list of tags has more than ${what}`, code: 'FETCH_TOO_LARGE' }
}
