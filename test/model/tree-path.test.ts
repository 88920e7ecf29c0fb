import { describe, expect, test } from 'vitest'
import {
  addonFolder,
  clusterFolder,
  clusterObjectFile,
  clusterTree,
  formatTreeFolder,
  handoffFolder,
  inClusterTree,
  parseTreeFile,
  parseTreeFolder,
  stackFolder,
  type TreeFolder,
} from '../../src/model/tree-path.ts'

const web = { namespace: 'team-a', name: 'web' }

describe('the folders of the tree', () => {
  test.each<{ readonly path: string; readonly folder: TreeFolder; readonly made: string }>([
    {
      path: 'stacks/platform/docker-demo-1-34-v3',
      folder: { kind: 'stack', namespace: 'platform', tag: 'docker-demo-1-34-v3' },
      made: stackFolder('platform', 'docker-demo-1-34-v3'),
    },
    { path: 'clusters/team-a/web/cluster', folder: { kind: 'cluster', ...web }, made: clusterFolder(web) },
    {
      path: 'clusters/team-a/web/addons',
      folder: { kind: 'addons', ...web, owner: 'release' },
      made: addonFolder(web, 'release'),
    },
    {
      path: 'clusters/team-a/web/addons/02-metrics',
      folder: { kind: 'addons', ...web, owner: 'release', addon: '02-metrics' },
      made: addonFolder(web, 'release', '02-metrics'),
    },
    {
      path: 'clusters/team-a/web/addons-own',
      folder: { kind: 'addons', ...web, owner: 'cluster' },
      made: addonFolder(web, 'cluster'),
    },
    {
      path: 'clusters/team-a/web/addons-own/quotas',
      folder: { kind: 'addons', ...web, owner: 'cluster', addon: 'quotas' },
      made: addonFolder(web, 'cluster', 'quotas'),
    },
    // names that are words of the layout
    {
      path: 'clusters/clusters/cluster/cluster',
      folder: { kind: 'cluster', namespace: 'clusters', name: 'cluster' },
      made: clusterFolder({ namespace: 'clusters', name: 'cluster' }),
    },
    {
      path: 'clusters/stacks/addons/addons/addons',
      folder: { kind: 'addons', namespace: 'stacks', name: 'addons', owner: 'release', addon: 'addons' },
      made: addonFolder({ namespace: 'stacks', name: 'addons' }, 'release', 'addons'),
    },
    { path: 'handoff/team-a', folder: { kind: 'handoff', namespace: 'team-a' }, made: handoffFolder('team-a') },
    {
      path: 'handoff/team-a/web',
      folder: { kind: 'handoff', namespace: 'team-a', of: 'web' },
      made: handoffFolder('team-a', 'web'),
    },
    {
      path: 'handoff/team-a/stacks',
      folder: { kind: 'handoff', namespace: 'team-a', of: 'stacks' },
      made: handoffFolder('team-a', 'stacks'),
    },
  ])('$path', ({ path, folder, made }) => {
    expect(parseTreeFolder(path)).toEqual(folder)
    expect(formatTreeFolder(folder)).toBe(path)
    expect(made).toBe(path)
  })

  test.each([
    '',
    'stacks',
    'stacks/platform',
    'stacks/platform/',
    'stacks/platform/docker-demo-1-34-v3/more',
    'clusters',
    'clusters/team-a',
    'clusters/team-a/web',
    'clusters/team-a/web/other',
    'clusters/team-a/web/cluster/more',
    'clusters/team-a//cluster',
    'clusters//web/cluster',
    'clusters/team-a/web/addons/02-metrics/more',
    'handoff',
    'handoff/',
    'handoff/team-a/web/more',
    'other/team-a/web',
    '/clusters/team-a/web/cluster',
    'rendered/clusters/team-a/web/cluster',
  ])('no folder with objects: %j', (path) => {
    expect(parseTreeFolder(path)).toBeUndefined()
  })
})

test.each([
  {
    path: 'clusters/team-a/web/cluster/cluster-web.yaml',
    want: { folder: { kind: 'cluster', ...web }, file: 'cluster-web.yaml' },
  },
  {
    path: 'clusters/team-a/web/addons/kustomization.yaml',
    want: { folder: { kind: 'addons', ...web, owner: 'release' }, file: 'kustomization.yaml' },
  },
  {
    path: 'clusters/team-a/web/addons-own/quotas/namespace-q.yaml',
    want: { folder: { kind: 'addons', ...web, owner: 'cluster', addon: 'quotas' }, file: 'namespace-q.yaml' },
  },
  {
    path: 'handoff/team-a/application-web.yaml',
    want: { folder: { kind: 'handoff', namespace: 'team-a' }, file: 'application-web.yaml' },
  },
  { path: 'clusters/team-a/web/cluster.yaml', want: undefined },
  { path: 'clusters/team-a/web/cluster/', want: undefined },
  { path: 'kustomization.yaml', want: undefined },
])('the file $path', ({ path, want }) => {
  expect(parseTreeFile(path)).toEqual(want)
})

test('what lies below a cluster', () => {
  expect(clusterTree(web)).toBe('clusters/team-a/web')
  expect(inClusterTree('clusters/team-a/web/addons/02-metrics')).toBe('addons/02-metrics')
  expect(clusterObjectFile('web')).toBe('cluster-web.yaml')
})
