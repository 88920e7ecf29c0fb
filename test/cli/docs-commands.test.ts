import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseArguments } from '../../src/cli/arguments/parse-arguments.ts'
import { commandTable } from '../../src/cli/command-table.ts'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

const read = (page: string): string => readFileSync(join(packageFolder, page), 'utf8')
const pages: readonly string[] = [
  'README.md',
  ...readdirSync(join(packageFolder, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** The commands of stackmason in blocks for a shell, as they are typed; those that go on with more of a shell are cut there. */
function commandsOf(text: string): readonly string[] {
  const blocks = Array.from(text.matchAll(/^ *```sh\n(.*?)^ *```/gms), ([, block = '']) =>
    block.replaceAll(/\\\n\s*/g, ''),
  )
  return blocks.flatMap((block) =>
    Array.from(
      block.matchAll(/(?<=^|&& |\|\| )\s*(?:\$ )?(?:npx )?stackmason ([^#\n]*?)(?= +#|$| +(?:&&|\|\||[|>;]))/gm),
      ([, words = '']) => words.trim(),
    ),
  )
}

/** Words as a shell splits them; nothing is expanded. */
function wordsOf(command: string): readonly string[] {
  return Array.from(command.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g), ([word]) => word.replaceAll(/["']/g, ''))
}

function problemOf(command: string): string | undefined {
  const [verb = '', ...words] = wordsOf(command)
  if (verb.startsWith('-')) return undefined
  const spec = commandTable.find(({ name }) => name === verb)
  if (spec === undefined) return `there is no verb ${verb}`
  try {
    parseArguments(words, spec)
    return undefined
  } catch (error) {
    if (error instanceof StackmasonError) return error.message
    throw error
  }
}

describe('commands in the documentation', () => {
  test('each is one that the program takes', () => {
    const commands = pages.flatMap((page) => commandsOf(read(page)).map((command) => ({ page, command })))
    expect(commands.length).toBeGreaterThan(80)
    const wrong = commands.flatMap(({ page, command }) => {
      const problem = problemOf(command)
      return problem === undefined ? [] : [`${page}: stackmason ${command}: ${problem}`]
    })
    expect(wrong).toEqual([])
  })

  test.each([
    ['```sh\nstackmason rendr\n```\n', ['rendr']],
    ['```sh\ncd x && stackmason check --base origin/main | tee x\n```\n', ['check --base origin/main']],
    ['```yaml\n- run: stackmason rendr\n```\n', []],
  ])('%j has %j', (text, commands) => {
    expect(commandsOf(text)).toEqual(commands)
  })

  test('a command that is not there is found', () => {
    expect(
      ['rendr', 'render --chek', 'diff a b c', 'render --check'].map((one) => problemOf(one) !== undefined),
    ).toEqual([true, true, true, false])
  })

  test('the first page: the commands of each role, one after the other', async () => {
    const [platform = '', provider = '', owner = ''] = Array.from(
      read('docs/34-start-here.md').matchAll(/^```sh\n.*?^```/gms),
      ([block]) => block,
    )
    const outside = await tempFolder()
    const [init = '', ...inFleet] = commandsOf(platform)
    const fleet = join(outside, 'my-fleet')
    expect((await runCli(wordsOf(init), { cwd: outside })).status).toBe(0)
    for (const command of inFleet)
      expect([command, (await runCli(wordsOf(command), { cwd: fleet })).status]).toEqual([command, 0])
    for (const command of commandsOf(owner))
      expect([command, (await runCli(wordsOf(command), { cwd: fleet })).status]).toEqual([command, 0])
    const alone = await tempFolder()
    for (const command of commandsOf(provider))
      expect([command, (await runCli(wordsOf(command), { cwd: alone })).status]).toEqual([command, 0])
    expect([inFleet.length, commandsOf(owner).length, commandsOf(provider).length]).toEqual([4, 4, 4])
  })
})
