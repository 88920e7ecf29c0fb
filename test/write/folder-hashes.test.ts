import { describe, expect, test } from 'vitest'
import { isSameList, SharedLists } from '../../src/write/folder-hashes.ts'
import { ports } from './trees.ts'

const [A, B, C] = ['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(64)]

describe('a shared list', () => {
  test('says what the list says', () => {
    const lists = new SharedLists(ports.crypto)
    for (const list of [
      new Map<string, string>(),
      new Map([['x.yaml', A]]),
      new Map([
        ['x.yaml', A],
        ['y.yaml', B],
      ]),
      // the same names with other hashes, and in another order
      new Map([
        ['x.yaml', C],
        ['y.yaml', B],
      ]),
      new Map([
        ['y.yaml', C],
        ['x.yaml', B],
      ]),
      new Map([['__proto__', A]]),
    ]) {
      const shared = lists.share(list)
      expect([...shared]).toEqual([...list])
      expect([...shared.entries()]).toEqual([...list])
      expect([...shared.keys()]).toEqual([...list.keys()])
      expect([...shared.values()]).toEqual([...list.values()])
      expect(shared.size).toBe(list.size)
      for (const name of ['x.yaml', 'y.yaml', '__proto__', 'constructor']) {
        expect(shared.get(name)).toBe(list.get(name))
        expect(shared.has(name)).toBe(list.has(name))
      }
      const each: unknown[] = []
      shared.forEach((value, name, own) => each.push([name, value, own === shared]))
      expect(each).toEqual(Array.from(list, (entry) => [...entry, true]))
      expect(isSameList(shared, list) && isSameList(list, shared)).toBe(true)
    }
  })

  test('is one with equal ones, also where others came between', () => {
    const lists = new SharedLists(ports.crypto)
    const list = (hash: string): ReadonlyMap<string, string> => lists.share(new Map([['x.yaml', hash]]))
    const [one, other] = [list(A), list(B)]
    expect(other).not.toBe(one)
    expect(list(A)).toBe(one)
    expect(list(B)).toBe(other)
  })

  test('of many is not mixed up with those that came before', () => {
    const lists = new SharedLists(ports.crypto)
    const made = Array.from({ length: 2000 }, (_, index) => {
      const list = new Map([
        [`x-${String(index % 300)}.yaml`, String(index % 7)],
        ['y.yaml', String(index % 5)],
      ])
      return [list, lists.share(list)] as const
    })
    for (const [list, shared] of made) expect([...shared]).toEqual([...list])
  })
})
