import { formatGoJson } from '../codec/json/go-json.ts'
import { textAt } from '../model/field.ts'
import { dict, Dict, type Value } from '../model/value.ts'
import { type Generalize, generalizeValue } from './cluster-variables.ts'

/** The replacements of two clusters' own texts. */
export interface PairGeneralize {
  readonly before: Generalize
  readonly after: Generalize
}

/**
 * Two objects of two clusters with the clusters' own texts replaced, but for texts that are equal as they stand: there
 * a cluster's name is part of something else, such as `os` in `provider-os/agent`.
 */
export function generalizePair(before: Dict, after: Dict, own: PairGeneralize): readonly [Dict, Dict] {
  const keyOf = (key: string, generalize: Generalize): string =>
    before.has(key) && after.has(key) ? key : generalize(key)
  const olds = [...before].map(([key, value]): [string, Value] => [keyOf(key, own.before), value])
  const nows = new Map([...after].map(([key, value]): [string, Value] => [keyOf(key, own.after), value]))
  const pairs = new Map(
    olds.flatMap(([key, old]) => {
      const now = nows.get(key)
      return now === undefined ? [] : [[key, pairValues(old, now, own)] as const]
    }),
  )
  return [
    dict(olds.map(([key, old]) => [key, pairs.get(key)?.[0] ?? generalizeValue(old, own.before)])),
    dict([...nows].map(([key, now]) => [key, pairs.get(key)?.[1] ?? generalizeValue(now, own.after)])),
  ]
}

function pairValues(before: Value, after: Value, own: PairGeneralize): readonly [Value, Value] {
  if (typeof before === 'string' && typeof after === 'string') return pairTexts(before, after, own)
  if (before instanceof Dict && after instanceof Dict) return generalizePair(before, after, own)
  if (Array.isArray(before) && Array.isArray(after)) return pairLists(before, after, own)
  return [generalizeValue(before, own.before), generalizeValue(after, own.after)]
}

function pairTexts(before: string, after: string, own: PairGeneralize): readonly [string, string] {
  if (before === after) return [before, after]
  const [old, now] = [own.before(before), own.after(after)]
  // what holds the other cluster's name, too, does not hold it as a name
  const isForeign = own.after(old) !== old || own.before(now) !== now
  return old !== now && isForeign ? [before, after] : [old, now]
}

function pairLists(before: readonly Value[], after: readonly Value[], own: PairGeneralize): readonly [Value, Value] {
  const olds = before.map((item) => generalizeValue(item, own.before))
  const nows = after.map((item) => generalizeValue(item, own.after))
  for (const [at, to] of counterparts(before, after, own)) {
    const [old, now] = pairValues(before[at] ?? null, after[to] ?? null, own)
    olds[at] = old
    nows[to] = now
  }
  return [olds, nows]
}

/** What two items that stand for each other have in common: all, or else the name, but for those of clusters. */
const identities: readonly ((item: Value, generalize: Generalize) => string)[] = [
  (item) => formatGoJson(item, { escapeHtml: false }),
  (item) => textAt(item, 'name'),
  (item, generalize) => generalize(textAt(item, 'name')),
]

/** The places of items that stand for each other; those without a name do so in their order. */
function counterparts(
  before: readonly Value[],
  after: readonly Value[],
  own: PairGeneralize,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  const free = new Set(after.keys())
  for (const identityOf of identities) {
    const places = new Map<string, number[]>()
    for (const to of free) {
      const id = identityOf(after[to] ?? null, own.after)
      const same = places.get(id)
      if (same === undefined) places.set(id, [to])
      else same.push(to)
    }
    for (const [at, item] of before.entries()) {
      const to = found.has(at) ? undefined : places.get(identityOf(item, own.before))?.shift()
      if (to === undefined) continue
      found.set(at, to)
      free.delete(to)
    }
  }
  return found
}
