import { describe, expect, test } from 'vitest'
import { planAdoption, type Adoption } from '../../src/adopt/plan-adoption.ts'
import { readObjects } from '../../src/adopt/read-objects.ts'

interface Given {
  readonly management: readonly string[]
  /** Of the workload cluster team-a/web. */
  readonly workload?: readonly string[]
  readonly places?: readonly string[]
}

function plan({ management, workload = [], places }: Given): Adoption {
  const read = (place: string, texts: readonly string[]): ReturnType<typeof readObjects> =>
    readObjects({ file: 'a.yaml', text: texts.join('\n---\n'), clusterKey: place })
  const [own, other] = [read('', management), read('team-a/web', workload)]
  expect([...own.problems, ...other.problems]).toEqual([])
  return planAdoption([...own.objects, ...other.objects], {
    name: 'fleet',
    source: { kind: 'oci', repository: 'example.com/a' },
    version: '1.2.3',
    ...(places === undefined ? {} : { clusterKeys: new Set(places) }),
  })
}

function findingsOf(given: Given): readonly string[] {
  return plan(given).findings.map(({ code, message }) => `${code} ${message}`)
}

const group = 'apiVersion: clusterstack.x-k8s.io/v1alpha1'

function stack(spec = '', { name = 'demo', namespace = 'team-a', metadata = '' } = {}): string {
  return `${group}\nkind: ClusterStack\nmetadata: {name: ${name}, namespace: ${namespace}${metadata}}\nspec: {provider: docker, name: demo, kubernetesVersion: "1.34"${spec}}`
}

function release(version: string, status = 'ready: true, kubernetesVersion: v1.34.7'): string {
  return `${group}\nkind: ClusterStackRelease\nmetadata: {name: docker-demo-1-34-${version}, namespace: team-a}\nstatus: {${status}}`
}

function addon(status = 'ready: true', spec = 'clusterStack: docker-demo-1-34-v3'): string {
  return `${group}\nkind: ClusterAddon\nmetadata: {name: cluster-addon-web, namespace: team-a}\nspec: {clusterRef: {kind: Cluster, name: web}, ${spec}}\nstatus: {${status}}`
}

interface ClusterParts {
  readonly name?: string
  readonly className?: string
  readonly metadata?: string
  readonly topology?: string
  readonly spec?: string
  readonly status?: string
}

function cluster(parts: ClusterParts = {}): string {
  const {
    name = 'web',
    className = 'docker-demo-1-34-v3',
    metadata = '',
    topology = '',
    status = 'phase: Provisioned',
  } = parts
  const { spec = ', controlPlaneEndpoint: {host: 192.0.2.1, port: 6443}' } = parts
  return `apiVersion: cluster.x-k8s.io/v1beta1\nkind: Cluster\nmetadata: {name: ${name}, namespace: team-a${metadata}}\nspec: {topology: {class: ${className}, version: v1.34.7${topology}}${spec}}\nstatus: {${status}}`
}

const settled = [stack(), release('v3'), addon(), cluster()]

describe('planAdoption', () => {
  test('finds nothing to say of what is settled', () => {
    const { findings, stacks, clusters } = plan({ management: settled })
    expect({ findings, stacks, clusters }).toEqual({
      findings: [],
      stacks: [{ stack: 'team-a/demo', versions: ['v3'] }],
      clusters: [
        {
          cluster: 'team-a/web',
          release: 'docker-demo-1-34-v3',
          version: 'v1.34.7',
          endpoint: '192.0.2.1:6443',
          secrets: 0,
        },
      ],
    })
  })

  test.each([
    {
      name: 'what clusters use, whatever is subscribed to',
      management: [stack(', autoSubscribe: true'), release('v3'), cluster(), addon()],
      want: ['v3'],
    },
    {
      name: 'what is ready, too',
      management: [stack(), release('v2'), release('v10'), release('v3'), cluster(), addon()],
      want: ['v2', 'v3', 'v10'],
    },
    {
      name: 'not what is listed and not ready',
      management: [stack(', versions: [v2, v4]'), release('v4', 'ready: false'), cluster(), addon()],
      want: ['v2', 'v3'],
    },
    {
      name: 'what a cluster uses, ready or not',
      management: [stack(), release('v3', 'ready: false'), cluster(), addon()],
      want: ['v3'],
    },
    {
      name: 'content hashes',
      management: [
        stack(', channel: custom, versions: [v0-sha.abc]'),
        cluster({ className: 'docker-demo-1-34-v0-sha.abc' }),
        addon(),
      ],
      want: ['v0-sha.abc'],
    },
  ])('pins $name', ({ management, want }) => {
    const { stacks, files } = plan({ management })
    expect(stacks.map(({ versions }) => versions)).toEqual([want])
    expect(files.get('stacks/demo.yaml')).toContain('  autoSubscribe: false\n')
  })

  test('gives each release to one ClusterStack, and each ClusterStack a file', () => {
    const { stacks, files } = plan({
      management: [
        stack(', versions: [v3]', { name: 'one' }),
        stack(', channel: custom, versions: [v0-sha.abc]', { name: 'two' }),
        stack(', versions: [v1]', { name: 'one', namespace: 'team-b' }),
        cluster(),
      ],
    })
    expect(stacks).toEqual([
      { stack: 'team-a/one', versions: ['v3'] },
      { stack: 'team-a/two', versions: ['v0-sha.abc'] },
      { stack: 'team-b/one', versions: ['v1'] },
    ])
    expect([...files.keys()].filter((path) => path.startsWith('stacks/'))).toEqual([
      'stacks/team-a.one.yaml',
      'stacks/team-a.two.yaml',
      'stacks/team-b.one.yaml',
    ])
  })

  test('writes of a Cluster what a person would have written', () => {
    const metadata = [
      ', uid: u, resourceVersion: "1", generation: 2, creationTimestamp: "2026-01-02T03:04:05Z", finalizers: [f], managedFields: [], ownerReferences: []',
      'labels: {team: a, kustomize.toolkit.fluxcd.io/name: x, cluster.x-k8s.io/cluster-name: web, topology.cluster.x-k8s.io/owned: ""}',
      'annotations: {note: kept, runtime.cluster.x-k8s.io/pending-hooks: "", cluster.x-k8s.io/conversion-data: d, kubectl.kubernetes.io/last-applied-configuration: "{}"}',
    ].join(', ')
    const spec =
      ', paused: false, controlPlaneEndpoint: {host: "", port: 0}, controlPlaneRef: {name: x}, infrastructureRef: {name: x}, clusterNetwork: {pods: {cidrBlocks: [10.0.0.0/16]}}'
    const { files } = plan({
      management: [stack(), cluster({ metadata, spec, topology: ', variables: [{name: a, value: {b: 1}}]' })],
    })
    expect(files.get('clusters/team-a/web/cluster.yaml')).toBe(`apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  name: web
  namespace: team-a
  labels:
    team: a
  annotations:
    note: kept
spec:
  clusterNetwork:
    pods:
      cidrBlocks:
      - 10.0.0.0/16
  topology:
    class: docker-demo-1-34-v3
    variables:
    - name: a
      value:
        b: 1
    version: v1.34.7
`)
  })

  test.each([
    { name: 'no file is there', status: 'ready: true', places: [''], isUnknown: true },
    { name: 'a file is there, and holds none', status: 'ready: true', places: ['', 'team-a/web'], isUnknown: false },
    {
      name: 'the operator lists what it applied',
      status: 'ready: true, resources: [{kind: ConfigMap, name: b, status: synced}]',
      places: [''],
      isUnknown: false,
    },
  ])('whether existing Secrets are known: $name', ({ status, places, isUnknown }) => {
    const findings = findingsOf({ management: [stack(), release('v3'), cluster(), addon(status)], places })
    const want =
      'ADOPT_NOT_READY Cluster team-a/web: no file says which Secrets its addons brought: those that charts generate would be generated again'
    expect(findings.includes(want)).toBe(isUnknown)
  })

  test('names existing Secrets, and never looks at their values', () => {
    const secret = (name: string, label: string): string =>
      `apiVersion: v1\nkind: Secret\nmetadata: {name: ${name}, namespace: cni, labels: {clusterstack.x-k8s.io/instance: ${label}}}\ndata: {key: aHVudGVyMg==}`
    const status =
      'ready: true, resources: [{kind: Secret, name: a, namespace: kube-system, status: synced}, {kind: ConfigMap, name: b, status: synced}]'
    const { files, clusters, findings } = plan({
      management: [stack(), release('v3'), cluster(), addon(status)],
      workload: [secret('ca', 'owned'), secret('token', 'other')],
    })
    expect(files.get('clusters/team-a/web/addons.yaml')).toBe(`apiVersion: stackmason.dev/v1alpha1
kind: Addons
spec:
  existingSecrets:
  - name: ca
    namespace: cni
  - name: a
    namespace: kube-system
`)
    expect(clusters[0]?.secrets).toBe(2)
    expect(JSON.stringify([...files, findings])).not.toContain('aHVudGVyMg')
  })

  test.each([
    {
      name: 'no topology',
      management: [stack(', versions: [v1]'), cluster({ className: '""' })],
      want: ['ADOPT_LEFT_OUT Cluster team-a/web was left out: it has no topology, so no cluster stack manages it'],
    },
    {
      name: 'a class that is not a release',
      management: [stack(', versions: [v1]'), cluster({ className: 'own-class' })],
      want: [
        expect.stringMatching(
          /^ADOPT_LEFT_OUT Cluster team-a\/web was left out: its class "own-class" is not a release: /,
        ),
      ],
    },
    {
      name: 'a deletion',
      management: [stack(', versions: [v1]'), cluster({ metadata: ', deletionTimestamp: x' })],
      want: ['ADOPT_LEFT_OUT Cluster team-a/web was left out: it is being deleted'],
    },
    {
      name: 'a name that is a folder of something else',
      management: [stack(', versions: [v1]'), cluster({ name: 'values' })],
      want: [
        'ADOPT_NOT_READY Cluster team-a/values: it was left out: no folder can have the name of the cluster or of its namespace',
      ],
    },
    ...['web.prod', 'w'.repeat(64)].map((name) => ({
      name: `the name ${name}, which no cluster.yaml can have`,
      management: [stack(', versions: [v1]'), cluster({ name })],
      want: [
        `ADOPT_NOT_READY Cluster team-a/${name}: it was left out: in the names of clusters and their namespaces are only a-z, 0-9 and -, first and last a letter or digit, 63 characters at most`,
      ],
    })),
    {
      name: 'a ClusterStack elsewhere',
      management: [stack(', versions: [v1]', { namespace: 'team-b' }), cluster()],
      want: [
        'ADOPT_NOT_READY Cluster team-a/web: it was left out: no ClusterStack in namespace team-a offers its class; there is one in team-b',
      ],
    },
    {
      name: 'a release that is not ready and not used',
      management: [...settled, release('v4', 'ready: false')],
      want: [
        'ADOPT_LEFT_OUT ClusterStackRelease team-a/docker-demo-1-34-v4 was left out: it is not ready, and no cluster uses it',
      ],
    },
    {
      name: 'a ClusterStack that offers nothing',
      management: [stack()],
      want: [
        'ADOPT_LEFT_OUT ClusterStack team-a/demo was left out: no cluster uses it, and none of its releases is ready',
      ],
    },
    {
      name: 'a ClusterStack that makes no names',
      management: [stack().replace('docker', 'do-cker')],
      want: [
        'ADOPT_LEFT_OUT ClusterStack team-a/demo was left out: its provider, name and kubernetesVersion make no release name',
      ],
    },
    {
      name: 'objects of no use',
      management: [...settled, 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}'],
      want: ['ADOPT_LEFT_OUT Pod p was left out: it has no part in a fleet repository'],
    },
    {
      name: 'node images',
      management: [
        ...settled,
        'apiVersion: infrastructure.clusterstack.x-k8s.io/v1alpha1\nkind: OpenStackClusterStackRelease\nmetadata: {name: p}',
      ],
      want: [
        'ADOPT_LEFT_OUT OpenStackClusterStackRelease p was left out: node images are in the cloud already; docs/20-moving-from-cso.md tells what to do for new ones',
      ],
    },
    {
      name: 'an object that stands twice',
      management: [...settled, cluster({ topology: ', variables: []' })],
      want: ['ADOPT_LEFT_OUT Cluster team-a/web was left out: a.yaml has it too, and says something else'],
    },
    { name: 'and nothing of one that stands twice alike', management: [...settled, cluster()], want: [] },
  ])('leaves out $name', ({ management, want }) => {
    expect(findingsOf({ management })).toEqual(want)
  })

  test.each([
    {
      name: 'a release that is not ready',
      management: [stack(), release('v3', 'kubernetesVersion: v1.34.7'), addon(), cluster()],
      want: ['ClusterStackRelease team-a/docker-demo-1-34-v3: it is not ready, and team-a/web uses it'],
    },
    {
      name: 'objects that are not applied',
      management: [
        stack(),
        release('v3', 'ready: true, resources: [{kind: ClusterClass, name: c, status: not-synced, error: hunter2}]'),
        addon(),
        cluster(),
      ],
      want: ['ClusterStackRelease team-a/docker-demo-1-34-v3: objects are not applied: ClusterClass c'],
    },
    {
      name: 'another Kubernetes version',
      management: [stack(), release('v3', 'ready: true, kubernetesVersion: v1.34.8'), addon(), cluster()],
      want: ['Cluster team-a/web: its version is v1.34.7, but its release is made for v1.34.8'],
    },
    {
      name: 'addons that are not ready',
      management: [
        stack(),
        release('v3'),
        addon('ready: false, stages: [{name: cni, phase: applyingOrDeleting}]'),
        cluster(),
      ],
      want: [
        'ClusterAddon team-a/cluster-addon-web: it is not ready',
        'ClusterAddon team-a/cluster-addon-web: its stage cni is at applyingOrDeleting',
      ],
    },
    {
      name: 'addons of another release',
      management: [stack(), release('v3'), addon('ready: true', 'clusterStack: docker-demo-1-34-v2'), cluster()],
      want: [
        "ClusterAddon team-a/cluster-addon-web: the addons of docker-demo-1-34-v2 are applied, the cluster's class is docker-demo-1-34-v3",
      ],
    },
    {
      name: 'hooks, phases and conditions',
      management: [
        stack(),
        release('v3'),
        addon(),
        cluster({
          metadata: ', annotations: {runtime.cluster.x-k8s.io/pending-hooks: AfterClusterUpgrade}',
          status:
            'phase: Provisioning, conditions: [{type: TopologyReconciled, status: "False", reason: HookBlocking, message: "a hook\n  blocks"}, {type: Other, status: "False"}], v1beta2: {conditions: [{type: RollingOut, status: "True"}]}',
        }),
      ],
      want: [
        'Cluster team-a/web: hooks of Cluster API are in progress: AfterClusterUpgrade',
        'Cluster team-a/web: its phase is Provisioning',
        'Cluster team-a/web: its condition TopologyReconciled is False (HookBlocking): a hook blocks',
        'Cluster team-a/web: its condition RollingOut is True',
      ],
    },
    {
      name: 'a paused cluster without an endpoint',
      management: [stack(), release('v3'), addon(), cluster({ spec: ', paused: true' })],
      want: ['Cluster team-a/web: it is paused', 'Cluster team-a/web: its control plane has no endpoint yet'],
    },
    {
      name: 'what cannot be known',
      management: [stack(), cluster()],
      want: [
        'Cluster team-a/web: its ClusterStackRelease docker-demo-1-34-v3 is not in the files, so its state is not known',
        'Cluster team-a/web: its ClusterAddon is not in the files, so the state of its addons is not known',
      ],
    },
    {
      name: 'an engine that applies it already',
      management: [
        stack('', { metadata: ', labels: {kustomize.toolkit.fluxcd.io/name: x}' }),
        release('v3'),
        addon(),
        cluster(),
      ],
      want: ['ClusterStack team-a/demo: a GitOps tool applies it already, as kustomize.toolkit.fluxcd.io/name says'],
    },
    {
      name: 'a class in another namespace',
      management: [
        stack('', { namespace: 'platform' }),
        release('v3'),
        addon(),
        cluster({ topology: ', classNamespace: platform' }),
      ],
      want: ['Cluster team-a/web: its class is in namespace platform, where the operator does not see that it is used'],
    },
    {
      name: 'a channel that does not fit',
      management: [stack(', versions: [v0-sha.abc]'), release('v3'), addon(), cluster()],
      want: [
        'ClusterStack team-a/demo: its channel is written as custom: it uses versions that are not of the stable channel',
      ],
    },
  ])('warns of $name', ({ management, want }) => {
    expect(findingsOf({ management })).toEqual(want.map((message) => `ADOPT_NOT_READY ${message}`))
  })
})

describe('what would be readable in git', () => {
  const hidden = 'hunter2-of-a-test'
  const pem = `-----BEGIN PRIVATE KEY-----\\n${'MC4CAQAwBQYDK2VwBCIEI'.repeat(3)}\\n-----END PRIVATE KEY-----`
  const holds = (what: string): readonly string[] => [
    `SECRET_IN_PLAINTEXT Cluster team-a/web: clusters/team-a/web/cluster.yaml holds in plaintext what looks like a secret: ${what}`,
  ]
  test.each([
    { variables: `{name: adminPassword, value: ${hidden}}`, want: holds('variable adminPassword') },
    { variables: `{name: tok, value: glpat-ab1de2gh3jk4mn5pq6rs}`, want: holds('variable tok') },
    { variables: `{name: registry, value: {user: a, password: ${hidden}}}`, want: holds('variable registry.password') },
    { variables: `{name: tokens, value: [${hidden}, ${hidden}2]}`, want: holds('variable tokens') },
    { variables: `{name: proxy, value: "http://a:${hidden}@proxy.example:3128"}`, want: holds('variable proxy') },
    { variables: `{name: trust, value: {bundle: "${pem}"}}`, want: holds('variable trust.bundle') },
    { variables: `{name: init, value: "users:\\n- name: a\\n  passwd: ${hidden}\\n"}`, want: holds('variable init') },
    {
      variables: `{name: apiToken, value: ${hidden}}, {name: size, value: small}, {name: rootPassword, value: ${hidden}}`,
      want: holds('variable apiToken, variable rootPassword'),
    },
    { variables: '{name: secretName, value: openstack}, {name: sshKeyName, value: mine}', want: [] },
    { variables: '{name: identity, value: {secretRef: {name: cloud-config, key: clouds.yaml}}}', want: [] },
    { variables: '{name: credentials, value: {secretRef: {name: cloud-config}}}', want: [] },
    { variables: '{name: password, value: ""}, {name: tokenTtl, value: 24h}, {name: useToken, value: true}', want: [] },
    { variables: '{name: flavor, value: SCS-4V-8-20}, {name: dns, value: [192.0.2.1]}', want: [] },
  ])('$variables', ({ variables, want }) => {
    const given = { management: [...settled.slice(0, 3), cluster({ topology: `, variables: [${variables}]` })] }
    expect(findingsOf(given)).toEqual(want)
    expect(JSON.stringify(plan(given).findings)).not.toContain(hidden)
  })

  test('counts in a node pool, in the control plane and in an annotation', () => {
    const override = (name: string): string => `variables: {overrides: [{name: ${name}, value: ${hidden}}]}`
    const topology = `, controlPlane: {${override('etcdSecret')}}, workers: {machineDeployments: [{class: a, name: b, ${override('joinToken')}}]}`
    const metadata = `, annotations: {example.com/password: ${hidden}}`
    expect(findingsOf({ management: [...settled.slice(0, 3), cluster({ topology, metadata })] })).toEqual(
      holds('metadata.annotations.example.com/password, variable etcdSecret, variable joinToken'),
    )
  })
})
