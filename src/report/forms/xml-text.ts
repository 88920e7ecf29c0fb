import { printable } from '../printable.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/** A text for XML, in an attribute or between tags: lines stay lines, what XML cannot hold is made visible. */
export function xmlText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => printable(line).replaceAll(/[&<>"'\uFFFE\uFFFF]/g, (sign) => entities[sign] ?? '\uFFFD'))
    .join('&#10;')
}
