import { describe, expect, test } from 'vitest'
import { clusterStackYaml, clusterYaml, imageFleet, type ImageFleet } from './image-fleet.ts'

const web = 'clusters/team/web/cluster.yaml'
const tag = 'openstack-mini-1-34'

/** Clusters that name their images themselves, which a class does not, rendered and committed at v1. */
async function fleetOf(clusters: readonly string[]): Promise<ImageFleet> {
  const fleet = await imageFleet('flux', 'use: existing, gate: controller')
  const next = '{name: next, providerDirectory: {path: mini, version: v2}}'
  fleet.edit('stackmason.yaml', 'version: v1}}]', `version: v1}}, ${next}]`)
  fleet.edit('mini/cluster-class/templates/class.yaml', '{type: string, default: node}', '{type: string}')
  fleet.remove('mini/image.yaml')
  for (const name of clusters) {
    const variables = `[{name: imageName, value: of-${name}}]`
    fleet.write(`clusters/team/${name}/cluster.yaml`, clusterYaml(name, 'team', { variables }))
  }
  await fleet.render()
  fleet.commit()
  return fleet
}

const gateOf = (fleet: ImageFleet, version: string): readonly string[] =>
  [
    ...fleet
      .rendered(`stacks/platform/${tag}-${version}/nodeimagegate-${tag}-${version}.yaml`)
      .matchAll(/orcImage: (\S+)/g),
  ].map(([, name = '']) => name)

describe('images that exist and that clusters choose', () => {
  test.each([
    { what: 'the only cluster', clusters: ['web'], offered: 'v1, v2', options: {}, next: ['of-web-v1.34.7'] },
    { what: 'the only cluster, of a class that is offered no more', clusters: ['web'], offered: 'v2', options: {} },
    { what: 'one of two', clusters: ['web', 'api'], offered: 'v2', options: {} },
    { what: 'one of two alone', clusters: ['web', 'api'], offered: 'v2', options: { clusters: ['web'] }, next: [] },
  ])('are waited for while $what leaves a class', async ({ clusters, offered, options, next = ['of-web-v1.34.7'] }) => {
    const fleet = await fleetOf(clusters)
    const before = gateOf(fleet, 'v1')
    fleet.write('stacks/mini.yaml', clusterStackYaml('mini', 'platform', offered))
    fleet.edit(web, `${tag}-v1`, `${tag}-v2`)
    const { findings } = await fleet.render(options)
    expect(findings).toEqual([])
    expect([gateOf(fleet, 'v1'), gateOf(fleet, 'v2')]).toEqual([before, next])
  })

  test('stay when a run writes a class and is not about those who chose them', async () => {
    const fleet = await fleetOf(['web', 'api'])
    const narrow = [{ stacks: ['platform/mini'] }, { stacks: ['platform/mini'], clusters: ['web'] }]
    for (const options of narrow) expect([options, (await fleet.render(options)).changes]).toEqual([options, []])
    // between two steps the tree has a cluster of one class, and the fleet wants another
    fleet.write('stacks/mini.yaml', clusterStackYaml('mini', 'platform', 'v2'))
    fleet.edit(web, `${tag}-v1`, `${tag}-v2`)
    await fleet.render()
    fleet.commit()
    expect((await fleet.render({ stacks: ['platform/mini'] })).changes).toEqual([])
    expect([gateOf(fleet, 'v1'), gateOf(fleet, 'v2')]).toEqual([
      ['of-api-v1.34.7', 'of-web-v1.34.7'],
      ['of-web-v1.34.7'],
    ])
  })

  test('are found by a patch in a run of the class alone', async () => {
    const fleet = await fleetOf(['web'])
    fleet.write(
      'clusters/team/web/patches/image.yaml',
      `apiVersion: stackmason.dev/v1alpha1
kind: Patch
spec:
  target: {kind: Cluster}
  jsonPatch:
    - {op: replace, path: /spec/topology/variables/0/value, value: patched}
`,
    )
    await fleet.render()
    fleet.commit()
    expect(gateOf(fleet, 'v1')).toEqual(['patched-v1.34.7'])
    expect((await fleet.render({ stacks: ['platform/mini'] })).changes).toEqual([])
  })

  test('stay while a cluster leaves the tree whose folder is gone', async () => {
    const fleet = await fleetOf(['web'])
    const stack = fleet.files('stacks')
    const codes = async (): Promise<readonly string[]> => (await fleet.render()).findings.map(({ code }) => code)
    fleet.remove('clusters/team/web')
    expect(await codes()).toEqual(['CLUSTER_ORPHANED'])
    fleet.commit()
    expect(await codes()).toEqual(['RELEASE_SKIPPED'])
    expect(fleet.files('stacks')).toEqual(stack)
  })
})
