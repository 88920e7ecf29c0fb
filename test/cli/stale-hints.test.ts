import { execFileSync } from 'node:child_process'
import { appendFile, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
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

test('inputs that git has converted are to be checked out again first', async () => {
  const { cwd } = await rendered()
  const git = (...args: readonly string[]): string =>
    execFileSync('git', args, { cwd, env: gitTestEnvironment, encoding: 'utf8' })
  git('init', '-q')
  await rm(join(cwd, '.gitattributes'))
  await appendFile(join(cwd, VALUES), 'message: |\n  new\n  line\n')
  git('add', '.')
  git('config', 'core.autocrlf', 'true')
  await rm(join(cwd, VALUES))
  git('checkout', '-q', VALUES)
  const { stderr } = await runCli(['render', '--check', '-q'], { cwd })
  expect(stderr).toBe(
    [
      `warning INPUT_LINE_ENDS ${VALUES}: git has checked inputs out with CRLF, and the commit has LF: ${VALUES}. What they render to here may differ from what they render to in any other checkout`,
      '  → Do not commit what a render changes for that. Commit your own work on inputs; where .gitattributes lacks `* -text`, write it above the other lines, and commit that file. Then `git rm -rq --cached . && git reset -q --hard` checks all files out as they are committed.',
      'error RENDER_STALE rendered: 1 file differs from what the inputs render to',
      '  → The line ends of inputs (INPUT_LINE_ENDS) may be all that differs: check the inputs out as they are committed, and run `stackmason render --check` again. Only if it still says so, run `stackmason render` and commit the result.',
      '',
    ].join('\n'),
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
