import type { ParseOutcome } from '../../model/release-name.ts'

/**
 * The address of the next page that a Link header (RFC 8288) names, absolute or relative to the page at `url`;
 * undefined when there is none. Registries behind a proxy name themselves by http or by a host of their own, so path
 * and query count, on the server of the page; a reason where a link is meant and is no address.
 */
export function nextPage(header: string | undefined, url: string): ParseOutcome<string | undefined> {
  const links = header ?? ''
  const unusable = { reason: 'its link to the next page is no address of a web server' }
  for (let at = links.indexOf('<'); at !== -1; at = links.indexOf('<', at)) {
    const close = links.indexOf('>', at)
    if (close === -1) return namesNext(links.slice(at)) ? unusable : { value: undefined }
    const end = endOfParameters(links, close + 1)
    const target = links.slice(at + 1, close)
    at = end
    if (!namesNext(links.slice(close + 1, end))) continue
    if (!URL.canParse(target, url)) return unusable
    const { protocol, pathname, search } = new URL(target, url)
    if (protocol !== 'https:' && protocol !== 'http:') return unusable
    const next = new URL(url)
    next.pathname = pathname
    next.search = search
    return { value: next.href }
  }
  return !links.includes('<') && namesNext(links) ? unusable : { value: undefined }
}

/** The comma before the next link, which no quoted text holds; the quote that nothing closes; or the end. */
function endOfParameters(links: string, from: number): number {
  for (let at = from; at < links.length; at++) {
    const character = links[at]
    if (character === ',') return at
    if (character !== '"') continue
    const close = links.indexOf('"', at + 1)
    if (close === -1) return at
    at = close
  }
  return links.length
}

function namesNext(parameters: string): boolean {
  return parameters.split(';').some((parameter) => {
    const [, quoted, plain] = /^\s*rel\s*=\s*(?:"([^"]*)"|(\S*)\s*$)/i.exec(parameter) ?? []
    return (quoted ?? plain ?? '').toLowerCase().split(/\s+/).includes('next')
  })
}
