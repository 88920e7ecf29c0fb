import { expect, test } from 'vitest'
import { commandEntries } from '../../src/cli/command-table.ts'
import { nameFleet, verbsOfFleets } from '../../src/report/name-fleet.ts'

test.each([
  ['Run `stackmason render` and commit.', 'Run `stackmason render --fleet ../f` and commit.'],
  [
    '`stackmason update --release a` accepts it; `stackmason list` shows more.',
    '`stackmason update --release a --fleet ../f` accepts it; `stackmason list --fleet ../f` shows more.',
  ],
  ['`stackmason render --fleet x` and `stackmason render --fleet=y`', undefined],
  ['`stackmason new cluster a/b`', '`stackmason new cluster a/b --fleet ../f`'],
  ['`stackmason diff a b > c`', '`stackmason diff a b --fleet ../f > c`'],
  ['`stackmason init` or `stackmason template x`; see `stackmason --help`', undefined],
  ['stackmason render is another word, and `git stackmason render`, too', undefined],
  ['`stackmason renders` nothing', undefined],
])('commands in a text name the fleet: %s', (text, wanted = text) => {
  expect(nameFleet(text, '../f')).toBe(wanted)
})

test('a fleet is one word of a shell', () => {
  expect(nameFleet('`stackmason check`', 'my fleet')).toBe("`stackmason check --fleet 'my fleet'`")
})

test('the verbs are those that take the option', () => {
  const takers = commandEntries.filter(({ spec }) => spec.options.some(({ name }) => name === 'fleet'))
  expect([...verbsOfFleets].sort()).toEqual(takers.map(({ spec }) => spec.name).sort())
})
