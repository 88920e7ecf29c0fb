import { describe, expect, test } from 'vitest'
import { StackmasonError } from '../../src/model/diagnostic.ts'
import { positionAt } from '../../src/model/source.ts'
import { explain } from '../../src/pipeline/commands/explain.ts'
import { foldFindings } from '../../src/report/fold-findings.ts'
import { formatSubjects } from '../../src/report/format-subjects.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { problemsOf, told } from './remote-fleet.ts'
import { cluster, type HandoffFleet, handoffFleet, renderedCluster } from './handoff-fleet.ts'

const path = 'clusters/team-a/web/patches/p.yaml'
const WRITE = 'Write it in cluster.yaml: from there class and version change in steps, addons first.'
const REMOVE = 'The API server sets it; remove it from the patch.'

function patchOf(change: string, target = '{kind: Cluster}'): string {
  return `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: ${target}\n  ${change}\n`
}

const changes = (place: string, field: string, hint: string): string =>
  `PATCH_FAILED ${path}:${place} the patch changes ${field} of the Cluster | ${hint}`

const rows: readonly (readonly [what: string, change: string, ...want: readonly string[]])[] = [
  [
    'the version',
    'mergePatch: {spec: {topology: {version: v1.35.1}}}',
    changes('5:34', 'spec.topology.version', WRITE),
  ],
  [
    'class and version',
    'mergePatch: {spec: {topology: {classRef: {name: docker-demo-1-34-v4}, version: v1.34.8}}}',
    changes('5:34', 'spec.topology.classRef', WRITE),
    changes('5:73', 'spec.topology.version', WRITE),
  ],
  [
    'the namespace of the class',
    'jsonPatch: [{op: replace, path: /spec/topology/classRef/namespace, value: team-b}]',
    changes('5:35', 'spec.topology.classRef', WRITE),
  ],
  [
    'the class, under the name of another version of the API',
    'jsonPatch: [{op: add, path: /spec/topology/class, value: docker-demo-1-34-v4}]',
    changes('5:31', 'spec.topology.class', WRITE),
  ],
  [
    'all of spec',
    'jsonPatch: [{op: test, path: /spec/topology/version, value: v1.34.7}, {op: replace, path: /spec, value: {topology: {classRef: {name: docker-demo-1-34-v3, namespace: platform}, version: v1.35.1}}}]',
    changes('5:93', 'spec.topology.version', WRITE),
  ],
  [
    'the version, by one that is copied',
    'jsonPatch: [{op: copy, from: /metadata/name, path: /spec/topology/version}]',
    changes('5:54', 'spec.topology.version', WRITE),
  ],
  [
    'the topology that it removes',
    'mergePatch: {spec: {topology: null}}',
    'PATCH_FAILED clusters/team-a/web/patches/p.yaml:5:23 the patch removes spec.topology of the Cluster | Only Clusters that name a cluster class can be expanded.',
  ],
  [
    'spec, which it moves away',
    'jsonPatch: [{op: move, from: /spec, path: /metadata/annotations}]',
    'PATCH_FAILED clusters/team-a/web/patches/p.yaml:5:45 the patch removes spec.topology of the Cluster | Only Clusters that name a cluster class can be expanded.',
  ],
  [
    'metadata of the server',
    'mergePatch: {metadata: {ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: gone, uid: abc}], uid: abc, resourceVersion: "5", deletionTimestamp: "2026-01-01T00:00:00Z", generateName: q}}',
    changes('5:27', 'metadata.ownerReferences', REMOVE),
    changes('5:103', 'metadata.uid', REMOVE),
    changes('5:113', 'metadata.resourceVersion', REMOVE),
    changes('5:135', 'metadata.deletionTimestamp', REMOVE),
    'PATCH_FAILED clusters/team-a/web/patches/p.yaml:5:178 the patch changes metadata.generateName of the Cluster | Remove it from the patch: cluster.yaml has no such field.',
  ],
  [
    'the state',
    'jsonPatch: [{op: add, path: /status, value: {phase: Provisioned}}]',
    'PATCH_FAILED clusters/team-a/web/patches/p.yaml:5:31 the patch changes status of the Cluster | Remove it from the patch: cluster.yaml has no such field.',
  ],
]

const judged: readonly (readonly [what: string, change: string, ...want: readonly string[]])[] = [
  [
    'numbers of machines',
    'jsonPatch: [{op: replace, path: /spec/topology/controlPlane/replicas, value: -1}]',
    `CONFIG_INVALID_VALUE ${path}:5:80 spec.topology.controlPlane.replicas is -1, which is no number of machines | Write how many machines the group has: 0 or more.`,
  ],
  [
    'networks',
    'mergePatch: {spec: {clusterNetwork: {pods: {cidrBlocks: [10.1.0.0]}}}}',
    `CONFIG_INVALID_VALUE ${path}:5:60 spec.clusterNetwork.pods.cidrBlocks[0] of 8 characters is no block of addresses | Write an address, a slash and the length of the prefix, such as 10.244.0.0/16.`,
  ],
  [
    'its address',
    'mergePatch: {spec: {controlPlaneEndpoint: {host: "a:6443"}}}',
    `CONFIG_INVALID_VALUE ${path}:5:52 spec.controlPlaneEndpoint.host must be an address or a name, not of 6 characters | Leave scheme and path out, and write the port under spec.controlPlaneEndpoint.port.`,
    `OBJECT_NAME_INVALID ${path}:5:52 Deployment kube-system/metrics-agent: no API server takes the value of label "domain"; allowed are A-Z, a-z, 0-9, -, _ and ., first and last a letter or digit, 63 characters at most`,
  ],
  [
    'variables',
    'jsonPatch: [{op: add, path: /spec/topology/variables/-, value: {name: registryMirror, value: a}}]',
    `CONFIG_CONFLICT ${path}:5:73 the variable of 14 characters stands twice, first in ${cluster}:34`,
  ],
]

async function patched(change: string, target?: string): Promise<HandoffFleet> {
  const fleet = await handoffFleet('flux')
  fleet.write(path, patchOf(change, target))
  return fleet
}

describe('a patch on the Cluster may not change', () => {
  test.each(rows)('%s', async (_, change, ...want) => {
    const fleet = await patched(change)
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual(want)
    expect(fleet.git('status', '--porcelain', 'rendered')).toBe('')
  })

  test('the class of any cluster below its folder', async () => {
    const fleet = await handoffFleet('flux', ['team-a/web', 'team-b/batch'])
    fleet.write(
      'clusters/patches/p.yaml',
      patchOf('mergePatch: {spec: {topology: {version: v1.34.7}}}', '{group: cluster.x-k8s.io}'),
    )
    const problems = await problemsOf(fleet.render(), fleet.folder)
    expect(problems).toEqual([
      `PATCH_FAILED clusters/patches/p.yaml:5:34 the patch changes spec.topology.version of the Cluster | ${WRITE}`,
    ])
  })
})

test.each([
  {
    change: 'jsonPatch: [{op: remove, path: /spec/nothing}]',
    message: 'remove /spec/nothing on the Cluster: there is nothing at /spec/nothing',
  },
  {
    change: 'mergePatch: {metadata: {name: x}}',
    message: 'the patch changes apiVersion, kind, name or namespace of the Cluster',
  },
  {
    change: 'mergePatch: {spec: {topology: {version: v1.30.0}}}',
    message: 'the patch changes spec.topology.version of the Cluster',
  },
])('a patch that fails for all clusters is told once, with their names: $change', async ({ change, message }) => {
  const fleet = exampleFleet(await tempFolder(), { clusters: ['team-a/web', 'team-a/edge'], handoff: [handoffs.flux] })
  fleet.write('clusters/team-a/patches/p.yaml', patchOf(change, '{group: cluster.x-k8s.io}'))
  const error = await fleet.render().catch((thrown: unknown) => thrown)
  const folded = foldFindings(error instanceof StackmasonError ? error.diagnostics : [])
  expect(folded.map(({ finding, about }) => [finding.message, formatSubjects(about)])).toEqual([
    [message, 'clusters team-a/edge, team-a/web'],
  ])
})

describe('a Cluster that a patch has changed is judged as cluster.yaml is', () => {
  test.each(judged)('%s', async (_, change, ...want) => {
    const fleet = await patched(change)
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual(want)
  })

  test('its times, which no hint repeats', async () => {
    const fleet = await handoffFleet('flux', ['team-b/batch'])
    const own = 'clusters/team-b/batch/patches/p.yaml'
    fleet.write(own, patchOf('mergePatch: {spec: {topology: {controlPlane: {nodeDrainTimeout: "4711"}}}}'))
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      `CONFIG_INVALID_VALUE ${own}:5:67 spec.topology.controlPlane.nodeDrainTimeout of 4 characters is no time | Write its unit, such as "30s".`,
    ])
  })

  test('and warned of where the patch brings it', async () => {
    const fleet = await patched('mergePatch: {spec: {clusterNetwork: {services: {cidrBlocks: [10.244.8.0/24]}}}}')
    const { findings } = await fleet.render()
    expect(findings.map((finding) => told(finding, fleet.folder).split(' | ')[0])).toEqual([
      `CONFIG_CONFLICT ${path}:5:64 spec.clusterNetwork.services.cidrBlocks[0] "10.244.8.0/24" has addresses of the pods' block "10.244.0.0/16": network addons may give a pod the address of a Service`,
    ])
  })

  test('and not told anew what cluster.yaml is warned of', async () => {
    const fleet = await patched('mergePatch: {metadata: {labels: {a: b}}}')
    fleet.edit(cluster, '10.96.0.0/16', '10.244.8.0/24')
    const { findings } = await fleet.render()
    expect(findings.map(({ code, at }) => `${code} ${at?.source.name ?? ''}`)).toEqual([`CONFIG_CONFLICT ${cluster}`])
  })
})

test.each([
  'mergePatch: {metadata: {labels: {a: b}, annotations: {c: d}, finalizers: [example.com/keep]}}',
  'mergePatch: {spec: {topology: {version: v1.34.7, controlPlane: {replicas: 5}}}}',
  'jsonPatch: [{op: add, path: /spec/topology/variables/-, value: {name: metricsResolution, value: 30s}}]',
  'jsonPatch: [{op: remove, path: /spec/topology/version}, {op: add, path: /spec/topology/version, value: v1.34.7}, {op: add, path: /spec/paused, value: true}]',
])('a patch on the Cluster may %s', async (change) => {
  const fleet = await patched(change)
  expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([])
  expect(fleet.git('status', '--porcelain', 'rendered')).toContain(renderedCluster)
})

test('addons are rendered for the Cluster as patches leave it', async () => {
  const fleet = await patched(
    'jsonPatch: [{op: add, path: /spec/clusterNetwork/pods/cidrBlocks/0, value: 10.99.0.0/16}, {op: add, path: /spec/topology/variables/0, value: {name: metricsResolution, value: 37s}}]',
  )
  await fleet.render()
  const addons = fleet
    .filesBelow('rendered/clusters/team-a/web/addons')
    .map((file) => fleet.read(`rendered/clusters/team-a/web/addons/${file}`))
  expect(addons.filter((text) => text.includes('10.99.0.0/16'))).not.toEqual([])
  expect(addons.filter((text) => text.includes('37s'))).not.toEqual([])
  expect(fleet.read(cluster)).not.toContain('10.99')
  const file = fleet.path('rendered/clusters/team-a/web/addons/02-metrics/deployment-metrics-agent.yaml')
  const { lines } = await explain({ start: fleet.folder, file }, createNodePorts())
  const places = lines
    .filter(({ text }) => text.includes('37s'))
    .map(({ cluster: at }) => at && [at.source.name, positionAt(at.source, at.start).column])
  expect(places).toEqual([[path, 177]])
})

test('a patch may not make a list of an object', async () => {
  const items = '[{apiVersion: v1, kind: Secret, metadata: {name: s, namespace: default}, stringData: {a: b}}]'
  const fleet = await patched(`mergePatch: {items: ${items}}`, '{kind: ConfigMap, name: dns-cache}')
  expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
    `OBJECT_INVALID ${path}:5:16 ConfigMap kube-system/dns-cache has a list of items: what applies it would take the items for objects, and leave out the rest | Remove \`items\`, and write each of them as an object of its own.`,
  ])
})
