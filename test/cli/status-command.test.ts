import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseGoJson } from '../../src/codec/json/go-json.ts'
import { compileSchema } from '../../src/codec/json-schema/json-schema.ts'
import { HttpError, type HttpResponse } from '../../src/model/http.ts'
import { KubeAccessError } from '../../src/model/kube-access.ts'
import type { Ports } from '../../src/model/ports.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { exampleFleet, handoffs } from '../../tools/fleets/example-fleet.ts'
import type { FleetFolder } from '../../tools/fleets/fleet-folder.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { kubeconfig } from '../controller/workload-cluster/kubeconfigs.ts'
import { type CliRun, packageFolder, runCli } from './run-cli.ts'

interface LiveObject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

interface Server {
  objects: readonly LiveObject[]
  /** Kinds that may be listed in no namespace, or only in single ones. */
  readonly forbidden?: Readonly<Record<string, 'everywhere' | 'at once'>>
  /** Paths of what was read. */
  readonly asked: string[]
}

/** Group, preferred version and kind of all that the server knows. */
const kinds = [
  'cluster.x-k8s.io/v1beta2/Cluster',
  'kustomize.toolkit.fluxcd.io/v1/Kustomization',
  'stackmason.dev/v1alpha1/RuntimeValues',
  'stackmason.dev/v1alpha1/StorageMigration',
  'apiextensions.k8s.io/v1/CustomResourceDefinition',
  'dns.example.com/v1/DnsPolicy',
].map((text) => {
  const [group = '', version = '', kind = ''] = text.split('/')
  return {
    group,
    version,
    kind,
    plural: { DnsPolicy: 'dnspolicies', RuntimeValues: 'runtimevalues' }[kind] ?? `${kind.toLowerCase()}s`,
  }
})

function respond(server: Server, path: string): { readonly status: number; readonly body: object } {
  const [, , group = '', version = '', ...rest] = path.split('?')[0]?.split('/') ?? []
  const known = kinds.filter((kind) => kind.group === group)
  if (known.length === 0) return { status: 404, body: {} }
  if (version === '') {
    const versions = known.map((kind) => ({ version: kind.version }))
    return { status: 200, body: { versions, preferredVersion: versions[0] } }
  }
  if (rest.length === 0)
    return { status: 200, body: { resources: known.map(({ kind, plural }) => ({ kind, name: plural })) } }
  const [namespace, plural = '', name] = rest[0] === 'namespaces' ? rest.slice(1) : [undefined, ...rest]
  const kind = known.find((one) => one.plural === plural)?.kind ?? ''
  const limit = server.forbidden?.[kind]
  if (limit === 'everywhere' || (limit === 'at once' && namespace === undefined))
    return { status: 403, body: { message: 'no' } }
  server.asked.push(path)
  const found = server.objects.filter(
    (object) => object.kind === kind && (namespace === undefined || object.metadata.namespace === namespace),
  )
  if (name === undefined) return { status: 200, body: { items: found } }
  const one = found.find((object) => object.metadata.name === name)
  return one === undefined ? { status: 404, body: {} } : { status: 200, body: one }
}

function portsTo(server: Server): Ports {
  const answer = (path: string): HttpResponse => {
    const { status, body } = respond(server, path)
    return { status, headers: new Map(), body: new TextEncoder().encode(JSON.stringify(body)) }
  }
  const connection = {
    host: 'mgmt.example:6443',
    exchange: async ({ path }: { readonly path: string }) => answer(path),
    follow: async () => Promise.reject(new Error('nothing is watched')),
    reopen: async () => Promise.reject(new Error('there is one connection')),
    close: async () => undefined,
  }
  const ports = createNodePorts()
  return { ...ports, kube: { ...ports.kube, open: async () => ({ connection, namespace: undefined }) } }
}

async function status(fleet: FleetFolder, server: Server, ...words: readonly string[]): Promise<CliRun> {
  return runCli(['status', '--kubeconfig', 'mgmt', ...words], { cwd: fleet.path(''), ports: portsTo(server) })
}

/** A fleet of one cluster under Flux, rendered; the tree is on disk alone. */
async function rendered(): Promise<FleetFolder> {
  const fleet = exampleFleet(await tempFolder(), { clusters: ['team-a/edge'], handoff: [handoffs.flux] })
  expect(await runCli(['render'], { cwd: fleet.path('') })).toMatchObject({ status: 0 })
  fleet.write('mgmt', kubeconfig({}))
  return fleet
}

const seen = { observedGeneration: 1 }
const isReady = { ...seen, conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] }

function cluster(name: string, namespace: string, status: object, topology: object = {}): LiveObject {
  return {
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    kind: 'Cluster',
    metadata: { name, namespace, generation: 1 },
    spec: {
      topology: { classRef: { name: 'docker-demo-1-34-v3', namespace: 'platform' }, version: 'v1.34.7', ...topology },
    },
    status,
  }
}

function unit(name: string, namespace: string, status: object, release = 'docker-demo-1-34-v3'): LiveObject {
  return {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    metadata: { name, namespace, generation: 1, labels: { 'stackmason.dev/release': release } },
    spec: {},
    status,
  }
}

function values(status: object): LiveObject {
  const metadata = { name: 'edge', namespace: 'team-a', generation: 1 }
  return { apiVersion: 'stackmason.dev/v1alpha1', kind: 'RuntimeValues', metadata, status }
}

interface MigrationShape {
  readonly of?: string
  readonly namespace?: string
  readonly ready: readonly [status: string, reason: string, message: string]
  /** What is said of its definition. */
  readonly stated?: object
}

/** A StorageMigration to v2; what is not ready is stalled, unless it goes on. */
function migration(name: string, { of, namespace = 'team-a', ready, stated }: MigrationShape): LiveObject {
  const [state, reason, message] = ready
  const condition = { status: state, reason, message, observedGeneration: 1 }
  const isStalled = state === 'False' && reason !== 'Progressing'
  const definition = of === undefined ? `${name}.example.com` : name.slice(of.length + 1)
  return {
    apiVersion: 'stackmason.dev/v1alpha1',
    kind: 'StorageMigration',
    metadata: { name, namespace, generation: 1 },
    spec: { ...(of !== undefined && { clusterRef: { name: of } }), customResourceDefinitions: [definition] },
    status: {
      ...seen,
      conditions: [
        { type: 'Ready', ...condition },
        ...(isStalled ? [{ type: 'Stalled', ...condition, status: 'True' }] : []),
      ],
      ...(stated !== undefined && {
        customResourceDefinitions: [{ name: definition, storageVersion: 'v2', message, ...stated }],
      }),
    },
  }
}

const initialized = { ...seen, initialization: { controlPlaneInitialized: true } }
const stack = unit('stack-docker-demo-1-34-v3', 'platform', isReady)
const all = [
  cluster('edge', 'team-a', initialized),
  unit('edge', 'team-a', isReady),
  unit('edge-addons', 'team-a', isReady),
  values(isReady),
  stack,
]

const head = `CLUSTER      RELEASE              KUBERNETES  STEP  READY  UNITS  VALUES
`
const stackHead = `
RELEASE              NAMESPACE  READY  UNITS  IMAGES  CLUSTERS
`
const noCommit = `
There is no commit with a tree: the files on disk are compared with the cluster.
`

describe('stackmason status', () => {
  test('says that all is ready', async () => {
    const fleet = await rendered()
    const server: Server = { objects: all, asked: [] }
    expect(await status(fleet, server)).toEqual({
      status: 0,
      stderr: '',
      stdout: `${head}team-a/edge  docker-demo-1-34-v3  v1.34.7     -     yes    2/2    ready
${stackHead}docker-demo-1-34-v3  platform   yes    1/1    -       1
${noCommit}`,
    })
    // no Secret, no ConfigMap
    expect(server.asked.filter((path) => path.endsWith('?limit=500'))).toEqual([
      '/apis/cluster.x-k8s.io/v1beta2/clusters?limit=500',
      '/apis/stackmason.dev/v1alpha1/runtimevalues?limit=500',
      '/apis/kustomize.toolkit.fluxcd.io/v1/kustomizations?limit=500',
      '/apis/stackmason.dev/v1alpha1/storagemigrations?limit=500',
    ])
  })

  test('says why something is not ready, one sentence each', async () => {
    const fleet = await rendered()
    const waitsForHost = {
      type: 'Ready',
      status: 'False',
      reason: 'FieldMissing',
      message: 'HOST: the Cluster has no such field yet',
      observedGeneration: 1,
    }
    const objects = [
      cluster('edge', 'team-a', seen),
      unit('edge', 'team-a', isReady, 'docker-demo-1-33-v1'),
      unit('edge-addons', 'team-a', {
        ...seen,
        conditions: [{ type: 'Ready', status: 'False', reason: 'BuildFailed', message: 'no ConfigMap edge' }],
      }),
      values({ ...seen, conditions: [waitsForHost] }),
    ]
    expect(await status(fleet, { objects, asked: [] })).toEqual({
      status: 1,
      stderr: '',
      stdout: `${head}team-a/edge  docker-demo-1-34-v3  v1.34.7     -     no     0/2    waiting
${stackHead}docker-demo-1-34-v3  platform   no     0/1    -       1

team-a/edge:
  Cluster edge waits: its control plane has not answered yet
  Kustomization edge waits: the commit has it for docker-demo-1-34-v3, the cluster for docker-demo-1-33-v1
  Kustomization edge-addons has failed: no ConfigMap edge
  RuntimeValues edge waits: HOST: the Cluster has no such field yet
release docker-demo-1-34-v3 in platform:
  Kustomization stack-docker-demo-1-34-v3 is missing: the commit that has it has not been applied
${noCommit}`,
    })
  })

  test('shows the step that is live, and what the commit has and the cluster has not', async () => {
    const fleet = await rendered()
    const before = cluster('edge', 'team-a', initialized, {
      classRef: { name: 'docker-demo-1-33-v1', namespace: 'platform' },
    })
    const annotations = {
      'stackmason.dev/addons-release': 'docker-demo-1-34-v3',
      'stackmason.dev/upgrade-to': 'docker-demo-1-34-v3',
    }
    const objects = [{ ...before, metadata: { ...before.metadata, annotations } }, ...all.slice(1)]
    const { stdout } = await status(fleet, { objects, asked: [] })
    expect(stdout).toContain('addons of docker-demo-1-34-v3, before its class')
    expect(stdout).toContain(
      'Cluster edge waits: the commit has class docker-demo-1-34-v3, the cluster has docker-demo-1-33-v1',
    )
  })

  test('names clusters that use a class and are not of the fleet', async () => {
    const fleet = await rendered()
    const other = cluster('other', 'team-z', initialized)
    const elsewhere = cluster('own', 'team-z', initialized, { classRef: { name: 'docker-demo-1-34-v3' } })
    const { stdout, status: exit } = await status(fleet, { objects: [...all, other, elsewhere], asked: [] })
    expect(stdout).toContain('platform   yes    1/1    -       2\n')
    expect(stdout).toContain(
      'team-z/other runs at docker-demo-1-34-v3 of platform and is not of this fleet: its class must stay.\n',
    )
    expect(exit).toBe(0)
  })

  test('tells how far storage migrations are, and which versions may be removed', async () => {
    const fleet = await rendered()
    const asked = (definition: string): string => `apiVersion: stackmason.dev/v1alpha1
kind: StorageMigration
metadata: {name: edge.${definition}, namespace: team-a}
spec: {clusterRef: {name: edge}, customResourceDefinitions: [${definition}], storageVersion: v2}
`
    for (const definition of ['caches.dns.example.com', 'policies.dns.example.com', 'zones.dns.example.com'])
      fleet.write(`rendered/clusters/team-a/edge/cluster/storagemigration-edge.${definition}.yaml`, asked(definition))
    const objects = [
      ...all,
      migration('edge.caches.dns.example.com', {
        of: 'edge',
        ready: [
          'False',
          'Progressing',
          'caches.dns.example.com: 1200 objects rewritten, 30 already current, 8770 to go',
        ],
        stated: { migrated: false, rewritten: 1200, alreadyCurrent: 30, failed: 0, remaining: 8770 },
      }),
      migration('edge.policies.dns.example.com', {
        of: 'edge',
        ready: ['True', 'Succeeded', ''],
        stated: {
          migrated: true,
          rewritten: 2,
          alreadyCurrent: 0,
          failed: 0,
          versions: [
            { name: 'v2', removable: false, message: 'objects are stored in it' },
            { name: 'v1', removable: false, message: 'it is served' },
            { name: 'v1beta1', removable: true, message: 'nothing is in the way' },
          ],
        },
      }),
      // made by hand: of this cluster, of the management cluster, of a cluster of the same name elsewhere
      migration('by-hand', { of: 'edge', ready: ['False', 'ConversionFailed', 'hooks: 3 objects \u001b[31m'] }),
      migration('own', {
        ready: ['True', 'Succeeded', ''],
        stated: { migrated: true, versions: [{ name: 'v1alpha3', removable: true, message: 'nothing is in the way' }] },
      }),
      migration('stuck', { ready: ['False', 'AdmissionDenied', 'machines: 1 object could not be rewritten'] }),
      migration('elsewhere', { of: 'edge', namespace: 'team-b', ready: ['False', 'Progressing', 'unseen'] }),
    ]
    const run = await status(fleet, { objects, asked: [] })
    expect(run).toEqual({
      status: 1,
      stderr: '',
      stdout: `CLUSTER      RELEASE              KUBERNETES  STEP  READY  UNITS  VALUES  MIGRATIONS
team-a/edge  docker-demo-1-34-v3  v1.34.7     -     no     2/2    ready   1/4
${stackHead}docker-demo-1-34-v3  platform   yes    1/1    -       1

team-a/edge:
  StorageMigration by-hand has failed: hooks: 3 objects \\x1b[31m
  StorageMigration edge.caches.dns.example.com waits: caches.dns.example.com: 1200 objects rewritten, 30 already current, 8770 to go
  StorageMigration edge.zones.dns.example.com is missing: the commit that has it has not been applied

management cluster:
  StorageMigration team-a/stuck has failed: machines: 1 object could not be rewritten

v1 of policies.dns.example.com of team-a/edge must stay: it is served.
v1beta1 of policies.dns.example.com of team-a/edge may be removed.
v1alpha3 of own.example.com of the management cluster may be removed.
${noCommit}`,
    })
    const json = await status(fleet, { objects, asked: [] }, '-o', 'json')
    const { validate } = compileSchema(
      parseGoJson(await readFile(join(packageFolder, 'schemas/status-report.json'), 'utf8')),
    )
    expect(validate(parseGoJson(json.stdout))).toEqual([])
    expect(JSON.parse(json.stdout)).toMatchObject({
      clusters: [
        {
          definitions: [
            { definition: 'caches.dns.example.com', isMigrated: false, rewritten: 1200, remaining: 8770, versions: [] },
            {
              migration: 'team-a/edge.policies.dns.example.com',
              versions: [{}, { version: 'v1', mayBeRemoved: false, reason: 'it is served' }, { mayBeRemoved: true }],
            },
          ],
        },
      ],
      management: { parts: [{ name: 'own' }, { role: 'migration', name: 'stuck', state: 'failed' }] },
    })
    // of one cluster alone, nothing is told of the management cluster
    const one = await status(fleet, { objects, asked: [] }, '--cluster', 'edge')
    expect(one.stdout).not.toContain('management cluster')
  })

  test('says nothing of storage migrations that it may not list and the tree does not have', async () => {
    const fleet = await rendered()
    const run = await status(fleet, { objects: all, asked: [], forbidden: { StorageMigration: 'everywhere' } })
    expect([run.status, run.stdout.includes('StorageMigration')]).toEqual([0, false])
  })

  test('lists in single namespaces where it may not list in all, and says what it may not see', async () => {
    const fleet = await rendered()
    const server: Server = { objects: all, asked: [], forbidden: { Cluster: 'at once', Kustomization: 'everywhere' } }
    const { stdout, status: exit } = await status(fleet, server)
    expect(exit).toBe(1)
    expect(stdout).toContain('Kustomization edge is unknown: we may not list this kind\n')
    expect(stdout).toContain('We may not list Kustomization: what depends on it is unknown.\n')
    expect(server.asked.filter((path) => path.includes('/clusters?'))).toEqual([
      '/apis/cluster.x-k8s.io/v1beta2/namespaces/team-a/clusters?limit=500',
      '/apis/cluster.x-k8s.io/v1beta2/namespaces/platform/clusters?limit=500',
    ])
  })

  test('watches until all is ready', async () => {
    const fleet = await rendered()
    const server: Server = { objects: all.slice(0, 1), asked: [] }
    const ports = portsTo(server)
    const looks: (readonly LiveObject[])[] = [all.slice(0, 3), all.slice(0, 3), all]
    const clock = {
      ...ports.clock,
      sleep: async () => {
        server.objects = looks.shift() ?? all
      },
    }
    const words = ['status', '--kubeconfig', 'mgmt', '--watch']
    const run = await runCli(words, { cwd: fleet.path(''), ports: { ...ports, clock } })
    expect(run.status).toBe(0)
    expect(run.stderr).toBe(`team-a/edge: Kustomization edge is missing: the commit that has it has not been applied
team-a/edge: Kustomization edge-addons is missing: the commit that has it has not been applied
team-a/edge: RuntimeValues edge is missing: the commit that has it has not been applied
docker-demo-1-34-v3: Kustomization stack-docker-demo-1-34-v3 is missing: the commit that has it has not been applied
2 clusters and releases not ready
team-a/edge: Kustomization edge is ready
team-a/edge: Kustomization edge-addons is ready
team-a/edge: RuntimeValues edge is ready
docker-demo-1-34-v3: Kustomization stack-docker-demo-1-34-v3 is ready
`)
    expect(run.stdout).toContain('yes    2/2    ready')
  })

  test('writes JSON that fits its schema', async () => {
    const fleet = await rendered()
    const { stdout } = await status(fleet, { objects: all.slice(1), asked: [] }, '-o', 'json')
    const { validate } = compileSchema(
      parseGoJson(await readFile(join(packageFolder, 'schemas/status-report.json'), 'utf8')),
    )
    expect(validate(parseGoJson(stdout))).toEqual([])
    expect(validate(parseGoJson(stdout.replace('"missing"', '"lost"')))).not.toEqual([])
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'StatusReport',
      comparedWith: 'files',
      clusters: [{ name: 'edge', isReady: false, parts: [{ role: 'cluster', state: 'missing' }, {}, {}, {}] }],
      stacks: [{ tag: 'docker-demo-1-34-v3', usedBy: [], unknownUsers: [] }],
    })
  })

  test.each([
    [['--timeout', '5m'], '--timeout needs --watch'],
    [['--watch', '--timeout', 'soon'], 'option --timeout takes a time such as 30m, not "soon"'],
    [['--definition', 'certificates'], 'option --definition takes a name and a version'],
    [['--cluster', 'nobody'], 'nobody'],
  ])('refuses %j', async (words, said) => {
    const run = await status(await rendered(), { objects: [], asked: [] }, ...words)
    expect([run.status, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain(said)
  })

  test.each([
    [new KubeAccessError('it is not there'), 'no way to an API server by'],
    [
      new HttpError('refused', 'connect ECONNREFUSED'),
      'the API server at mgmt.example:6443 cannot be reached: connect ECONNREFUSED',
    ],
  ])('says that nobody answers: %s', async (error, said) => {
    const fleet = await rendered()
    const ports = portsTo({ objects: [], asked: [] })
    const { connection } = await ports.kube.open(undefined)
    const kube: Ports['kube'] = {
      ...ports.kube,
      open: async () => {
        if (error instanceof KubeAccessError) throw error
        return { connection: { ...connection, exchange: async () => Promise.reject(error) }, namespace: undefined }
      },
    }
    const run = await runCli(['status', '--kubeconfig', 'mgmt'], { cwd: fleet.path(''), ports: { ...ports, kube } })
    expect([run.status, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain('CLUSTER_UNREACHABLE')
    expect(run.stderr).toContain(said)
  })
})

describe('stackmason status --definition', () => {
  const name = 'dnspolicies.dns.example.com'
  function definition(
    versions: readonly object[],
    storedVersions: readonly string[],
    conditions: readonly object[] = [],
  ): LiveObject {
    return {
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name },
      spec: { group: 'dns.example.com', names: { plural: 'dnspolicies' }, versions },
      status: { storedVersions, conditions },
    }
  }
  function policy(name: string, ...managed: readonly string[]): LiveObject {
    const managedFields = managed.map((apiVersion) => ({ manager: 'x', apiVersion }))
    return { apiVersion: 'dns.example.com/v1', kind: 'DnsPolicy', metadata: { name, namespace: 'a', managedFields } }
  }
  const v1 = { name: 'v1', served: true, storage: true }
  const old = { name: 'v1alpha1', served: true, storage: false }
  const ask = async (objects: readonly LiveObject[], version: string): Promise<CliRun> =>
    status(await rendered(), { objects, asked: [] }, '--definition', `${name}/${version}`)

  test.each([
    [
      'stored in another version alone',
      [definition([v1, old], ['v1']), policy('a', 'dns.example.com/v1')],
      'v1alpha1',
      `Yes: v1alpha1 of ${name} may be removed.
By status.storedVersions, all objects are stored in v1, and nobody has set fields in v1alpha1.
`,
    ],
    [
      'the storage version',
      [definition([v1, old], ['v1'])],
      'v1',
      `No: v1 of ${name} must stay.
Objects are stored in v1.
Make another version the storage version, and migrate the objects.
`,
    ],
    [
      'stored before, and used by appliers',
      [
        definition([v1, old], ['v1alpha1', 'v1']),
        policy('a', 'dns.example.com/v1alpha1'),
        policy('b', 'dns.example.com/v1'),
      ],
      'v1alpha1',
      `No: v1alpha1 of ${name} must stay.
Objects may still be stored in v1alpha1: status.storedVersions names it.
One object has fields that somebody set in v1alpha1 (metadata.managedFields): server-side apply fails there without it.
Migrate the objects with a StorageMigration of ${name}, then ask again.
`,
    ],
    [
      'left by a migration of the server that has failed',
      [
        definition([v1, old], ['v1'], [{ type: 'StorageMigrating', status: 'False', reason: 'MigrationFailed' }]),
        policy('a', 'dns.example.com/v1'),
      ],
      'v1alpha1',
      `No: v1alpha1 of ${name} must stay.
Objects may still be stored in v1alpha1: the server's own migration has failed, after which status.storedVersions need not name it.
Migrate the objects with a StorageMigration of ${name}: its status says then whether the version may be removed.
`,
    ],
    [
      'served by nobody',
      [
        definition(
          [
            { ...v1, served: false },
            { ...old, served: false },
          ],
          ['v1'],
        ),
      ],
      'v1alpha1',
      `No: v1alpha1 of ${name} must stay.
No version is served, so that nobody can look at the objects.
Serve a version.
`,
    ],
  ])('judges a version that is %s', async (_, objects, version, said) => {
    const run = await ask(objects, version)
    expect([run.status, run.stdout, run.stderr]).toEqual([said.startsWith('Yes') ? 0 : 1, said, ''])
  })

  test('writes JSON that fits its schema', async () => {
    const fleet = await rendered()
    const objects = [definition([v1, old], ['v1alpha1', 'v1'])]
    const { stdout } = await status(fleet, { objects, asked: [] }, '--definition', `${name}/v1alpha1`, '-o', 'json')
    const { validate } = compileSchema(
      parseGoJson(await readFile(join(packageFolder, 'schemas/removal-report.json'), 'utf8')),
    )
    expect(validate(parseGoJson(stdout))).toEqual([])
    expect(JSON.parse(stdout)).toMatchObject({ kind: 'RemovalReport', version: 'v1alpha1', mayBeRemoved: false })
  })

  test('knows what is not there', async () => {
    const run = await ask([], 'v1')
    expect([run.status, run.stdout]).toEqual([2, ''])
    expect(run.stderr).toContain(`the cluster has no definition ${name}`)
    const other = await ask([definition([v1, old], ['v1'])], 'v77')
    expect([other.status, other.stdout]).toEqual([2, ''])
    expect(other.stderr).toContain(`definition ${name} has no version v77`)
    expect(other.stderr).toContain('It has: v1, v1alpha1.')
  })
})
