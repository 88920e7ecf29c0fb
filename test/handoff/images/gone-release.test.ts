import { describe, expect, test } from 'vitest'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { clusterStackYaml, clusterYaml, imageFleet, type ImageFleet } from './image-fleet.ts'

const tag = 'openstack-mini-1-34'
const byObject = '[{name: imageIsOrc, value: true}]'
const web = 'clusters/team/web/cluster.yaml'
const freeze = 'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {freeze: true}\n'
const staged = `apiVersion: clusteraddonconfig.x-k8s.io/v1alpha1
clusterAddonVersion: clusteraddons.clusterstack.x-k8s.io/v1alpha1
addonStages:
  AfterControlPlaneInitialized:
    - name: note
      action: apply
      waitForPostCondition:
        conditions: c.data.done == "yes"
        objects: [{key: c, name: note, namespace: default, apiVersion: v1, kind: ConfigMap}]
`

/**
 * A frozen cluster of v1 in namespace team, rendered and committed before v2 took the place of v1 in the only source.
 */
async function frozenFleet(nodeImages: string, prepare: (fleet: ImageFleet) => void): Promise<ImageFleet> {
  const fleet = await imageFleet('flux', nodeImages)
  fleet.write(web, clusterYaml('web', 'team', { variables: byObject }))
  prepare(fleet)
  await fleet.render()
  fleet.commit()
  fleet.write('clusters/team/web/options.yaml', freeze)
  fleet.edit('stackmason.yaml', 'version: v1', 'version: v2')
  for (const stack of fleet.entries('stacks')) fleet.edit(`stacks/${stack}`, '[v1]', '[v2]')
  fleet.edit(web, `${tag}-v1`, `${tag}-v2`)
  return fleet
}

const gone = [['RELEASE_NOT_FOUND', `release ${tag}-v1 is not in source mini`, `They offer: ${tag}-v2.`]]

describe('a frozen cluster whose release no source has any more', () => {
  test.each([
    {
      name: 'conditions divide its addons among units',
      prepare: (fleet: ImageFleet) => fleet.write('mini/clusteraddon.yaml', staged),
    },
    {
      name: 'another cluster is rendered from that release',
      prepare: (fleet: ImageFleet) => fleet.write('clusters/team/api/cluster.yaml', clusterYaml('api', 'team')),
    },
  ])('stops the run where $name', async ({ prepare }) => {
    const fleet = await frozenFleet('uploadFrom: [platform]', prepare)
    const before = fleet.files('.')
    const problems = await diagnosticsOf(fleet.render())
    expect(problems.map(({ code, message, hint }) => [code, message, hint])).toEqual(gone)
    expect(fleet.files('.')).toEqual(before)
  })

  test('keeps the stacks of both namespaces that offered it', async () => {
    const fleet = await frozenFleet("uploadFrom: ['*']", (offered) => {
      offered.write('stacks/own.yaml', clusterStackYaml('own', 'team', 'v1'))
      offered.write(
        'clusters/team/near/cluster.yaml',
        clusterYaml('near', 'team').replace('classNamespace: platform', 'classNamespace: team'),
      )
    })
    fleet.write('clusters/team/near/options.yaml', freeze)
    fleet.edit('clusters/team/near/cluster.yaml', `${tag}-v1`, `${tag}-v2`)
    const paths = ['platform', 'team'].map((namespace) => `stacks/${namespace}/${tag}-v1`)
    const before = paths.map((path) => fleet.files(path))
    expect(before.map((files) => files.length)).toEqual([3, 3])
    await fleet.render()
    expect(paths.map((path) => fleet.files(path))).toEqual(before)
    expect((await fleet.render({ check: true })).changes).toEqual([])
  })
})

test('images that exist keep the name that a cluster chose while it leaves the release', async () => {
  const fleet = await imageFleet('flux', 'use: existing')
  fleet.remove('mini/image.yaml')
  const variables = '[{name: imageName, value: mine}]'
  fleet.write('clusters/platform/web/cluster.yaml', clusterYaml('web', 'platform', { variables }))
  await fleet.render()
  fleet.commit()
  const images = async (): Promise<readonly string[]> =>
    fleet.files('stacks').filter((path) => path.includes('/image-'))
  expect(await images()).toEqual([`platform/${tag}-v1/image-mine-v1.34.7.yaml`])
  const source = ', {name: next, providerDirectory: {path: mini, version: v2}}]'
  fleet.edit('stackmason.yaml', /version: v1\}\}\s*,?\]/, `version: v1}}${source}`)
  fleet.edit('stacks/mini.yaml', '[v1]', '[v2]')
  fleet.write(
    'clusters/platform/web/cluster.yaml',
    clusterYaml('web', 'platform', { version: 'v2', variables: '[{name: imageName, value: other}]' }),
  )
  const old = `platform/${tag}-v1/image-mine-v1.34.7.yaml`
  const next = `platform/${tag}-v2/image-other-v1.34.7.yaml`
  for (const expected of [[old, next], [old, next], [next]]) {
    await fleet.render()
    expect(await images()).toEqual(expected)
    fleet.commit()
  }
})
