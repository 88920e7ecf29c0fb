import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { commandEntries } from '../../src/cli/command-table.ts'
import { packageFolder } from './run-cli.ts'

const folder = join(packageFolder, 'src/cli')

describe('the table of commands', () => {
  test('has every verb that has a folder', () => {
    const names = readdirSync(folder).flatMap((name) => /^(.*)-command$/.exec(name)?.[1] ?? [])
    expect(commandEntries.map(({ spec }) => spec.name.replace('__', '')).sort()).toEqual(names.sort())
  })

  test.each(commandEntries.map((entry) => ({ name: entry.spec.name, entry })))(
    '$name can be loaded',
    async ({ entry }) => {
      expect(await entry.load()).toBeTypeOf('function')
    },
  )

  test.each(commandEntries.map(({ spec }) => ({ name: spec.name, spec })))(
    '$name offers JSON where it writes some, and nowhere else',
    ({ name, spec }) => {
      const command = readFileSync(join(folder, `${name.replace('__', '')}-command/command.ts`), 'utf8')
      const output = spec.options.find((option) => option.name === 'output')
      expect(output?.choices?.includes('json') ?? false).toBe(/^\s*json[,:]|, json: /m.test(command))
    },
  )
})
