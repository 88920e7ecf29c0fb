import { describe, expect, test } from 'vitest'
import { exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { problemsOf } from './remote-fleet.ts'

const condition = `
      waitForPostCondition:
        objects: [{key: d, apiVersion: apps/v1, kind: Deployment, name: x, namespace: kube-system}]
        conditions: d.spec.replicas == 1`
const addons = 'rendered/clusters/team-a/web/addons'

test('an addon that gets a condition moves to a unit of its own with the commit after the one that lets go of it', async () => {
  const fleet = exampleFleet(await tempFolder(), { clusters: ['team-a/web'], handoff: [handoffs.flux] })
  const run = async (check = false): Promise<readonly string[]> => {
    const { findings, changes } = await fleet.render({ check })
    expect(check ? changes : []).toEqual([])
    return findings.filter(({ code }) => code === 'HANDOFF_UNIT_CHANGES').map(({ message }) => message)
  }
  /** What the unit of all addons applies, the other units, and how many objects of the addon Flux must not prune. */
  const state = (): readonly unknown[] => {
    const files = fleet.entries(`${addons}/02-metrics`).filter((name) => /^[a-z]/.test(name))
    const texts = files.map((name) => fleet.read(`${addons}/02-metrics/${name}`))
    const released = texts.filter((text) => text.includes('kustomize.toolkit.fluxcd.io/prune: disabled'))
    return [
      fleet.read(`${addons}/kustomization.yaml`).match(/\d\d-\S+/g),
      fleet.entries('rendered/handoff/team-a/web').filter((name) => name.includes('metrics')),
      released.length === files.length - 1,
    ]
  }
  expect(await run()).toEqual([])
  const together = ['01-dns-cache', '02-metrics']
  expect(state()).toEqual([together, [], false])
  fleet.commit()

  fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
  fleet.edit('stacks/demo.yaml', '- v3', '- v4')
  fleet.edit('clusters/team-a/web/cluster.yaml', 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
  fleet.edit('providers/docker/demo/clusteraddon.yaml', /(- name: metrics\n +action: apply)/, `$1${condition}`)
  const message =
    'cluster team-a/web: metrics will leave the unit web-addons with the next commit; with this one the unit only orphans what it has applied'
  expect(await run()).toEqual([message])
  expect(state()).toEqual([together, [], true])
  // rendered again, and looked at: the same
  expect(await run()).toEqual([message])
  expect(await run(true)).toEqual([message])
  expect(state()).toEqual([together, [], true])
  fleet.commit()
  expect(await run(true)).toEqual([message])

  expect(await run()).toEqual([])
  expect(state()).toEqual([['01-dns-cache'], ['flux-kustomization-web-addons-02-metrics.yaml'], false])
  expect(await run(true)).toEqual([])
})

const maps = (...names: readonly string[]): string =>
  names
    .map((name) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: default}}\n`)
    .join('---\n')
const own = (addons: readonly string[], values = ''): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  units: perAddon\n  addons:\n${addons
    .map((name) => `    - {name: ${name}, namespace: default, templates: {path: ${name}}}\n`)
    .join('')}${values}`

describe.each(['flux', 'argocd'] as const)('a suspended cluster under %s', (tool) => {
  const home = 'clusters/team-a/web'
  const suspended = 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {suspend: true}\n'
  async function suspendedFleet(): Promise<{
    readonly fleet: ReturnType<typeof exampleFleet>
    readonly run: () => Promise<readonly (string | undefined)[]>
    readonly where: (name: string) => readonly string[]
    readonly units: () => readonly string[]
  }> {
    const fleet = exampleFleet(await tempFolder(), { clusters: ['team-a/web'], handoff: [handoffs[tool]] })
    fleet.write(`${home}/addons.yaml`, own(['one', 'two']))
    fleet.write(`${home}/one/x.yaml`, maps('a', 'b'))
    fleet.write(`${home}/two/x.yaml`, maps('c'))
    await fleet.render()
    fleet.commit()
    fleet.write(`${home}/options.yaml`, suspended)
    await fleet.render()
    fleet.commit()
    return {
      fleet,
      run: async () => {
        const { findings } = await fleet.render()
        const { changes } = await fleet.render({ check: true })
        expect(changes).toEqual([])
        return findings.filter(({ code }) => code === 'HANDOFF_UNIT_CHANGES').map(({ hint }) => hint)
      },
      where: (name) =>
        ['one', 'two'].filter((addon) =>
          fleet
            .entries(`rendered/clusters/team-a/web/addons-own/${addon}`)
            .some((file) => file.startsWith('configmap') && file.endsWith(`${name}.yaml`)),
        ),
      units: () => fleet.entries('rendered/handoff/team-a/web').filter((name) => name.includes('own')),
    }
  }
  const held = (resume: string): string =>
    `The tree suspends the cluster, so this is not applied: ${resume}; the next step is written after that.`
  const removed = held(`remove \`suspend\` from ${home}/options.yaml, render and commit`)
  const resumed = held('commit what this run writes, which resumes it')

  test('moves no object until the unit that has it was resumed', async () => {
    const { fleet, run, where } = await suspendedFleet()
    fleet.write(`${home}/one/x.yaml`, maps('a'))
    fleet.write(`${home}/two/x.yaml`, maps('b', 'c'))
    expect([await run(), where('b')]).toEqual([[removed], ['one']])
    fleet.commit()
    expect([await run(), where('b')]).toEqual([[removed], ['one']])
    fleet.commit()
    fleet.remove(`${home}/options.yaml`)
    expect([await run(), where('b')]).toEqual([[resumed], ['one']])
    fleet.commit()
    expect([await run(), where('b')]).toEqual([[], ['two']])
  })

  test('moves nothing in the commit that suspends it', async () => {
    const { fleet, run, where } = await suspendedFleet()
    fleet.remove(`${home}/options.yaml`)
    await run()
    fleet.commit()
    fleet.write(`${home}/one/x.yaml`, maps('a'))
    fleet.write(`${home}/two/x.yaml`, maps('b', 'c'))
    expect([await run(), where('b')]).toEqual([[undefined], ['one']])
    fleet.commit()
    fleet.write(`${home}/options.yaml`, suspended)
    expect([await run(), where('b')]).toEqual([[removed], ['one']])
  })

  test('keeps a unit of which nothing is left until it was resumed', async () => {
    const { fleet, run, units } = await suspendedFleet()
    const before = units()
    fleet.write(`${home}/addons.yaml`, own(['one']))
    fleet.remove(`${home}/two`)
    expect([await run(), units()]).toEqual([[removed], before])
    fleet.commit()
    expect([await run(), units()]).toEqual([[removed], before])
    fleet.remove(`${home}/options.yaml`)
    expect([await run(), units()]).toEqual([[resumed], before])
    fleet.commit()
    expect(await run()).toEqual([])
    expect(units()).toHaveLength(before.length - 1)
  })
})

test.each([
  {
    name: 'a move',
    change: (fleet: ReturnType<typeof exampleFleet>): void => {
      fleet.write('clusters/team-a/web/one/x.yaml', maps('a'))
      fleet.write('clusters/team-a/web/two/x.yaml', maps('b', 'c'))
    },
    says: 'ConfigMap default/b leaves addons-own/one, which has not orphaned it',
  },
  {
    name: 'the end of a unit',
    change: (fleet: ReturnType<typeof exampleFleet>): void => {
      fleet.write('clusters/team-a/web/addons.yaml', own(['one']))
      fleet.remove('clusters/team-a/web/two')
    },
    says: 'addons-own/two goes, which was not emptied',
  },
])('both steps of $name in one tree are refused, each alone is not', async ({ change, says }) => {
  const fleet = exampleFleet(await tempFolder(), { clusters: ['team-a/web'], handoff: [handoffs.flux] })
  fleet.write('clusters/team-a/web/addons.yaml', own(['one', 'two']))
  fleet.write('clusters/team-a/web/one/x.yaml', maps('a', 'b'))
  fleet.write('clusters/team-a/web/two/x.yaml', maps('c'))
  await fleet.render()
  fleet.commit()
  fleet.git('branch', 'main-before')
  change(fleet)
  const check = (base: string): Promise<unknown> => fleet.render({ check: true, base })
  await fleet.render()
  expect(await check('main-before')).toMatchObject({ changes: [] })
  fleet.commit()
  expect(await check('main-before')).toMatchObject({ changes: [] })
  await fleet.render()
  expect(await check('HEAD')).toMatchObject({ changes: [] })
  fleet.commit()
  expect(await problemsOf(check('main-before'), fleet.folder)).toEqual([
    `STEPS_TOGETHER clusters/team-a/web/cluster.yaml:23:13 compared with main-before, the tree of team-a/web takes two steps at once: ${says} | ` +
      'Write the first step with `stackmason render --base main-before`, and the next one when that is merged and applied. If main-before is only ahead of this branch, bring the branch up to date.',
  ])
})
