import { CelFailure } from '../cel-failure.ts'
import { type CelData, type CelFunction, celMethod, isEqualData, isList, Optional } from '../cel-values.ts'
import { work } from '../cel-work.ts'

/** `list.isSorted()`, `list.sum()` and the like. */
export const listFunctions: readonly CelFunction[] = [
  celMethod('isSorted', ['list'], ([list]) => {
    const items = itemsOf(list)
    return items.every((item, index) => index === 0 || compare(items[index - 1] ?? null, item) <= 0)
  }),
  celMethod('sum', ['list'], ([list]) => itemsOf(list).reduce<CelData>(plus, 0n)),
  celMethod('min', ['list'], ([list]) => extreme(itemsOf(list), -1)),
  celMethod('max', ['list'], ([list]) => extreme(itemsOf(list), 1)),
  celMethod('indexOf', ['list', 'any'], ([list, wanted = null]) =>
    BigInt(itemsOf(list).findIndex((item) => isEqualData(item, wanted))),
  ),
  celMethod('lastIndexOf', ['list', 'any'], ([list, wanted = null]) => {
    const items = itemsOf(list)
    const fromEnd = [...items].reverse().findIndex((item) => isEqualData(item, wanted))
    return BigInt(fromEnd === -1 ? -1 : items.length - 1 - fromEnd)
  }),
  celMethod('reverse', ['list'], ([list]) => [...itemsOf(list)].reverse()),
  celMethod('distinct', ['list'], ([list]) => {
    const items = itemsOf(list)
    return items.filter((item, index) => items.findIndex((other) => isEqualData(item, other)) === index)
  }),
  celMethod('flatten', ['list'], ([list]) => itemsOf(list).flatMap((item) => (isList(item) ? item : [item]))),
  celMethod('flatten', ['list', 'int'], ([list, depth]) => {
    if (typeof depth !== 'bigint' || depth < 0n) throw new CelFailure('a list is flattened 0 times or more')
    return flattened(itemsOf(list), depth)
  }),
  celMethod('first', ['list'], ([list]) => new Optional(itemsOf(list).slice(0, 1))),
  celMethod('last', ['list'], ([list]) => new Optional(itemsOf(list).slice(-1))),
  celMethod('sort', ['list'], ([list]) => [...itemsOf(list)].sort(compare)),
  celMethod('slice', ['list', 'int', 'int'], ([list, start, end]) => {
    const [items, from, to] = [itemsOf(list), Number(start), Number(end)]
    if (from < 0 || to > items.length || from > to) throw new CelFailure('index out of bounds')
    return items.slice(from, to)
  }),
]

function flattened(items: readonly CelData[], depth: bigint): readonly CelData[] {
  work(items.length)
  return depth === 0n ? items : items.flatMap((item) => (isList(item) ? flattened(item, depth - 1n) : [item]))
}

function itemsOf(list: CelData | undefined): readonly CelData[] {
  return isList(list) ? list : []
}

function compare(one: CelData, other: CelData): number {
  if (
    (typeof one === 'string' && typeof other === 'string') ||
    (typeof one === 'bigint' && typeof other === 'bigint') ||
    (typeof one === 'number' && typeof other === 'number') ||
    (typeof one === 'boolean' && typeof other === 'boolean')
  )
    return one < other ? -1 : one > other ? 1 : 0
  throw new CelFailure('found no matching overload: the items of the list have no order')
}

function extreme(items: readonly CelData[], side: 1 | -1): CelData {
  const [first, ...rest] = items
  if (first === undefined) throw new CelFailure('min and max of an empty list')
  return rest.reduce((best, item) => (Math.sign(compare(item, best)) === side ? item : best), first)
}

function plus(one: CelData, other: CelData): CelData {
  if (typeof one === 'bigint' && typeof other === 'bigint') return one + other
  // the sum of no items is an integer
  if (one === 0n && typeof other === 'number') return other
  if (typeof one === 'number' && typeof other === 'number') return one + other
  throw new CelFailure('found no matching overload: the items of the list have no sum')
}
