/**
 * The address of the next page that a Link header (RFC 8288) names, absolute or relative to the page at `url`;
 * undefined when there is none or it leads to another server.
 */
export function nextPage(header: string | undefined, url: string): string | undefined {
  for (const [, target = '', parameters = ''] of (header ?? '').matchAll(/<([^>]*)>((?:[^,"]|"[^"]*")*)/g)) {
    if (!/;\s*rel\s*=\s*(?:"(?:[^"]*\s)?next(?:\s[^"]*)?"|next\s*(?:;|$))/i.test(parameters)) continue
    if (!URL.canParse(target, url)) return undefined
    const next = new URL(target, url)
    return next.origin === new URL(url).origin ? next.href : undefined
  }
  return undefined
}
