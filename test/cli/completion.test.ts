import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

/** What bash offers for the words, the last of which is being typed. `program` stands in the place of stackmason. */
async function offers(words: readonly string[], folder: string, program = ''): Promise<readonly string[]> {
  await writeFile(join(folder, 'script'), (await runCli(['completion', 'bash'])).stdout)
  await writeFile(join(folder, 'stackmason'), `#!/bin/bash\n${program}\n`, { mode: 0o755 })
  const list = ['./stackmason', ...words].map((word) => `'${word}'`).join(' ')
  const typed = `source ./script; COMP_WORDS=(${list}); COMP_CWORD=${String(words.length)}; _stackmason; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', typed], { cwd: folder, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trim().split('\n').sort()
}

const exampleClusters = ['team-a/edge', 'team-a/web']

describe('completion', () => {
  test.each([
    { words: ['r'], want: ['render'] },
    { words: ['render', '--c'], want: ['--check', '--cluster'] },
    { words: ['render', '-o', ''], want: ['json', 'text'] },
    { words: ['render', '--cluster', ''], want: [''] },
    { words: ['render', '--fleet', 'm'], want: ['mine.yaml'] },
    { words: ['completion', ''], want: ['--help', '--no-color', 'bash', 'fish', 'zsh'] },
    { words: ['help', 'v'], want: ['version'] },
    { words: ['template', 'm'], want: ['mine.yaml'] },
    { words: ['template', '--re'], want: [''] },
  ])('bash offers for $words', async ({ words, want }) => {
    const folder = await tempFolder()
    await writeFile(join(folder, 'mine.yaml'), '')
    expect(await offers(words, folder)).toEqual(want)
  })

  test.each([
    { words: ['render', '--cluster', 'te'], asked: 'clusters' },
    { words: ['render', '--cluster', '='], asked: 'clusters' },
    { words: ['render', '--cluster', '=', 'te'], asked: 'clusters' },
    { words: ['update', '--fleet', 'x', '--stack', ''], asked: 'stacks' },
    { words: ['images', '--release', 'd'], asked: 'releases' },
    { words: ['list', '--source', ''], asked: 'sources' },
  ])('bash asks the program for $asked of $words', async ({ words, asked }) => {
    const folder = await tempFolder()
    const program = `printf '%s\\n' "$#" "$@" > asked; echo 'team-a/web'; echo 'a b $(touch harm) *'`
    expect(await offers(words, folder, program)).toEqual(['a b $(touch harm) *', 'team-a/web'])
    expect((await readFile(join(folder, 'asked'), 'utf8')).split('\n').slice(0, -1)).toEqual([
      String(words.length + 4),
      '__complete',
      asked,
      '--',
      './stackmason',
      ...words,
    ])
    expect(existsSync(join(folder, 'harm'))).toBe(false)
  })

  test.each(['exit 2', 'echo something is wrong >&2; exit 1', 'cat'])(
    'bash offers nothing, and says nothing, where the program ends with %s',
    async (program) => {
      expect(await offers(['render', '--cluster', ''], await tempFolder(), program)).toEqual([''])
    },
  )

  test('bash gets the names of the example fleet from the program itself', async () => {
    const folder = await tempFolder()
    const run = [join(packageFolder, 'node_modules/.bin/tsx'), join(packageFolder, 'src/main.ts')]
    const words = ['render', '--fleet', join(packageFolder, 'examples/fleet'), '--cluster', 'team-a/']
    expect(await offers(words, folder, `exec ${run.map((word) => `'${word}'`).join(' ')} "$@"`)).toEqual(
      exampleClusters,
    )
  })

  test.each(['bash', 'zsh', 'fish'])('of %s', async (shell) => {
    const { status, stdout } = await runCli(['completion', shell])
    expect(status).toBe(0)
    await expect(stdout).toMatchFileSnapshot(`../golden/completion/${shell}.txt`)
  })
})
