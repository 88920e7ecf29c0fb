import { expect, test } from 'vitest'
import { exampleConfig, exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { cluster, handoffFleet } from './handoff-fleet.ts'

const handoff = [handoffs.flux]

test('a run for a cluster named like the folder of stacks takes none of them out of the handoff', async () => {
  const fleet = exampleFleet(await tempFolder(), { handoff })
  const cluster = fleet.read('clusters/team-a/edge/cluster.yaml')
  const moved = cluster.replace('name: edge', 'name: stacks').replace('namespace: team-a', 'namespace: platform')
  fleet.change({ 'clusters/platform/stacks/cluster.yaml': moved, 'clusters/team-a/edge': null })
  const run = async (clusters: readonly string[]): Promise<string> => {
    await fleet.render({ clusters })
    return fleet.read('rendered/handoff/platform/stacks/kustomization.yaml')
  }
  const whole = await run([])
  expect(whole.match(/flux-kustomization-\S+/g)).toEqual([
    'flux-kustomization-stack-docker-classic-1-33-v1.yaml',
    'flux-kustomization-stack-docker-demo-1-34-v3.yaml',
    'flux-kustomization-stacks-addons.yaml',
    'flux-kustomization-stacks.yaml',
  ])
  expect(await run(['platform/stacks'])).toBe(whole)
})

test('a run for one cluster leaves the namespaces of others, and adds none of its own', async () => {
  const fleet = exampleFleet(await tempFolder(), { handoff })
  const run = async (clusters: readonly string[]): Promise<readonly string[]> => {
    const { changes } = await fleet.render({ clusters })
    return changes.map(({ change, path }) => `${change} ${path}`)
  }
  await run([])
  fleet.write('stackmason.yaml', exampleConfig({ handoff: ['createNamespaces: true', ...handoff] }))
  expect(await run(['team-a/edge'])).toEqual([])
  const added = [
    'changed handoff/platform/kustomization.yaml',
    'added handoff/platform/namespace-platform.yaml',
    'changed handoff/team-a/kustomization.yaml',
    'added handoff/team-a/namespace-team-a.yaml',
    'changed handoff/team-b/kustomization.yaml',
    'added handoff/team-b/namespace-team-b.yaml',
  ]
  expect(await run([])).toEqual(added)
  expect(await run(['team-a/edge'])).toEqual([])
  // neither does it take a word to leave them out again
  fleet.write('stackmason.yaml', exampleConfig({ handoff }))
  expect(await run([])).toEqual(added.map((line) => line.replace('added', 'removed')))
})

test.each(['flux', 'argocd'] as const)(
  'a run for one cluster keeps the stack that it leaves, also when no source has that any more: %s',
  async (tool) => {
    const fleet = await handoffFleet(tool)
    fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
    fleet.edit('stacks/demo.yaml', '- v3', '- v4')
    fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    const { steps = [] } = await fleet.render({ clusters: ['team-a/web'] })
    expect(steps.map(({ due }) => due.action)).toEqual(['addons'])
    expect(fleet.has('rendered/stacks/platform/docker-demo-1-34-v3/kustomization.yaml')).toBe(true)
    expect(fleet.has('rendered/stacks/platform/docker-demo-1-34-v4')).toBe(false)
  },
)

test.each(['flux', 'argocd'] as const)(
  'a run for one cluster on %s takes it through an upgrade whose old release is gone from its source',
  async (tool) => {
    const fleet = await handoffFleet(tool)
    fleet.edit('stackmason.yaml', 'version: v3', 'version: v4')
    fleet.edit('stacks/demo.yaml', '- v3', '- v4')
    fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    const steps: (readonly string[])[] = []
    for (let commits = 0; commits < 3; commits++) {
      steps.push(fleet.steps(await fleet.render({ clusters: ['web'] })))
      fleet.commit()
    }
    expect(steps).toEqual([['addons class'], ['class'], []])
    expect(fleet.state().slice(0, 2)).toEqual(['docker-demo-1-34-v4', 'v1.34.7'])
  },
)
