import { expect, test } from 'vitest'
import { makeFleet } from './canary-fleet.ts'
import { runCli } from './run-cli.ts'

test.each([
  {
    words: ['explain', 'gone.yaml'],
    want: 'error USAGE gone.yaml: there is no such file to explain\n  → See `stackmason explain --help`.\n',
  },
  {
    words: ['render', '--nope'],
    want: 'error USAGE render has no option --nope\n  → See `stackmason render --help`.\n',
  },
])('wrong usage of $words names the help of its command', async ({ words, want }) => {
  const { status, stderr } = await runCli(words, { cwd: await makeFleet() })
  expect([status, stderr]).toEqual([2, want])
})
