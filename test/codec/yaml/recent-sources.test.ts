import { expect, test } from 'vitest'
import { RecentSources } from '../../../src/codec/yaml/recent-sources.ts'
import type { Source } from '../../../src/model/source.ts'

const sourceOf = (name: string, length: number): Source => ({ name, text: ' '.repeat(length) })

test('what was asked for last is made once, and long texts push out those before them', () => {
  const [a, b, c] = [sourceOf('a', 400_000), sourceOf('b', 400_000), sourceOf('c', 400_000)]
  const long = sourceOf('long', 2_000_000)
  const recent = new RecentSources<string>()
  const made: string[] = []
  for (const source of [a, b, a, c, a, b, long, long, a])
    recent.get(source, () => {
      made.push(source.name)
      return source.name
    })
  expect(made).toEqual(['a', 'b', 'c', 'b', 'long', 'a'])
})

test('of short texts only some hundred are remembered', () => {
  const recent = new RecentSources<number>()
  const sources = Array.from({ length: 500 }, (_, index) => sourceOf(String(index), 0))
  const made: number[] = []
  const ask = (index: number): number =>
    recent.get(sources[index] ?? sourceOf('none', 0), () => {
      made.push(index)
      return index
    })
  for (const index of sources.keys()) ask(index)
  made.length = 0
  expect(ask(0)).toBe(0)
  recent.get(sourceOf('one more', 0), () => -1)
  expect([ask(0), ask(2), ask(1)]).toEqual([0, 2, 1])
  expect(made).toEqual([1])
})
