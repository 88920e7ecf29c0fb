import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packSections, type Section, single } from '../../../src/report/pull-request/pack-sections.ts'

const measure = (text: string): number => text.length

function list(entries: readonly (readonly [rank: number, text: string][])[]): Section {
  return {
    head: '<',
    entries: entries.map((forms) => forms.map(([rank, text]) => ({ rank, text }))),
    foot: '>',
    rest: (left) => `+${String(left)}`,
  }
}

function packed(sections: Readonly<Record<string, Section>>, room: number): Readonly<Record<string, string>> {
  return Object.fromEntries(packSections(new Map(Object.entries(sections)), room, measure))
}

const entry = (text: string): readonly [number, string][] => [
  [10, text.slice(0, 1)],
  [20, text],
]

test.each([
  { room: 0, a: '' },
  { room: 2, a: '+3' },
  { room: 4, a: '+3' },
  // head, foot, one entry and two that are left
  { room: 5, a: '<a+2>' },
  { room: 6, a: '<abc>' },
  // the first gets its whole form first
  { room: 7, a: '<aaabc>' },
  { room: 9, a: '<aaabbbc>' },
  { room: 99, a: '<aaabbbccc>' },
])('entries in $room characters', ({ room, a }) => {
  expect(packed({ a: list([entry('aaa'), entry('bbb'), entry('ccc')]) }, room)).toEqual({ a })
})

test('a long entry does not keep shorter ones out', () => {
  expect(packed({ a: list([[[10, 'x'.repeat(50)]], [[10, 'y']]]) }, 10)).toEqual({ a: '<y+1>' })
})

test('what is worth more gets room first, wherever it stands', () => {
  const sections = { a: single([{ rank: 30, text: 'aaaa' }]), b: single([{ rank: 10, text: 'bbbb' }]) }
  expect(packed(sections, 7)).toEqual({ a: '', b: 'bbbb' })
  expect(packed(sections, 8)).toEqual({ a: 'aaaa', b: 'bbbb' })
})

test('that something is left out is said before most entries', () => {
  const sections = { a: list([[[4, 'aa']]]), b: list([[[10, 'bbb']]]), c: list([[[90, 'c']]]) }
  expect(packed(sections, 8)).toEqual({ a: '<aa>', b: '+1', c: '+1' })
})

test('whatever there is, it fits', () => {
  const forms = fc.array(fc.record({ rank: fc.nat(99), text: fc.string() }), { minLength: 1, maxLength: 3 })
  const section = fc.record({
    head: fc.string(),
    entries: fc.array(forms, { maxLength: 5 }),
    foot: fc.string(),
    rest: fc.constant((left: number) => `${String(left)} more`),
  })
  fc.assert(
    fc.property(fc.dictionary(fc.string(), section), fc.nat(300), (sections, room) => {
      const text = Object.values(packed(sections, room)).join('')
      expect(text.length).toBeLessThanOrEqual(room)
    }),
    { seed: 22 },
  )
})
