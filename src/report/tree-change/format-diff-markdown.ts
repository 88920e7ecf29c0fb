import { htmlInMarkdown, markdownText } from '../forms/markdown-text.ts'
import { plural } from '../plural.ts'
import { printable } from '../printable.ts'
import { type Weight, wordWeights } from './describe-risk.ts'
import { countChanges, formatGroup, isEmpty, type NamedChange, shownGroups, unreadLines } from './format-diff.ts'
import { factSections, type FactSection } from './format-facts.ts'
import { createClusterNames, type Detail } from './name-clusters.ts'

/** Characters that a comment or the body of a pull request may have on GitHub: 65,536, with room for what surrounds it. */
const MOST = 60_000

/** Characters of the line that counts what is left out. */
const REST = 100

/** The colours of what must not be overlooked. */
const lights: Readonly<Record<Weight, string>> = { danger: '🔴', warning: '🟠', notice: '🟡' }

/**
 * The difference as Markdown, for a pull request: what is dangerous and who is concerned, then each change once, folded
 * away. It is never longer than `most` characters: then values are cut, then changes left out and counted.
 */
export function formatDiffMarkdown(named: NamedChange, most: number = MOST): string {
  const { before, after, change } = named
  if (isEmpty(change)) return `No differences between ${markdownText(before)} and ${markdownText(after)}.\n`
  const whole = render(named, 'all', Infinity)
  return whole.length <= most ? whole : render(named, 'short', most)
}

function render({ before, after, change }: NamedChange, detail: Detail, most: number): string {
  // the facts have limits of their own in a short text; a long list of them helps nobody
  const facts = { detail: 'short', name: createClusterNames('short') } as const
  const head = [
    `**${markdownText(before)} → ${markdownText(after)}**: ${countChanges(change)}`,
    '',
    ...factSections(change, facts).flatMap(sectionLines),
  ]
  const blocks = shownGroups(change.groups).map((group) =>
    // each block may be opened alone, so it names its clusters itself
    foldedBlock(formatGroup(group, { detail, name: createClusterNames(detail) }), group.objects.length),
  )
  const unread = unreadLines(change.facts.unread, detail)
  const all = unread.length === 0 ? blocks : [...blocks, foldedBlock(unread.slice(1), change.facts.unread.length)]
  const text = `${head.join('\n')}\n`
  const room = most - REST
  const shown: string[] = []
  let length = text.length
  for (const block of all) {
    if (length + block.length > room) continue
    length += block.length
    shown.push(block)
  }
  const left = all.length - shown.length
  const rest = left === 0 ? '' : `… and ${plural(left, 'more change')}: \`stackmason diff --all\` shows everything.\n`
  return cut(text, room) + shown.join('') + rest
}

function sectionLines({ title, rows, more }: FactSection): readonly string[] {
  return [
    `| ${title} | |`,
    '| --- | --- |',
    ...rows.map(([what, text]) => `| ${lightOf(what)}${markdownText(what)} | ${markdownText(text)} |`),
    ...(more > 0 ? [`| | … ${String(more)} more |`] : []),
    '',
  ]
}

function lightOf(what: string): string {
  const weight = wordWeights[what]
  return weight === undefined ? '' : `${lights[weight]} `
}

/** The lines of a change below its title, which is all that is seen at first. */
function foldedBlock([title = '', ...lines]: readonly string[], objects: number): string {
  const content = lines.map((line) => printable(signFirst(line)))
  let longest = 2
  for (const [run] of content.join('\n').matchAll(/`+/g)) longest = Math.max(longest, run.length)
  const fence = '`'.repeat(longest + 1)
  return [
    `<details><summary>${htmlInMarkdown(title)} (${plural(objects, 'object')})</summary>`,
    '',
    `${fence}diff`,
    ...content,
    fence,
    '',
    '</details>',
    '',
    '',
  ].join('\n')
}

/** The sign of an object or a line at the start of the line, where colours of diffs come from. */
function signFirst(line: string): string {
  const [, space = '', sign = '', rest = ''] = /^( *)([-+~])( .*)$/s.exec(line) ?? []
  return sign === '' ? ` ${line}` : `${sign === '~' ? '!' : sign}${space}${rest}`
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, text.lastIndexOf('\n', most))}\n`
}
