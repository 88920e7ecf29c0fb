import { expect, test } from 'vitest'
import { expandFleet } from '../../src/pipeline/expand/expand-fleet.ts'
import { openFleet } from '../../src/pipeline/fleet/open-fleet.ts'
import { exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'

const classFile = 'docker-demo-1-34-cluster-class/templates/cluster-class.yaml'

test('a variable with the value of its default stands in the class for a cluster, and in the file of one that sets it', async () => {
  const folder = await tempFolder()
  const fleet = exampleFleet(folder, { clusters: ['team-a/web'], handoff: [handoffs.flux] })
  const web = fleet.read('clusters/team-a/web/cluster.yaml')
  for (const own of ['patches', 'values']) fleet.remove(`clusters/team-a/web/${own}`)
  const zed = `${web.replace('name: web', 'name: zed')}      - name: metricsResolution\n        value: 15s\n`
  fleet.write('clusters/team-a/zed/cluster.yaml', zed)
  const places: (string | undefined)[] = []
  await expandFleet(
    await openFleet({ start: folder }, fleet.ports),
    { selection: { clusters: [], stacks: [] }, revision: { from: 'disk' }, network: 'offline', until: 'rendered' },
    {
      ports: fleet.ports,
      take: ({ rendered, locator }) => {
        const agent = rendered
          .flatMap(({ manifests }) => manifests)
          .find(({ kind, name }) => kind === 'Deployment' && name === 'metrics-agent')
        const path = ['spec', 'template', 'spec', 'containers', 0, 'args', 0]
        if (agent !== undefined) places.push(locator?.locate(agent, path).at?.source.name)
      },
    },
  )
  expect(places).toEqual([classFile, 'clusters/team-a/zed/cluster.yaml'])
})
