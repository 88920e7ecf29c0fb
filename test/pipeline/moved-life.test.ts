import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import type { RenderOptions } from '../../src/pipeline/commands/render.ts'
import { gitTestEnvironment } from '../../tools/servers/git-server.ts'
import { bothClusters, cluster, type HandoffFleet, handoffFleet, options, wantNext } from './handoff-fleet.ts'
import { problemsOf } from './remote-fleet.ts'

const folder = 'clusters/team-a/web'
const optionsFile = `${folder}/options.yaml`
const csctl = 'providers/docker/demo/csctl.yaml'
const object = 'clusters/team-a/web/cluster/cluster-web.yaml'
/** What moves with a fleet. */
const inputs = ['charts', 'clusters', 'providers', 'rendered', 'stacks', 'stackmason.yaml', 'templates']

/** A fleet on main, without the defaults that no cluster would be left for. */
async function start(): Promise<HandoffFleet> {
  const fleet = await handoffFleet('flux', bothClusters)
  fleet.git('branch', '-M', 'main')
  fleet.remove('clusters/values/metrics.yaml')
  await step(fleet)
  return fleet
}

async function step(fleet: HandoffFleet, given: Partial<RenderOptions> = {}): Promise<void> {
  await fleet.render(given)
  fleet.commit()
}

/** The tree, and what points at it, as the pages say. */
function move(fleet: HandoffFleet): void {
  fleet.git('mv', 'rendered', 'deploy')
  fleet.edit('stackmason.yaml', './rendered', './deploy')
  fleet.edit('stackmason.yaml', /^spec:$/m, 'spec:\n  output: {path: deploy}')
}

/** Whatever the next release needs; the version of Kubernetes is raised with it. */
function upgrade(fleet: HandoffFleet): void {
  wantNext(fleet)
  fleet.edit(csctl, 'v1.34.7', 'v1.34.8')
  fleet.edit(cluster, 'version: v1.34.7', 'version: v1.34.8')
}

/** Class and version in the tree of the folder. */
function state(fleet: HandoffFleet, output = 'deploy'): string {
  return [...new Set(fleet.read(`${output}/${object}`).match(/docker-demo-\S+|v1\.\S+/g))].join(' ')
}

async function codes(fleet: HandoffFleet, given: Partial<RenderOptions> = {}): Promise<readonly string[]> {
  const run = fleet.render(given)
  const problems = await problemsOf(run, fleet.folder)
  const found = problems.length > 0 ? problems.map((text) => text.split(' ')[0] ?? '') : (await run).findings
  return found.map((one) => (typeof one === 'string' ? one : one.code))
}

/** The codes of a run, of checks of the tree and of checks from a base; nothing stays of what is written. */
async function allCodes(fleet: HandoffFleet, base: string): Promise<readonly (readonly string[])[]> {
  const all: (readonly string[])[] = []
  for (const given of [{ base }, { check: true }, { check: true, base }]) {
    all.push(await codes(fleet, given))
    fleet.git('checkout', '-q', '.')
    fleet.git('clean', '-qfd')
  }
  return all
}

describe('a branch that moves the tree, rendered from the branch that the GitOps tool follows,', () => {
  test('takes the steps of an upgrade one by one', async () => {
    const fleet = await start()
    fleet.git('switch', '-qc', 'pr')
    move(fleet)
    upgrade(fleet)
    await step(fleet, { base: 'main' })
    expect(state(fleet)).toBe('docker-demo-1-34-v4 docker-demo-1-34-v3 v1.34.7')
    expect(await allCodes(fleet, 'main')).toEqual([[], [], []])
    expect(await fleet.render({ check: true, base: 'main' })).toMatchObject({ changes: [] })
  })

  test('stays at the step that the base has, with the base or without', async () => {
    for (const base of ['main', undefined]) {
      const fleet = await start()
      upgrade(fleet)
      await step(fleet)
      fleet.git('switch', '-qc', 'pr')
      move(fleet)
      await step(fleet, base === undefined ? {} : { base })
      expect(state(fleet)).toBe('docker-demo-1-34-v4 docker-demo-1-34-v3 v1.34.7')
      for (const given of [{ check: true }, { check: true, base: 'main' }])
        expect(await fleet.render(given)).toMatchObject({ changes: [] })
    }
  })

  test('lowers no version', async () => {
    const fleet = await start()
    fleet.git('branch', 'old')
    upgrade(fleet)
    await step(fleet)
    await step(fleet)
    fleet.git('switch', '-qc', 'pr')
    fleet.git('checkout', '-q', 'old', '--', 'clusters', 'providers', 'stacks', 'stackmason.yaml')
    move(fleet)
    expect(await codes(fleet, { base: 'main' })).toEqual(['UPGRADE_GOES_BACK'])
  })

  test('keeps a cluster whose decommission goes on', async () => {
    const fleet = await start()
    fleet.write(optionsFile, options('{decommission: {}}'))
    await step(fleet)
    fleet.git('switch', '-qc', 'pr')
    move(fleet)
    await step(fleet, { base: 'main' })
    expect(state(fleet)).toBe('docker-demo-1-34-v3 v1.34.7')
    expect(await allCodes(fleet, 'main')).toEqual([[], [], []])
  })

  test('does not change the GitOps tool', async () => {
    const fleet = await start()
    fleet.git('switch', '-qc', 'pr')
    fleet.git('mv', 'rendered', 'deploy')
    fleet.handTo('argocd', 'output: {path: deploy}')
    expect(await codes(fleet, { base: 'main' })).toEqual(['HANDOFF_TOOL_CHANGES'])
  })
})

test('a fleet that moves as a whole takes the steps of an upgrade one by one, and lowers no version', async () => {
  const fleet = await start()
  const to = (from: string, folder: string): void => {
    for (const path of inputs.filter((name) => fleet.has(`${from}${name}`))) {
      if (!fleet.has(folder)) fleet.write(`${folder}/README.md`, 'fleets\n')
      fleet.git('mv', `${from}${path}`, `${folder}/${path}`)
    }
  }
  const elsewhere = (folder: string): Partial<RenderOptions> => ({ fleet: fleet.path(`${folder}/stackmason.yaml`) })
  to('', 'a')
  fleet.commit()
  fleet.git('branch', 'old')
  to('a/', 'b')
  for (const path of [csctl, cluster]) fleet.edit(`b/${path}`, 'v1.34.7', 'v1.34.8')
  fleet.edit('b/stackmason.yaml', 'version: v3', 'version: v4')
  fleet.edit('b/stacks/demo.yaml', '- v3', '- v4')
  fleet.edit(`b/${cluster}`, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
  await step(fleet, { ...elsewhere('b'), base: 'main' })
  expect(state(fleet, 'b/rendered')).toBe('docker-demo-1-34-v4 docker-demo-1-34-v3 v1.34.7')
  await step(fleet, elsewhere('b'))
  expect(state(fleet, 'b/rendered')).toBe('docker-demo-1-34-v4 v1.34.8')
  fleet.git('checkout', '-q', 'old', '--', 'a')
  fleet.git('rm', '-rqf', 'b')
  fleet.commit()
  for (const given of [{}, { check: true }, { check: true, base: 'HEAD~1' }])
    expect(await codes(fleet, { ...elsewhere('a'), ...given })).toContain('UPGRADE_GOES_BACK')
})

describe('fleets that move as a whole and are renamed, or are of one name,', () => {
  const of = (fleet: HandoffFleet, folder: string): Partial<RenderOptions> => ({
    fleet: fleet.path(`${folder}/stackmason.yaml`),
  })
  const raise = (fleet: HandoffFleet, folder: string): void => {
    for (const path of [csctl, cluster]) fleet.edit(`${folder}/${path}`, 'v1.34.7', 'v1.34.8')
    fleet.edit(`${folder}/stackmason.yaml`, 'version: v3', 'version: v4')
    fleet.edit(`${folder}/stacks/demo.yaml`, '- v3', '- v4')
    fleet.edit(`${folder}/${cluster}`, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
  }
  /** Two fleets of one name, of which the second is at the next release. */
  async function twins(): Promise<HandoffFleet> {
    const fleet = await start()
    for (const path of inputs.filter((name) => fleet.has(name)))
      for (const folder of ['fleets/a', 'fleets/b']) fleet.copy(fleet.path(path), `${folder}/${path}`)
    for (const path of inputs.filter((name) => fleet.has(name))) fleet.remove(path)
    fleet.commit()
    raise(fleet, 'fleets/b')
    await step(fleet, of(fleet, 'fleets/b'))
    await step(fleet, of(fleet, 'fleets/b'))
    return fleet
  }

  test('go on from their own trees', async () => {
    const fleet = await twins()
    fleet.git('mv', 'fleets', 'prod')
    for (const name of ['a', 'b']) await fleet.render({ ...of(fleet, `prod/${name}`), base: 'HEAD' })
    fleet.commit()
    expect(state(fleet, 'prod/a/rendered')).toBe('docker-demo-1-34-v3 v1.34.7')
    expect(state(fleet, 'prod/b/rendered')).toBe('docker-demo-1-34-v4 v1.34.8')
    for (const name of ['a', 'b'])
      for (const given of [{ check: true }, { check: true, base: 'HEAD~1' }])
        expect(await fleet.render({ ...of(fleet, `prod/${name}`), ...given })).toMatchObject({ changes: [] })
  })

  test('are refused where their trees cannot be told apart', async () => {
    const fleet = await twins()
    fleet.git('mv', 'fleets/a', 'one')
    fleet.git('mv', 'fleets/b', 'two')
    expect(await problemsOf(fleet.render({ ...of(fleet, 'two'), base: 'HEAD' }), fleet.folder)).toEqual([
      expect.stringMatching(
        /^OUTPUT_MOVED two\/stackmason\.yaml HEAD has 2 trees of fleets whose stackmason\.yaml has gone/,
      ),
    ])
  })

  test('take the steps of an upgrade one by one, and lower no version', async () => {
    const fleet = await twins()
    fleet.git('mv', 'fleets/b', 'other')
    fleet.edit('other/stackmason.yaml', /metadata: \{name: \w+\}/, 'metadata: {name: other}')
    fleet.git('checkout', '-q', 'HEAD~2', '--', 'fleets/b')
    for (const path of ['clusters', 'providers', 'stacks']) {
      fleet.remove(`other/${path}`)
      fleet.copy(fleet.path(`fleets/b/${path}`), `other/${path}`)
    }
    fleet.git('rm', '-rqf', 'fleets/b')
    fleet.edit('other/stackmason.yaml', 'version: v4', 'version: v3')
    for (const given of [{ base: 'HEAD' }, { base: 'HEAD', check: true }])
      expect(await codes(fleet, { ...of(fleet, 'other'), ...given })).toContain('UPGRADE_GOES_BACK')
  })
})

describe('a new fleet with clusters of names that another one had', () => {
  /** A fleet in `prod` at the next release; `dev` is to be as it was before, under another name. */
  async function prod(): Promise<HandoffFleet> {
    const fleet = await start()
    for (const path of inputs.filter((name) => fleet.has(name))) {
      fleet.copy(fleet.path(path), `prod/${path}`)
      fleet.remove(path)
    }
    fleet.edit('prod/stackmason.yaml', /metadata: \{name: \w+\}/, 'metadata: {name: prod}')
    await step(fleet, { fleet: fleet.path('prod/stackmason.yaml') })
    fleet.git('branch', 'old')
    for (const path of [csctl, cluster]) fleet.edit(`prod/${path}`, 'v1.34.7', 'v1.34.8')
    fleet.edit('prod/stackmason.yaml', 'version: v3', 'version: v4')
    fleet.edit('prod/stacks/demo.yaml', '- v3', '- v4')
    fleet.edit(`prod/${cluster}`, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    for (let count = 0; count < 2; count++) await step(fleet, { fleet: fleet.path('prod/stackmason.yaml') })
    return fleet
  }
  function makeDev(fleet: HandoffFleet): Partial<RenderOptions> {
    fleet.git('rm', '-rqf', '--ignore-unmatch', 'prod')
    fleet.git('checkout', '-q', 'old', '--', 'prod')
    fleet.git('mv', 'prod', 'dev')
    fleet.git('rm', '-rqf', 'dev/rendered')
    fleet.edit('dev/stackmason.yaml', 'metadata: {name: prod}', 'metadata: {name: dev}')
    return { fleet: fleet.path('dev/stackmason.yaml') }
  }

  test('does not go on from the tree of one that was retired before, wherever that lies', async () => {
    const fleet = await prod()
    fleet.git('rm', '-rqf', 'prod/stackmason.yaml', 'prod/clusters', 'prod/stacks')
    fleet.commit()
    fleet.git('switch', '-qc', 'pr')
    const dev = makeDev(fleet)
    fleet.git('checkout', '-q', 'main', '--', 'prod/rendered')
    // the GitOps tool still reads the path of before
    for (const given of [{ base: 'main' }, {}])
      expect(await codes(fleet, { ...dev, ...given })).toEqual(['HANDOFF_PATH_DIFFERS'])
    fleet.commit()
    for (const given of [{ check: true }, { check: true, base: 'main' }])
      expect(await fleet.render({ ...dev, ...given })).toMatchObject({ changes: [] })
    expect(state(fleet, 'dev/rendered')).toBe('docker-demo-1-34-v3 v1.34.7')
  })

  test('counts as the one that goes in the same commit, under a new name', async () => {
    const fleet = await prod()
    fleet.git('switch', '-qc', 'pr')
    const dev = makeDev(fleet)
    expect(await codes(fleet, { ...dev, base: 'main' })).toContain('UPGRADE_GOES_BACK')
    fleet.git('checkout', '-q', 'main', '--', 'prod/rendered')
    expect(await codes(fleet, { ...dev, base: 'main' })).toContain('UPGRADE_GOES_BACK')
  })
})

describe('a cluster that the tree lost before it moved', () => {
  const ways: readonly {
    readonly name: string
    readonly lose: (fleet: HandoffFleet) => Promise<void>
    readonly want: string
  }[] = [
    {
      name: 'is not restored at a lower version',
      lose: async (fleet) => {
        upgrade(fleet)
        await step(fleet)
        await step(fleet)
        fleet.git('rm', '-rqf', folder)
        await step(fleet)
      },
      want: 'CLUSTER_ORPHANED',
    },
    {
      name: 'is not restored after `step: delete`',
      lose: async (fleet) => {
        for (const at of ['{}', '{step: delete}']) {
          fleet.write(optionsFile, options(`{decommission: ${at}}`))
          await step(fleet)
        }
        fleet.git('rm', '-rqf', folder)
        await step(fleet)
      },
      want: 'DECOMMISSION_UNDER_WAY',
    },
  ]

  test.each(ways)('$name', async ({ lose, want }) => {
    const fleet = await start()
    fleet.git('branch', 'old')
    await lose(fleet)
    move(fleet)
    await step(fleet)
    fleet.git('checkout', '-q', 'old', '--', folder, 'providers')
    if (want === 'CLUSTER_ORPHANED') fleet.edit('stackmason.yaml', 'version: v4', 'version: v3')
    fleet.git('checkout', '-q', 'old', '--', 'stacks')
    expect(await codes(fleet)).toEqual([want])
    expect(await codes(fleet, { base: 'HEAD' })).toEqual([want])
    // as somebody else has rendered it
    fleet.git('checkout', '-q', 'old', '--', 'rendered')
    for (const path of ['clusters/team-a', 'handoff/team-a']) {
      if (fleet.has(`deploy/${path}`)) fleet.remove(`deploy/${path}`)
      fleet.copy(fleet.path(`rendered/${path}`), `deploy/${path}`)
    }
    fleet.git('rm', '-rqf', 'rendered')
    fleet.commit()
    for (const given of [{}, { check: true }, { check: true, base: 'HEAD~1' }])
      expect(await codes(fleet, given)).toContain(want)
  })

  test.each([
    { name: 'in one commit', commits: [['move', 'rename'], []] },
    { name: 'in one commit that is not made yet', commits: [['move', 'rename']] },
    { name: 'first', commits: [['rename'], ['move'], []] },
    { name: 'afterwards', commits: [['move'], ['rename'], []] },
  ] as const)('does not come back at a lower version where the fleet moves, and is renamed $name', async (way) => {
    const fleet = await start()
    const before = fleet.read(cluster)
    upgrade(fleet)
    await step(fleet)
    await step(fleet)
    fleet.git('rm', '-rqf', folder)
    await step(fleet)
    const at = (path: string): string => (fleet.has('new') ? `new/${path}` : path)
    const acts = {
      move: () => {
        fleet.write('new/README.md', 'fleets\n')
        for (const path of inputs.filter((name) => fleet.has(name))) fleet.git('mv', path, `new/${path}`)
      },
      rename: () => {
        fleet.edit(at('stackmason.yaml'), /metadata: \{name: \w+\}/, 'metadata: {name: other}')
      },
    }
    const given = (): Partial<RenderOptions> => ({ fleet: fleet.path(at('stackmason.yaml')) })
    for (const [index, names] of way.commits.entries()) {
      for (const name of names) acts[name]()
      if (index < way.commits.length - 1) await step(fleet, given())
    }
    fleet.edit('new/stackmason.yaml', 'version: v4', 'version: v3')
    fleet.edit('new/stacks/demo.yaml', '- v4', '- v3')
    fleet.edit(`new/${csctl}`, 'v1.34.8', 'v1.34.7')
    fleet.write(`new/${cluster}`, before)
    expect(await codes(fleet, { ...given(), base: 'HEAD' })).toContain('CLUSTER_ORPHANED')
    // without a base the tree that has moved on disk counts as one that nobody commits
    if (way.commits.length === 1) await step(fleet, given())
    expect(await codes(fleet, { ...given(), check: way.commits.length === 1 })).toContain('CLUSTER_ORPHANED')
  })

  test('comes back with the command that a run names where it is frozen', async () => {
    const fleet = await start()
    fleet.write(optionsFile, options('{freeze: true}'))
    await step(fleet)
    const kept = fleet.git('rev-parse', 'HEAD:rendered/clusters/team-a/web', 'HEAD:rendered/handoff/team-a/web')
    const commit = fleet.git('rev-parse', '--short=12', 'HEAD').trim()
    fleet.git('rm', '-rq', 'rendered/clusters/team-a/web', 'rendered/handoff/team-a/web')
    fleet.commit()
    move(fleet)
    fleet.commit()
    const run = fleet.render()
    expect(await problemsOf(run, fleet.folder)).toEqual([
      expect.stringMatching(new RegExp(`^FREEZE_NOTHING .* commit ${commit} still has it`)),
    ])
    const problem: unknown = await run.catch((error: unknown) => error)
    const hint = problem instanceof StackmasonError ? problem.diagnostics[0]?.hint : undefined
    const [, command = ''] = /`(.*?)`/.exec(hint ?? '') ?? []
    execFileSync('sh', ['-c', command], { cwd: fleet.folder, env: gitTestEnvironment })
    fleet.git('commit', '-qm', 'as it was')
    expect(fleet.git('rev-parse', 'HEAD:deploy/clusters/team-a/web', 'HEAD:deploy/handoff/team-a/web')).toBe(kept)
    expect(fleet.git('status', '--porcelain')).toBe('')
    expect(fleet.steps(await fleet.render())).toContain('freeze')
  })

  test('is restored as it was', async () => {
    const fleet = await start()
    fleet.git('branch', 'old')
    fleet.git('rm', '-rqf', folder)
    await step(fleet)
    move(fleet)
    await step(fleet)
    fleet.git('checkout', '-q', 'old', '--', folder)
    expect(await codes(fleet)).toEqual([])
    fleet.commit()
    for (const given of [{ check: true }, { check: true, base: 'HEAD~1' }])
      expect(await fleet.render(given)).toMatchObject({ changes: [], findings: [] })
  })
})

test('a revert of a move and what came after it lowers no version', async () => {
  const fleet = await start()
  move(fleet)
  await step(fleet)
  upgrade(fleet)
  await step(fleet)
  await step(fleet)
  expect(state(fleet)).toBe('docker-demo-1-34-v4 v1.34.8')
  fleet.git('revert', '--no-commit', 'HEAD~3..HEAD')
  fleet.commit()
  expect(state(fleet, 'rendered')).toBe('docker-demo-1-34-v3 v1.34.7')
  expect(await allCodes(fleet, 'HEAD~1')).toEqual([['UPGRADE_GOES_BACK'], ['UPGRADE_GOES_BACK'], ['UPGRADE_GOES_BACK']])
})

test('a revert of the commit that takes a Cluster out and moves the tree brings nothing back', async () => {
  const fleet = await start()
  fleet.write(optionsFile, options('{decommission: {}}'))
  await step(fleet)
  fleet.write(optionsFile, options('{decommission: {step: delete}}'))
  move(fleet)
  await step(fleet, { base: 'HEAD' })
  expect(fleet.has(`deploy/${object}`)).toBe(false)
  fleet.git('revert', '--no-edit', 'HEAD')
  expect(fleet.has(`rendered/${object}`)).toBe(true)
  expect(await allCodes(fleet, 'HEAD~1')).toEqual([[], ['DECOMMISSION_UNDER_WAY'], ['DECOMMISSION_UNDER_WAY']])
  // the way that the findings name
  await fleet.render({ base: 'HEAD~1' })
  expect(fleet.has(`rendered/${object}`)).toBe(false)
})

test('a tree that went as a whole lowers no version where it is written anew, there or elsewhere', async () => {
  for (const output of ['rendered', 'deploy']) {
    const fleet = await start()
    fleet.git('branch', 'old')
    upgrade(fleet)
    await step(fleet)
    await step(fleet)
    fleet.git('rm', '-rqf', 'rendered')
    fleet.commit()
    fleet.git('checkout', '-q', 'old', '--', 'clusters', 'providers', 'stacks', 'stackmason.yaml')
    if (output === 'deploy') {
      fleet.edit('stackmason.yaml', './rendered', './deploy')
      fleet.edit('stackmason.yaml', /^spec:$/m, 'spec:\n  output: {path: deploy}')
    }
    expect(await codes(fleet)).toEqual(['CLUSTER_ORPHANED'])
    expect(fleet.has(`${output}/clusters`)).toBe(false)
  }
})
