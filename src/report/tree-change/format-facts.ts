import type {
  AddedCluster,
  ChangePart,
  ChangeRisk,
  DefinitionChange,
  FoldedChange,
  FoldedObject,
  ImageChange,
  ReleaseChange,
  RemovedCluster,
  StepChange,
  TreeChange,
  VariableChange,
  VersionChange,
} from '../../model/tree-change.ts'
import { isCapiCluster } from '../../model/class-reference.ts'
import { lostPools } from '../../model/lost-pools.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import { plural } from '../plural.ts'
import { describeException } from '../describe-exception.ts'
import { printable } from '../printable.ts'
import { type ClassMove, classMoves, moveOf, moveText, releaseWords } from './class-moves.ts'
import { objectTitle, partTitle, riskWords, shownText, undoneRisks, undoWords, wordWeights } from './describe-risk.ts'
import { formatField, shortValue } from './format-field.ts'
import type { Detail, NameClusters } from './name-clusters.ts'
import { holdsMuch, nameObjects, rankOf, type SaidObject } from './name-objects.ts'

/** A line in two columns: what, and about whom. */
export type FactRow = readonly [what: string, text: string]

/** How many lines of each section. */
export type MostRows = Readonly<Record<'effects' | 'clusters' | 'versions', number>>

/** The same of a short list. */
const MOST: MostRows = { effects: 9, clusters: 3, versions: 6 }
const ALL: MostRows = { effects: Infinity, clusters: Infinity, versions: Infinity }

/** Reasons that a short list names of one object. */
const NAMED = 4

/** Effects by which an object leaves, or may. */
const losing: readonly ChangeRisk[] = ['deletes', 'may-delete', 'moves-unit', 'leaves-behind']

/** How a text is written: how much of it, and who is named where. */
export interface Manner {
  readonly detail: Detail
  readonly name: NameClusters
}

/** Lines about one thing, as many as fit. */
export interface FactSection {
  readonly title: 'Effects' | 'New clusters' | 'Versions'
  readonly rows: readonly FactRow[]
  /** Rows that are left out. */
  readonly more: number
  /** A summary of what must not be overlooked in them: `9 deletes, 2 lowers guard`; absent: nothing. */
  readonly moreDanger?: string | undefined
}

/** Pools of one Cluster that a short list names. */
const POOLS = 10

/** More removed clusters share a line. */
const ALONE = 3

/**
 * The facts that a reviewer must know first: what is dangerous, who comes and goes, versions. Sections without rows are
 * left out; `most` rows of each where the others are not left out for their number alone.
 */
export function factSections(
  change: TreeChange,
  manner: Manner,
  most: MostRows = manner.detail === 'all' ? ALL : MOST,
): readonly FactSection[] {
  const { facts } = change
  const sections = [
    section('Effects', effectRows(change, manner), most.effects),
    section('New clusters', addedRows(facts.clusters.added, manner), most.clusters),
    section('Versions', versionRows(facts, manner), most.versions),
  ]
  return sections.filter(({ rows }) => rows.length > 0)
}

/** The sections in two columns. */
export function formatFacts(change: TreeChange, manner: Manner): readonly string[] {
  return factSections(change, manner).flatMap(({ title, rows, more, moreDanger }) => {
    const width = Math.max(...rows.map(([what]) => what.length))
    return [
      title,
      ...rows.map(([what, text]) => `  ${what.padEnd(width)}  ${text}`.trimEnd()),
      ...(more > 0 ? [`  … ${moreText({ more, moreDanger })} (--all)`] : []),
    ]
  })
}

function section(title: FactSection['title'], rows: readonly FactRow[], most: number): FactSection {
  const shown = rows.length <= most + 1 ? rows : firstOfEach(rows, most)
  const moreDanger = title === 'Effects' ? dangerOf(rows.filter((row) => !shown.includes(row))) : ''
  return { title, rows: shown, more: rows.length - shown.length, moreDanger: moreDanger || undefined }
}

function dangerOf(rows: readonly FactRow[]): string {
  const counts = new Map<string, number>()
  for (const [what] of rows) if (wordWeights[what] === 'danger') counts.set(what, (counts.get(what) ?? 0) + 1)
  return [...counts].map(([what, count]) => `${String(count)} ${what}`).join(', ')
}

/** How many rows are left out, and what among them must not be overlooked. */
export function moreText({ more, moreDanger }: Pick<FactSection, 'more' | 'moreDanger'>): string {
  return `${String(more)} more${moreDanger === undefined ? '' : `: ${moreDanger}`}`
}

/** So many rows: of each kind one before a second of another, in the order that they have. */
function firstOfEach(rows: readonly FactRow[], most: number): readonly FactRow[] {
  const words = new Set<string>()
  const [firsts, others]: readonly [number[], number[]] = [[], []]
  for (const [index, [what]] of rows.entries()) {
    if (words.has(what)) others.push(index)
    else firsts.push(index)
    words.add(what)
  }
  const shown = new Set([...firsts, ...others].slice(0, most))
  return rows.filter((_, index) => shown.has(index))
}

/** The most dangerous first; labels and annotations have no effect. */
const order: readonly ChangeRisk[] = [
  'deletes',
  'lowers-guard',
  'may-delete',
  'scales-to-zero',
  'endangers',
  'replaces',
  'redirects',
  'suspends',
  'moves-unit',
  'exposes',
  'cuts-traffic',
  'refuses-more',
  'rewrites',
  'rolls-nodes',
  'changes-crd',
  'widens-rights',
  'restarts-pods',
  'changes-scale',
  'changes-unit',
  'leaves-behind',
]

function effectRows({ facts, groups }: TreeChange, manner: Manner): readonly FactRow[] {
  const removed = removedRows(facts.clusters.removed, manner)
  const versions = facts.kubernetes
    .filter(({ step }) => step === 'skips' || step === 'back')
    .map((change): FactRow => [
      change.step === 'skips' ? 'skips a minor' : 'goes back',
      `${manner.name(change.clusters)}: Kubernetes ${arrow(change)}`,
    ])
  const definitions = facts.definitions.filter(isBreaking).map((definition) => definitionRow(definition, manner))
  // what a revert does not bring back must be among the rows that are shown
  const worstFirst = groups.toSorted((a, b) => Number(isFinal(b)) - Number(isFinal(a)))
  const moves = classMoves(groups)
  const isMove = (part: ChangePart): boolean => moves.some((move) => isOfMove(part, move))
  const risks = order.flatMap((risk) => {
    const rolls = risk === 'rolls-nodes'
    const others = worstFirst.flatMap((group): readonly Effect[] => {
      // what a move of clusters does is said of the move, once
      if (rolls && (isMove(group.part) || isBeside(group.part))) return []
      const objects = group.objects.filter(
        (object) => object.risks.includes(risk) && !(rolls && moveOf(object) !== undefined),
      )
      return objects.length === 0 ? [] : [{ group, risk, objects }]
    })
    return [
      ...(rolls ? moves.map((move): FactRow => [riskWords[risk], movedText(move, manner)]) : []),
      ...joined(others).flatMap((effect) => effectRowsOf(effect, manner)),
    ]
  })
  const exceptions = (facts.exceptions ?? []).map((exception): FactRow => [
    riskWords['lowers-guard'],
    `check: ${printable(describeException(exception))}`,
  ])
  const rows = [...exceptions, ...removed, ...versions, ...definitions, ...risks]
  // a Cluster that runs on is less urgent than what is lost
  const isDanger = ([what]: FactRow): boolean => wordWeights[what] === 'danger'
  const kept = keptRows(facts.clusters.removed, manner)
  return [...rows.filter(isDanger), ...kept, ...rows.filter((row) => !isDanger(row))]
}

/** True for the class of a release that no cluster moves to yet: it rolls no node until one does. */
function isBeside(part: ChangePart): boolean {
  return part.kind === 'stack' && part.isBeside === true
}

/** True for the class of a release that clusters move to. */
function isOfMove(part: ChangePart, { before, after }: ClassMove): boolean {
  if (part.kind !== 'stack' || part.before === undefined) return false
  return releaseWords(part.before) === releaseWords(before) && releaseWords(part.tag) === releaseWords(after)
}

/** An upgrade in one line: who, from where, to where. */
function movedText({ before, after, version, isFinal, clusters }: ClassMove, { name }: Manner): string {
  const kubernetes = version === undefined ? '' : ` (Kubernetes ${arrow(version)})`
  const undo = isFinal !== true ? '' : `; ${undoWords['kubernetes-version']}`
  return `${moveText(before, after).replace('\u2192', '->')}${kubernetes} on ${name(sorted(clusters))}${undo}`
}

function sorted(clusters: readonly ObjectName[]): readonly ObjectName[] {
  return clusters.toSorted((one, other) => (objectPath(one) < objectPath(other) ? -1 : 1))
}

/** Effects on Clusters that come of the same, whatever else changes in them, are one. */
function joined(effects: readonly Effect[]): readonly Effect[] {
  const known = new Map<string, Effect>()
  for (const [index, effect] of effects.entries()) {
    const { group, risk, objects } = effect
    const [first] = objects
    const isCluster =
      group.part.kind === 'cluster' && objects.length === 1 && first !== undefined && isCapiCluster(first)
    const isSame = isCluster && poolsOf(first).length === 0
    const key = isSame ? JSON.stringify([reasonsText(first, risk, 'all'), undoOf(first, risk)]) : String(index)
    const other = known.get(key)
    known.set(
      key,
      other === undefined
        ? effect
        : { ...other, group: { ...other.group, clusters: sorted([...other.group.clusters, ...group.clusters]) } },
    )
  }
  return [...known.values()]
}

function effectRowsOf({ group, risk, objects: risky }: Effect, manner: Manner): readonly FactRow[] {
  const isPoolLoss = (object: FoldedObject): boolean => risk === 'deletes' && poolsOf(object).length > 0
  const objects = risky.filter((object) => !isPoolLoss(object))
  return [
    ...risky.filter(isPoolLoss).map((object): FactRow => [riskWords[risk], poolText(group, object, manner)]),
    ...(objects.length === 0 ? [] : [[riskWords[risk], effectText(group, { group, risk, objects }, manner)] as const]),
  ]
}

/** One line for each, unless there are many. */
function removedRows(removed: readonly RemovedCluster[], { name }: Manner): readonly FactRow[] {
  return [false, true].flatMap((isDecommissioned): readonly FactRow[] => {
    const some = removed.filter((one) => !one.isKept && one.isDecommissioned === isDecommissioned)
    const how = isDecommissioned ? 'by decommission' : 'without a decommission'
    const end = `, ${how}; ${undoWords['cluster-is-gone']}`
    const rowOf = (who: string, all: readonly RemovedCluster[]): FactRow => {
      const others = all.reduce((sum, { objects }) => sum + objects - 1, 0)
      const more = others === 0 ? '' : ` and ${plural(others, 'more object')}`
      return ['deletes', `Cluster ${who}${more}${end}`]
    }
    if (some.length <= ALONE) return some.map((one) => rowOf(objectPath(one.cluster), [one]))
    return [rowOf(`of ${name(some.map(({ cluster }) => cluster))}`, some)]
  })
}

/** Clusters that run on after their files are gone. */
function keptRows(removed: readonly RemovedCluster[], { name }: Manner): readonly FactRow[] {
  const kept = removed.filter(({ isKept }) => isKept)
  const rowOf = (who: string, all: readonly RemovedCluster[]): FactRow => {
    const others = all.reduce((sum, { objects }) => sum + objects - 1, 0)
    const stays = all.length === 1 ? 'stays' : 'stay'
    const rest = others === 0 ? '' : `; ${plural(others, 'more object')} ${others === 1 ? 'leaves' : 'leave'} the tree`
    return [riskWords['leaves-behind'], `Cluster ${who} ${stays} without a file${rest}`]
  }
  if (kept.length <= ALONE) return kept.map((one) => rowOf(objectPath(one.cluster), [one]))
  return [rowOf(`of ${name(kept.map(({ cluster }) => cluster))}`, kept)]
}

/** The pools of workers that a Cluster which stays loses. */
function poolsOf(object: FoldedObject): readonly string[] {
  return isCapiCluster(object) ? object.fields.flatMap(lostPools).map(({ name }) => name) : []
}

function poolText({ clusters }: FoldedChange, object: FoldedObject, { name, detail }: Manner): string {
  const pools = poolsOf(object)
  const title = pools.length === 1 ? 'pool' : 'pools'
  const most = detail === 'all' ? pools.length : POOLS
  const more = pools.length > most ? ` and ${String(pools.length - most)} more` : ''
  return `${title} ${pools.slice(0, most).map(shownText).join(', ')}${more} of ${clusters.length > 2 ? '' : 'Cluster '}${name(clusters)}; ${undoWords['machines-are-gone']}`
}

/** The effect that the objects of a group share. */
interface Effect {
  readonly group: FoldedChange
  readonly risk: ChangeRisk
  readonly objects: readonly FoldedObject[]
}

function effectText({ part, clusters }: FoldedChange, effect: Effect, { name, detail }: Manner): string {
  const { risk, objects } = effect
  const [first] = objects
  const isOne = objects.length === 1 && first !== undefined
  const undo = [...new Set(objects.flatMap((object) => undoOf(object, risk)))]
    .map((limit) => `; ${undoWords[limit]}`)
    .join('')
  if (part.kind === 'cluster' && isOne && first.kind === 'Cluster')
    return `Cluster ${clusters.length > 2 ? 'of ' : ''}${name(clusters)}${reasonsText(first, risk, detail)}${undo}`
  const what = isOne ? objectTitle(first) + reasonsText(first, risk, detail) : titlesOf(effect, detail)
  const where = clusters.length === 0 ? '' : ` on ${name(clusters)}`
  // nothing happens to those that stay at the older one
  const whose =
    part.kind === 'stack' && part.before !== undefined && !isBeside(part) ? 'of clusters that move, by ' : ''
  return `${whose}${partTitle(part)}: ${what}${where}${undo}`
}

function undoOf({ undo }: FoldedObject, risk: ChangeRisk): FoldedObject['undo'] {
  return undo.filter((limit) => undoneRisks[limit].includes(risk))
}

/** The reasons of an effect, in brackets. */
function reasonsText({ reasons = [] }: FoldedObject, risk: ChangeRisk, detail: Detail): string {
  const texts = [...new Set(reasons.flatMap((reason) => (reason.risk === risk ? [printable(reason.text)] : [])))]
  const named = texts.slice(0, detail === 'all' ? Infinity : NAMED)
  const more = texts.length - named.length
  return texts.length === 0 ? '' : ` (${[...named, ...(more > 0 ? [`${String(more)} more`] : [])].join(', ')})`
}

/**
 * How many objects; those by name that a revert does not bring back, and those of which it matters what exactly. What
 * must not be overlooked is always named.
 */
function titlesOf({ risk, objects }: Effect, detail: Detail): string {
  const isDanger = wordWeights[riskWords[risk]] === 'danger' || risk === 'widens-rights'
  const isLoss = losing.includes(risk)
  const said = objects.map((object): SaidObject => {
    const rank = isLoss ? rankOf(object) : 0
    return { object, said: reasonsText(object, risk, detail), isWorse: undoOf(object, risk).length > 0, rank }
  })
  const named = said.filter((one) => isDanger || one.isWorse || one.said !== '' || (isLoss && holdsMuch(one.object)))
  const rest = objects.length - named.length
  return named.length === 0 ? plural(rest, 'object') : nameObjects(named, rest, detail)
}

function isFinal({ objects }: FoldedChange): boolean {
  return objects.some(({ risks, undo }) => risks.includes('deletes') && undo.length > 0)
}

function isBreaking({
  change,
  versionsDropped,
  storage,
  fieldsRemoved,
  fieldsTightened = [],
  mergedOtherwise = [],
  subresourcesDropped = [],
}: DefinitionChange): boolean {
  const lists = [versionsDropped, fieldsRemoved, fieldsTightened, mergedOtherwise, subresourcesDropped]
  const narrowed = lists.reduce((sum, { length }) => sum + length, 0)
  return change === 'changed' && (narrowed > 0 || storage !== undefined)
}

function definitionRow(definition: DefinitionChange, { name: nameClusters, detail }: Manner): FactRow {
  const { name, versionsDropped, storage, fieldsRemoved, clusters } = definition
  const { fieldsTightened = [], mergedOtherwise = [], subresourcesDropped = [] } = definition
  const what = [
    ...(versionsDropped.length > 0 ? [`no longer serves ${versionsDropped.join(', ')}`] : []),
    ...(storage === undefined ? [] : [`stores ${storage.after} instead of ${storage.before}`]),
    ...(fieldsRemoved.length > 0 ? [`lost ${listed(fieldsRemoved, detail)}`] : []),
    ...(subresourcesDropped.length > 0 ? [`lost the subresource ${subresourcesDropped.join(', ')}`] : []),
    ...(fieldsTightened.length > 0 ? [`takes fewer values: ${listed(fieldsTightened, detail)}`] : []),
    ...(mergedOtherwise.length > 0 ? [`merges otherwise: ${listed(mergedOtherwise, detail)}`] : []),
  ].join('; ')
  return ['breaks CRD', `${name}: ${what}${clusters.length === 0 ? '' : ` on ${nameClusters(clusters)}`}`]
}

function listed(texts: readonly string[], detail: Detail): string {
  const shown = detail === 'all' ? texts : texts.slice(0, 2)
  const more = texts.length - shown.length
  return [...shown, ...(more > 0 ? [plural(more, 'more field')] : [])].join(', ')
}

/** Those that are like another in one way share a line. */
function addedRows(added: readonly AddedCluster[], { name, detail }: Manner): readonly FactRow[] {
  const rows = new Map<string, AddedCluster[]>()
  for (const one of added) {
    const text = addedText(one, detail)
    rows
      .set(text, rows.get(text) ?? [])
      .get(text)
      ?.push(one)
  }
  return [...rows].map(([text, same]): FactRow => [name(same.map(({ cluster }) => cluster)), text])
}

function addedText({ objects, like, renamedFrom }: AddedCluster, detail: Detail): string {
  if (like === undefined) return plural(objects, 'object')
  const renamed =
    renamedFrom === undefined ? '' : `perhaps the new name of ${objectPath(renamedFrom)}: nothing of that moves along; `
  const differences = like.except.flatMap((object) => differencesOf(object, detail))
  const most = detail === 'all' ? Infinity : 3
  const shown = differences.slice(0, most)
  const more = differences.length - shown.length
  const except =
    shown.length === 0 ? '' : `, except ${shown.join('; ')}${more > 0 ? `; ${plural(more, 'more difference')}` : ''}`
  return `${renamed}like ${objectPath(like.cluster)}${except}`
}

function differencesOf(object: FoldedObject, detail: Detail): readonly string[] {
  const title = objectTitle(object)
  if (object.change === 'added') return [`${title} besides`]
  if (object.change === 'removed') return [`no ${title}`]
  const isCluster = object.kind === 'Cluster'
  return object.fields.map((field) => {
    const [line = ''] = formatField(field, detail)
    return isCluster ? line.replace(/^spec\.(?:topology\.)?/, '') : `${title} ${line}`
  })
}

function versionRows(facts: TreeChange['facts'], manner: Manner): readonly FactRow[] {
  const { kubernetes, steps, addons, images, releases, variables } = facts
  return [
    ...steps.map((change): FactRow => [change.what, stepText(change, manner)]),
    ...kubernetes.map((change): FactRow => ['Kubernetes', versionText(change, manner)]),
    ...releases.map((change): FactRow => ['release', releaseText(change, manner)]),
    ...addons.map((change): FactRow => [
      'addon',
      `${change.addon}${change.chart === change.addon ? '' : ` (${change.chart})`} ${versionText(change, manner)}`,
    ]),
    ...variables.map((change): FactRow => ['variable', variableText(change, manner)]),
    ...imageRows(images, manner),
  ]
}

/** Images of one version of the same clusters share a line. */
function imageRows(images: readonly ImageChange[], manner: Manner): readonly FactRow[] {
  const rows = new Map<string, ImageChange[]>()
  for (const image of images) {
    const key = `${image.before ?? ''} ${image.after ?? ''} ${image.clusters.map(objectPath).join()}`
    rows
      .set(key, rows.get(key) ?? [])
      .get(key)
      ?.push(image)
  }
  return [...rows.values()].flatMap((same): readonly FactRow[] => {
    const [first] = same
    if (first === undefined) return []
    const names = same.map(({ image }) => image)
    return [[plural(same.length, 'image').replace(/^1 /, ''), `${names.join(', ')} ${versionText(first, manner)}`]]
  })
}

function arrow({ before, after }: Pick<VersionChange, 'before' | 'after'>): string {
  return `${textOrNone(before)} -> ${textOrNone(after)}`
}

/** A variable may have no type. */
function textOrNone(text: string | undefined): string {
  return text === undefined || text === '' ? 'none' : text
}

function versionText(change: VersionChange, { name }: Manner): string {
  return change.clusters.length === 0 ? arrow(change) : `${arrow(change)} on ${name(change.clusters)}`
}

function stepText({ change, from = '', to = '', addons = '', clusters }: StepChange, { name }: Manner): string {
  const on = `on ${name(clusters)}`
  const way = to === '' ? '' : `${moveText(from, to).replace('\u2192', '->')} `
  const own = addons === '' || addons === from ? '' : ` with the addons of ${releaseWords(addons)}`
  switch (change) {
    case 'begins':
      return `${way}begins ${on}${own}`
    case 'continues':
      return `${way}continues ${on}${own}`
    case 'other-target':
      return `${way}takes the place of the one under way ${on}${own}`
    case 'given-up':
      return `${way}is given up ${on}`
  }
}

function releaseText({ before, after, isBeforeKept, clusters, namespace }: ReleaseChange, { name }: Manner): string {
  if (after === undefined) return `${before ?? ''} leaves ${namespace}`
  if (before === undefined) return `${after} is new in ${namespace}`
  if (isBeforeKept && clusters.length === 0)
    return `${after} is new in ${namespace}, beside ${before}; no cluster moves to it`
  const users = clusters.length === 0 ? 'no cluster moves to it' : `moves ${name(clusters)}`
  return `${before} -> ${after} in ${namespace}, ${users}${isBeforeKept ? '; the old one stays' : ''}`
}

function variableText(change: VariableChange, { detail, name: namesOf }: Manner): string {
  const { name, release, isRequired, to, setBy = [] } = change
  const required = isRequired ? ', which every cluster must set' : ''
  switch (change.change) {
    case 'added':
      return `${release}: ${name} is new${required}`
    case 'removed':
      return `${release}: ${name} is gone`
    case 'renamed': {
      const differs = differences(change, detail)
      return `${release}: ${name} is renamed to ${to ?? ''}${required}${differs.length === 0 ? '' : ` (${differs.join(', ')})`}; ${setBy.length === 0 ? 'no cluster sets the old name' : `set by its old name on ${namesOf(setBy)}`}`
    }
    case 'perhaps-renamed':
      return `${release}: ${name} is gone, perhaps renamed to ${to ?? ''}, which has the same schema`
    case 'changed': {
      const what = [...differences(change, detail), ...(isRequired ? ['must be set'] : [])]
      return `${release}: ${name}: ${what.join(', ')}`
    }
  }
}

function differences({ type, default: ownDefault, hasOtherSchema }: VariableChange, detail: Detail): readonly string[] {
  return [
    ...(type === undefined ? [] : [`type ${textOrNone(type.before)} -> ${textOrNone(type.after)}`]),
    ...(ownDefault === undefined
      ? []
      : [`default ${defaultText(ownDefault.before, detail)} -> ${defaultText(ownDefault.after, detail)}`]),
    ...(hasOtherSchema ? ['another schema'] : []),
  ]
}

function defaultText(value: Parameters<typeof shortValue>[0] | undefined, detail: Detail): string {
  return value === undefined ? 'none' : shortValue(value, detail)
}
