import { expect, it } from 'vitest'
import { nearestName } from '../../src/model/nearest-name.ts'

it.each([
  ['sourcs', 'sources'],
  ['SOURCES', 'sources'],
  ['autosubscribe', 'autoSubscribe'],
  ['soruces', 'sources'],
  ['sour', 'sources'],
  ['output', undefined],
  ['', undefined],
  ['x'.repeat(1_000_000), undefined],
])('%.20s means %s', (name, want) => {
  expect(nearestName(name, ['sources', 'autoSubscribe', 'stacks'])).toBe(want)
})
