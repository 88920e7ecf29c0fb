import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundled } from '../../tools/bundled.ts'
import { ProgramError, SmallShell } from '../../tools/servers/small-shell.ts'
import { packageFolder } from '../cli/run-cli.ts'
import { tempFolder } from '../support/temp-folder.ts'

const shell = new SmallShell({ PATH: process.env['PATH'], SAID: 'of the environment' })

test.each([{ words: [] }, { words: ["it's", '', '$HOME `id` \\', '*', 'a\nb\n'] }, { words: ['-n', '#', ';', "'''"] }])(
  'gives a program its words as they are: $words',
  async ({ words }) => {
    const told = shell.run('for word; do printf "<%s>" "$word"; done', words, await tempFolder())
    expect(told).toBe(words.map((word) => `<${word}>`).join(''))
  },
)

test('runs it in a folder of any name, in its own environment, with nothing to read', async () => {
  const folder = join(await tempFolder(), "it's a $folder")
  mkdirSync(folder)
  expect(shell.run('pwd; printf "%s" "$SAID"; cat', [], folder)).toBe(`${realpathSync(folder)}\nof the environment`)
})

test('returns more than a pipe holds', async () => {
  expect(shell.run('head -c 1000000 /dev/zero | tr "\\0" x', [], await tempFolder())).toBe('x'.repeat(1_000_000))
})

test('tells of a failure, and goes on', async () => {
  const folder = await tempFolder()
  const failure = new ProgramError('echo why >&2; exit $1 7', 7, 'why\n')
  expect(() => shell.run('echo why >&2; exit $1', ['7'], folder)).toThrow(failure)
  expect(() => shell.run('true', [], join(folder, 'gone'))).toThrow(/^Command failed: true\n.*gone/)
  expect(shell.run('exec printf "%s" "$1"', ['next'], folder)).toBe('next')
})

test.each(['', 'process.kill(process.pid, "SIGKILL")'])(
  'goes with its process, whatever ends that: %s',
  async (end) => {
    const folder = await tempFolder()
    const module = join(packageFolder, 'tools/servers/small-shell.ts')
    const program = await bundled({
      text: `import { SmallShell } from ${JSON.stringify(module)}
const shell = new SmallShell(process.env)
console.log(shell.run('ls "$TMPDIR"', [], '/'))
${end}`,
    })
    const env = { ...process.env, TMPDIR: folder }
    const { stdout } = spawnSync(process.execPath, [program], { encoding: 'utf8', env })
    expect(stdout).toMatch(/^stackmason-shell-\w+\n\n$/)
    await expect.poll(() => readdirSync(folder), { timeout: 20_000 }).toEqual([])
  },
)
