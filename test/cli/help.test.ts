import { describe, expect, test } from 'vitest'
import { commandTable } from '../../src/cli/command-table.ts'
import { runCli } from './run-cli.ts'

describe('help', () => {
  test('of the program', async () => {
    const { status, stdout, stderr } = await runCli(['--help'])
    expect([status, stderr]).toEqual([0, ''])
    await expect(stdout).toMatchFileSnapshot('../golden/help/stackmason.txt')
    for (const words of [[], ['-h'], ['help']]) expect((await runCli(words)).stdout).toBe(stdout)
  })

  test.each(commandTable.map(({ name }) => name))('of %s', async (name) => {
    const { status, stdout, stderr } = await runCli([name, '--help'])
    expect([status, stderr]).toEqual([0, ''])
    await expect(stdout).toMatchFileSnapshot(`../golden/help/${name}.txt`)
    for (const words of [
      [name, '-h'],
      ['help', name],
    ])
      expect((await runCli(words)).stdout).toBe(stdout)
  })

  test('fits a terminal of 100 columns, whole lines, no trailing spaces', async () => {
    for (const words of [['--help'], ...commandTable.map(({ name }) => [name, '--help'])]) {
      const { stdout } = await runCli(words)
      expect(stdout.split('\n').filter((line) => line.length > 100 || line.endsWith(' '))).toEqual([])
    }
  })
})
