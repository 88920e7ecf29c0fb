import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBytes } from '../../src/codec/text/text-order.ts'
import { inPathOrder, pathIn } from '../../src/write/path-order.ts'

test('files of folders come in the order of their whole paths', () => {
  const word = fc.constantFrom('a', 'a-b', 'a.b', 'ab', 'b', 'é', '0')
  const folder = fc.array(word, { maxLength: 3 }).map((parts) => parts.map((part) => `d${part}`).join('/'))
  fc.assert(
    fc.property(fc.dictionary(folder, fc.uniqueArray(word)), (content) => {
      const folders = new Map(Object.entries(content))
      const runs = [...inPathOrder(folders, (names) => names)]
      const paths = runs.flatMap(({ path, names }) => names.map((name) => pathIn(path, name)))
      const all = [...folders].flatMap(([path, names]) => names.map((name) => pathIn(path, name)))
      expect(paths).toEqual(all.toSorted(compareBytes))
    }),
    { seed: 7 },
  )
})
