import { expect, test } from 'vitest'
import { cluster, type HandoffFleet, handoffFleet, options, wantNext } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

type Change = (fleet: HandoffFleet) => Promise<void>

async function step(fleet: HandoffFleet): Promise<void> {
  await fleet.render()
  fleet.commit()
}

/** To another class of the same Kubernetes version: nothing about versions tells when it goes back. */
async function upgrade(fleet: HandoffFleet): Promise<void> {
  wantNext(fleet)
  await step(fleet)
  await step(fleet)
}

async function firstStep(fleet: HandoffFleet): Promise<void> {
  wantNext(fleet)
  await step(fleet)
}

async function decommission(fleet: HandoffFleet, steps = ['prepare', 'delete']): Promise<void> {
  for (const until of steps) {
    fleet.write('clusters/team-a/web/options.yaml', options(`{decommission: {step: ${until}}}`))
    await step(fleet)
  }
}

async function replicas(fleet: HandoffFleet): Promise<void> {
  fleet.edit(cluster, 'replicas: 3', 'replicas: 5')
  await step(fleet)
}

/** The same class, by commits of its own. */
async function upgradeElsewhere(fleet: HandoffFleet): Promise<void> {
  await note(fleet)
  await upgrade(fleet)
}

async function newCluster(fleet: HandoffFleet): Promise<void> {
  fleet.write('clusters/team-a/new/cluster.yaml', fleet.read(cluster).replace('name: web', 'name: new'))
  await step(fleet)
}

async function note(fleet: HandoffFleet): Promise<void> {
  fleet.write('README.md', 'a note\n')
  fleet.commit()
  return Promise.resolve()
}

/** Two branches from the same commit, `main` and `other`; `merged` is being merged into the first. */
async function merging(changes: { readonly ours: Change; readonly theirs: Change }): Promise<HandoffFleet> {
  const fleet = await handoffFleet('flux')
  fleet.git('branch', '-M', 'ours')
  fleet.git('branch', 'theirs')
  await changes.ours(fleet)
  fleet.git('switch', '-q', 'theirs')
  await changes.theirs(fleet)
  fleet.git('switch', '-q', 'ours')
  fleet.git('merge', '-q', '--no-commit', '--no-ff', 'theirs')
  return fleet
}

/** The problems of a check of what git merged, or the files that it finds stale. */
async function checked(fleet: HandoffFleet, base?: string): Promise<readonly string[]> {
  const run = fleet.render({ check: true, ...(base !== undefined && { base }) })
  const found = await problemsOf(run, fleet.folder)
  return found.length > 0 ? found : (await run).changes.map(({ path }) => path)
}

/** The same, and the problems of a run. */
async function problems(fleet: HandoffFleet, base?: string): Promise<readonly (readonly string[])[]> {
  return [await checked(fleet, base), await problemsOf(fleet.render(base === undefined ? {} : { base }), fleet.folder)]
}

const [v3, v4] = ['class docker-demo-1-34-v3 (v1.34.7)', 'class docker-demo-1-34-v4 (v1.34.7)']
const told = (head: string, merged: string): string =>
  `MERGE_UNDER_WAY ${cluster}:23:13 a merge is under way, and its two sides have team-a/web at different steps: ` +
  `HEAD has ${head}, MERGE_HEAD ${merged} | If \`stackmason render --check\` is green, commit the merge as git made it. ` +
  'Else name the side that your GitOps tool follows: ' +
  '`--base MERGE_HEAD` where you merge its branch into yours, `--base HEAD` where you are on its branch.'

test.each([
  ['an upgrade', upgrade, v4],
  ['the first step of one', firstStep, `${v3} on its way to docker-demo-1-34-v4`],
  [
    'the first step of a decommission',
    (fleet: HandoffFleet) => decommission(fleet, ['prepare']),
    `${v3}, on its way out (step prepare)`,
  ],
  ['a decommission', decommission, 'none any more, after a decommission'],
])('a run does not begin anew what a branch has that is being merged: %s', async (_, theirs, merged) => {
  const fleet = await merging({ ours: note, theirs })
  // what git has merged is what that branch has
  expect(await problems(fleet)).toEqual([[], [told(v3, merged)]])
  expect(await problems(fleet, 'MERGE_HEAD')).toEqual([[], []])
})

test('a tree that has begun anew is no step of a merge', async () => {
  const fleet = await merging({ ours: note, theirs: upgrade })
  await fleet.render({ base: 'HEAD' })
  expect(fleet.state()[0]).toBe('docker-demo-1-34-v3')
  expect(await problemsOf(fleet.render({ check: true }), fleet.folder)).toEqual([told(v3, v4)])
  expect(await problemsOf(fleet.render({ check: true, base: 'HEAD' }), fleet.folder)).toEqual([])
  await fleet.render({ base: 'MERGE_HEAD' })
  expect(fleet.state()[0]).toBe('docker-demo-1-34-v4')
})

test.each([
  ['has taken no step', { ours: note, theirs: replicas }],
  ['lags behind', { ours: upgrade, theirs: note }],
  ['has come as far', { ours: upgrade, theirs: upgradeElsewhere }],
  ['has a new cluster', { ours: note, theirs: newCluster }],
  ['lacks a new cluster', { ours: newCluster, theirs: note }],
])('a run goes on in a merge of a branch that %s', async (_, changes) => {
  expect(await problems(await merging(changes))).toEqual([[], []])
})

test('a new cluster that is not where its inputs say is none for this side', async () => {
  const fleet = await merging({
    ours: note,
    theirs: async (other) => {
      await newCluster(other)
      wantNext(other)
      other.edit('clusters/team-a/new/cluster.yaml', 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
      await step(other)
    },
  })
  const [, rendered] = await problems(fleet)
  expect(rendered?.map((text) => text.split(' ', 2).join(' '))).toEqual([
    'MERGE_UNDER_WAY clusters/team-a/new/cluster.yaml:23:13',
    `MERGE_UNDER_WAY ${cluster}:23:13`,
  ])
})

test('of several branches that are merged, the one is named that has come further', async () => {
  const fleet = await merging({ ours: note, theirs: upgrade })
  fleet.git('merge', '--abort')
  fleet.git('switch', '-q', '-c', 'other', 'HEAD~1')
  fleet.write('NOTES.md', 'another note\n')
  fleet.commit()
  fleet.git('switch', '-q', 'ours')
  fleet.git('merge', '-q', '--no-commit', '--no-ff', 'other', 'theirs')
  const commit = fleet.git('rev-parse', 'theirs').slice(0, 12)
  const [, [first = ''] = []] = await problems(fleet)
  expect(first).toBe(told(v3, v4).replaceAll('MERGE_HEAD', commit))
  expect(await problems(fleet, commit)).toEqual([[], []])
})

test('a side that has moved its tree is read where it lies', async () => {
  const move: Change = async (fleet) => {
    fleet.edit('stackmason.yaml', 'spec:\n', 'spec:\n  output: {path: deploy}\n')
    fleet.git('mv', 'rendered', 'deploy')
    await step(fleet)
  }
  const fleet = await merging({ ours: move, theirs: (other) => decommission(other, ['prepare']) })
  expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([told(v3, `${v3}, on its way out (step prepare)`)])
})
