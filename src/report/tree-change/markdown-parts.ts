import { htmlInMarkdown, markdownBlock, markdownText } from '../forms/markdown-text.ts'
import { plural } from '../plural.ts'
import { type Weight, wordWeights } from './describe-risk.ts'
import { type FactSection, moreText } from './format-facts.ts'

/** The colours of what must not be overlooked. */
const lights: Readonly<Record<Weight, string>> = { danger: '🔴', warning: '🟠', notice: '🟡' }

/** Lines about one thing as a table in Markdown; `where` says where those are that are left out. */
export function factTable(
  { title, rows, more, moreDanger }: Omit<FactSection, 'title'> & { readonly title: string },
  where = '',
): readonly string[] {
  return [
    `| ${markdownText(title)} | |`,
    '| --- | --- |',
    ...rows.map(([what, text]) => `| ${lightOf(what)}${markdownText(what)} | ${markdownText(text)} |`),
    ...(more > 0 ? [`| | … ${moreText({ more, moreDanger })}${where} |`] : []),
  ]
}

function lightOf(what: string): string {
  const weight = wordWeights[what]
  return weight === undefined ? '' : `${lights[weight]} `
}

/** The lines of a change below its title, which is all that is seen at first, unless it is open. */
export function foldedBlock(
  [title = '', ...lines]: readonly string[],
  objects: number,
  { isOpen = false }: { readonly isOpen?: boolean } = {},
): string {
  return [
    `<details${isOpen ? ' open' : ''}><summary>${htmlInMarkdown(title)} (${plural(objects, 'object')})</summary>`,
    '',
    ...markdownBlock(lines.map(signFirst), 'diff'),
    '',
    '</details>',
    '',
    '',
  ].join('\n')
}

/**
 * The sign of an object or a line at the start of the line, where colours of diffs come from. Both have their own
 * indent: deeper is what stands around a change, such as a list in a text.
 */
function signFirst(line: string): string {
  const [, space = '', sign = '', rest = ''] = /^( {2}| {8})([-+~])((?: .*)?)$/s.exec(line) ?? []
  return sign === '' ? ` ${line}` : `${sign === '~' ? '!' : sign}${space}${rest}`
}
