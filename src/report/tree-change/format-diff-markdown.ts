import { markdownText } from '../forms/markdown-text.ts'
import { plural } from '../plural.ts'
import {
  countChanges,
  formatGroup,
  inputLines,
  isEmpty,
  type NamedChange,
  sameLine,
  shownGroups,
  unreadLines,
} from './format-diff.ts'
import { factSections } from './format-facts.ts'
import { factTable, foldedBlock } from './markdown-parts.ts'
import { createClusterNames, type Detail } from './name-clusters.ts'

/**
 * Characters that a comment or the body of a pull request may have on GitHub: 65,536, with room for what surrounds it.
 */
const MOST = 60_000

/** Characters of the line that counts what is left out. */
const REST = 100

/**
 * The difference as Markdown, for a pull request: what is dangerous and who is concerned, then each change once, folded
 * away. It is never longer than `most` characters: then the content of new objects is left out, then values are cut,
 * then changes left out and counted.
 */
export function formatDiffMarkdown(named: NamedChange, most: number = MOST): string {
  if (isEmpty(named.change)) {
    const lines = [sameLine(named), ...inputLines(named)]
    return `${lines.map(markdownText).join('\n\n')}\n`
  }
  for (const hasContent of [true, false]) {
    const whole = render(named, { detail: 'all', hasContent }, Infinity)
    if (whole.length <= most) return whole
  }
  return render(named, { detail: 'short', hasContent: false }, most)
}

interface Form {
  readonly detail: Detail
  readonly hasContent: boolean
}

function render(named: NamedChange, { detail, hasContent }: Form, most: number): string {
  const { before, after, change } = named
  // the facts have limits of their own in a short text; a long list of them helps nobody
  const facts = { detail: 'short', name: createClusterNames('short') } as const
  const head = [
    `**${markdownText(before)} → ${markdownText(after)}**: ${countChanges(change)}`,
    '',
    ...factSections(change, facts).flatMap((section) => [...factTable(section), '']),
    ...inputLines(named).flatMap((line) => [markdownText(line), '']),
  ]
  const blocks = shownGroups(change.groups).map((group) =>
    // each block may be opened alone, so it names its clusters itself
    foldedBlock(formatGroup(group, { detail, name: createClusterNames(detail), hasContent }), group.objects.length),
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

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, text.lastIndexOf('\n', most))}\n`
}
