import { expect, test } from 'vitest'
import { cluster, type HandoffFleet, handoffFleet, wantNext } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

/** A fleet whose last commit has a lower version of Kubernetes than the one before. */
async function lowered(): Promise<HandoffFleet> {
  const fleet = await handoffFleet('flux')
  wantNext(fleet)
  fleet.edit('providers/docker/demo/csctl.yaml', 'v1.34.7', 'v1.34.8')
  fleet.edit(cluster, 'version: v1.34.7', 'version: v1.34.8')
  for (const _ of ['addons', 'class']) {
    await fleet.render()
    fleet.commit()
  }
  fleet.git('revert', '--no-edit', 'HEAD', 'HEAD~1')
  return fleet
}

async function codesOf(fleet: HandoffFleet): Promise<readonly string[]> {
  const problems = await problemsOf(fleet.render({ check: true }), fleet.folder)
  return problems.map((text) => text.split(' ', 1)[0] ?? '')
}

test.each<[string, (fleet: HandoffFleet) => void]>([
  ['nothing of it', () => undefined],
  ['core.bare', (fleet) => fleet.git('config', 'core.bare', 'true')],
  ['core.worktree elsewhere', (fleet) => fleet.git('config', 'core.worktree', '/')],
  [
    'replaced commits',
    (fleet) => {
      fleet.git('config', 'core.useReplaceRefs', 'true')
      fleet.git('replace', 'HEAD~2', 'HEAD')
    },
  ],
  ['grafts', (fleet) => fleet.write('.git/info/grafts', `${fleet.git('rev-parse', 'HEAD').trim()}\n`)],
])('commits are read as they are, with %s', async (_, change) => {
  const fleet = await lowered()
  change(fleet)
  expect(await codesOf(fleet)).toEqual(['UPGRADE_GOES_BACK'])
})
