import { expect, test } from 'vitest'
import { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { runCli } from './run-cli.ts'

test.each([
  { folder: 'policies', kind: 'ValidatingAdmissionPolicy' },
  { folder: 'crds', kind: 'CustomResourceDefinition' },
])('conflict markers in a file of $folder are reported at their line', async ({ folder, kind }) => {
  const cwd = await tempFolder()
  const fleet = new FleetFolder(cwd)
  await runCli(['init'], { cwd })
  fleet.edit('stackmason.yaml', /^spec:\n/m, 'spec:\n  check: {schemas: [crds]}\n')
  fleet.write('crds/README.md', 'Definitions\n')
  fleet.write(`${folder}/a.yaml`, `kind: ${kind}\n<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> other\n`)
  const { status, stdout } = await runCli(['check', '-q'], { cwd })
  expect([status, ...stdout.split('\n')]).toEqual(
    expect.arrayContaining([
      1,
      `error CONFIG_SYNTAX ${folder}/a.yaml:2:1: a merge was not finished: this line is a conflict marker of git`,
      '  → Keep what is right of both sides, and remove the lines that begin with <<<<<<<, ======= and >>>>>>>.',
    ]),
  )
})

const FILE = 'rendered/clusters/team-a/web/cluster/cluster-web.yaml'

test('conflict markers in a Cluster of the tree are reported at their line, with what mends them on disk and in a commit', async () => {
  const cwd = await tempFolder()
  const fleet = new FleetFolder(cwd)
  await runCli(['init', '--engine', 'flux', '--repository', 'https://git.example/fleet'], { cwd })
  await runCli(['render', '-q'], { cwd })
  fleet.commit()
  const sound = fleet.read(FILE)
  const marked = sound.replace(/^(kind: Cluster)$/m, '<<<<<<< HEAD\n$1\n=======\n$1\n>>>>>>> other')
  fleet.write(FILE, marked)
  const line = marked.split('\n').indexOf('<<<<<<< HEAD') + 1
  const check = await runCli(['render', '--check', '-q'], { cwd })
  expect([check.status, ...check.stderr.split('\n')]).toEqual(
    expect.arrayContaining([
      1,
      `error CONFIG_SYNTAX ${FILE}:${String(line)}:1: a merge was not finished: this line is a conflict marker of git`,
      '  → Run `stackmason render` before you commit the merge: it writes the file again.',
    ]),
  )
  fleet.commit()
  const refused = await runCli(['render', '-q'], { cwd })
  expect([refused.status, ...refused.stderr.split('\n')]).toEqual(
    expect.arrayContaining([
      1,
      `error CONFIG_SYNTAX ${FILE}:${String(line)}:1: the file was committed with a conflict marker of git: it does not tell what the cluster has`,
      `  → Run \`git restore --source=<commit> --staged --worktree -- ${FILE}\` with a commit before the merge, commit that, and render again.`,
    ]),
  )
  fleet.git('checkout', '--quiet', 'HEAD^', '--', FILE)
  fleet.commit()
  expect(await runCli(['render', '-q'], { cwd })).toEqual({ status: 0, stdout: '', stderr: '' })
})
