import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

/** What bash offers for the words, the last of which is being typed. */
async function offers(words: readonly string[], folder: string): Promise<readonly string[]> {
  await writeFile(join(folder, 'script'), (await runCli(['completion', 'bash'])).stdout)
  const list = ['stackmason', ...words].map((word) => `'${word}'`).join(' ')
  const program = `source ./script; COMP_WORDS=(${list}); COMP_CWORD=${String(words.length)}; _stackmason; printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', program], { cwd: folder, encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trim().split('\n').sort()
}

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

  test.each(['bash', 'zsh', 'fish'])('of %s', async (shell) => {
    const { status, stdout } = await runCli(['completion', shell])
    expect(status).toBe(0)
    await expect(stdout).toMatchFileSnapshot(`../golden/completion/${shell}.txt`)
  })
})
