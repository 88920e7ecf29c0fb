import type { FoldedChange, TreeChange } from '../../model/tree-change.ts'
import { markdownText } from '../forms/markdown-text.ts'
import { plural } from '../plural.ts'
import { formatGroup, unreadLines } from '../tree-change/format-diff.ts'
import { foldedBlock } from '../tree-change/markdown-parts.ts'
import { countClusters, createClusterNames, type Detail, type NameClusters } from '../tree-change/name-clusters.ts'
import { totalClusters } from './headline.ts'
import type { RankedForm, Section } from './pack-sections.ts'
import type { PullRequestFacts } from './pull-request-facts.ts'
import { FIRST, ranks } from './ranks.ts'
import { reportPointer } from './report-pointer.ts'

/** Characters: a longer change is shown in short whatever the room. */
const LONGEST = 20_000

/** Clusters that a title names, and that are named one by one below it. */
const [FEW, NAMED] = [10, 40]

/** Lines of a change that are seen at once where there are no others. */
const SEEN = 20

/** Each change once, folded away unless it is short and the only one; the title names who has it. */
export function changeSection(change: TreeChange, groups: readonly FoldedChange[], of: PullRequestFacts): Section {
  const { facts } = change
  const count = countClusters(totalClusters(change))
  const isAlone = groups.length + (facts.unread.length > 0 ? 1 : 0) === 1
  // each may be opened alone, so it names its clusters itself
  const entryOf = (
    linesOf: (detail: Detail) => readonly string[],
    { objects, index }: { readonly objects: number; readonly index: number },
  ): readonly RankedForm[] => {
    const [title, some, most] = index < FIRST ? ranks.changes : ranks.moreChanges
    const short = linesOf('short')
    const all = linesOf('all')
    const isOpen = isAlone && all.length <= SEEN
    const whole = foldedBlock(all, objects, { isOpen })
    return [
      { rank: title, text: `- ${markdownText(short[0] ?? '')} (${plural(objects, 'object')})\n\n` },
      { rank: some, text: foldedBlock(short, objects, { isOpen }) },
      ...(whole.length <= LONGEST ? [{ rank: most, text: whole }] : []),
    ]
  }
  const entries = groups.map((group, index) =>
    entryOf((detail) => groupLines(group, detail, count), { objects: group.objects.length, index }),
  )
  const unread = (detail: Detail): readonly string[] => unreadLines(facts.unread, detail).slice(1)
  return {
    head: '### Changes\n\n',
    entries:
      facts.unread.length === 0
        ? entries
        : [...entries, entryOf(unread, { objects: facts.unread.length, index: groups.length })],
    foot: '',
    rest: (left) => `… and ${plural(left, 'more change')}, ${reportPointer(of)}\n`,
  }
}

function groupLines(group: FoldedChange, detail: Detail, count: NameClusters): readonly string[] {
  const { clusters, others } = group
  const [title = '', ...lines] = formatGroup(group, {
    detail,
    name: (some) => (some.length <= NAMED && some !== clusters ? createClusterNames(detail)(some) : count(some)),
  })
  // of many only the odd ones out are named, if they are known
  const isNamed = detail === 'all' && clusters.length > FEW && (clusters.length <= NAMED || others === undefined)
  return [title, ...(isNamed ? [`  on ${createClusterNames('all')(clusters)}`] : []), ...lines]
}
