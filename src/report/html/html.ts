import { printable } from '../printable.ts'

/** Markup. Only {@link html} makes it: a class, so that nothing that was read from a file can pass for it. */
export class Html {
  readonly strings: readonly string[]
  readonly values: readonly HtmlValue[]

  constructor(strings: readonly string[], values: readonly HtmlValue[]) {
    this.strings = strings
    this.values = values
  }
}

/** A value between markup: texts, which are escaped, and other markup. */
export type HtmlValue = Html | string | number | readonly Html[] | undefined

const compact = new WeakMap<TemplateStringsArray, readonly string[]>()

/**
 * Markup with values in it; how the template is indented is left out. Attributes are written in double quotes: a value
 * cannot leave them.
 */
export function html(template: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const strings = compact.get(template) ?? template.map((string) => string.replaceAll(/\n\s*/g, '\n'))
  compact.set(template, strings)
  return new Html(strings, values)
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** The markup as text. Each value is masked first: an escaped secret would not be found. */
export function* writeHtml({ strings, values }: Html, mask: (text: string) => string): Generator<string> {
  for (const [index, string] of strings.entries()) {
    yield string
    const value = values[index]
    if (value === undefined) continue
    if (typeof value === 'number') yield String(value)
    else if (typeof value === 'string') yield escapeText(mask(value))
    else if (value instanceof Html) yield* writeHtml(value, mask)
    else for (const part of value) yield* writeHtml(part, mask)
  }
}

/** Characters that turn the direction of a text are made visible, too. */
function escapeText(text: string): string {
  return printable(text).replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)
}
