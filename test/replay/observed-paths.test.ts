import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ObservedPaths } from '../../src/replay/observed-paths.ts'

function signature(number: number): Float64Array {
  return Float64Array.from([0o100644, number, number, number, number, 1])
}

test('what was found at a path is kept, beside thousands of others', () => {
  const paths = new ObservedPaths()
  const names = Array.from({ length: 3000 }, (_, index) => `/out/cluster-${index % 50}/file-${index}.yaml`)
  for (const [index, name] of names.entries()) {
    const path = paths.add(name, signature(index))
    path.isRead = index % 2 === 0
    if (index % 3 === 0) path.hash = `hash ${index % 7}`
    if (index % 5 === 0) path.digest = `hash ${index % 7}`
  }
  const found = new Map(paths)
  expect(found.size).toBe(names.length)
  for (const [index, name] of names.entries()) {
    const { signature: numbers, isRead, hash, digest, entries } = found.get(name) ?? {}
    const text = `hash ${index % 7}`
    const expected = [index % 2 === 0, index % 3 === 0 ? text : undefined, index % 5 === 0 ? text : undefined]
    expect([numbers, isRead, hash, digest, entries]).toEqual([signature(index), ...expected, undefined])
  }
})

test('what is set at a path is there when it is asked for again, and can be taken away', () => {
  const paths = new ObservedPaths()
  paths.add('/a', signature(1)).entries = 'file/b'
  expect(paths.get('/a')?.entries).toBe('file/b')
  Object.assign(paths.get('/a') ?? {}, { entries: undefined, hash: '' })
  expect(paths.get('/a')).toMatchObject({ entries: undefined, hash: '', digest: undefined, isRead: false })
})

test('of a path that is noted twice the first signature counts', () => {
  const paths = new ObservedPaths()
  paths.add('/a/b', signature(1)).isRead = true
  expect(paths.add('/a/b', signature(2))).toMatchObject({ signature: signature(1), isRead: true })
  expect([...paths].map(([path]) => path)).toEqual(['/a/b'])
})

test('a path is another one than its folder, and than one of the same name elsewhere', () => {
  const paths = new ObservedPaths()
  for (const [index, path] of ['/', '/a', '/a/a', '/a/b/a'].entries()) paths.add(path, signature(index))
  expect(
    [...paths].map(
      ([
        path,
        {
          signature: [, number],
        },
      ]) => [path, number],
    ),
  ).toEqual([
    ['/', 0],
    ['/a', 1],
    ['/a/a', 2],
    ['/a/b/a', 3],
  ])
  expect(['/b', '/a/b', '/a/'].map((path) => paths.has(path))).toEqual([false, false, false])
})

test('are told in order', () => {
  const name = fc.constantFrom('', 'a', 'b', 'a-b', 'a.b', 'a0', 'A', 'ä', '😀', '\uffff')
  const path = fc.array(name, { minLength: 1, maxLength: 5 }).map((names) => `/${names.join('/')}`)
  fc.assert(
    fc.property(fc.array(path, { maxLength: 60 }), (list) => {
      const paths = new ObservedPaths()
      for (const one of list) paths.add(one, signature(one.length))
      const expected = [...new Set(list)].sort()
      expect([...paths.inOrder()].map(([one]) => one)).toEqual(expected)
      expect(
        [...paths.inOrder()].map(
          ([
            ,
            {
              signature: [, number],
            },
          ]) => number,
        ),
      ).toEqual(expected.map(({ length }) => length))
      expect(paths.size).toBe(expected.length)
    }),
    { seed: 23, numRuns: 300 },
  )
})
