import { printable } from '../printable.ts'

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '@': '&#64;',
  '#': '&#35;',
}

/**
 * A text as plain words in Markdown, of GitHub, GitLab and Forgejo alike: nothing in it is markup, a link to an issue or
 * the name of a person, who would be told.
 */
export function markdownText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) =>
      printable(line)
        .replaceAll(/[&<>@#]/g, (sign) => entities[sign] ?? sign)
        .replaceAll(/[\\`*_[\]|~!$]/g, String.raw`\$&`)
        // what begins a list, a quote or a heading of the other kind
        .replace(
          /^(\s*)([-+=]|\d+[.)])/,
          (_, space: string, sign: string) => `${space}${sign.replace(/.$/, String.raw`\$&`)}`,
        ),
    )
    .join('<br>')
}

/** A text inside of HTML in Markdown, where backslashes are shown: nothing in it is a tag, an issue or a person. */
export function htmlInMarkdown(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => printable(line).replaceAll(/[&<>@#]/g, (sign) => entities[sign] ?? sign))
    .join(' ')
}

/** A text as code in a line of Markdown: shown as it is, whatever stands in it. */
export function markdownCode(text: string): string {
  const line = text.split(/\r?\n/).map(printable).join(' ')
  let longest = 0
  for (const [run] of line.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  const space = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : ''
  return fence + space + line + space + fence
}
