import { appendFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

test.each([
  { words: ['render'], end: '2 errors; nothing was written.' },
  { words: ['render', '--check'], end: '2 errors.' },
])('$words counts errors: a check never writes, so it does not say so', async ({ words, end }) => {
  const cwd = await tempFolder()
  await runCli(['init'], { cwd })
  await appendFile(join(cwd, 'stackmason.yaml'), 'nonsense: true\nrubbish: true\n')
  const { status, stderr } = await runCli(words, { cwd })
  expect([status, stderr.trimEnd().split('\n').at(-1)]).toEqual([1, end])
})
