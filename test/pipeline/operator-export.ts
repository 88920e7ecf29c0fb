import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { formatManifestYaml } from '../../src/codec/yaml/manifest-yaml.ts'
import { dictAt, fieldAt, itemsAt, textAt, withField } from '../../src/model/field.ts'
import { dict, Dict, goInt64, type Value } from '../../src/model/value.ts'
import { packageFolder, runCli } from '../cli/run-cli.ts'

/** A place where the Cluster Stack Operator runs the clusters of examples/fleet, as people would export it. */
export interface OperatorPlace {
  /** Holds the releases in the folder `releases`. */
  readonly folder: string
  /** ClusterStacks, ClusterStackReleases, ClusterAddons, Clusters. */
  readonly management: string
  /** What the operator and people applied: file of each cluster, as in `live`. */
  readonly applied: ReadonlyMap<string, string>
  /** What runs: file of each cluster by `` (management) or `<namespace>/<cluster>`. */
  readonly live: ReadonlyMap<string, string>
}

const ENDPOINTS: ReadonlyMap<string, string> = new Map([
  ['team-a/web', 'web.clusters.example.com'],
  ['team-b/batch', '192.0.2.10'],
])

/** What an API server keeps in metadata. */
function serverMetadata(name: string): Dict {
  return dict([
    ['creationTimestamp', '2026-01-02T03:04:05Z'],
    ['generation', goInt64(3)],
    ['resourceVersion', '424242'],
    ['uid', '0b1f5e9e-6c0a-4d0f-9d0e-2f1f0a1c2b3d'],
    [
      'managedFields',
      [
        dict([
          ['manager', 'manager'],
          ['operation', 'Update'],
          ['apiVersion', 'v1'],
          ['time', '2026-01-02T03:04:05Z'],
          ['fieldsV1', dict([[`f:${name}`, new Dict()]])],
        ]),
      ],
    ],
  ])
}

/** The object as it comes back from the server. */
function served(object: Dict, extra: readonly (readonly [string, Value])[] = []): Dict {
  const metadata = dictAt(object, 'metadata') ?? new Dict()
  let copy = withField(object, ['metadata'], dict([...metadata, ...serverMetadata(textAt(metadata, 'name'))]))
  for (const [key, value] of extra) copy = withField(copy, key.split('.'), value)
  return copy
}

/** `kubectl get … -o yaml` of several objects. */
function listOf(objects: readonly Dict[]): string {
  return formatManifestYaml(
    dict([
      ['apiVersion', 'v1'],
      ['items', [...objects]],
      ['kind', 'List'],
      ['metadata', dict([['resourceVersion', '']])],
    ]),
  )
}

/**
 * In the folder, lets the operator run the clusters of examples/fleet: without what only a fleet repository can say
 * (values, patches, own addons).
 */
export async function operatorPlace(folder: string): Promise<OperatorPlace> {
  const running = join(folder, 'running')
  await cp(join(packageFolder, 'examples/fleet'), running, { recursive: true })
  for (const path of [
    'clusters/values',
    // whose endpoint nobody knows yet: not what anybody moves
    'clusters/team-a/edge',
    'clusters/team-a/web/values',
    'clusters/team-a/web/patches',
    'clusters/team-b/batch',
  ])
    await rm(join(running, path), { recursive: true })
  await cp(
    join(packageFolder, 'examples/fleet/clusters/team-b/batch/cluster.yaml'),
    join(running, 'clusters/team-b/batch/cluster.yaml'),
  )
  const clusters = await Promise.all(
    [...ENDPOINTS].map(async ([place, host]) => {
      const path = join(running, 'clusters', place, 'cluster.yaml')
      const cluster = withField(
        await readObject(path),
        ['spec', 'controlPlaneEndpoint'],
        dict([
          ['host', host],
          ['port', goInt64(6443)],
        ]),
      )
      await writeFile(path, formatManifestYaml(cluster))
      return cluster
    }),
  )
  const fleet = join(running, 'stackmason.yaml')
  await writeFile(
    fleet,
    (await readFile(fleet, 'utf8'))
      .replace('path: ../../rendered', 'path: rendered')
      // the operator applies without any tool
      .replace(/^ {2}# Flux applies[^]*?(?=^ {2}output:)/m, '')
      .replace('spec:\n', 'spec:\n  helmVersion: 3\n'),
  )
  const { status, stderr } = await runCli(['render', '-q'], { cwd: running })
  if (status !== 0) throw new Error(stderr)
  const stacks = await Promise.all(
    ['classic', 'demo'].map((name) => readObject(join(running, 'stacks', `${name}.yaml`))),
  )
  const management = join(folder, 'management.yaml')
  await writeFile(management, listOf([...stacks.map(servedStack), ...clusters.flatMap(servedCluster)]))
  const live = new Map<string, string>()
  const applied = new Map<string, string>()
  for (const [place, objects] of await renderedObjects(join(running, 'rendered'))) {
    const name = `${place === '' ? 'management' : place.replace('/', '-')}.yaml`
    for (const [kind, files, texts] of [
      ['applied', applied, listOf(objects)],
      ['live', live, listOf(objects.map(asItRuns))],
    ] as const) {
      const file = join(folder, `${kind}-${name}`)
      await writeFile(file, texts)
      files.set(place, file)
    }
  }
  for (const [stack, version] of [
    ['demo', 'v3'],
    ['classic', 'v1'],
  ] as const)
    await runCli(['build', join('running/providers/docker', stack), '--version', version, '--out', 'releases'], {
      cwd: folder,
    })
  await rm(running, { recursive: true })
  return { folder, management, applied, live }
}

async function readObject(path: string): Promise<Dict> {
  const value = parseGoYaml(await readFile(path, 'utf8'), { integers: 'int' })
  if (!(value instanceof Dict)) throw new Error(path)
  return value
}

function servedStack(stack: Dict): Dict {
  return served(stack, [
    ['metadata.annotations', dict([['kubectl.kubernetes.io/last-applied-configuration', '{}']])],
    [
      'status',
      dict([
        ['usableVersions', 'v1'],
        ['conditions', conditions('Ready', 'ClusterStackReleaseAvailable', 'ClusterStackReleasesSynced')],
      ]),
    ],
  ])
}

/** A condition in the old style of Cluster API. */
function condition(type: string, status: string, reason = ''): Dict {
  return dict([
    ['type', type],
    ['status', status],
    ['lastTransitionTime', '2026-01-02T03:04:05Z'],
    ...(reason === '' ? [] : [['reason', reason] as const]),
  ])
}

function conditions(...types: readonly string[]): Value {
  return types.map((type) => condition(type, 'True'))
}

function ownerReferences(apiVersion: string, kind: string, name: string): Value {
  return [
    dict([
      ['apiVersion', apiVersion],
      ['kind', kind],
      ['name', name],
      ['uid', '0b1f5e9e-6c0a-4d0f-9d0e-2f1f0a1c2b3d'],
    ]),
  ]
}

/** The Cluster with its ClusterAddon and the ClusterStackRelease that both use. */
function servedCluster(cluster: Dict): readonly Dict[] {
  const name = textAt(cluster, 'metadata', 'name')
  const namespace = textAt(cluster, 'metadata', 'namespace')
  const className =
    textAt(cluster, 'spec', 'topology', 'classRef', 'name') || textAt(cluster, 'spec', 'topology', 'class')
  const reference = (kind: string): Dict =>
    dict([
      ['kind', kind],
      ['name', `${name}-x7k2p`],
      ['apiVersion', 'example.com/v1'],
    ])
  const group = 'clusterstack.x-k8s.io/v1alpha1'
  return [
    served(cluster, [
      ['metadata.finalizers', ['cluster.cluster.x-k8s.io']],
      ['spec.controlPlaneRef', reference('KubeadmControlPlane')],
      ['spec.infrastructureRef', reference('DockerCluster')],
      [
        'status',
        dict([
          ['phase', 'Provisioned'],
          ['conditions', [condition('Ready', 'True'), condition('TopologyReconciled', 'True')]],
        ]),
      ],
    ]),
    served(
      dict([
        ['apiVersion', group],
        ['kind', 'ClusterStackRelease'],
        [
          'metadata',
          dict([
            ['name', className],
            ['namespace', 'platform'],
            ['finalizers', ['clusterstackrelease.clusterstack.x-k8s.io']],
            [
              'ownerReferences',
              ownerReferences(group, 'ClusterStack', className.slice('docker-'.length).replace(/-v\d+$/, '')),
            ],
          ]),
        ],
        ['spec', new Dict()],
        [
          'status',
          dict([
            [
              'conditions',
              conditions(
                'Ready',
                'ClusterStackReleaseDownloaded',
                'HelmChartApplied',
                'ProviderClusterStackReleaseReady',
              ),
            ],
            ['ready', true],
            ['resources', [classResource(className)]],
            ['kubernetesVersion', fieldAt(cluster, 'spec', 'topology', 'version') ?? null],
          ]),
        ],
      ]),
    ),
    served(
      dict([
        ['apiVersion', group],
        ['kind', 'ClusterAddon'],
        [
          'metadata',
          dict([
            ['name', `cluster-addon-${name}`],
            ['namespace', namespace],
            ['annotations', dict([['ClusterAddonStage', 'created']])],
            ['finalizers', ['clusteraddon.clusterstack.x-k8s.io']],
            ['ownerReferences', ownerReferences('cluster.x-k8s.io/v1beta1', 'Cluster', name)],
          ]),
        ],
        [
          'spec',
          dict([
            [
              'clusterRef',
              dict([
                ['apiVersion', 'cluster.x-k8s.io/v1beta1'],
                ['kind', 'Cluster'],
                ['name', name],
                ['namespace', namespace],
              ]),
            ],
            ['clusterStack', className],
            ['version', 'v1'],
          ]),
        ],
        ['status', dict([['ready', true], ...(className.includes('-classic-') ? umbrellaStatus : stagesStatus)])],
      ]),
    ),
  ]
}

/** Of releases with stages: resources and stages are gone as soon as all is applied. */
const stagesStatus: readonly (readonly [string, Value])[] = [
  [
    'conditions',
    conditions(
      'Ready',
      'AssetsClientAPIAvailable',
      'ClusterAddonConfigValidated',
      'ClusterReady',
      'ClusterStackReleaseDownloaded',
      'HelmChartApplied',
      'HookServerReady',
    ),
  ],
]

/** Of releases with one chart for all addons. */
const umbrellaStatus: readonly (readonly [string, Value])[] = [
  ['conditions', conditions('Ready', 'ClusterReady', 'ClusterStackReleaseDownloaded', 'HelmChartApplied')],
  [
    'resources',
    [
      dict([
        ['kind', 'ConfigMap'],
        ['name', 'cluster-facts'],
        ['status', 'synced'],
        ['version', 'v1'],
      ]),
    ],
  ],
]

/** As the operator keeps count of what it applied of a class. */
function classResource(className: string): Dict {
  return dict([
    ['group', 'cluster.x-k8s.io'],
    ['kind', 'ClusterClass'],
    ['name', className],
    ['namespace', 'platform'],
    ['status', 'synced'],
    ['version', 'v1beta1'],
  ])
}

/** With what the server fills in. */
function asItRuns(object: Dict): Dict {
  const extra: (readonly [string, Value])[] = []
  if (itemsAt(object, 'spec', 'template', 'spec', 'containers').length > 0) {
    extra.push(['spec.revisionHistoryLimit', goInt64(10)], ['spec.template.spec.dnsPolicy', 'ClusterFirst'])
    extra.push([
      'spec.template.spec.containers',
      itemsAt(object, 'spec', 'template', 'spec', 'containers').map((container) =>
        container instanceof Dict ? dict([['imagePullPolicy', 'IfNotPresent'], ...container]) : container,
      ),
    ])
  }
  extra.push(['status', dict([['observedGeneration', goInt64(3)]])])
  return served(object, extra)
}

async function renderedObjects(rendered: string): Promise<ReadonlyMap<string, readonly Dict[]>> {
  const found = new Map<string, Dict[]>()
  for (const path of (await readdir(rendered, { recursive: true })).toSorted()) {
    const [top, namespace = '', name = '', unit] = path.split('/')
    if (!path.endsWith('.yaml') || /(?:^|\/)kustomization\.yaml$/.test(path)) continue
    const place = top === 'clusters' && unit === 'addons' ? `${namespace}/${name}` : ''
    found.set(place, [...(found.get(place) ?? []), await readObject(join(rendered, path))])
  }
  return found
}
