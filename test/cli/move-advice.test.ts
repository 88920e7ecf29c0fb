import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
import { bothClusters, type HandoffFleet, handoffFleet } from '../pipeline/handoff-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

const PLAIN = 'then render and commit all of it: docs/02-fleet-repository.md, "The output folder".'

function setOutput(fleet: HandoffFleet, path: string): void {
  fleet.handTo('flux', `output: {path: ${JSON.stringify(path)}}`)
}

/** What render says of an output folder that is not where the tree is: message and advice. */
async function refusal({ folder }: HandoffFleet): Promise<readonly string[]> {
  const { status, stderr } = await runCli(['render', '-q'], { cwd: folder })
  expect(status).toBe(1)
  const lines = stderr.trimEnd().split('\n')
  expect(lines.length).toBe(4)
  return [lines[0] ?? '', lines[3] ?? '']
}

/** Runs the commands of an advice as somebody who pastes them. */
function paste(advice: string, cwd: string): void {
  const [, command = ''] = /with `(.*?)`, then render/.exec(advice) ?? []
  execFileSync('sh', ['-ec', command], { cwd, env: gitTestEnvironment })
}

async function expectMoved({ folder }: HandoffFleet): Promise<void> {
  const { status, stdout } = await runCli(['render'], { cwd: folder })
  expect([status, /: \d+ files written/.exec(stdout)?.[0]]).toEqual([0, ': 0 files written'])
}

const cases: readonly {
  readonly name: string
  readonly path: string
  readonly prepare?: (fleet: HandoffFleet) => void
  readonly commands: string
}[] = [
  { name: 'a new folder', path: 'deploy', commands: 'git mv rendered deploy' },
  { name: 'a name with a space', path: 'my deploy', commands: "git mv rendered 'my deploy'" },
  { name: 'a name with a quote', path: "it's $HOME", commands: String.raw`git mv rendered 'it'\''s $HOME'` },
  {
    name: 'a folder whose parent is not there',
    path: 'deploy/to/prod',
    commands: 'mkdir -p deploy/to && git mv rendered deploy/to/prod',
  },
  {
    name: 'an empty folder',
    path: 'deploy',
    prepare: (fleet) => mkdirSync(fleet.path('deploy')),
    commands: 'rmdir deploy && git mv rendered deploy',
  },
  {
    name: 'a folder inside of the tree',
    path: 'rendered/flux/prod',
    commands: 'git mv rendered rendered.moved && mkdir -p rendered/flux && git mv rendered.moved rendered/flux/prod',
  },
  {
    name: 'a folder that is to take the place of one with nothing else in it',
    path: 'deploy',
    prepare: (fleet) => {
      mkdirSync(fleet.path('deploy'))
      renameSync(fleet.path('rendered'), fleet.path('deploy/flux'))
      fleet.commit()
    },
    commands: 'git mv deploy/flux deploy.moved && rmdir deploy && git mv deploy.moved deploy',
  },
  {
    name: 'a new folder, after the old one was removed by hand',
    path: 'deploy',
    prepare: (fleet) => fleet.remove('rendered'),
    commands: 'git checkout HEAD -- rendered && git mv rendered deploy',
  },
]

describe('the tree of an output folder that moves to', () => {
  test.each(cases)('$name is moved by the advice', async ({ path, prepare, commands }) => {
    const fleet = await handoffFleet('flux', bothClusters)
    prepare?.(fleet)
    const before = fleet.has('deploy/flux') ? 'deploy/flux' : 'rendered'
    setOutput(fleet, path)
    const [message, advice = ''] = await refusal(fleet)
    expect(message).toBe(
      `error OUTPUT_MOVED stackmason.yaml:19:18: spec.output.path is "${path}", but this fleet's tree is committed in "${before}": written anew, every cluster counts as new, and Flux goes on with the old folder`,
    )
    expect(advice).toBe(`  → Move the tree with \`${commands}\`, ${PLAIN}`)
    paste(advice, fleet.folder)
    await expectMoved(fleet)
  })

  test.each([
    { what: 'a folder with other files', make: (fleet: HandoffFleet) => fleet.write('deploy/notes.md', 'mine\n') },
    { what: 'a file', make: (fleet: HandoffFleet) => fleet.write('deploy', 'mine\n') },
  ])('$what is not: it would be in the way', async ({ make }) => {
    const fleet = await handoffFleet('flux', bothClusters)
    make(fleet)
    setOutput(fleet, 'deploy')
    expect((await refusal(fleet))[1]).toBe(
      '  → What lies in deploy would be in the way: choose a folder that is not there yet, or move that away first; then move the tree with `git mv`.',
    )
  })

  test('another repository is copied, for git mv does not reach it', async () => {
    const fleet = await handoffFleet('flux', bothClusters)
    const other = await tempFolder()
    execFileSync('git', ['init', '-q', other], { env: gitTestEnvironment })
    setOutput(fleet, `../${basename(other)}/deploy`)
    const [, advice = ''] = await refusal(fleet)
    expect(advice).toBe(
      `  → \`git mv\` does not reach another repository: copy the tree with \`cp -R rendered ${other}/deploy\`, ${PLAIN} Once the GitOps tool reads it there, remove it here with \`git rm -r rendered\`.`,
    )
    paste(advice, fleet.folder)
    await expectMoved(fleet)
  })

  test('a second folder, deeper than the first, is refused as well', async () => {
    const fleet = await handoffFleet('flux', bothClusters)
    setOutput(fleet, 'deploy/to/prod')
    paste((await refusal(fleet))[1] ?? '', fleet.folder)
    await expectMoved(fleet)
    fleet.commit()
    setOutput(fleet, 'again')
    expect((await refusal(fleet))[1]).toBe(`  → Move the tree with \`git mv deploy/to/prod again\`, ${PLAIN}`)
  })
})

test('a folder in no repository is shown as it is written, and where that leads', async () => {
  const fleet = await handoffFleet('flux', bothClusters)
  const outer = await tempFolder()
  setOutput(fleet, `../${basename(outer)}/esc`)
  const why =
    'which lies in no git repository: the last commit tells what Flux has applied of each cluster, and there every one would count as new each time'
  expect((await refusal(fleet))[0]).toBe(
    `error OUTPUT_OUTSIDE stackmason.yaml:19:18: spec.output.path is "../${basename(outer)}/esc", that is "${outer}/esc", ${why}`,
  )
  setOutput(fleet, `${outer}/esc`)
  expect((await refusal(fleet))[0]).toBe(
    `error OUTPUT_OUTSIDE stackmason.yaml:19:18: spec.output.path is "${outer}/esc", ${why}`,
  )
})

test('a copy of the example says what to leave out, and renders without it', async () => {
  const fleet = new FleetFolder(await tempFolder())
  fleet.copy(join(packageFolder, 'examples/fleet'), '.')
  fleet.git('init', '-q')
  const { status, stderr } = await runCli(['render'], { cwd: fleet.folder })
  expect({ status, hint: /→ (.*)$/m.exec(stderr)?.[1] }).toEqual({
    status: 1,
    hint: 'Remove spec.output, so that the tree lies in "rendered" beside stackmason.yaml, or choose a folder of this or another repository.',
  })
  fleet.edit('stackmason.yaml', / {2}output:\n {4}path: .*\n/, '')
  expect(await runCli(['render', '-q'], { cwd: fleet.folder })).toMatchObject({ status: 0 })
  expect(fleet.has('rendered/clusters')).toBe(true)
})
