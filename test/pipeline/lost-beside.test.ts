import { describe, expect, test } from 'vitest'
import { bothClusters, cluster, type HandoffFleet, handoffFleet, options, wantNext } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

const folder = 'clusters/team-a/web'
const optionsFile = `${folder}/options.yaml`
const csctl = 'providers/docker/demo/csctl.yaml'

async function step(fleet: HandoffFleet): Promise<void> {
  await fleet.render()
  fleet.commit()
}

/** The fleet on main, and a commit beside it on `local`, that changes nothing of clusters. */
async function start(): Promise<HandoffFleet> {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.remove('clusters/values/metrics.yaml')
  await step(fleet)
  fleet.git('branch', '-M', 'main')
  fleet.git('switch', '-q', '-c', 'local')
  fleet.write('README.md', 'a note\n')
  fleet.commit()
  fleet.git('switch', '-q', 'main')
  return fleet
}

async function upgrade(fleet: HandoffFleet): Promise<void> {
  wantNext(fleet)
  fleet.edit(csctl, 'v1.34.7', 'v1.34.8')
  fleet.edit(cluster, 'version: v1.34.7', 'version: v1.34.8')
  await step(fleet)
  await step(fleet)
}

async function takeOut(fleet: HandoffFleet): Promise<void> {
  for (const until of ['prepare', 'delete']) {
    fleet.write(optionsFile, options(`{decommission: {step: ${until}}}`))
    await step(fleet)
  }
}

async function finish(fleet: HandoffFleet): Promise<void> {
  await takeOut(fleet)
  fleet.write(optionsFile, options('{decommission: {step: finish}}'))
  await step(fleet)
  await step(fleet)
}

async function lose(fleet: HandoffFleet): Promise<void> {
  fleet.git('rm', '-rqf', folder)
  await step(fleet)
}

/** A pull makes what main was the second parent of its merge, and the push of it is a fast-forward. */
function pullAndPush(fleet: HandoffFleet): void {
  fleet.git('switch', '-q', 'local')
  fleet.git('merge', '-q', '-m', 'pulled', 'main')
  fleet.git('branch', '-qf', 'main', 'local')
  fleet.git('switch', '-q', 'main')
}

/** The inputs of the first commit again. */
function restore(fleet: HandoffFleet): void {
  fleet.git('checkout', '-q', 'local~1', '--', 'clusters', 'providers', 'stacks', 'stackmason.yaml')
}

/** What a run, and checks, say before and after the tree is committed. */
async function says(fleet: HandoffFleet): Promise<readonly string[]> {
  const said: string[] = []
  const ask = async (given: Parameters<HandoffFleet['render']>[0]): Promise<void> => {
    const [problem = ''] = await problemsOf(fleet.render(given), fleet.folder)
    said.push(problem.split(' ', 1)[0] ?? '')
  }
  await ask({})
  await ask({ base: 'main' })
  fleet.git('checkout', '-q', 'local~1', '--', 'rendered')
  await ask({ check: true })
  await ask({ check: true, base: 'main' })
  fleet.git('switch', '-q', '-c', 'pr')
  fleet.commit()
  await ask({})
  await ask({ check: true })
  await ask({ check: true, base: 'main' })
  return said
}

const all = (code: string): readonly string[] => Array.from({ length: 7 }, () => code)

describe('after a pull that made main the second parent', () => {
  test.each([
    ['lost at a higher version', [upgrade, lose], 'CLUSTER_ORPHANED'],
    ['lost after `step: delete`', [takeOut, lose], 'DECOMMISSION_UNDER_WAY'],
  ] as const)('a cluster that main had %s does not come back as it was before', async (_, changes, want) => {
    const fleet = await start()
    for (const change of changes) await change(fleet)
    pullAndPush(fleet)
    restore(fleet)
    expect(await says(fleet)).toEqual(all(want))
  })

  test('nor one that only main had, also after two pulls', async () => {
    const fleet = await start()
    const more = 'clusters/team-a/more/cluster.yaml'
    fleet.write(more, fleet.read(cluster).replaceAll('web', 'more'))
    await step(fleet)
    const made = fleet.read(more)
    fleet.write('clusters/team-a/more/options.yaml', options('{decommission: {}}'))
    await step(fleet)
    fleet.write('clusters/team-a/more/options.yaml', options('{decommission: {step: delete}}'))
    await step(fleet)
    fleet.git('rm', '-rqf', 'clusters/team-a/more')
    await step(fleet)
    pullAndPush(fleet)
    fleet.git('switch', '-q', '-c', 'other', 'local~1')
    fleet.write('NOTES.md', 'another note\n')
    fleet.commit()
    fleet.git('merge', '-q', '-m', 'pulled', 'main')
    fleet.write(more, made)
    expect((await problemsOf(fleet.render(), fleet.folder)).map((text) => text.split(' ', 1)[0])).toEqual([
      'DECOMMISSION_UNDER_WAY',
    ])
  })

  test('comes back as main had it, and where options.yaml says that it starts over', async () => {
    const fleet = await start()
    await upgrade(fleet)
    const last = fleet.git('rev-parse', 'HEAD').trim()
    await lose(fleet)
    pullAndPush(fleet)
    fleet.git('checkout', '-q', last, '--', 'clusters')
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
    fleet.git('reset', '-q', '--hard')
    restore(fleet)
    fleet.write(optionsFile, options('{startOver: docker-demo-1-34-v4}'))
    // none that it is needless
    for (const check of [false, true])
      expect((await fleet.render({ check })).findings.map(({ code }) => code)).not.toContain('UPGRADE_STEP_PAST')
    fleet.commit()
    fleet.remove(optionsFile)
    fleet.commit()
    for (const given of [{}, { check: true }, { check: true, base: 'HEAD~1' }])
      expect(await problemsOf(fleet.render(given), fleet.folder)).toEqual([])
  })
})

describe('an ordinary merge of a branch', () => {
  test('that lost a cluster before main upgraded it says nothing of where it was', async () => {
    const fleet = await start()
    fleet.git('switch', '-q', '-c', 'feature')
    await lose(fleet)
    fleet.git('switch', '-q', 'main')
    await upgrade(fleet)
    const last = fleet.git('rev-parse', 'HEAD').trim()
    fleet.git('merge', '-q', '--no-commit', '-s', 'ours', 'feature')
    fleet.git('rm', '-rqf', folder)
    await step(fleet)
    fleet.git('checkout', '-q', last, '--', 'clusters')
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
    restore(fleet)
    expect((await problemsOf(fleet.render(), fleet.folder)).map((text) => text.split(' ', 1)[0])).toEqual([
      'CLUSTER_ORPHANED',
    ])
  })

  test('that ends a cluster, or comes from before its end, makes way for a new one', async () => {
    const fleet = await start()
    fleet.git('switch', '-q', '-c', 'feature')
    await finish(fleet)
    fleet.git('rm', '-rqf', folder)
    await step(fleet)
    fleet.git('switch', '-q', 'main')
    for (let back = 4; back >= 0; back--)
      fleet.git('merge', '-q', '--no-ff', '-m', 'merged', `feature${'~'.repeat(back)}`)
    fleet.git('merge', '-q', '--no-ff', '-m', 'merged', 'local')
    fleet.git('checkout', '-q', 'local', '--', 'clusters')
    fleet.edit(csctl, 'v1.34.7', 'v1.34.6')
    fleet.edit(cluster, 'version: v1.34.7', 'version: v1.34.6')
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
    fleet.commit()
    expect(await problemsOf(fleet.render({ check: true }), fleet.folder)).toEqual([])
  })

  test('that makes, loses and makes a cluster again is as what it brings', async () => {
    const fleet = await start()
    fleet.git('switch', '-q', '-c', 'feature')
    const more = 'clusters/team-a/more/cluster.yaml'
    const made = fleet.read(cluster).replaceAll('web', 'more')
    fleet.write(more, made)
    await step(fleet)
    fleet.git('rm', '-rqf', 'clusters/team-a/more')
    await step(fleet)
    fleet.write(more, made)
    fleet.write('clusters/team-a/more/options.yaml', options('{decommission: {}}'))
    fleet.remove('clusters/team-a/more/options.yaml')
    await step(fleet)
    fleet.git('switch', '-q', 'main')
    fleet.git('merge', '-q', '--no-ff', '-m', 'merged', 'feature')
    for (const given of [{}, { check: true }]) expect(await problemsOf(fleet.render(given), fleet.folder)).toEqual([])
  })
})
