import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parsePaths, pathsInOrder, PathsInOrder } from '../../src/replay/sorted-paths.ts'

/** Names that sort before and after `/`, and such as only JSON has trouble with. */
const name = fc.constantFrom('a', 'b', 'a-b', 'a.b', 'a0', 'A', 'ä', '😀', '\uffff', ' ', '0 1', '"', '\\', '\n')
const path = fc.array(name, { minLength: 0, maxLength: 4 }).map((names) => `/${names.join('/')}`)

describe('paths in order', () => {
  test('are those that were added, found where they stand', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 60 }), fc.array(path, { maxLength: 8 }), (some, others) => {
        const list = [...new Set(some)].sort()
        const paths = pathsInOrder(list)
        expect([...paths]).toEqual(list)
        expect(paths.length).toBe(list.length)
        expect(list.map((_, index) => paths.at(index))).toEqual(list)
        for (const one of [...list, ...others]) {
          expect(paths.indexOf(one)).toBe(list.includes(one) ? list.indexOf(one) : undefined)
          const first = list.findIndex((other) => other >= one)
          expect(paths.firstAt(one)).toBe(first === -1 ? list.length : first)
          expect(paths.slice(...paths.below(one))).toEqual(list.filter((other) => other.startsWith(`${one}/`)))
        }
        expect(parsePaths(paths.format())).toEqual(paths)
      }),
      { seed: 24, numRuns: 300 },
    )
  })

  test('can be taken in part', () => {
    const paths = pathsInOrder(['/a/x', '/a/y', '/a/y/z', '/b/x', '/b/y'])
    expect([...paths.entries(1, 4)]).toEqual([
      [1, '/a/y'],
      [2, '/a/y/z'],
      [3, '/b/x'],
    ])
    expect(paths.slice(3, 9)).toEqual(['/b/x', '/b/y'])
    expect(paths.slice(2, 2)).toEqual([])
  })

  test('keep equal lists of names once', () => {
    const paths = pathsInOrder(['/c/1/a', '/c/1/b', '/c/2/a', '/c/2/b', '/c/3/a'])
    expect(paths.format()).toEqual([
      ['/c/1', '/c/2', '/c/3'],
      ['a/b', 'a'],
      ['0 0', '1 0', '2 1'],
    ])
  })

  test('know of no index beside them, and take no path that is not absolute', () => {
    expect(() => pathsInOrder(['/a']).at(1)).toThrow('there is no path 1 of 1')
    expect(() => pathsInOrder([]).at(0)).toThrow('there is no path 0 of 0')
    expect(() => new PathsInOrder().add('a')).toThrow('a is no absolute path')
  })
})
