import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isSameList, SharedLists, withNamesOf } from '../../src/write/folder-hashes.ts'
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

  test('says what the list says, however like or unlike those before it is', () => {
    const hash = fc.integer({ min: 0, max: 5 }).map((digit) => createHash('sha256').update(String(digit)).digest('hex'))
    const names = fc.constantFrom<readonly string[]>(
      ['a.yaml'],
      ['a.yaml', 'b.yaml', 'c.yaml', 'd.yaml'],
      ['é.yaml', '__proto__'],
      Array.from({ length: 100 }, (_, index) => `${String(index)}.yaml`),
      [],
    )
    const list = names.chain((own) =>
      fc
        .tuple(fc.array(hash, { minLength: own.length, maxLength: own.length }), fc.boolean(), fc.boolean())
        .map(([values, isOdd, isLone]) => {
          const entries = own.map((name, index): [string, string] => [
            isLone ? `${values.join('').slice(0, 20)}-${name}` : name,
            isOdd && index === 0 ? 'no hash' : (values[index] ?? ''),
          ])
          return new Map(entries)
        }),
    )
    fc.assert(
      fc.property(fc.array(list, { maxLength: 20 }), (lists) => {
        const shared = new SharedLists(ports.crypto)
        const made = lists.map((one) => [one, shared.share(one)] as const)
        for (const [one, like] of made) {
          expect([...like]).toEqual([...one])
          expect(like.size).toBe(one.size)
          for (const [name, value] of one) expect([like.get(name), like.has(name)]).toEqual([value, true])
          expect([like.get('none'), like.has('none')]).toEqual([undefined, false])
        }
      }),
      { seed: 20_261_129, numRuns: 200 },
    )
  })
})

describe('a list with the names of another one', () => {
  const hashes = new Map([
    ['x.yaml', A],
    ['y.yaml', B],
  ])

  test('has one value for all', () => {
    const list = withNamesOf(
      new Map([
        ['x.yaml', 'added'],
        ['y.yaml', 'added'],
      ]),
      hashes,
    )
    expect(list && [...list]).toEqual([
      ['x.yaml', 'added'],
      ['y.yaml', 'added'],
    ])
    expect([list?.size, list?.get('y.yaml'), list?.get('z.yaml'), list?.has('z.yaml')]).toEqual([
      2,
      'added',
      undefined,
      false,
    ])
  })

  test.each<readonly [string, readonly (readonly [string, string])[]]>([
    [
      'two values',
      [
        ['x.yaml', 'added'],
        ['y.yaml', 'changed'],
      ],
    ],
    ['fewer names', [['x.yaml', 'added']]],
    [
      'other names',
      [
        ['x.yaml', 'added'],
        ['z.yaml', 'added'],
      ],
    ],
    ['none', []],
  ])('is none: %s', (_, list) => {
    expect(withNamesOf(new Map(list), hashes)).toBeUndefined()
  })
})
