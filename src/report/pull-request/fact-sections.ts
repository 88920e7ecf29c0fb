import { type ObjectName, objectPath } from '../../model/object-name.ts'
import type { FoldedChange, TreeChange } from '../../model/tree-change.ts'
import type { ReportedFinding } from '../describe-finding.ts'
import { markdownText } from '../forms/markdown-text.ts'
import { formatSubjects } from '../format-subjects.ts'
import { plural } from '../plural.ts'
import { partTitle } from '../tree-change/describe-risk.ts'
import { describeUndo } from '../tree-change/describe-undo.ts'
import { type FactRow, type FactSection, factSections } from '../tree-change/format-facts.ts'
import { factTable } from '../tree-change/markdown-parts.ts'
import { countClusters, type NameClusters } from '../tree-change/name-clusters.ts'
import { totalClusters } from './headline.ts'
import type { RankedForm, Section } from './pack-sections.ts'
import type { PublishedChange, PullRequestFacts } from './pull-request-facts.ts'
import { ranks } from './ranks.ts'
import { reportPointer } from './report-pointer.ts'

/** Rows of a table in its forms, the fewest first. */
const ROWS = [1, 3, 9, Infinity] as const
/** More clusters are folded away. */
const FEW = 10
/** Parts of the fleet that one row names. */
const PARTS = 5
/** Acknowledged findings that are named below the effects. */
const ACCEPTED = 3

/** Lists dangerous effects, and whether the fleet has acknowledged them. */
export function effectSection({ change, findings }: PublishedChange, facts: PullRequestFacts): Section {
  const accepted = acceptedLines(findings)
  return tableSection('Effects', facts, {
    ranks: ranks.effects,
    rowsOf: (most) => factsOf(change, most).find(({ title }) => title === 'Effects'),
    below: accepted,
  })
}

/** Versions before and after. */
export function versionSection(change: TreeChange, facts: PullRequestFacts): Section {
  return tableSection('Versions', facts, {
    ranks: ranks.versions,
    rowsOf: (most) => factsOf(change, most).find(({ title }) => title === 'Versions'),
    below: [],
  })
}

/** Lists what a revert of the merge would not bring back. */
export function undoSection(change: TreeChange, facts: PullRequestFacts): Section {
  const rows = describeUndo(change, countClusters(totalClusters(change)))
  return tableSection('git revert does not undo', facts, {
    ranks: ranks.undo,
    rowsOf: (most) =>
      rows.length === 0 ? undefined : { rows: rows.slice(0, most), more: rows.length - Math.min(most, rows.length) },
    below: [],
  })
}

/** Who changes, comes, goes, and who is the odd one out; all names are folded away. */
export function clusterSection(change: TreeChange, groups: readonly FoldedChange[], facts: PullRequestFacts): Section {
  const changed = distinctClusters(change.groups.flatMap(({ clusters }) => clusters))
  const tableOf = (most: number): readonly string[] => {
    const rows = clusterRows({ change, groups, changed }, most)
    return rows.rows.length === 0 ? [] : factTable({ title: 'Clusters', ...rows }, `, ${reportPointer(facts)}`)
  }
  const all = changed.length <= FEW ? [] : ['', ...foldedNames(changed)]
  const forms = ranks.clusters.map((rank, index): RankedForm => {
    const rows = ROWS[index] ?? Infinity
    return { rank, text: [...tableOf(rows), ...(rows === Infinity ? all : [])].join('\n') }
  })
  return oneText('Clusters', facts, forms)
}

function foldedNames(clusters: readonly ObjectName[]): readonly string[] {
  const byNamespace = new Map<string, string[]>()
  for (const { namespace, name } of clusters) {
    const names = byNamespace.get(namespace)
    if (names === undefined) byNamespace.set(namespace, [name])
    else names.push(name)
  }
  return [
    `<details><summary>All ${plural(clusters.length, 'cluster')} that change</summary>`,
    '',
    ...[...byNamespace].map(([namespace, names]) => `- ${markdownText(namespace)}: ${markdownText(names.join(', '))}`),
    '',
    '</details>',
  ]
}

interface TableForms {
  readonly ranks: readonly number[]
  /** Undefined: there is nothing to say. */
  readonly rowsOf: (most: number) => Pick<FactSection, 'rows' | 'more'> | undefined
  /** Lines behind the table. */
  readonly below: readonly string[]
}

function tableSection(title: string, facts: PullRequestFacts, { ranks: all, rowsOf, below }: TableForms): Section {
  const forms = all.flatMap((rank, index): readonly RankedForm[] => {
    const rows = rowsOf(ROWS[index] ?? Infinity)
    if (rows === undefined) return []
    // in a short body each word has to pay for its room
    const lines = factTable({ title, rows: rows.rows, more: rows.more }, `, ${reportPointer(facts)}`)
    return [{ rank, text: [...lines, ...(below.length === 0 ? [] : ['', ...below])].join('\n') }]
  })
  return oneText(title, facts, forms)
}

/** A section that is there or not; where it is not, its name is. */
function oneText(title: string, facts: PullRequestFacts, forms: readonly RankedForm[]): Section {
  const said = forms.filter(({ text }) => text !== '')
  return {
    head: '',
    entries: said.length === 0 ? [] : [said],
    foot: '',
    rest: () => `**${title}**: ${reportPointer(facts)}`,
  }
}

function factsOf(change: TreeChange, most: number): readonly FactSection[] {
  return factSections(
    change,
    { detail: 'short', name: countClusters(totalClusters(change)) },
    { effects: most, clusters: most, versions: most },
  )
}

function acceptedLines(findings: readonly ReportedFinding[]): readonly string[] {
  const errors = findings.filter(
    ({ severity, acknowledgement }) => severity === 'error' && acknowledgement === undefined,
  )
  const accepted = findings.flatMap(({ code, about, acknowledgement }) =>
    acknowledgement === undefined ? [] : [{ code, about, acknowledgement }],
  )
  const named = accepted.slice(0, ACCEPTED).map(({ code, about, acknowledgement }) => {
    const subjects = formatSubjects(about)
    const whom = subjects === '' ? '' : ` of ${subjects}`
    return `${code}${whom} until ${acknowledgement.until} (${acknowledgement.reason})`
  })
  const more = accepted.length - named.length
  const all = [...named, ...(more > 0 ? [`${String(more)} more`] : [])].join('; ')
  return [
    ...(accepted.length === 0 ? [] : [`Acknowledged in the fleet: ${markdownText(all)}.`]),
    ...(errors.length === 0 ? [] : [`Not acknowledged: ${plural(errors.length, 'error')}, below.`]),
  ]
}

interface ChangedClusters {
  readonly change: TreeChange
  readonly groups: readonly FoldedChange[]
  readonly changed: readonly ObjectName[]
}

function clusterRows({ change, groups, changed }: ChangedClusters, most: number): Pick<FactSection, 'rows' | 'more'> {
  const { added, removed, unchanged } = change.facts.clusters
  const name = countClusters(totalClusters(change))
  const news = factsOf(change, most).find(({ title }) => title === 'New clusters')
  const odd = oddRows(groups, name)
  const [kept, gone] = [true, false].map((isKept) =>
    removed.filter((one) => one.isKept === isKept).map(({ cluster }) => cluster),
  )
  const rows: FactRow[] = [
    ...rowOf('changed', changed, name),
    ...(news?.rows ?? []).map(([who, text]): FactRow => ['new', `${who}: ${text}`]),
    ...rowOf('gone', gone ?? [], name),
    ...rowOf('left behind', kept ?? [], name),
    ...(unchanged > 0 ? [['not changed', plural(unchanged, 'cluster')] as const] : []),
    ...odd.slice(0, most),
  ]
  const more = (news?.more ?? 0) + Math.max(0, odd.length - most)
  return { rows: added.length + removed.length + changed.length === 0 ? [] : rows, more }
}

function rowOf(
  what: string,
  clusters: readonly ObjectName[],
  name: (some: readonly ObjectName[]) => string,
): readonly FactRow[] {
  return clusters.length === 0 ? [] : [[what, name(clusters)]]
}

/** Clusters in which a part of the fleet does not change as in most others; those of the same ones share a row. */
function oddRows(groups: readonly FoldedChange[], name: NameClusters): readonly FactRow[] {
  const odd = new Map<
    string,
    { readonly parts: string[]; readonly how: string; readonly clusters: readonly ObjectName[] }
  >()
  for (const { part, others } of groups) {
    const some = [
      { how: 'no change', clusters: others?.unchanged ?? [] },
      { how: 'another change', clusters: others?.different ?? [] },
    ]
    for (const { how, clusters } of some.filter((one) => one.clusters.length > 0)) {
      const key = JSON.stringify([how, ...clusters.map(objectPath)])
      const known = odd.get(key)
      if (known === undefined) odd.set(key, { parts: [partTitle(part)], how, clusters })
      else known.parts.push(partTitle(part))
    }
  }
  return [...odd.values()].map(({ parts, how, clusters }): FactRow => {
    const shown = [...new Set(parts)]
    const more = shown.length > PARTS ? [`${String(shown.length - PARTS)} more`] : []
    const what = clusters.length === 1 ? 'odd one out' : 'odd ones out'
    return [what, `${[...shown.slice(0, PARTS), ...more].join(', ')}: ${how} on ${name(clusters)}`]
  })
}

function distinctClusters(clusters: readonly ObjectName[]): readonly ObjectName[] {
  const byPath = new Map(clusters.map((cluster) => [objectPath(cluster), cluster]))
  return [...byPath].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, cluster]) => cluster)
}
