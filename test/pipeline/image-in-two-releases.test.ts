import { describe, expect, test } from 'vitest'
import { cluster, type HandoffFleet, handoffFleet, wantNext } from './handoff-fleet.ts'

const IMAGE = `apiVersion: openstack.k-orc.cloud/v1alpha1
kind: Image
metadata: {name: node-v1.34}
spec:
  cloudCredentialsRef: {cloudName: c, secretName: s}
  managementPolicy: managed
  resource: {content: {diskFormat: qcow2, download: {url: "https://images.example/node.qcow2"}}}
`

/** The stacks that hold the image. */
function holders(fleet: HandoffFleet): readonly string[] {
  return [v3, v4].filter((file) => fleet.has(file))
}

async function isCurrent(fleet: HandoffFleet, base?: string): Promise<boolean> {
  const { changes } = await fleet.render({ check: true, ...(base !== undefined && { base }) })
  return changes.length === 0
}

/** Renders and commits until a run writes nothing: after each, a check finds nothing, and another run neither. */
async function settle(fleet: HandoffFleet): Promise<readonly (readonly string[])[]> {
  const seen: (readonly string[])[] = []
  for (let run = 0; run < 6; run++) {
    const before = fleet.git('rev-parse', 'HEAD').trim()
    const { changes } = await fleet.render()
    if (changes.length === 0) return seen
    expect(await isCurrent(fleet)).toBe(true)
    expect((await fleet.render()).changes).toHaveLength(0)
    seen.push([...fleet.state().slice(0, 1), ...holders(fleet)])
    fleet.commit()
    expect(await isCurrent(fleet, before)).toBe(true)
  }
  throw new Error('it never ends')
}

const v3 = 'rendered/stacks/platform/docker-demo-1-34-v3/image-node-v1.34.yaml'
const v4 = 'rendered/stacks/platform/docker-demo-1-34-v4/image-node-v1.34.yaml'

describe.each(['flux', 'argocd'] as const)('an image that two releases bring, handed to %s,', (tool) => {
  test('stays where it is in an upgrade of two steps', async () => {
    const fleet = await handoffFleet(tool)
    fleet.write('providers/docker/demo/cluster-class/templates/image.yaml', IMAGE)
    fleet.copy(fleet.path('providers/docker/demo'), 'next/docker/demo')
    fleet.edit('stacks/demo.yaml', '    - v3', '    - v3\n    - v4')
    fleet.edit(
      'stackmason.yaml',
      '  sources:\n',
      '  sources:\n    - name: next\n      providerDirectory: {path: next/docker/demo, version: v4}\n',
    )
    fleet.edit('stackmason.yaml', / {2}stacks:\n {4}- .*source: demo.*\n/, '')
    expect(await settle(fleet)).toEqual([['docker-demo-1-34-v3', v3]])
    fleet.edit(cluster, 'docker-demo-1-34-v3', 'docker-demo-1-34-v4')
    expect(await settle(fleet)).toEqual([
      ['docker-demo-1-34-v3', v3],
      ['docker-demo-1-34-v4', v3],
    ])
  })

  test('goes to the release in use when no source offers the other one', async () => {
    const fleet = await handoffFleet(tool)
    fleet.write('providers/docker/demo/cluster-class/templates/image.yaml', IMAGE)
    expect(await settle(fleet)).toEqual([['docker-demo-1-34-v3', v3]])
    wantNext(fleet)
    expect(await settle(fleet)).toEqual([
      ['docker-demo-1-34-v3', v3],
      ['docker-demo-1-34-v4', v3],
      // the stack that nobody uses any more leaves the tree
      ['docker-demo-1-34-v4', v4],
    ])
  })
})
