/**
 * The address of the next page that a Link header (RFC 8288) names, absolute or relative to the page at `url`;
 * undefined when there is none or it leads to another server.
 */
export function nextPage(header: string | undefined, url: string): string | undefined {
  const links = header ?? ''
  for (let at = links.indexOf('<'); at !== -1; at = links.indexOf('<', at)) {
    const close = links.indexOf('>', at)
    if (close === -1) return undefined
    const end = endOfParameters(links, close + 1)
    const target = links.slice(at + 1, close)
    at = end
    if (!namesNext(links.slice(close + 1, end))) continue
    if (!URL.canParse(target, url)) return undefined
    const next = new URL(target, url)
    return next.origin === new URL(url).origin ? next.href : undefined
  }
  return undefined
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
