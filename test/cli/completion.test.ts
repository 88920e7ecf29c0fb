import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { builtProgram } from '../../tools/built-program.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'
import { hasShell, typeInShell } from './type-in-shell.ts'

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
    { words: ['r'], want: ['render', 'report'] },
    { words: ['render', '--c'], want: ['--check', '--cluster'] },
    { words: ['render', '-o', ''], want: ['json', 'text'] },
    { words: ['render', '--cluster', ''], want: [''] },
    { words: ['render', '--fleet', 'm'], want: ['mine.yaml'] },
    { words: ['completion', ''], want: ['--help', '--no-color', 'bash', 'fish', 'zsh'] },
    { words: ['help', 'v'], want: ['variables', 'version'] },
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
    const run = [process.execPath, await builtProgram()]
    const words = ['render', '--fleet', join(packageFolder, 'examples/fleet'), '--cluster', 'team-a/']
    expect(await offers(words, folder, `exec ${run.map((word) => `'${word}'`).join(' ')} "$@"`)).toEqual(
      exampleClusters,
    )
  })

  describe.each(['zsh', 'fish'] as const)('%s', (shell) => {
    const isThere = hasShell(shell)
    if (!isThere) console.warn(`SKIPPED: what ${shell} completes, because ${shell} is not installed`)

    test.skipIf(!isThere).each([
      { line: 'r', want: ['render', 'report'] },
      { line: 'render --c', want: ['--check', '--cluster'] },
      { line: 'render -o ', want: ['json', 'text'] },
      { line: 'render --output ', want: ['json', 'text'] },
      { line: 'render --output=', want: ['json', 'text'] },
      { line: 'render --output=j', want: ['json'] },
      { line: 'render --fleet m', want: ['mine.yaml'] },
      { line: 'render --fleet=m', want: ['mine.yaml'] },
      { line: 'completion ', want: ['bash', 'fish', 'zsh'] },
      { line: 'help v', want: ['variables', 'version'] },
      { line: 'help render -', want: ['--help', '--no-color', '-h'] },
      { line: 'template list --sta', want: [] },
      { line: 'template m', want: ['mine.yaml'] },
      { line: 'explain m', want: ['mine.yaml'] },
      { line: 'new cluster --endpoint ', want: [] },
      { line: 'init s', want: ['sub'] },
      { line: 'template --re', want: [] },
    ])('offers for $line', async ({ line, want }) => {
      const folder = await tempFolder()
      await mkdir(join(folder, 'sub'))
      await writeFile(join(folder, 'mine.yaml'), '')
      const { stdout: script } = await runCli(['completion', shell])
      const offers = await typeInShell(shell, `stackmason ${line}`, { folder, script })
      // fish offers the whole word, and folders with their slash
      expect(offers.map((offer) => offer.replace(/^--[a-z]+=/, '').replace(/\/$/, ''))).toEqual(want)
    })

    test.skipIf(!isThere).each([
      { words: ['render', '--cluster', 'te'], asked: 'clusters', want: ['team-a/web'] },
      { words: ['render', '--cluster=te'], asked: 'clusters', want: ['team-a/web'] },
      {
        words: ['update', '--fleet', 'x', '--stack', ''],
        asked: 'stacks',
        want: ['a b $(touch harm) *', 'team-a/web'],
      },
      { words: ['images', '--release', 't'], asked: 'releases', want: ['team-a/web'] },
      { words: ['list', '--source', ''], asked: 'sources', want: ['a b $(touch harm) *', 'team-a/web'] },
    ])('asks the program for $asked of $words', async ({ words, asked, want }) => {
      const folder = await tempFolder()
      const program = `printf '%s\\n' "$@" > asked; echo 'team-a/web'; echo 'a b $(touch harm) *'`
      await writeFile(join(folder, 'stackmason'), `#!/bin/bash\n${program}\n`, { mode: 0o755 })
      const { stdout: script } = await runCli(['completion', shell])
      const offers = await typeInShell(shell, `stackmason ${words.join(' ')}`, { folder, script })
      expect(offers.map((offer) => offer.replace(/^--[a-z]+=/, ''))).toEqual(want)
      expect((await readFile(join(folder, 'asked'), 'utf8')).split('\n').slice(0, -1)).toEqual([
        '__complete',
        asked,
        '--',
        'stackmason',
        ...words,
      ])
      expect(existsSync(join(folder, 'harm'))).toBe(false)
    })

    test.skipIf(!isThere).each(['exit 2', 'echo something is wrong >&2; exit 1', 'cat'])(
      'offers nothing where the program ends with %s',
      async (program) => {
        const folder = await tempFolder()
        await writeFile(join(folder, 'stackmason'), `#!/bin/bash\n${program}\n`, { mode: 0o755 })
        const { stdout: script } = await runCli(['completion', shell])
        expect(await typeInShell(shell, 'stackmason render --cluster ', { folder, script })).toEqual([])
      },
    )
  })

  test.skipIf(!hasShell('zsh'))('zsh loads the script from a folder of its path', async () => {
    const { stdout: script } = await runCli(['completion', 'zsh'])
    const setup = { folder: await tempFolder(), script, install: 'fpath' } as const
    expect(await typeInShell('zsh', 'stackmason render --c', setup)).toEqual(['--check', '--cluster'])
  })

  test.each(['bash', 'zsh', 'fish'])('of %s', async (shell) => {
    const { status, stdout } = await runCli(['completion', shell])
    expect(status).toBe(0)
    await expect(stdout).toMatchFileSnapshot(`../golden/completion/${shell}.txt`)
  })
})
