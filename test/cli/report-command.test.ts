import { readFileSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { dictAt, fieldAt } from '../../src/model/field.ts'
import type { Value } from '../../src/model/value.ts'
import { bumpCni, manyClusters } from '../../tools/fleets/many-clusters.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { packageFolder, runCli } from './run-cli.ts'

/** The texts of a part of a page, one for each line of it. */
function textOf(page: string, part: string): readonly string[] {
  const [, content = ''] = new RegExp(`<section id="${part}"[^>]*>([^]*?)</section>`).exec(page) ?? []
  return content
    .replaceAll(/\s+/g, ' ')
    .split(/<\/?(?:li|tr|h2|summary|p|thead|tbody|ul)\b[^>]*>/)
    .map((line) =>
      line
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line !== '')
}

test('a fleet as a whole, as text and as a page', async () => {
  const fleet = await manyClusters(join(await tempFolder(), 'fleet'), 40)
  await fleet.render()
  fleet.commit()
  bumpCni(fleet)
  fleet.write(
    'clusters/team-a/c01/values/cni.yaml',
    'tag: v1.17.9\nclusterName: secret-text\nlist: {deep: 3, password: 1234}\n',
  )
  const { status, stdout } = await runCli(['report', '-q', '-o', 'text', '-o', 'html=page/report.html'], {
    cwd: fleet.folder,
  })
  expect(status).toBe(0)
  expect(stdout.split('\n').slice(-10)).toEqual([
    'many: 40 clusters, 215 objects',
    '  Kubernetes        v1.32.5 on 39 clusters: team-a/{c01,c02,c03,…}, team-b/{c21,c22,c23,…}, team-c/new',
    '  Kubernetes        v1.34.1 on team-b/c39',
    '  release           docker-small-1-32-v1 on the same 39 clusters',
    '  release           docker-small-1-34-v1 on team-b/c39',
    '  later Kubernetes  docker-small-1-34-v1 is for a later minor version than that of the same 39 clusters',
    '  images            3 images in more than one version',
    'HEAD -> render: 39 clusters changed, 1 new, 1 removed, 125 objects',
    'Findings: 2 errors, 1 warning, 1 note (-o json lists it).',
    '',
  ])
  const page = readFileSync(fleet.path('page/report.html'), 'utf8')
  expect([...page.matchAll(/<h2 id="([\w-]+)-title"/g)].map(([, id]) => id)).toEqual([
    'effects',
    'new-clusters',
    'versions',
    'glance',
    'errors',
    'warnings',
    'notes',
    'clusters',
    'changes',
    'images',
    'values',
  ])
  expect(textOf(page, 'clusters').slice(0, 4)).toEqual([
    'Clusters 40',
    'Cluster Kubernetes Release State cni metrics Images',
    'team-a/c01 v1.32.5 docker-small-1-32-v1 later Kubernetes: docker-small-1-34-v1 v1 v1 4',
    'team-a/c02 v1.32.5 docker-small-1-32-v1 later Kubernetes: docker-small-1-34-v1 v1 v1 4',
  ])
  expect(textOf(page, 'images').slice(5, 9)).toEqual([
    'quay.io/cilium/cilium',
    'v1.17.4 team-b/c39',
    'v1.17.9 team-a/c01',
    'v1.18.1 38 clusters: team-a/{c02,c03,c04,…}, team-b/{c21,c22,c23,…}, team-c/new',
  ])
  const values = textOf(page, 'values')
  expect(
    values.slice(values.indexOf('addon cni: team-a/c01 4 keys'), values.indexOf('addon cni: team-b/c39 2 keys')),
  ).toEqual([
    'addon cni: team-a/c01 4 keys',
    'clusterName set in clusters/team-a/c01/values/cni.yaml:2 instead of releases/docker-small-1-32-v1/docker-small-1-32-cluster-addon-v1.tgz!/cni/overwrite.yaml:2 instead of releases/docker-small-1-32-v1/docker-small-1-32-cluster-addon-v1.tgz!/cni/values.yaml:2',
    'list.deep: 3 set in clusters/team-a/c01/values/cni.yaml:3',
    'list.password set in clusters/team-a/c01/values/cni.yaml:3',
    'tag: v1.17.9 set in clusters/team-a/c01/values/cni.yaml:1 instead of clusters/values/cni.yaml:1 instead of releases/docker-small-1-32-v1/docker-small-1-32-cluster-addon-v1.tgz!/cni/values.yaml:1',
  ])
  expect(page).not.toContain('1234')
})

test('a fleet that cannot be rendered has no report', async () => {
  const fleet = await manyClusters(join(await tempFolder(), 'fleet'), 1)
  fleet.write('clusters/team-b/c01/cluster.yaml', 'kind: Cluster\n')
  expect((await runCli(['report', '-o', 'html=report.html'], { cwd: fleet.folder })).status).toBe(1)
  const json = await runCli(['report', '-q', '-o', 'json'], { cwd: fleet.folder })
  expect(json.status).toBe(1)
  expect(JSON.parse(json.stdout)).toMatchObject({ kind: 'FailureReport', command: 'report' })
})

test('a fleet for programs, as schemas/fleet-report.json says', async () => {
  const fleet = await manyClusters(join(await tempFolder(), 'fleet'), 4)
  await fleet.render()
  fleet.commit()
  fleet.write('clusters/values/cni.yaml', 'tag: v1.18.1\n')
  fleet.write('clusters/team-a/c01/values/cni.yaml', 'tag: v1.17.9\nlist: {password: hunter-2}\n')
  const { status, stdout, stderr } = await runCli(['report', '-q', '-o', 'json'], { cwd: fleet.folder })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).not.toContain('hunter-2')
  const schema = readSchema('fleet-report')
  expect(compileSchema(schema).validate(parseGoJson(stdout))).toEqual([])
  const others = readSchema('diff-report')
  for (const [name, definition] of dictAt(others, 'definitions') ?? [])
    expect(fieldAt(schema, 'definitions', name)).toEqual(definition)
  for (const name of ['before', 'after', 'facts', 'objects', 'groups'])
    expect(fieldAt(schema, 'definitions', 'change', 'properties', name)).toEqual(fieldAt(others, 'properties', name))
  const report: unknown = JSON.parse(stdout)
  expect(report).toMatchObject({
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'FleetReport',
    fleet: 'many',
    summary: { clusters: 4, objects: 35 },
    change: { before: 'HEAD', after: 'render', facts: { clusters: { changed: 4, unchanged: 0 } } },
    findings: [{ code: 'VALUES_KEY_UNREAD' }, { code: 'SCHEMA_MISSING' }],
  })
  expect(report).toHaveProperty('clusters.0', {
    cluster: { namespace: 'team-a', name: 'c01' },
    stack: 'docker-small',
    release: 'docker-small-1-32-v1',
    kubernetesVersion: 'v1.32.5',
    addons: [
      { name: 'cni', version: 'v1' },
      { name: 'metrics', version: 'v1' },
    ],
    newer: { ofLaterMinor: 'docker-small-1-34-v1' },
    images: 4,
  })
  const release = 'releases/docker-small-1-32-v1/docker-small-1-32-cluster-addon-v1.tgz!/cni'
  const own = 'clusters/team-a/c01/values/cni.yaml'
  expect(report).toHaveProperty('values.1', {
    addon: 'cni',
    clusters: [{ namespace: 'team-a', name: 'c01' }],
    keys: [
      {
        path: ['clusterName'],
        at: { file: `${release}/overwrite.yaml`, line: 2, isOfFleet: false },
        over: [{ file: `${release}/values.yaml`, line: 2, isOfFleet: false }],
      },
      { path: ['list', 'password'], at: { file: own, line: 2, isOfFleet: true }, over: [] },
      {
        path: ['tag'],
        shown: 'v1.17.9',
        at: { file: own, line: 1, isOfFleet: true },
        over: [
          { file: 'clusters/values/cni.yaml', line: 1, isOfFleet: true },
          { file: `${release}/values.yaml`, line: 1, isOfFleet: false },
        ],
      },
    ],
  })
})

test('places in releases beside the fleet are shown from it', async () => {
  const fleet = await manyClusters(join(await tempFolder(), 'fleet'), 2)
  renameSync(fleet.path('releases'), fleet.path('../releases'))
  fleet.edit('stackmason.yaml', /path: (?:\.\/)?releases/, 'path: ../releases')
  fleet.write('clusters/team-a/c01/values/cni.yaml', 'tag: v1.17.9\n')
  const json = await runCli(['report', '-q', '-o', 'json'], { cwd: fleet.folder })
  const over = '../releases/docker-small-1-32-v1/docker-small-1-32-cluster-addon-v1.tgz!/cni/values.yaml'
  expect(json.stdout).toContain(`"file": "${over}"`)
  expect(json.stdout).not.toContain(dirname(fleet.folder))
  await runCli(['report', '-q', '-o', 'html=page.html'], { cwd: fleet.folder })
  const page = readFileSync(fleet.path('page.html'), 'utf8')
  expect(page).toContain(`<code>${over}:1</code>`)
  expect(page).not.toContain(dirname(fleet.folder))
})

function readSchema(name: string): Value {
  return parseGoJson(readFileSync(join(packageFolder, 'schemas', `${name}.json`), 'utf8'))
}
