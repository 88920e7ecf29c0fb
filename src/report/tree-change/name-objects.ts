import { shownKind } from '../../model/shown-name.ts'
import type { FoldedObject } from '../../model/tree-change.ts'
import { plural } from '../plural.ts'
import { objectTitle } from './describe-risk.ts'
import type { Detail } from './name-clusters.ts'

/** Objects that are named one by one; more are told by what they have in common. */
const NAMED = 4
/** Different things that one line tells, and names of each. */
const [DIFFERENT, EXAMPLES] = [8, 3]

/** An object, and what is said of it behind its name. */
export interface SaidObject {
  readonly object: FoldedObject
  /** `''`: nothing. */
  readonly said: string
  /** True if it must stand before others. */
  readonly isWorse: boolean
  /** Of those that are equal in this, the lower stands first. */
  readonly rank: number
}

/** Kinds that hold data, or other objects. */
const holding: readonly string[] = ['StatefulSet', 'PersistentVolumeClaim', 'CustomResourceDefinition', 'Namespace']
const running: readonly string[] = ['Deployment', 'DaemonSet']
/** Of kinds that none of these are. */
const [CUSTOM, OTHER] = [holding.length + running.length, holding.length + running.length + 1]

/** True if it matters most to whom an object of the kind belongs. */
export function holdsMuch({ kind }: FoldedObject): boolean {
  return holding.includes(kind)
}

/** The place of an object among others that go or move: 0 for what is missed most. */
export function rankOf({ apiVersion, kind }: FoldedObject): number {
  const known = [...holding, ...running].indexOf(kind)
  if (known !== -1) return known
  const group = apiVersion.slice(0, Math.max(apiVersion.indexOf('/'), 0))
  return group.includes('.') && !group.endsWith('.k8s.io') ? CUSTOM : OTHER
}

/**
 * Names objects. Of many, those of one kind of which the same is said are one; what is said of few stands before what
 * is said of many, so that nothing hides among what is alike.
 * @param rest how many more objects there are that nobody names
 */
export function nameObjects(objects: readonly SaidObject[], rest: number, detail: Detail): string {
  if (detail === 'all' || objects.length <= NAMED) {
    const worstFirst = objects.toSorted(byWeight)
    const titles = worstFirst.map(({ object, said }) => objectTitle(object) + said)
    return [titles.join(', '), ...(rest > 0 ? [plural(rest, 'more object')] : [])].join(' and ')
  }
  const alike = new Map<string, SaidObject[]>()
  for (const one of objects) {
    const key = JSON.stringify([one.object.apiVersion, one.object.kind, one.said, one.isWorse])
    const known = alike.get(key)
    if (known === undefined) alike.set(key, [one])
    else known.push(one)
  }
  const sorted = [...alike.values()].toSorted(
    ([a, ...as], [b, ...bs]) => (a && b ? byWeight(a, b) : 0) || as.length - bs.length,
  )
  const shown = sorted.slice(0, sorted.length > DIFFERENT + 1 ? DIFFERENT : undefined)
  const left = sorted.slice(shown.length).reduce((sum, some) => sum + some.length, rest)
  const texts = shown.map(textOf)
  return [texts.join('; '), ...(left > 0 ? [`${plural(left, 'more object')} (--all)`] : [])].join('; ')
}

function byWeight(a: SaidObject, b: SaidObject): number {
  return Number(b.isWorse) - Number(a.isWorse) || a.rank - b.rank
}

function textOf(alike: readonly SaidObject[]): string {
  const [first] = alike
  if (first === undefined) return ''
  if (alike.length === 1) return objectTitle(first.object) + first.said
  const kind = shownKind(first.object.kind)
  // without the kind, which all of them have
  const names = alike.slice(0, EXAMPLES).map(({ object }) => objectTitle(object).slice(kind.length + 1))
  return `${String(alike.length)} ${kind}${first.said}: ${names.join(', ')}${alike.length > EXAMPLES ? ', \u2026' : ''}`
}
