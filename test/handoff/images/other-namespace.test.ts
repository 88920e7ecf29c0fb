import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml-parse.ts'
import { fieldAt, itemsAt, textAt } from '../../../src/model/field.ts'
import type { Value } from '../../../src/model/value.ts'
import type { RenderResult } from '../../../src/pipeline/render.ts'
import { clusterStackYaml, clusterYaml, imageFleet, imageYaml, type ImageFleet } from './image-fleet.ts'

const byObject = '[{name: imageIsOrc, value: true}]'
const tag = 'openstack-mini-1-34'
const web = 'clusters/team/web/cluster.yaml'
const webUnit = 'handoff/team/web/kustomization-web.yaml'

/** Image objects and gates of the output. */
async function imagesOf(fleet: ImageFleet): Promise<readonly string[]> {
  return (await fleet.files('stacks')).filter((path) => /\/(?:image|nodeimagegate)-/.test(path))
}

async function fieldOf(fleet: ImageFleet, path: string, ...field: readonly string[]): Promise<Value | undefined> {
  return fieldAt(parseGoYaml(await fleet.read(path)), ...field)
}

/** The units that a Kustomization waits for. */
async function waitsFor(fleet: ImageFleet, path: string): Promise<readonly string[]> {
  return itemsAt((await fieldOf(fleet, path, 'spec')) ?? null, 'dependsOn').map((entry) =>
    [textAt(entry, 'namespace'), textAt(entry, 'name')].filter((part) => part !== '').join('/'),
  )
}

const codesOf = ({ findings }: RenderResult): readonly string[] => findings.map(({ code }) => code)
const changesOf = ({ changes }: RenderResult): readonly string[] =>
  changes.map(({ path, change }) => `${change} ${path}`)

/** A fleet with a cluster in namespace team, rendered and committed. */
async function teamFleet(engine: 'flux' | 'argocd', nodeImages: string): Promise<ImageFleet> {
  const fleet = await imageFleet(engine, nodeImages)
  await fleet.write(web, clusterYaml('web', 'team', { variables: byObject }))
  expect(codesOf(await fleet.render())).toEqual([])
  fleet.commit()
  expect(changesOf(await fleet.render({ check: true }))).toEqual([])
  return fleet
}

/** Publishes v2 of the stack in place of v1, and lets the cluster ask for it. */
async function wantNext(fleet: ImageFleet): Promise<void> {
  await fleet.edit('stackmason.yaml', 'version: v1', 'version: v2')
  await fleet.edit('stacks/mini.yaml', '[v1]', '[v2]')
  await fleet.edit(web, `${tag}-v1`, `${tag}-v2`)
}

describe('node images of clusters outside the namespace of their class', () => {
  test('under Flux: a unit of images in their namespace, for which the cluster waits', async () => {
    const fleet = await teamFleet('flux', 'uploadFrom: [platform], gate: controller')
    expect(await imagesOf(fleet)).toEqual([
      `platform/${tag}-v1/image-node-v1.34.7.yaml`,
      `platform/${tag}-v1/nodeimagegate-${tag}-v1.yaml`,
      `team/${tag}-v1/image-node-v1.34.7.yaml`,
      `team/${tag}-v1/nodeimagegate-${tag}-v1.yaml`,
    ])
    expect(await fleet.read(`stacks/team/${tag}-v1/image-node-v1.34.7.yaml`)).toBe(
      [
        'apiVersion: openstack.k-orc.cloud/v1alpha1',
        'kind: Image',
        'metadata:',
        '  name: node-v1.34.7',
        '  namespace: team',
        '  annotations:',
        '    helm.sh/resource-policy: keep',
        '    kustomize.toolkit.fluxcd.io/prune: disabled',
        'spec:',
        '  cloudCredentialsRef:',
        '    cloudName: openstack',
        '    secretName: openstack',
        '  import:',
        '    filter:',
        '      name: node-v1.34.7',
        '  managementPolicy: unmanaged',
        '',
      ].join('\n'),
    )
    expect(await waitsFor(fleet, webUnit)).toEqual([`platform/stack-${tag}-v1`, `stack-${tag}-v1`])
    const unit = `handoff/team/stacks/kustomization-stack-${tag}-v1.yaml`
    expect(await fieldOf(fleet, unit, 'spec', 'path')).toBe(`./rendered/stacks/team/${tag}-v1`)
    expect(await fieldOf(fleet, unit, 'spec', 'wait')).toBe(true)
    expect(await fleet.read(unit)).toContain("c.type == 'Available'")
  })

  test('under Argo CD: an Application in the project of their namespace, in the wave before the cluster', async () => {
    const fleet = await teamFleet('argocd', 'uploadFrom: [platform, team]')
    expect(await fleet.read(`stacks/team/${tag}-v1/image-node-v1.34.7.yaml`)).toContain('onDelete: detach')
    const application = `handoff/team/application-team.stack.${tag}-v1.yaml`
    expect(await fieldOf(fleet, application, 'spec', 'project')).toBe('team.management')
    expect(await fieldOf(fleet, application, 'spec', 'destination', 'namespace')).toBe('team')
    const wave = ['metadata', 'annotations', 'argocd.argoproj.io/sync-wave']
    expect(await fieldOf(fleet, application, ...wave)).toBe('0')
    expect(await fieldOf(fleet, 'handoff/team/application-team.web.handoff.yaml', ...wave)).toBe('1')
    const project = await fleet.read('handoff/appproject-team.management.yaml')
    expect(project.match(/(?<= {2}- namespace: ).*/g)).toEqual(['team'])
  })

  const lives = (['flux', 'argocd'] as const).flatMap((engine) => [
    { engine, old: 'gone', want: ['1', '1 2', '1 2', '2'] },
    { engine, old: 'on offer', want: ['1', '1 2', '1 2', '2'] },
  ])
  test.each(lives)('stay under $engine until the last cluster has left the release, which is $old', async (row) => {
    const fleet = await teamFleet(row.engine, 'uploadFrom: [platform], gate: controller')
    const next = ', {name: next, providerDirectory: {path: mini, version: v2}}]'
    if (row.old === 'on offer') await fleet.edit('stackmason.yaml', /version: v1\}\}\s*,?\]/, `version: v1}}${next}`)
    else await fleet.edit('stackmason.yaml', 'version: v1', 'version: v2')
    await fleet.edit('stacks/mini.yaml', '[v1]', '[v2]')
    const versions = async (): Promise<string> =>
      [...new Set((await fleet.files('stacks/team')).map((path) => path.replace(/\/.*/, '').slice(-1)))].join(' ')
    const seen = [await versions()]
    await fleet.edit(web, `${tag}-v1`, `${tag}-v2`)
    const actions: string[] = []
    for (let step = 0; step < 3; step++) {
      const result = await fleet.render()
      actions.push((result.steps ?? []).map(({ due }) => due.action).join(' '))
      seen.push(await versions())
      expect([step, changesOf(await fleet.render({ check: true }))]).toEqual([step, []])
      fleet.commit()
    }
    expect(actions).toEqual(['addons', 'class', ''])
    expect(seen).toEqual(row.want)
    expect(await imagesOf(fleet)).toEqual(
      ['platform', 'team'].flatMap((namespace) => [
        `${namespace}/${tag}-v2/image-node-v1.34.7.yaml`,
        `${namespace}/${tag}-v2/nodeimagegate-${tag}-v2.yaml`,
      ]),
    )
  })

  test('stay as they are committed for a frozen cluster whose release is gone', async () => {
    const fleet = await teamFleet('flux', 'uploadFrom: [platform]')
    await fleet.write(
      'clusters/team/web/options.yaml',
      'apiVersion: stackmason.dev/v1alpha1\nkind: ClusterOptions\nspec: {freeze: true}\n',
    )
    await wantNext(fleet)
    const before = await fleet.read(`stacks/team/${tag}-v1/image-node-v1.34.7.yaml`)
    await fleet.render()
    expect(await fleet.read(`stacks/team/${tag}-v1/image-node-v1.34.7.yaml`)).toBe(before)
    expect(await fleet.read(`stacks/platform/${tag}-v1/image-node-v1.34.7.yaml`)).toContain('onDelete: detach')
    expect(await waitsFor(fleet, webUnit)).toEqual([`platform/stack-${tag}-v1`, `stack-${tag}-v1`])
    expect(changesOf(await fleet.render({ check: true }))).toEqual([])
  })

  test('go when no cluster looks for objects any more', async () => {
    const fleet = await teamFleet('flux', 'uploadFrom: [platform]')
    await fleet.write(web, clusterYaml('web', 'team'))
    await fleet.render()
    expect(await fleet.files('stacks/team')).toEqual([])
    expect(await fleet.files('handoff/team/stacks')).toEqual([])
    expect(await waitsFor(fleet, webUnit)).toEqual([`platform/stack-${tag}-v1`])
    expect(changesOf(await fleet.render({ check: true }))).toEqual([])
  })

  test('are left where they are by runs for a single cluster or stack', async () => {
    const fleet = await teamFleet('flux', 'uploadFrom: [platform]')
    await fleet.write('stacks/own.yaml', clusterStackYaml('own', 'team', 'v1'))
    await fleet.render()
    fleet.commit()
    for (const narrow of [{ clusters: ['team/web'] }, { stacks: ['platform/mini'] }, { stacks: ['team/own'] }])
      expect([narrow, changesOf(await fleet.render(narrow))]).toEqual([narrow, []])
  })

  test('are what the fleet lets all clusters look for', async () => {
    const fleet = await imageFleet('flux', 'uploadFrom: [platform], findBy: object')
    await fleet.write(web, clusterYaml('web', 'team'))
    await fleet.write('clusters/platform/own/cluster.yaml', clusterYaml('own', 'platform'))
    expect(codesOf(await fleet.render())).toEqual([])
    for (const path of ['clusters/team/web/cluster/cluster-web.yaml', 'clusters/platform/own/cluster/cluster-own.yaml'])
      expect(await fleet.read(path)).toContain('    variables:\n    - name: imageIsOrc\n      value: true\n')
    expect(await imagesOf(fleet)).toEqual([
      `platform/${tag}-v1/image-node-v1.34.7.yaml`,
      `team/${tag}-v1/image-node-v1.34.7.yaml`,
    ])
    await fleet.write('mini/image.yaml', imageYaml('other-v1.34.7'))
    expect(codesOf(await fleet.render())).toEqual([])
    expect(await fleet.read('clusters/team/web/cluster/cluster-web.yaml')).toContain(
      '    variables:\n    - name: imageName\n      value: other\n    - name: imageAddVersion\n      value: true\n    - name: imageIsOrc\n',
    )
  })
})
