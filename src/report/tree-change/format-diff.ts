import { formatChangePath } from '../../model/change-path.ts'
import type { FoldedChange, FoldedObject, TreeChange } from '../../model/tree-change.ts'
import { objectPath } from '../../model/object-name.ts'
import { plural } from '../plural.ts'
import { printableLines } from '../printable.ts'
import type { ShortenPath } from '../shorten-path.ts'
import { objectTitle, partTitle, riskWords, type Weight, wordWeights } from './describe-risk.ts'
import { contentLines, ONE_OF_MANY } from './content-lines.ts'
import { formatFacts, type Manner } from './format-facts.ts'
import { formatFields } from './format-field.ts'
import { createClusterNames, type Detail } from './name-clusters.ts'

/** The difference between two trees, and what these are, in words. */
export interface NamedChange {
  readonly before: string
  readonly after: string
  readonly change: TreeChange
  /** True if neither has a file: these are the same, too, and yet nothing is as it should be. Default: false. */
  readonly isTreeless?: boolean
  /** Files that rendering reads and that differ although no object does. */
  readonly inputs?: readonly string[] | undefined
}

/** Objects of a group, and fields of an object, in a short list. */
const [OBJECTS, FIELDS, FILES] = [8, 6, 5]
/** Lines of a new object. */
const CONTENT = 100
/** Objects with other labels and annotations that are shown one by one, and the names of these that one line has. */
const [MARKED, NAMES] = [2, 3]

/** The difference for people: what is dangerous and who is concerned, versions, then each change once. */
export function formatDiff(named: NamedChange, detail: Detail, command: ShortenPath['command'] = asWritten): string {
  const { before, after, change } = named
  const { facts, groups } = change
  if (isEmpty(change)) return printableLines([sameLine(named), ...inputLines(named, command)])
  const manner = { detail, name: createClusterNames(detail) }
  return printableLines([
    `${before} -> ${after}: ${countChanges(change)}`,
    ...formatFacts(change, manner),
    ...shownGroups(groups).flatMap((group) => ['', ...formatGroup(group, { ...manner, hasContent: detail === 'all' })]),
    ...(detail === 'all' ? newClusterLines(change) : []),
    ...unreadLines(facts.unread, detail),
    ...inputLines(named, command),
  ])
}

/** Says that nothing differs. */
export function sameLine({ before, after, isTreeless = false }: Omit<NamedChange, 'change'>): string {
  const why = isTreeless ? ': neither has a tree yet, nothing is rendered' : ''
  return `No differences between ${before} and ${after}${why}.`
}

/** For what others read elsewhere, too. */
const asWritten: ShortenPath['command'] = (command) => command

/** Lists inputs that differ where the trees do not: perhaps nobody has rendered. */
export function inputLines(
  { before, inputs = [] }: NamedChange,
  command: ShortenPath['command'] = asWritten,
): readonly string[] {
  const [first, ...others] = inputs
  if (first === undefined) return []
  const more = others.length === 0 ? '' : ` and ${plural(others.length, 'more input')}`
  return [
    `But ${first}${more} changed since ${before}, and may not be rendered yet: run ${command('stackmason render')}.`,
  ]
}

/** The objects of clusters that only the new tree has. */
function newClusterLines({ facts, changes }: TreeChange): readonly string[] {
  const added = new Map(facts.clusters.added.map(({ cluster }): [string, string[]] => [objectPath(cluster), []]))
  for (const { after } of changes) {
    if (after === undefined || (after.folder.kind !== 'cluster' && after.folder.kind !== 'addons')) continue
    added.get(objectPath(after.folder))?.push(`  + ${objectTitle(after)}`)
  }
  return [...added].flatMap(([cluster, lines]) => ['', `New cluster ${cluster}`, ...lines])
}

/** The groups in which something differs besides names. */
export function shownGroups(groups: readonly FoldedChange[]): readonly FoldedChange[] {
  return groups.filter(({ objects }) => !objects.every(isSameButName))
}

/** True if nothing differs that could be compared or not, nor what a check says of it. */
export function isEmpty({ changes, facts }: TreeChange): boolean {
  return changes.length === 0 && facts.unread.length === 0 && facts.exceptions === undefined
}

/** How much differs: `39 clusters changed, 1 new, 125 objects`. */
export function countChanges({ facts, changes }: TreeChange): string {
  const { added, removed, changed } = facts.clusters
  const counts = [
    ...(changed > 0 ? [`${plural(changed, 'cluster')} changed`] : []),
    ...(added.length > 0 ? [`${String(added.length)} new`] : []),
    ...(removed.length > 0 ? [`${String(removed.length)} removed`] : []),
    plural(changes.length, 'object'),
  ]
  return counts.join(', ')
}

/** A change that some clusters have in common: title, the odd ones out, objects with their fields. */
export function formatGroup(
  group: FoldedChange,
  manner: Manner & { readonly hasContent?: boolean },
): readonly string[] {
  const { part, clusters } = group
  const { detail, name, hasContent = false } = manner
  const different = group.objects.filter((object) => !isSameButName(object))
  const renamed = group.objects.length - different.length
  const marked = detail === 'all' ? [] : different.filter(isMetadataOnly)
  const isOneLine = marked.length > MARKED
  const objects = isOneLine ? different.filter((object) => !isMetadataOnly(object)) : different
  const shown = detail === 'all' || objects.length <= OBJECTS + 1 ? objects : theWorst(objects, OBJECTS)
  return [
    `${partTitle(part)}${clusters.length === 0 ? '' : `: ${name(clusters)}`}`,
    ...othersLines(group, manner),
    ...shown.flatMap((object) => [...formatObject(object, detail), ...(hasContent ? formatContent(object) : [])]),
    ...(shown.length < objects.length ? [`  … ${plural(objects.length - shown.length, 'more object')} (--all)`] : []),
    ...(isOneLine ? [metadataLine(marked)] : []),
    ...(renamed > 0 ? [`  ${plural(renamed, 'object')} with no difference but the name`] : []),
  ]
}

/**
 * So many, in the order that they have: of those that must not be overlooked as many as there is room for, of each kind
 * of change one before a second.
 */
function theWorst(objects: readonly FoldedObject[], most: number): readonly FoldedObject[] {
  // of two that are as grave, the one of which it matters what exactly it does
  const weightOf = ({ risks, reasons = [] }: FoldedObject): number =>
    Math.max(0, ...risks.map((risk) => weights.indexOf(wordWeights[riskWords[risk]] ?? 'notice'))) +
    (reasons.length > 0 ? 0.5 : 0)
  const counts = new Map<string, number>()
  const ranked = objects.map((object) => {
    const key = JSON.stringify([object.change, object.apiVersion, object.kind, object.risks])
    const nth = counts.get(key) ?? 0
    counts.set(key, nth + 1)
    return { object, weight: weightOf(object), nth }
  })
  const sorted = ranked.toSorted((a, b) => b.weight - a.weight || a.nth - b.nth)
  const worst = new Set(sorted.slice(0, most).map(({ object }) => object))
  return objects.filter((object) => worst.has(object))
}

const weights: readonly Weight[] = ['notice', 'warning', 'danger']

function isMetadataOnly({ risks }: FoldedObject): boolean {
  return risks.length === 1 && risks[0] === 'metadata-only'
}

/** Labels and annotations follow from a version, mostly: which ones says enough. */
function metadataLine(objects: readonly FoldedObject[]): string {
  const names = [...new Set(objects.flatMap(({ fields }) => fields.map(({ path }) => formatChangePath(path))))]
  const named = names.slice(0, NAMES)
  const more = names.length - named.length
  const which = `${named.join(', ')}${more > 0 ? ` and ${String(more)} more` : ''}`
  return `  ~ ${plural(objects.length, 'object')}: labels and annotations only, ${which} (--all)`
}

/** True if nothing but the name of an object differs. */
export function isSameButName({ change, fields, units, was }: FoldedObject): boolean {
  return change === 'renamed' && fields.length === 0 && units === undefined && was === undefined
}

/** The odd ones out. */
function othersLines({ others }: FoldedChange, { name }: Manner): readonly string[] {
  if (others === undefined) return []
  const { unchanged, different } = others
  return [
    ...(unchanged.length > 0 ? [`  not ${name(unchanged)}: unchanged there`] : []),
    ...(different.length > 0 ? [`  not ${name(different)}: another change there`] : []),
  ]
}

/** A sign for each kind of change. */
export const signs: Readonly<Record<FoldedObject['change'], '+' | '-' | '~'>> = {
  added: '+',
  removed: '-',
  changed: '~',
  renamed: '~',
}

function formatObject(object: FoldedObject, detail: Detail): readonly string[] {
  const { change, fields, risks, units } = object
  const words = risks.map((risk) => riskWords[risk]).join(', ')
  const lines = formatFields(fields, detail)
  const shown = detail === 'all' || lines.length <= FIELDS + 1 ? lines : lines.slice(0, FIELDS)
  return [
    `  ${signs[change]} ${objectTitle(object)}${words === '' ? '' : `  (${words})`}`,
    ...(units === undefined ? [] : [`      unit: ${units.before} -> ${units.after}`]),
    ...shown.flatMap((field) => field.map((line) => `      ${line}`)),
    ...(shown.length < lines.length ? [`      … ${plural(lines.length - shown.length, 'more field')} (--all)`] : []),
  ]
}

/** A new object as it is, in YAML. */
function formatContent(object: FoldedObject): readonly string[] {
  const { lines, more } = contentLines(object, CONTENT)
  return [
    ...(object.isOneOfMany === true ? [`      ${ONE_OF_MANY}`] : []),
    ...lines.map((line) => `        + ${line}`.trimEnd()),
    ...(more > 0 ? [`        … ${plural(more, 'more line')}`] : []),
  ]
}

/** The files that were not compared, under a title; none: no line. */
export function unreadLines(unread: TreeChange['facts']['unread'], detail: Detail): readonly string[] {
  if (unread.length === 0) return []
  const shown = detail === 'all' || unread.length <= FILES + 1 ? unread : unread.slice(0, FILES)
  return [
    '',
    'Not compared',
    ...shown.map(({ path, change, reason }) => `  ${change} ${path}: ${reason}`),
    ...(shown.length < unread.length ? [`  … ${plural(unread.length - shown.length, 'more file')} (--all)`] : []),
  ]
}
