import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { commandEntries } from '../../src/cli/command-table.ts'
import { nameFleet, verbsOfFleets } from '../../src/report/name-fleet.ts'
import { createShortenPath } from '../../src/report/shorten-path.ts'
import { packageFolder } from '../cli/run-cli.ts'

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

test.each([
  ['stackmason render', 'stackmason render --fleet ../f'],
  ['stackmason build a/b --fleet=x', undefined],
  ['stackmason render --join FOLDER --check', 'stackmason render --join FOLDER --check --fleet ../f'],
])('a command to run next names the fleet: %s', (command, wanted = command) => {
  expect(createShortenPath('/w', '../f').command(command)).toBe(wanted)
  expect(createShortenPath('/w').command(command)).toBe(command)
})

test('no report advises a command without asking for the fleet', async () => {
  const folder = join(packageFolder, 'src/cli')
  const verbs = (await readdir(folder)).filter((name) => name.endsWith('-command'))
  // these begin a fleet, and move into it first
  const others = verbs.filter((name) => name !== 'init-command' && name !== 'adopt-command')
  const files = [
    ...others.map((name) => join(folder, name, 'text.ts')),
    join(folder, '../report/tree-change/format-diff.ts'),
  ]
  const bare = new RegExp(String.raw`(?<!command\(['\`])\bstackmason (?:${verbsOfFleets.join('|')})\b`)
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8').catch(() => '')))
  expect(texts.filter((text) => text.includes('command(')).length).toBeGreaterThan(4)
  expect(texts.flatMap((text) => text.split('\n')).filter((line) => bare.test(line))).toEqual([])
})

test('the verbs are those that take the option', () => {
  const takers = commandEntries.filter(({ spec }) => spec.options.some(({ name }) => name === 'fleet'))
  expect([...verbsOfFleets].sort()).toEqual(takers.map(({ spec }) => spec.name).sort())
})
