import { expect, test } from 'vitest'
import { exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'

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
