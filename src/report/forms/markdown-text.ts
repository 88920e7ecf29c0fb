import { printable } from '../printable.ts'

/** Characters without a width, which could make two names look alike. */
const UNSEEN = /\p{Default_Ignorable_Code_Point}|[\uFFF9-\uFFFB]/gu

/** A space without a width: it parts what a forge would act on, and is not seen. */
const PART = '\u200B'

/** An issue behind a word such as "fixes", besides numbers: an address, or an issue of Jira. */
const ISSUE = String.raw`(?:issues?[ \t]+)?(?:https?:\/\/|[A-Z][A-Z0-9_]*-\d)`
const CLOSES = new RegExp(
  String.raw`\b((?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|implement(?:s|ed|ing)?|reopen(?:s|ed|ing)?):?[ \t]+)(?=${ISSUE})`,
  'gi',
)

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '@': '&#64;',
  '#': '&#35;',
  [PART]: '&#8203;',
}

/**
 * The text as one line, with everything made visible that is not, and in which forges see nobody's name, no issue and
 * no order to close one. They look into blocks of code as well: GitHub when somebody answers by mail, GitLab for issues
 * to close.
 */
export function plainText(line: string): string {
  return printable(line)
    .replaceAll(UNSEEN, (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
    .replaceAll(/(?<![A-Za-z0-9_])@(?=[A-Za-z0-9_])/g, `@${PART}`)
    .replaceAll(/([#!$%&])(?=\d)/g, `$1${PART}`)
    .replaceAll(/\b(GH)(?=-\d)/gi, `$1${PART}`)
    .replaceAll(CLOSES, `$1${PART}`)
}

function withEntities(line: string): string {
  return line.replaceAll(/[&<>@#\u200B]/g, (sign) => entities[sign] ?? sign)
}

/**
 * A text as plain words in Markdown, of GitHub, GitLab and Forgejo alike: nothing in it is markup, a link to an issue
 * or the name of a person, who would be told.
 */
export function markdownText(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) =>
      withEntities(plainText(line))
        .replaceAll(/[\\`*_[\]|~!$]/g, String.raw`\$&`)
        // what begins a list, a quote or a heading of the other kind
        .replace(
          /^(\s*)([-+=]|\d+[.)])/,
          (_, space: string, sign: string) => `${space}${sign.replace(/.$/, String.raw`\$&`)}`,
        )
        // an order to GitLab
        .replace(/^(\s*)\//, '$1&#47;'),
    )
    .join('<br>')
}

/** A text inside of HTML in Markdown, where backslashes are shown: nothing in it is a tag, an issue or a person. */
export function htmlInMarkdown(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => withEntities(plainText(line)))
    .join(' ')
}

/** A text as code in a line of Markdown: shown as it is, whatever stands in it. */
export function markdownCode(text: string): string {
  const line = text.split(/\r?\n/).map(plainText).join(' ')
  const fence = '`'.repeat(longestRun(line) + 1)
  const space = line.startsWith('`') || line.endsWith('`') || line === '' ? ' ' : ''
  return fence + space + line + space + fence
}

/** Lines as a block of code; `language` colours it. */
export function markdownBlock(lines: readonly string[], language: string): readonly string[] {
  const content = lines.map(plainText)
  const fence = '`'.repeat(Math.max(2, longestRun(content.join('\n'))) + 1)
  return [fence + language, ...content, fence]
}

function longestRun(text: string): number {
  let longest = 0
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length)
  return longest
}
