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
}

/**
 * Names objects. Of many, those of one kind of which the same is said are one; what is said of few stands before what
 * is said of many, so that nothing hides among what is alike.
 * @param rest how many more objects there are that nobody names
 */
export function nameObjects(objects: readonly SaidObject[], rest: number, detail: Detail): string {
  if (detail === 'all' || objects.length <= NAMED) {
    const worstFirst = objects.toSorted((a, b) => Number(b.isWorse) - Number(a.isWorse))
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
  const sorted = [...alike.values()].toSorted((a, b) => Number(isWorse(b)) - Number(isWorse(a)) || a.length - b.length)
  const shown = sorted.slice(0, sorted.length > DIFFERENT + 1 ? DIFFERENT : undefined)
  const left = sorted.slice(shown.length).reduce((sum, some) => sum + some.length, rest)
  const texts = shown.map(textOf)
  return [texts.join('; '), ...(left > 0 ? [`${plural(left, 'more object')} (--all)`] : [])].join('; ')
}

function isWorse([first]: readonly SaidObject[]): boolean {
  return first?.isWorse === true
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
