import { beforeEach, describe, expect, test } from 'vitest'
import { deletionMarks } from '../../../src/handoff/committed-units.ts'
import { readClassUsers } from '../../../src/sources/committed/class-users.ts'
import type { Git } from '../../../src/model/git.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { openCommittedTree } from '../../../src/sources/committed/committed-tree.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { FleetFolder } from '../../../tools/fleets/fleet-folder.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'

const web = { namespace: 'team-a', name: 'web' }
const ports = createNodePorts()

let fleet: FleetFolder
beforeEach(async () => {
  fleet = new FleetFolder(await tempFolder())
  fleet.git('init', '-q')
})

const cluster = (className: string, version: string): string =>
  `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: web, namespace: team-a}, spec: {topology: {classRef: {name: ${className}, namespace: classes}, version: ${version}}}}`
const map = (name: string): string => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, namespace: team-a}}`
const index = (...names: readonly string[]): string =>
  `kind: Kustomization\nresources:\n${names.map((name) => `- ${name}\n`).join('')}`

const tree = {
  'out/clusters/team-a/web/cluster/cluster-web.yaml': cluster('a-b-1-34-v1', 'v1.34.1'),
  'out/clusters/team-a/web/cluster/kustomization.yaml': index('cluster-web.yaml'),
  'out/clusters/team-a/web/addons/kustomization.yaml': index('01-cni'),
  'out/clusters/team-a/web/addons/01-cni/configmap-cni.yaml': map('cni'),
  'out/clusters/team-a/web/addons/02-csi/configmap-csi.yaml': map('csi'),
  'out/stacks/classes/a-b-1-34-v1/configmap-class.yaml': map('class'),
  'out/stacks/classes/a-b-1-34-v1/kustomization.yaml': index('configmap-class.yaml'),
  'out/stacks/classes/no-release/configmap-class.yaml': map('class'),
  'out/handoff/team-a/web/flux-kustomization-web.yaml': map('unit'),
  'out/handoff/team-a/stacks/flux-kustomization-s.yaml': map('stack-unit'),
  'out/handoff/team-a/namespace-team-a.yaml': map('namespace'),
}

describe.each(['commit', 'disk'] as const)('the tree of the %s', (from) => {
  test('says what it has of clusters, addons, stacks and units', async () => {
    fleet.change(tree)
    if (from === 'commit') {
      fleet.commit()
      fleet.remove('out')
    }
    const committed = await openCommittedTree(fleet.path('out'), { from }, ports)
    expect(committed.isCommit).toBe(from === 'commit')
    expect(committed.clusters).toEqual([web])
    expect(committed.cluster(web)).toMatchObject({
      className: 'a-b-1-34-v1',
      version: 'v1.34.1',
      addons: 'a-b-1-34-v1',
    })
    expect(committed.cluster({ namespace: 'team-a', name: 'other' })).toBeUndefined()
    expect([...committed.addonUnits(web)]).toEqual([
      ['clusters/team-a/web/addons/01-cni', 'clusters/team-a/web/addons'],
      ['clusters/team-a/web/addons/02-csi', 'clusters/team-a/web/addons/csi'],
    ])
    const wish = { marks: deletionMarks.flux }
    const { objects } = (await committed.addons([web], wish)).get('team-a/web') ?? {}
    expect([...(objects ?? [])]).toEqual([
      [
        '/ConfigMap/team-a/cni',
        { folder: 'clusters/team-a/web/addons/01-cni', unit: 'clusters/team-a/web/addons', isOrphaned: false },
      ],
      [
        '/ConfigMap/team-a/csi',
        { folder: 'clusters/team-a/web/addons/02-csi', unit: 'clusters/team-a/web/addons/csi', isOrphaned: false },
      ],
    ])
    expect(await committed.addons([{ namespace: 'team-a', name: 'other' }], wish)).toEqual(new Map())
    expect((await committed.stacks()).map(({ namespace, release }) => [namespace, release.name.stack])).toEqual([
      ['classes', 'b'],
    ])
    expect(await committed.stack('classes', 'a-b-1-34-v1')).toMatchObject({
      path: 'stacks/classes/a-b-1-34-v1',
      manifests: [{ name: 'class' }],
    })
    expect(await committed.stack('classes', 'a-b-1-34-v2')).toBeUndefined()
    expect((await committed.handoff(web)).map(({ name }) => name)).toEqual(['unit'])
    expect((await committed.stackHandoff('team-a')).map(({ name }) => name)).toEqual(['namespace', 'stack-unit'])
    expect((await committed.content(web)).folders.map(({ path }) => path)).toEqual([
      'clusters/team-a/web/cluster',
      'clusters/team-a/web/addons/01-cni',
      'clusters/team-a/web/addons/02-csi',
    ])
  })
})

test('a commit that holds no cluster is none, unless it was named', async () => {
  fleet.change({ 'other.txt': 'a' })
  fleet.commit()
  fleet.change(tree)
  const output = fleet.path('out')
  const last = await openCommittedTree(output, { from: 'commit' }, ports)
  expect([last.isCommit, last.clusters]).toEqual([false, [web]])
  const named = await openCommittedTree(output, { from: 'commit', base: 'HEAD' }, ports)
  expect([named.isCommit, named.clusters]).toEqual([true, []])
  const unknown = await diagnosticsOf(openCommittedTree(output, { from: 'commit', base: 'nowhere' }, ports))
  expect(unknown.map(({ code }) => code)).toEqual(['BASE_UNKNOWN'])
})

test('content is that of the tree that was opened', async () => {
  fleet.change(tree)
  fleet.commit()
  fleet.change({ 'out/clusters/team-a/web/addons/01-cni/configmap-cni.yaml': map('edited') })
  const names = async (from: 'commit' | 'disk'): Promise<readonly string[]> => {
    const opened = await openCommittedTree(fleet.path('out'), { from }, ports)
    return (await opened.content(web)).folders.flatMap(({ manifests }) => manifests.map(({ name }) => name))
  }
  expect(await names('commit')).toEqual(['web', 'cni', 'csi'])
  expect(await names('disk')).toEqual(['web', 'edited', 'csi'])
})

test('the objects of the GitOps tool are read from git once for all clusters', async () => {
  fleet.change({ ...tree, 'out/handoff/team-a/web-2/flux-kustomization-web-2.yaml': map('unit-2') })
  fleet.commit()
  const read: string[] = []
  const readCommitted: Git['readCommitted'] = (folder, ...wanted) => {
    read.push(folder.slice(fleet.folder.length + 1))
    return ports.git.readCommitted(folder, ...wanted)
  }
  const counting = { ...ports, git: { ...ports.git, readCommitted } }
  const committed = await openCommittedTree(fleet.path('out'), { from: 'commit' }, counting)
  const names = async (manifests: Promise<readonly Manifest[]>): Promise<readonly string[]> =>
    (await manifests).map(({ name }) => name)
  expect(await names(committed.handoff(web))).toEqual(['unit'])
  expect(await names(committed.handoff({ ...web, name: 'web-2' }))).toEqual(['unit-2'])
  expect(await names(committed.stackHandoff('team-a'))).toEqual(['namespace', 'stack-unit'])
  expect(await names(committed.handoff({ ...web, name: 'we' }))).toEqual([])
  expect(read).toEqual(['out/clusters', 'out/handoff'])
})

test('earlier commits, newest first, each by what it has', async () => {
  fleet.change(tree)
  fleet.commit()
  fleet.change({ 'out/clusters/team-a/web/cluster/cluster-web.yaml': cluster('a-b-1-34-v2', 'v1.34.2') })
  fleet.commit()
  fleet.change({ 'out/clusters/team-a/web/cluster/cluster-web.yaml': cluster('a-b-1-34-v3', 'v1.34.3') })
  const versions = async (from: 'commit' | 'disk'): Promise<readonly (string | undefined)[]> => {
    const earlier = await (await openCommittedTree(fleet.path('out'), { from }, ports)).earlier()
    return earlier(web).map(({ committed }) => committed?.version)
  }
  expect(await versions('disk')).toEqual(['v1.34.2', 'v1.34.1', undefined])
  expect(await versions('commit')).toEqual(['v1.34.1', undefined])
})

test('who uses which class: on disk, in what people wrote and in what was rendered', async () => {
  fleet.change({ ...tree, 'clusters/team-a/web/cluster.yaml': cluster('a-b-1-34-v1', 'v1.34.1') })
  fleet.commit()
  const moved = cluster('a-b-1-34-v2', 'v1.34.2').replace(
    'namespace: team-a}',
    'namespace: team-a, annotations: {stackmason.dev/addons-release: a-b-1-34-v3}}',
  )
  fleet.change({
    'out/clusters/team-a/web/cluster/cluster-web.yaml': moved,
    'out/clusters/team-a/broken/cluster/cluster-broken.yaml': 'a: [',
  })
  const users = await readClassUsers(fleet.folder, fleet.path('out'), ports)
  expect(users.map((user) => [user.cluster.name, user.in, [...user.classes], user.namespace])).toEqual([
    ['web', 'tree', ['a-b-1-34-v2', 'a-b-1-34-v3'], 'classes'],
    ['web', 'commit', ['a-b-1-34-v1'], 'classes'],
    ['web', 'commit', ['a-b-1-34-v1'], 'classes'],
  ])
})
