import { objectPath, type ObjectName } from '../../model/object-name.ts'
import type { StepPlan } from '../../model/steps.ts'
import type { AddonChange, ImageChange, ReleaseChange, TreeChange, VersionChange } from '../../model/tree-change.ts'
import { plural } from '../plural.ts'
import { type ClassMove, ClassMoves, classMoves, moveText, releaseWords } from '../tree-change/class-moves.ts'
import { partTitle } from '../tree-change/describe-risk.ts'

/** One change, in a few words. */
export interface HeadlinePart {
  /** The longest form first. */
  readonly forms: readonly string[]
  /** The same in fewer words, if there is such a form. */
  readonly short?: string | undefined
}

/** The same with how many clusters it is about. */
interface CountedPart extends HeadlinePart {
  readonly clusters: number
}

type OnClusters = (clusters: readonly ObjectName[]) => string

const SEPARATOR = '; '

/** Names of addons that one part lists. */
const ADDONS = 3

/** Clusters of the new tree. */
export function totalClusters({ facts }: TreeChange): number {
  const { added, changed, unchanged } = facts.clusters
  return added.length + changed + unchanged
}

/** The effects of a change, the most important first: who goes, what moves most clusters, who comes. */
export function headlineParts(change: TreeChange, steps: readonly StepPlan[]): readonly HeadlinePart[] {
  const { facts, groups } = change
  const { added, removed, changed } = facts.clusters
  const total = totalClusters(change)
  const on: OnClusters = (clusters) => onClusters(clusters, total)
  const moves = [...clusterMoves(groups, steps), ...addonMoves(steps)]
  const movers = new Set(moves.flatMap((move) => move.clusters.map(objectPath)))
  const isMoved = ({ clusters }: { readonly clusters: readonly ObjectName[] }): boolean =>
    clusters.length > 0 && clusters.every((cluster) => movers.has(objectPath(cluster)))
  const counted = [
    ...moves.map((move) => movePart(move, on)),
    ...facts.kubernetes.filter((one) => !isMoved(one)).map((one) => versionPart('Kubernetes', one, on)),
    ...addonParts(
      facts.addons.filter((one) => !isMoved(one)),
      on,
    ),
  ].toSorted((a, b) => b.clusters - a.clusters)
  const unversioned = facts.images.length > 0 ? imagePart(facts.images, on) : objectPart(change, total)
  const [kept, gone] = [true, false].map((isKept) => removed.filter((one) => one.isKept === isKept))
  const parts = [
    ...clusterPart('deletes', gone ?? []),
    ...(counted.length === 0 && changed > 0 ? [unversioned] : counted),
    // one that clusters move to is told with them
    ...facts.releases
      .filter(({ clusters, after }) => clusters.length === 0 && !moves.some((move) => move.after === after))
      .map(releasePart),
    ...clusterPart('new', added),
    ...clusterPart('leaves behind', kept ?? []),
  ]
  return parts.length === 0 ? [unversioned] : [...new Map(parts.map((part) => [part.forms[0], part])).values()]
}

/**
 * The parts, as many as fit, and how many do not; the first always, cut where nothing of it fits. It is shortened where
 * that lets the whole of the second in.
 */
export function formatHeadline(parts: readonly HeadlinePart[], most: number): string {
  const { text, left } = joinParts(parts, most)
  const more = (count: number): string => ` (+${String(count)} more)`
  const room = most - lengthOf(more(parts.length))
  if (left === 0 || parts[0]?.forms.some((form) => lengthOf(form) <= room) !== true) return text
  const some = joinParts(parts, room)
  return some.text + more(some.left)
}

/** The parts that fit, and how many do not. */
function joinParts(parts: readonly HeadlinePart[], most: number): { readonly text: string; readonly left: number } {
  const [first, second] = parts
  if (first === undefined) return { text: '', left: 0 }
  const whole = second?.forms[0] ?? ''
  const {
    forms: [full = ''],
    short = full,
  } = first
  const start =
    [full, short].find((form) => whole !== '' && lengthOf(form + SEPARATOR + whole) <= most) ??
    first.forms.find((form) => lengthOf(form) <= most)
  let text = start ?? cutText(first.forms.at(-1) ?? '', most)
  let left = 0
  for (const { forms } of parts.slice(1)) {
    const form = forms.find((one) => lengthOf(text + SEPARATOR + one) <= most)
    if (form === undefined) left++
    else text += SEPARATOR + form
  }
  return { text, left }
}

/** A text of so many characters at most. */
export function cutText(text: string, most: number): string {
  const characters = Array.from(text)
  return characters.length <= most
    ? text
    : `${characters
        .slice(0, Math.max(0, most - 1))
        .join('')
        .trimEnd()}…`
}

function lengthOf(text: string): number {
  return Array.from(text).length
}

function onClusters(clusters: readonly ObjectName[], total: number): string {
  const [only] = clusters
  if (clusters.length === 1 && only !== undefined) return `on ${objectPath(only)}`
  return clusters.length === total
    ? `on all ${String(total)} clusters`
    : `on ${String(clusters.length)} of ${String(total)} clusters`
}

function clusterPart(what: string, some: readonly { readonly cluster: ObjectName }[]): readonly HeadlinePart[] {
  const [only] = some
  if (only === undefined) return []
  const count = `${what} ${plural(some.length, 'cluster')}`
  const name = objectPath(only.cluster)
  if (some.length > 1) return [{ forms: [count] }]
  const short = `${what} ${name}`
  return [{ forms: [`${what} cluster ${name}`, short, count], short }]
}

function releasePart({ before, after }: ReleaseChange): HeadlinePart {
  return { forms: [after === undefined ? `${releaseWords(before ?? '')} is gone` : `${releaseWords(after)} is new`] }
}

function versionPart(what: string, { before, after, clusters }: VersionChange, on: OnClusters): CountedPart {
  const text = `${what} ${arrow(before, after)}`
  return { forms: clusters.length === 0 ? [text] : [`${text} ${on(clusters)}`, text], clusters: clusters.length }
}

/** Of a change without a version or a cluster that comes or goes. */
function objectPart({ facts, groups, changes }: TreeChange, total: number): HeadlinePart {
  const { changed } = facts.clusters
  const objects = plural(changes.length, 'object')
  const [only, ...others] = groups
  if (only !== undefined && others.length === 0) {
    const isNew = only.part.kind === 'stack' && only.part.isBeside === true
    const part = `${isNew ? 'adds' : 'changes'} ${partTitle(only.part)}`
    return {
      forms: [...(only.clusters.length === 0 ? [] : [`${part} ${onClusters(only.clusters, total)}`]), part, objects],
    }
  }
  if (changed === 0) return { forms: [`changes ${objects}`, objects] }
  const touched = new Map(groups.flatMap(({ clusters }) => clusters).map((cluster) => [objectPath(cluster), cluster]))
  const [single] = changed === 1 && touched.size === 1 ? touched.values() : []
  const where =
    total === 1
      ? '1 cluster'
      : changed === total
        ? `all ${plural(changed, 'cluster')}`
        : `${String(changed)} of ${plural(total, 'cluster')}`
  return {
    forms: [`changes ${objects} ${single === undefined ? `on ${where}` : onClusters([single], total)}`, objects],
  }
}

interface HeadlineMove extends ClassMove {
  /** Its step, where it has one of two. */
  readonly step?: 'addons' | 'class' | undefined
}

/** Clusters that get another class, whatever version they had. */
function clusterMoves(groups: TreeChange['groups'], steps: readonly StepPlan[]): readonly HeadlineMove[] {
  const moves = new ClassMoves()
  const second = new Set(steps.filter(({ due }) => due.action === 'class').map(({ cluster }) => objectPath(cluster)))
  for (const { before, after, clusters } of classMoves(groups)) moves.add({ before, after, clusters })
  return moves.all().map((move) => {
    const isSecond = move.clusters.every((cluster) => second.has(objectPath(cluster)))
    return { ...move, step: isSecond ? 'class' : undefined }
  })
}

/** Clusters that get the addons of a release, and its class in a later step. */
function addonMoves(steps: readonly StepPlan[]): readonly HeadlineMove[] {
  const moves = new ClassMoves()
  for (const { cluster, due } of steps)
    if (due.action === 'addons' && due.className !== undefined && due.addons !== undefined)
      moves.add({ before: due.className, after: due.addons, clusters: [cluster] })
  return moves.all().map((move) => ({ ...move, step: 'addons' }))
}

const stepWords = { addons: 'addons first', class: 'then the class' } as const

function movePart({ before, after, step, clusters }: HeadlineMove, on: OnClusters): CountedPart {
  const text = moveText(before, after)
  const first = step === undefined ? [] : [`${text}, ${stepWords[step]}, ${on(clusters)}`]
  return { forms: [...first, `${text} ${on(clusters)}`, text], clusters: clusters.length }
}

function arrow(before: string | undefined, after: string | undefined): string {
  return `${before ?? 'none'} → ${after ?? 'none'}`
}

/** Addons of the same clusters share a part. */
function addonParts(addons: readonly AddonChange[], on: OnClusters): readonly CountedPart[] {
  const shared = new Map<string, AddonChange[]>()
  for (const change of addons) {
    const key = change.clusters.map(objectPath).join()
    const known = shared.get(key)
    if (known === undefined) shared.set(key, [change])
    else known.push(change)
  }
  return [...shared.values()].flatMap((same): readonly CountedPart[] => {
    const [first] = same
    if (first === undefined) return []
    if (same.length === 1) return [versionPart(first.addon, first, on)]
    const where = first.clusters.length === 0 ? '' : ` ${on(first.clusters)}`
    const texts = same.map(({ addon, before, after }) => `${addon} ${arrow(before, after)}`)
    const count = plural(same.length, 'addon')
    const named = same.length <= ADDONS ? [texts.join(', ') + where] : []
    return [{ forms: [...named, count + where, count], clusters: first.clusters.length }]
  })
}

function imagePart(images: readonly ImageChange[], on: OnClusters): HeadlinePart {
  const [first, ...others] = images
  const count = plural(images.length, 'image')
  if (first === undefined || others.length > 0) return { forms: [count] }
  return { forms: [...versionPart(first.image.slice(first.image.lastIndexOf('/') + 1), first, on).forms, count] }
}
