import { join } from 'node:path'
import { expect, test } from 'vitest'
import { render } from '../../src/pipeline/commands/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { HandoffFleet, handoffFleet } from './handoff-fleet.ts'
import { told } from './remote-fleet.ts'

/** What a check says that is started in a folder of the fleet, with this variable. */
async function says(fleet: HandoffFleet, directory: string | undefined, start = '.'): Promise<readonly string[]> {
  const ports = createNodePorts()
  const get = (name: string): string | undefined => (name === 'GIT_DIR' ? directory : ports.environment.get(name))
  const options = { start: fleet.path(start), clusters: [], stacks: [], check: true, allowEmpty: false }
  const asked = { ...options, overwriteEdited: false }
  const { findings } = await render(asked, { ...ports, environment: { get } }, () => undefined)
  return findings.map((finding) => told(finding, fleet.folder))
}

const HINT = 'Run `unset GIT_DIR GIT_WORK_TREE` before, or run it where `.git` of the repository lies above the fleet.'
const OTHER = 'the repository that the fleet lies in is another one, and its commits count'
const NONE = 'the fleet lies in no repository, so it counts as one without commits'
const warning = (directory: string, why: string): string =>
  `GIT_ELSEWHERE stackmason.yaml GIT_DIR names ${directory}, which has no effect: ${why} | ${HINT}`

test('a repository that the environment names is not that of the fleet, and is told of', async () => {
  const fleet = await handoffFleet('flux')
  const other = await handoffFleet('flux')
  for (const directory of [other.path('.git'), '/nonexistent'])
    expect(await says(fleet, directory)).toEqual([warning(directory, OTHER)])
  expect(await says(fleet, '.git', 'clusters')).toEqual([warning(fleet.path('clusters/.git'), OTHER)])
  const kept = other.path('.git')
  fleet.remove('.git')
  expect(await says(fleet, kept)).toEqual([warning(kept, NONE)])
})

test('a repository that the environment names as hooks do is that of the fleet, in each of its work trees', async () => {
  const fleet = await handoffFleet('flux')
  for (const directory of [undefined, '', '.git', fleet.path('.git')]) expect(await says(fleet, directory)).toEqual([])
  expect(await says(fleet, '../.git', 'clusters')).toEqual([])
  const tree = `${await tempFolder()}/tree`
  fleet.git('worktree', 'add', '-q', tree)
  const own = fleet.git('-C', tree, 'rev-parse', '--absolute-git-dir').trim()
  for (const directory of [own, fleet.path('.git')]) expect(await says(fleet, directory)).toEqual([])
})

test('a file that stands for the git directory names that of the fleet, in a work tree and in a submodule', async () => {
  const fleet = await handoffFleet('flux')
  const other = await handoffFleet('flux')
  const linked = join(await tempFolder(), 'tree')
  fleet.git('worktree', 'add', '-q', linked)
  const above = await tempFolder()
  fleet.git('-C', above, 'init', '-q', '--template=')
  fleet.git('-C', above, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', fleet.folder, 'sub')
  for (const folder of [linked, join(above, 'sub')]) {
    const inside = new HandoffFleet(folder)
    expect(inside.read('.git')).toMatch(/^gitdir: /)
    expect(await says(inside, '.git')).toEqual([])
    expect(await says(inside, other.path('.git'))).toEqual([warning(other.path('.git'), OTHER)])
  }
})
