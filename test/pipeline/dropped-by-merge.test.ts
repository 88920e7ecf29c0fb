import { expect, test } from 'vitest'
import { cluster, type HandoffFleet, handoffFleet, options, wantNext } from './handoff-fleet.ts'
import { problemsOf, told } from './remote-fleet.ts'

/** What a check, and a run, say of the way of clusters. */
async function says(fleet: HandoffFleet): Promise<readonly string[]> {
  const said: string[] = []
  for (const check of [true, false]) {
    const run = fleet.render({ check })
    const problems = await problemsOf(run, fleet.folder)
    const findings = problems.length > 0 ? [] : (await run).findings.map((finding) => told(finding, fleet.folder))
    const codes = [...problems, ...findings].map((text) => text.split(' ', 1)[0] ?? '')
    said.push(codes.filter((code) => /^(?:UPGRADE|DECOMMISSION|RENDER)_/.test(code)).join(' '))
    fleet.git('checkout', '-q', '.')
  }
  return said
}

async function step(fleet: HandoffFleet): Promise<void> {
  await fleet.render()
  fleet.commit()
}

/** A clone whose branch `stale` is where the fleet began; main goes on by `change`. */
async function diverged(change: (fleet: HandoffFleet) => Promise<void>): Promise<HandoffFleet> {
  const fleet = await handoffFleet('flux')
  fleet.git('branch', '-M', 'main')
  fleet.git('branch', 'stale')
  await change(fleet)
  fleet.git('switch', '-q', 'stale')
  fleet.write('README.md', 'a note\n')
  fleet.commit()
  return fleet
}

async function upgrade(fleet: HandoffFleet): Promise<void> {
  wantNext(fleet)
  fleet.edit('providers/docker/demo/csctl.yaml', 'v1.34.7', 'v1.34.8')
  fleet.edit(cluster, 'version: v1.34.7', 'version: v1.34.8')
  await step(fleet)
  await step(fleet)
}

async function decommission(fleet: HandoffFleet): Promise<void> {
  for (const until of ['prepare', 'delete']) {
    fleet.write('clusters/team-a/web/options.yaml', options(`{decommission: {step: ${until}}}`))
    await step(fleet)
  }
}

test.each([
  ['lowers a version', upgrade, ['UPGRADE_GOES_BACK', 'UPGRADE_GOES_BACK']],
  ['brings a Cluster back', decommission, ['DECOMMISSION_UNDER_WAY', 'DECOMMISSION_UNDER_WAY']],
])('a merge of a stale branch that drops what main has and %s is seen', async (_, change, wanted) => {
  const fleet = await diverged(change)
  fleet.git('merge', '-q', '-s', 'ours', '-m', 'pulled', 'main')
  expect(await says(fleet)).toEqual(wanted)
})

test('a merge that keeps what main has is as any commit, in both directions', async () => {
  const pulled = await diverged(upgrade)
  pulled.git('merge', '-q', '-m', 'pulled', 'main')
  expect(await says(pulled)).toEqual(['', ''])
  const merged = await diverged(upgrade)
  merged.git('switch', '-q', 'main')
  merged.git('merge', '-q', '--no-ff', '-m', 'merged', 'stale')
  expect(await says(merged)).toEqual(['', ''])
})

test('a merge of a branch from before a cluster was made anew drops nothing', async () => {
  const fleet = await handoffFleet('flux')
  await upgrade(fleet)
  fleet.git('branch', '-M', 'main')
  fleet.git('branch', 'stale')
  fleet.remove('clusters/team-a/web')
  await step(fleet)
  fleet.git('checkout', '-q', 'main~3', '--', 'clusters', 'providers', 'stacks', 'stackmason.yaml')
  fleet.write(
    'clusters/team-a/web/options.yaml',
    'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {startOver: docker-demo-1-34-v4}\n',
  )
  await step(fleet)
  fleet.remove('clusters/team-a/web/options.yaml')
  fleet.commit()
  fleet.git('switch', '-q', 'stale')
  fleet.write('README.md', 'a note\n')
  fleet.commit()
  fleet.git('switch', '-q', 'main')
  fleet.git('merge', '-q', '--no-ff', '-m', 'merged', 'stale')
  expect(await says(fleet)).toEqual(['', ''])
})

test('histories without a common commit tell nothing', async () => {
  const fleet = await diverged(upgrade)
  fleet.git('switch', '-q', '--orphan', 'other')
  fleet.git('checkout', '-q', 'stale', '--', '.')
  fleet.commit()
  fleet.git('merge', '-q', '-s', 'ours', '--allow-unrelated-histories', '-m', 'joined', 'main')
  expect(await says(fleet)).toEqual(['', ''])
})
