import { isPrintable } from '../../codec/text/printable.ts'

const htmlEscapes: ReadonlyMap<string, string> = new Map([
  ['\0', '\ufffd'],
  ['"', '&#34;'],
  ["'", '&#39;'],
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
])

/** Escapes text for HTML as Go's `html` does. */
export function escapeHtml(text: string): string {
  return text.replace(/[\0"'&<>]/g, (character) => htmlEscapes.get(character) ?? character)
}

const jsEscapes: ReadonlyMap<string, string> = new Map([
  ['\\', '\\\\'],
  ["'", "\\'"],
  ['"', '\\"'],
])

/** Escapes text for a JavaScript string as Go's `js` does. */
export function escapeJs(text: string): string {
  return text.replace(/[\\'"<>&=\0-\x1f]|[^\0-\x7f]/gu, (character) => {
    const codePoint = character.codePointAt(0) ?? 0
    const isByte = codePoint >= 0xdc00 && codePoint <= 0xdfff
    const shown = isByte ? 0xfffd : codePoint
    if (codePoint >= 0x80) return isPrintable(shown) ? character : `\\u${hex(shown)}`
    return jsEscapes.get(character) ?? `\\u${hex(codePoint)}`
  })
}

function hex(codePoint: number): string {
  return codePoint.toString(16).toUpperCase().padStart(4, '0')
}

/** Escapes bytes for a URL's query as Go's `urlquery` does (net/url, QueryEscape). */
export function escapeQuery(bytes: Uint8Array): string {
  let result = ''
  for (const byte of bytes) {
    const character = String.fromCharCode(byte)
    if (/[A-Za-z0-9\-_.~]/.test(character)) result += character
    else result += byte === 0x20 ? '+' : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return result
}
