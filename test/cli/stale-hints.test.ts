import { appendFile, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeFleet, VALUES } from './canary-fleet.ts'
import { runCli } from './run-cli.ts'

/** A fleet that is rendered, and a file of its tree. */
async function rendered(): Promise<{ readonly cwd: string; readonly file: string }> {
  const cwd = await makeFleet()
  await runCli(['render'], { cwd })
  const names = await readdir(join(cwd, 'rendered'), { recursive: true })
  return { cwd, file: `rendered/${names.find((name) => name.endsWith('configmap-welcome.yaml')) ?? ''}` }
}

test('a tree behind its inputs is to be rendered', async () => {
  const { cwd } = await rendered()
  await appendFile(join(cwd, VALUES), 'message: new\n')
  const { stderr } = await runCli(['render', '--check', '-q'], { cwd })
  expect(stderr).toBe(
    'error RENDER_STALE rendered: 1 file differs from what the inputs render to\n  → Run `stackmason render` and commit the result.\n',
  )
})

test('a file that was edited by hand is not to be rendered over: render refuses it', async () => {
  const { cwd, file } = await rendered()
  await appendFile(join(cwd, file), '# edited\n')
  const { stderr } = await runCli(['render', '--check', '-q'], { cwd })
  expect(stderr).toBe(
    [
      `error WRITE_HAND_EDITED ${file}: the file was edited by hand since it was rendered`,
      '  → Move the change into values or patches; then restore the file with git, or pass --overwrite-edited to give it up.',
      'error RENDER_STALE rendered: 1 file differs from what the inputs render to',
      '  → Move the edits into values or patches, restore the files with git and run `stackmason render`; or give the edits up: `stackmason render --overwrite-edited`. Then commit the result.',
      '',
    ].join('\n'),
  )
})
