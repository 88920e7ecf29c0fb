import { describe, expect, test } from 'vitest'
import { compareTexts, shownTexts, type Texts } from './compare-texts.ts'

/** A cluster with a CNI, whose ConfigMap holds the cluster's name. */
function cluster(path: string, { tag = '1.0', replicas = 1, extra = '' } = {}): Texts {
  const [namespace = '', name = ''] = path.split('/')
  const base = `clusters/${path}`
  return {
    [`${base}/cluster/cluster-${name}.yaml`]: `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: ${name}, namespace: ${namespace}}
spec:
  controlPlaneEndpoint: {host: ${name}.example.com}
  topology: {version: v1.33.0, controlPlane: {replicas: ${String(replicas)}}}
`,
    [`${base}/addons/01-cni/configmap-cni.yaml`]: `apiVersion: v1
kind: ConfigMap
metadata: {name: cni, namespace: kube-system}
data: {cluster: ${name}, host: "https://${name}.example.com", tag: "${tag}"${extra}}
`,
    [`${base}/addons/01-cni/daemonset-cni.yaml`]: `apiVersion: apps/v1
kind: DaemonSet
metadata: {name: cni, namespace: kube-system}
spec: {template: {spec: {containers: [{name: agent, image: "example.com/cni:${tag}"}]}}}
`,
  }
}

function fleet(names: readonly string[], shape?: Parameters<typeof cluster>[1]): Texts {
  return Object.assign({}, ...names.map((name) => cluster(name, shape))) as Texts
}

describe('folding', () => {
  const names = ['a/one', 'a/two', 'a/three', 'b/cni']

  test('the same change of many clusters is one, also of a cluster that is named like what changes', () => {
    const { groups } = compareTexts(fleet(names), fleet(names, { tag: '2.0' }))
    expect(
      groups.map(({ clusters, objects }) => ({ clusters: clusters.length, objects: objects.map(({ name }) => name) })),
    ).toEqual([{ clusters: 4, objects: ['cni', 'cni'] }])
  })

  test('what is a cluster’s own is a variable', () => {
    const changed = (path: string): Texts => cluster(path, { extra: `, path: /${path.split('/')[1] ?? ''}/x` })
    expect(shownTexts(fleet(['a/one', 'b/two']), { ...changed('a/one'), ...changed('b/two') })).toBe(`
addon cni: a/one, b/two
  ~ ConfigMap kube-system/cni
      data.path: + /<cluster>/x
`)
  })

  describe('what all clusters have as it is stays so, whatever they are called', () => {
    const path = (name: string, file: string): string => `clusters/team/${name}/addons/01-cni/${file}.yaml`
    const files = (name: string, tag: string): Texts => ({
      ...cluster(`team/${name}`),
      [path(name, 'deployment-x')]: `apiVersion: apps/v1
kind: Deployment
metadata: {name: x, namespace: kube-system, annotations: {stackmason.dev/owner: "stackmason-${tag}"}}
spec: {template: {spec: {containers: [{name: starter, image: "docker.io/library/app:${tag}", args: ["--name=${name}-${tag}", "--dir=/dev/${tag}", "--of=cluster-app-${tag}"]}]}}}
`,
      [path(name, `configmap-${name}-x`)]: `apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}-x, namespace: kube-system, labels: {cluster.x-k8s.io/cluster-name: ${name}}}
data: {host: "https://${name}.example.com/${tag}", provider: docker-${tag}, cluster: ${name}.${tag}, note: "stackmason.dev/a of ${name}, ${tag}"}
`,
    })
    test.each(['dev', 'docker', 'starter', 'stackmason', 'app', 'cluster', 'library', 'kube'])('%s', (name) => {
      const all = (tag: string): Texts => ({ ...files(name, tag), ...files('prod', tag), ...files('web', tag) })
      const text = shownTexts(all('1'), all('2'))
      expect(text.slice(text.indexOf('addon cni: the'))).toBe(`addon cni: the same 3 clusters
  ~ ConfigMap kube-system/<cluster>-x
      data.cluster: <cluster>.1 -> <cluster>.2
      data.host: https://<endpoint>/1 -> https://<endpoint>/2
      data.note: stackmason.dev/a of <cluster>, 1 -> stackmason.dev/a of <cluster>, 2
      data.provider: docker-1 -> docker-2
  ~ Deployment kube-system/x  (restarts pods)
      metadata.annotations["stackmason.dev/owner"]: stackmason-1 -> stackmason-2
      spec.template.spec.containers[name=starter].args: - --name=<cluster>-1
      spec.template.spec.containers[name=starter].args: - --dir=/dev/1
      spec.template.spec.containers[name=starter].args: - --of=cluster-app-1
      spec.template.spec.containers[name=starter].args: + --name=<cluster>-2
      spec.template.spec.containers[name=starter].args: + --dir=/dev/2
      … 2 more fields (--all)
`)
    })
  })

  test('a part of a word is no name of a cluster', () => {
    const changed = (path: string, text: string): Texts => cluster(path, { extra: `, path: ${text}` })
    const { groups } = compareTexts(fleet(['a/web', 'b/db']), {
      ...changed('a/web', 'webhook'),
      ...changed('b/db', 'dbhook'),
    })
    expect(groups).toHaveLength(2)
  })

  test('clusters with the part and another change, or none, are the odd ones out', () => {
    const [before, after] = [
      fleet(names),
      { ...fleet(names, { tag: '2.0' }), ...fleet(['a/two'], { tag: '3.0' }), ...fleet(['b/cni']) },
    ]
    const { groups } = compareTexts(
      { ...before, ...fleet(['c/more']) },
      { ...after, ...fleet(['c/more'], { tag: '2.0' }) },
    )
    expect(groups[0]?.others).toEqual({
      unchanged: [{ namespace: 'b', name: 'cni' }],
      different: [{ namespace: 'a', name: 'two' }],
    })
  })

  test('the digest of an image is never a variable', () => {
    const image = (digit: string): string => `example.com/cni@sha256:${digit.repeat(64)}`
    const with2 = (path: string, digit: string): Texts => {
      const file = `clusters/${path}/addons/01-cni/daemonset-cni.yaml`
      return { ...cluster(path), [file]: (cluster(path)[file] ?? '').replace('"example.com/cni:1.0"', image(digit)) }
    }
    const { groups } = compareTexts(fleet(['a/one', 'a/two']), { ...with2('a/one', 'a'), ...with2('a/two', 'b') })
    expect(groups).toHaveLength(2)
  })
})

test('another digest of the same tag is no other version of the addon', () => {
  const pinned = (tag: string, digit: string): Texts => {
    const file = 'clusters/a/one/addons/01-cni/daemonset-cni.yaml'
    const image = `"example.com/cni:${tag}@sha256:${digit.repeat(64)}"`
    return { ...cluster('a/one'), [file]: (cluster('a/one')[file] ?? '').replace('"example.com/cni:1.0"', image) }
  }
  const addonsOf = (after: Texts): readonly unknown[] => compareTexts(pinned('1.0', 'a'), after).facts.addons
  expect(addonsOf(pinned('1.0', 'b'))).toEqual([])
  expect(addonsOf(pinned('1.1', 'b'))).toHaveLength(1)
})

describe('clusters that come and go', () => {
  test('a new one is described by the one that it is most like', () => {
    expect(
      shownTexts(fleet(['a/one', 'a/two'], { tag: '1.0' }), {
        ...fleet(['a/one', 'a/two']),
        ...fleet(['b/new'], { replicas: 3, extra: ', more: x' }),
      }),
    ).toBe(`New clusters
  b/new  like a/one, except controlPlane.replicas: 1 -> 3; ConfigMap kube-system/cni data.more: + x
`)
  })

  describe('a name of one of them in the words of both', () => {
    const agent = (path: string, text: string): Texts => ({
      ...cluster(path, { extra: `, id: ${path.split('/')[1] ?? ''}-1` }),
      [`clusters/${path}/addons/02-agent/x.yaml`]: text.replaceAll('NAME', path.split('/')[1] ?? ''),
    })
    const text = (tag: string, name = 'provider-os'): string => `apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, namespace: kube-system, labels: {of: NAME, os: linux}}
spec:
  template:
    spec:
      containers:
      - {name: NAME-agent, image: "provider-os/agent:${tag}", args: [--cluster=NAME, --kind=os, NAME.example.com]}
      - {name: os, image: "x/os:1", env: [{name: OF, value: kube-NAME-x}, {name: KIND, value: os-x}]}
`
    test.each([
      ['is no difference', text('1'), text('1'), ''],
      ['is none in a name that has the name of either', text('1', 'NAME-agent'), text('1', 'NAME-agent'), ''],
      [
        'stays as it is in what differs',
        text('1'),
        text('2'),
        ', except Deployment kube-system/provider-os spec.template.spec.containers[name=<cluster>-agent].image: ' +
          'provider-os/agent:1 -> provider-os/agent:2',
      ],
      [
        'is a name where only one has it',
        text('1').replace('--cluster=NAME', '--cluster=https://NAME:1'),
        text('1').replace('--cluster=NAME', '--cluster=https://NAME:2'),
        ', except Deployment kube-system/provider-os spec.template.spec.containers[name=<cluster>-agent].args: ' +
          '- --cluster=https://<cluster>:1; Deployment kube-system/provider-os ' +
          'spec.template.spec.containers[name=<cluster>-agent].args: + --cluster=https://<cluster>:2',
      ],
    ])('%s', (_, one, other, except) => {
      for (const [like, added] of [
        ['a/os', 'b/db'],
        ['b/db', 'c/os'],
      ] as const)
        expect(shownTexts(agent(like, one), { ...agent(like, one), ...agent(added, other) })).toBe(
          `New clusters\n  ${added}  like ${like}${except}\n`,
        )
    })
  })

  test.each(['a: b, ', ''])('the step in which the other is does not count, beside annotations {%s}', (annotation) => {
    const of = (name: string, marks: string, replicas: number): Texts => ({
      [`clusters/a/${name}/cluster/cluster-${name}.yaml`]: `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: ${name}, namespace: a, annotations: {${annotation}${marks}}}
spec: {topology: {version: v1.33.0, controlPlane: {replicas: ${String(replicas)}}}}
`,
      [`clusters/a/${name}/addons/01-cni/x.yaml`]: '{apiVersion: v1, kind: ConfigMap, metadata: {name: x}}',
    })
    const upgraded = 'stackmason.dev/addons-release: x, stackmason.dev/upgrade-to: y'
    expect(shownTexts(of('one', upgraded, 1), { ...of('one', upgraded, 1), ...of('two', '', 3) })).toBe(`New clusters
  a/two  like a/one, except controlPlane.replicas: 1 -> 3
`)
  })

  test('the first clusters of a fleet are like the first of them', () => {
    expect(shownTexts({}, fleet(['a/one', 'a/two']))).toBe(`New clusters
  a/one  3 objects
  a/two  like a/one
`)
  })

  test('one that goes is said to go, and what it had is not listed', () => {
    expect(shownTexts(fleet(['a/one', 'a/two']), fleet(['a/one']))).toBe(`Effects
  deletes  Cluster a/two and 2 more objects, without a decommission; a revert makes an empty cluster
`)
  })

  test('many that come or go share a line', () => {
    const names = ['a/one', 'a/two', 'b/three', 'b/four']
    expect(shownTexts(fleet(names), {})).toBe(`Effects
  deletes  Cluster of 4 clusters: a/{one,two}, b/{four,three} and 8 more objects, without a decommission; a revert makes an empty cluster
`)
    expect(shownTexts({}, fleet(names))).toBe(`New clusters
  a/one                              3 objects
  3 clusters: a/two, b/{four,three}  like a/one
`)
  })

  test('one that is taken out by its decommission', () => {
    const marker = {
      'clusters/a/two/cluster/configmap-two-decommission.yaml':
        '{apiVersion: v1, kind: ConfigMap, metadata: {name: two-decommission, namespace: a}}',
    }
    expect(compareTexts(fleet(['a/two']), marker).facts.clusters.removed).toEqual([
      { cluster: { namespace: 'a', name: 'two' }, objects: 3, isDecommissioned: true, isKept: false },
    ])
    // its addons went before it
    const cluster = Object.fromEntries(Object.entries(fleet(['a/two'])).filter(([path]) => path.includes('/cluster/')))
    const text = shownTexts(cluster, marker)
    expect(text).toContain('deletes  Cluster a/two, by decommission; a revert makes an empty cluster\n')
    expect(text).toContain('\nCluster: a/two\n  + ConfigMap a/two-decommission\n')
  })

  test('one that goes and one that comes with the same files are perhaps one', () => {
    const own = { 'clusters/a/old/addons/02-own/x.yaml': '{apiVersion: v1, kind: ConfigMap, metadata: {name: own}}' }
    const moved = { 'clusters/a/new/addons/02-own/x.yaml': '{apiVersion: v1, kind: ConfigMap, metadata: {name: own}}' }
    expect(shownTexts({ ...fleet(['a/one', 'a/old']), ...own }, { ...fleet(['a/one', 'a/new']), ...moved })).toContain(
      'a/new  perhaps the new name of a/old: nothing of that moves along; like a/old\n',
    )
  })
})

test('one value in many fields of an object is shown once', () => {
  const path = 'clusters/a/one/addons/01-cni/x.yaml'
  const pod = (tag: string): Texts => ({
    [path]: `{apiVersion: batch/v1, kind: CronJob, metadata: {name: x}, spec: {containers: [{name: a, image: "x:${tag}"}, {name: b, image: "x:${tag}"}, {name: c, image: "y:${tag}"}]}}`,
  })
  expect(shownTexts(pod('1'), pod('2'))).toContain(`
  ~ CronJob x
      spec.containers[name=a].image: x:1 -> x:2, and 1 more field alike
      spec.containers[name=c].image: y:1 -> y:2
`)
})

describe('files that hold no object', () => {
  test.each([
    { what: 'broken', text: 'a: [', reason: 'it is not valid YAML' },
    { what: 'in a conflict', text: '<<<<<<< HEAD\na: 1\n=======\n', reason: 'it has conflict markers of git' },
    { what: 'a list', text: '- a\n', reason: 'it holds no object' },
    { what: 'without a name', text: '{apiVersion: v1, kind: ConfigMap}', reason: 'its object has no name' },
    {
      what: 'of two documents, one without a kind',
      text: 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\napiVersion: v1\n',
      reason: 'it holds no object',
    },
    {
      what: 'a List with something else in it',
      text: '{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}, 1]}',
      reason: 'it holds no object',
    },
    { what: 'nested without end', text: '['.repeat(100_000), reason: 'it is not valid YAML' },
  ])('$what', ({ text, reason }) => {
    const path = 'clusters/a/one/addons/01-cni/x.yaml'
    expect(compareTexts({}, { [path]: text }).facts.unread).toEqual([{ path, change: 'added', reason }])
  })

  test('a second document and the items of a List are objects like others', () => {
    const path = 'clusters/a/one/addons/01-cni/x.yaml'
    const map = (name: string, value: string): string =>
      `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}, data: {a: "${value}"}}`
    const texts = (value: string): Texts => ({
      [path]: `# one\n---\n${map('a', '1')}\n---\n${map('b', value)}\n---\n# nothing\n`,
      [path.replace('x', 'y')]: `{apiVersion: v1, kind: List, items: [${map('c', '1')}, ${map('d', value)}]}`,
    })
    expect(shownTexts(texts('1'), texts('2'))).toBe(`
addon cni: a/one
  ~ ConfigMap b
      data.a: 1 -> 2
  ~ ConfigMap d
      data.a: 1 -> 2
`)
    const alone = { [path]: map('a', '1'), [path.replace('x', 'z')]: map('b', '1') }
    expect(compareTexts(alone, { [path]: `${map('a', '1')}\n---\n${map('b', '1')}` }).changes).toEqual([])
  })

  test('of somebody else', () => {
    expect(shownTexts({}, { 'README.md': 'x', 'clusters/a/notes.txt': 'y' })).toBe(`
Not compared
  added README.md: it is no file of a rendered tree
  added clusters/a/notes.txt: it is no file of a rendered tree
`)
  })

  test('a list of files that changes with them is no change of its own', () => {
    const list = (resources: string): string =>
      `apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources: [${resources}]\n`
    const path = 'clusters/a/one/addons/kustomization.yaml'
    expect(compareTexts({ [path]: list('a') }, { [path]: list('a, b') }).changes).toEqual([])
    const patched = `${list('a')}patches: [{path: x.yaml}]\n`
    expect(shownTexts({ [path]: list('a') }, { [path]: patched })).toContain(
      'kustomization.yaml  (rewrites)\n      patches: +',
    )
  })
})

describe('secrets', () => {
  const secret = (data: string): Texts => ({
    'clusters/a/one/addons/01-cni/x.yaml': `{apiVersion: v1, kind: Secret, metadata: {name: x}, data: {${data}}}`,
  })
  const workload = (password: string): Texts => ({
    'clusters/a/one/addons/01-cni/x.yaml': `{apiVersion: apps/v1, kind: Deployment, metadata: {name: x}, spec: {template: {spec: {containers: [{name: c, env: [{name: DB_PASSWORD, value: ${password}}]}]}}}}`,
  })
  const text = (url: string): Texts => ({
    'clusters/a/one/addons/01-cni/x.yaml': `{apiVersion: v1, kind: ConfigMap, metadata: {name: x}, data: {url: "${url}", file: "[db]\\npassword = ${url}\\n"}}`,
  })

  test.each([
    { what: 'of a Secret', before: secret('a: c2VjcmV0MQ=='), after: secret('a: c2VjcmV0Mg==, b: c2VjcmV0Mw==') },
    { what: 'of a variable of the environment', before: workload('secret1xyz'), after: workload('secret2xyz') },
    {
      what: 'in an address, and in a file in a ConfigMap',
      before: text('https://user:secret1xyz@host'),
      after: text('https://user:secret2xyz@host'),
    },
  ])('$what', ({ before, after }) => {
    const { facts, groups, changes } = compareTexts(before, after)
    const shown = JSON.stringify({ facts, groups, fields: changes.map(({ fields }) => fields) })
    expect(changes[0]?.fields.length).toBeGreaterThan(0)
    expect(shown).not.toMatch(/secret[12]xyz|c2VjcmV0/)
    expect(shownTexts(before, after)).toContain('changed (hidden)')
    expect(shownTexts(before, after)).not.toMatch(/secret[12]xyz|c2VjcmV0/)
  })
})

describe('definitions', () => {
  const definition = (versions: string): Texts => ({
    'clusters/a/one/addons/01-cni/x.yaml': `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.com}, spec: {versions: [${versions}]}}`,
  })
  const schema = (properties: string): string =>
    `schema: {openAPIV3Schema: {properties: {spec: {properties: {${properties}}}}}}`

  test('fields, versions and the storage version', () => {
    const before = definition(
      `{name: v1alpha1, served: true, storage: true, ${schema('a: {type: string}, b: {type: string}')}}`,
    )
    const after = definition(
      `{name: v1alpha1, served: false, storage: false, ${schema('a: {type: string}')}}, {name: v1, served: true, storage: true}`,
    )
    expect(compareTexts(before, after).facts.definitions).toEqual([
      {
        name: 'things.example.com',
        change: 'changed',
        destination: 'workload',
        versionsAdded: ['v1'],
        versionsDropped: ['v1alpha1'],
        storage: { before: 'v1alpha1', after: 'v1' },
        fieldsRemoved: ['v1alpha1: spec.b'],
        clusters: [{ namespace: 'a', name: 'one' }],
      },
    ])
  })

  test('a description is no change that anybody needs to know', () => {
    const described = (text: string): Texts =>
      definition(`{name: v1, served: true, storage: true, ${schema(`a: {description: ${text}}`)}}`)
    expect(compareTexts(described('x'), described('y')).facts.definitions).toEqual([])
  })
})

describe('variables of a class that takes the place of another', () => {
  const stack = (version: string, variables: string): Texts => ({
    [`stacks/p/docker-demo-1-33-${version}/clusterclass-docker-demo-1-33-${version}.yaml`]: `{apiVersion: cluster.x-k8s.io/v1beta1, kind: ClusterClass, metadata: {name: docker-demo-1-33-${version}, namespace: p}, spec: {variables: [${variables}]}}`,
  })
  const variable = (name: string, schema: string, required = false): string =>
    `{name: ${name}, required: ${String(required)}, schema: {openAPIV3Schema: {${schema}}}}`

  test.each([
    { what: 'new', before: '', after: variable('a', 'type: string'), says: 'a is new' },
    {
      what: 'new and needed',
      before: '',
      after: variable('a', 'type: string', true),
      says: 'a is new, which every cluster must set',
    },
    { what: 'gone', before: variable('a', 'type: string'), after: '', says: 'a is gone' },
    {
      what: 'renamed',
      before: variable('a', 'type: string, enum: [x, y]'),
      after: variable('b', 'type: string, enum: [x, y]'),
      says: 'a is gone, perhaps renamed to b, which has the same schema',
    },
    {
      what: 'of another type',
      before: variable('a', 'type: string'),
      after: variable('a', 'type: integer'),
      says: 'a: type string -> integer',
    },
    {
      what: 'of another default',
      before: variable('a', 'default: 1'),
      after: variable('a', 'default: 2'),
      says: 'a: default 1 -> 2',
    },
    {
      what: 'with another bound',
      before: variable('a', 'minimum: 1'),
      after: variable('a', 'minimum: 2'),
      says: 'a: another schema',
    },
  ])('$what', ({ before, after, says }) => {
    expect(shownTexts(stack('v1', before), stack('v2', after))).toContain(`docker-demo-1-33-v2: ${says}\n`)
  })

  const cluster = (name: string, variables: string, version = 'v1'): Texts => ({
    [`clusters/p/${name}/cluster/cluster-${name}.yaml`]: `{apiVersion: cluster.x-k8s.io/v1beta1, kind: Cluster, metadata: {name: ${name}, namespace: p}, spec: {topology: {class: docker-demo-1-33-${version}, variables: [${variables}]}}}`,
  })
  const renames = new Map([
    [
      'docker-demo',
      new Map([
        ['a', 'b'],
        ['b', 'c'],
      ]),
    ],
  ])

  test('one that the fleet knows to be renamed, over two names, with those who set the old one', () => {
    const old = stack('v1', variable('a', 'type: string'))
    const clusters = { ...cluster('one', '{name: a, value: x}'), ...cluster('two', '{name: c, value: x}') }
    const moved = { ...clusters, ...cluster('moved', '{name: a, value: x}', 'v2') }
    const now = { ...old, ...stack('v2', variable('c', 'type: integer')) }
    const before = { ...old, ...clusters, ...cluster('moved', '{name: a, value: x}') }
    const shown = shownTexts(before, { ...now, ...moved }, renames)
    expect(shown).toContain(
      'docker-demo-1-33-v2: a is renamed to c (type string -> integer); set by its old name on p/{moved,one}\n',
    )
    expect(shown).not.toContain('c is new')
    expect(compareTexts(before, { ...now, ...moved }, renames).facts.variables).toEqual([
      {
        namespace: 'p',
        release: 'docker-demo-1-33-v2',
        name: 'a',
        change: 'renamed',
        to: 'c',
        isRequired: false,
        type: { before: 'string', after: 'integer' },
        hasOtherSchema: false,
        setBy: [
          { namespace: 'p', name: 'moved' },
          { namespace: 'p', name: 'one' },
        ],
      },
    ])
  })

  test('a renamed one shows no default where either name is that of a secret', () => {
    const passwords = new Map([
      [
        'docker-demo',
        new Map([
          ['adminPassword', 'admin'],
          ['login', 'loginPassword'],
        ]),
      ],
    ])
    const before = `${variable('adminPassword', 'default: hunter-2')}, ${variable('login', 'default: hunter-3')}`
    const after = `${variable('admin', 'default: hunter-4')}, ${variable('loginPassword', 'default: hunter-5')}`
    const shown = shownTexts(stack('v1', before), stack('v2', after), passwords)
    expect(shown).not.toContain('hunter')
    expect(shown).toContain('adminPassword is renamed to admin (default "********" -> "********")')
    expect(shown).toContain('login is renamed to loginPassword (default "********" -> "********")')
  })

  test.each([
    {
      what: 'that nobody sets',
      name: 'two',
      after: variable('b', 'type: string', true),
      says: 'a is renamed to b, which every cluster must set; no cluster sets the old name',
    },
    {
      what: 'of which the new name is not there',
      name: 'one',
      after: variable('d', 'type: string'),
      says: 'a is gone',
    },
  ])('a rename $what', ({ name, after, says }) => {
    const clusters = cluster('one', `{name: ${name}, value: x}`)
    const old = { ...stack('v1', variable('a', 'type: string')), ...clusters }
    expect(shownTexts(old, { ...stack('v2', after), ...clusters }, renames)).toContain(`docker-demo-1-33-v2: ${says}\n`)
  })

  test('two that could be either are not said to be renamed', () => {
    const pair = (...names: readonly string[]): string => names.map((name) => variable(name, 'enum: [x]')).join(', ')
    const { variables } = compareTexts(stack('v1', pair('a', 'b')), stack('v2', pair('c', 'd'))).facts
    expect(variables.map(({ name, change }) => `${name} ${change}`)).toEqual([
      'a removed',
      'b removed',
      'c added',
      'd added',
    ])
  })
})

describe('pools of workers', () => {
  const withPools = (pools: string): Texts => ({
    'clusters/a/one/cluster/cluster-one.yaml': `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: one, namespace: a}
spec: {topology: {version: v1.33.0${pools}}}
`,
  })
  const pool = (name: string): string => `{class: c, name: ${name}}`

  test('one that goes is named, and not taken for the Cluster', () => {
    const both = withPools(`, workers: {machineDeployments: [${pool('md-0')}, ${pool('md-1')}]}`)
    const one = withPools(`, workers: {machineDeployments: [${pool('md-0')}]}`)
    expect(shownTexts(both, one)).toContain('  deletes  pool md-1 of Cluster a/one; a revert makes new machines\n')
    expect(shownTexts(both, withPools(''))).toContain(
      '  deletes  pools md-0, md-1 of Cluster a/one; a revert makes new machines\n',
    )
  })

  test('those that go are seen beside other objects that go', () => {
    const before = {
      ...withPools(`, workers: {machinePools: [${pool('mp-0')}]}`),
      'clusters/a/one/cluster/configmap-x.yaml': '{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: a}}',
    }
    expect(shownTexts(before, withPools(''))).toContain(
      '  deletes  pool mp-0 of Cluster a/one; a revert makes new machines\n  deletes  Cluster: ConfigMap a/x on a/one\n',
    )
  })
})

describe('marks to stay', () => {
  const marked = (value: string): Texts => ({
    'clusters/a/one/cluster/cluster-one.yaml': `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: one, namespace: a, annotations: {${value}}}
spec: {topology: {version: v1.33.0}}
`,
    'clusters/a/one/cluster/configmap-x.yaml': '{apiVersion: v1, kind: ConfigMap, metadata: {name: x, namespace: a}}',
  })

  test.each(['kustomize.toolkit.fluxcd.io/prune: disabled', 'argocd.argoproj.io/sync-options: Prune=false'])(
    'a cluster with %s stays when its files go',
    (mark) => {
      expect(compareTexts(marked(mark), {}).facts.clusters.removed).toEqual([
        { cluster: { namespace: 'a', name: 'one' }, objects: 2, isDecommissioned: false, isKept: true },
      ])
      expect(shownTexts(marked(mark), {})).toBe(
        'Effects\n  leaves behind  Cluster a/one stays without a file; 1 more object leaves the tree\n',
      )
    },
  )

  test('a cluster without a mark goes', () => {
    expect(shownTexts(marked('a: b'), {})).toBe(
      'Effects\n  deletes  Cluster a/one and 1 more object, without a decommission; a revert makes an empty cluster\n',
    )
  })

  test('an object that stays is named, and nothing is said of a revert', () => {
    const path = 'clusters/a/one/addons/01-x/namespace-shop.yaml'
    const before = `{apiVersion: v1, kind: Namespace, metadata: {name: shop, annotations: {kustomize.toolkit.fluxcd.io/prune: disabled}}}`
    expect(shownTexts({ ...marked('a: b'), [path]: before }, marked('a: b'))).toBe(`Effects
  leaves behind  addon x: Namespace shop on a/one

addon x: a/one
  - Namespace shop  (leaves behind)
`)
  })
})

test.each([
  ['of the same release', 'v1', 'v1'],
  ['of an earlier release', 'v1', 'v2'],
])('a release that a namespace gets takes no place %s of another', (_, theirs, own) => {
  const stack = (namespace: string, version: string): Texts => ({
    [`stacks/${namespace}/docker-demo-1-33-${version}/clusterclass-x.yaml`]: `{apiVersion: cluster.x-k8s.io/v1beta1, kind: ClusterClass, metadata: {name: docker-demo-1-33-${version}, namespace: ${namespace}}, spec: {variables: []}}`,
  })
  const before = stack('a', theirs)
  expect(shownTexts(before, { ...before, ...stack('b', own) }).split('\n')).toContain(
    `  release  docker-demo-1-33-${own} is new in b`,
  )
})

describe('steps of clusters', () => {
  const target = (name: string): string => `stackmason.dev/upgrade-to: docker-scs-${name}`
  const addons = (name: string): string => `stackmason.dev/addons-release: docker-scs-${name}`
  const at = (className: string, ...marks: readonly string[]): Texts => ({
    'clusters/a/one/cluster/cluster-one.yaml': `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: one, namespace: a, annotations: {a: b, ${marks.join(', ')}}}
spec: {topology: {classRef: {name: docker-scs-${className}}, version: v1.33.0}}
`,
  })
  const old = '1-32-v1'

  test.each<{ name: string; before: Texts; after: Texts; step: object; says: string }>([
    {
      name: 'an upgrade begins with the addons of its release',
      before: at(old),
      after: at(old, addons('1-32-v2'), target('1-32-v2')),
      step: { change: 'begins', from: 'docker-scs-1-32-v1', to: 'docker-scs-1-32-v2', addons: 'docker-scs-1-32-v2' },
      says: 'upgrade  docker-scs 1.32 v1 -> v2 begins on a/one with the addons of docker-scs 1.32 v2',
    },
    {
      name: 'an upgrade by way of another release',
      before: at(old),
      after: at(old, addons('1-33-v1'), target('1-34-v1')),
      step: { change: 'begins', from: 'docker-scs-1-32-v1', to: 'docker-scs-1-34-v1', addons: 'docker-scs-1-33-v1' },
      says: 'upgrade  docker-scs 1.32 v1 -> 1.34 v1 begins on a/one with the addons of docker-scs 1.33 v1',
    },
    {
      name: 'it continues',
      before: at('1-33-v1', target('1-34-v1')),
      after: at('1-33-v1', addons('1-34-v1'), target('1-34-v1')),
      step: { change: 'continues', from: 'docker-scs-1-33-v1', to: 'docker-scs-1-34-v1', addons: 'docker-scs-1-34-v1' },
      says: 'upgrade  docker-scs 1.33 v1 -> 1.34 v1 continues on a/one with the addons of docker-scs 1.34 v1',
    },
    {
      name: 'it leads to another class',
      before: at(old, addons('1-33-v1'), target('1-33-v1')),
      after: at(old, addons('1-33-v1'), target('1-34-v1')),
      step: {
        change: 'other-target',
        from: 'docker-scs-1-32-v1',
        to: 'docker-scs-1-34-v1',
        addons: 'docker-scs-1-33-v1',
      },
      says: 'upgrade  docker-scs 1.32 v1 -> 1.34 v1 takes the place of the one under way on a/one with the addons of docker-scs 1.33 v1',
    },
    {
      name: 'it is given up',
      before: at(old, addons('1-33-v1'), target('1-33-v1')),
      after: at(old),
      step: { change: 'given-up', from: 'docker-scs-1-32-v1', to: 'docker-scs-1-33-v1' },
      says: 'upgrade  docker-scs 1.32 v1 -> 1.33 v1 is given up on a/one',
    },
    {
      name: 'a decommission begins',
      before: at(old),
      after: at(old, 'stackmason.dev/decommission: addons'),
      step: { what: 'decommission', change: 'begins' },
      says: 'decommission  begins on a/one',
    },
    {
      name: 'a decommission is given up',
      before: at(old, 'stackmason.dev/decommission: addons'),
      after: at(old),
      step: { what: 'decommission', change: 'given-up' },
      says: 'decommission  is given up on a/one',
    },
  ])('$name', ({ before, after, step, says }) => {
    expect(compareTexts(before, after).facts.steps).toEqual([
      { what: 'upgrade', clusters: [{ namespace: 'a', name: 'one' }], ...step },
    ])
    expect(shownTexts(before, after).split('\n')).toContain(`  ${says}`)
  })

  test.each([
    ['the class that an upgrade led to', at(old, addons('1-33-v1'), target('1-33-v1')), at('1-33-v1')],
    [
      'the same step',
      at(old, addons('1-33-v1'), target('1-33-v1'), 'c: d'),
      at(old, addons('1-33-v1'), target('1-33-v1')),
    ],
    ['a new cluster', {}, at(old, addons('1-33-v1'), target('1-33-v1'))],
  ])('%s is none', (_, before, after) => {
    expect(compareTexts(before, after).facts.steps).toEqual([])
  })

  test('what several clusters do is said once', () => {
    const two = (texts: Texts): Texts => ({
      ...texts,
      'clusters/a/two/cluster/cluster-two.yaml': Object.values(texts)[0]?.replace('name: one, ', 'name: two, ') ?? '',
    })
    const [before, after] = [two(at(old)), two(at(old, addons('1-33-v1'), target('1-33-v1')))]
    expect(compareTexts(before, after).facts.steps.map(({ clusters }) => clusters.map(({ name }) => name))).toEqual([
      ['one', 'two'],
    ])
  })
})

describe('units of GitOps tools under another name', () => {
  const unit = (name: string, path: string): Texts => ({
    [`handoff/a/one/flux-kustomization-${name}.yaml`]: `{apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: ${name}, namespace: a}, spec: {interval: 1h, path: ${path}, prune: true, sourceRef: {kind: GitRepository, name: fleet}}}`,
  })
  const application = (name: string, path: string): Texts => ({
    [`handoff/a/application-${name}.yaml`]: `{apiVersion: argoproj.io/v1alpha1, kind: Application, metadata: {name: ${name}, namespace: argocd}, spec: {project: p, source: {path: ${path}, repoURL: x}, destination: {name: a.one}}}`,
  })
  const project = (name: string): Texts => ({
    [`handoff/appproject-${name}.yaml`]: `{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: ${name}, namespace: argocd}, spec: {sourceRepos: [x], destinations: [{name: y, namespace: z}]}}`,
  })
  const path = './clusters/a/one/addons'
  const changesOf = (before: Texts, after: Texts): readonly string[] =>
    compareTexts({ ...cluster('a/one'), ...before }, { ...cluster('a/one'), ...after }).changes.map(
      ({ change, before: old, after: now, fields, risks }) =>
        [change, old?.name, now?.name, fields.length, risks.join()].join(' '),
    )

  test('are one with the unit that applied the same folder, and the old one goes all the same', () => {
    expect(changesOf(unit('one-addons', path), unit('one-workload', path))).toEqual([
      'renamed one-addons one-workload 0 deletes',
    ])
    expect(changesOf(application('one.a', path), application('one.b', path))).toEqual(['renamed one.a one.b 0 deletes'])
    expect(shownTexts(unit('one-addons', path), unit('one-workload', path))).toContain('one-workload')
  })

  test.each([
    ['another folder', unit('one-addons', path), unit('one-other', './clusters/a/one/cluster')],
    ['nothing', project('p'), project('q')],
  ])('are two where they apply %s', (_, before, after) => {
    expect(changesOf(before, after).map((line) => line.split(' ', 1)[0])).toEqual(['removed', 'added'])
  })
})

describe('projects of Argo CD', () => {
  const path = 'handoff/appproject-team-a.workload.yaml'
  const project = (spec: string): Texts => ({
    [path]: `{apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: team-a.workload, namespace: argocd}, spec: {${spec}}}`,
  })
  const repo = 'sourceRepos: [https://git.example.com/fleet.git]'
  const place = "{name: team-a.web, namespace: '*'}"
  const kinds = "clusterResourceWhitelist: [{group: '*', kind: '*'}]"

  test('one beside the folders of namespaces is compared', () => {
    const { facts, changes } = compareTexts(project(repo), project("sourceRepos: ['*']"))
    expect(facts.unread).toEqual([])
    expect(changes.map(({ risks }) => risks)).toEqual([['widens-rights']])
    expect(shownTexts(project(repo), project("sourceRepos: ['*']"))).toContain(
      '  widens rights  units: AppProject argocd/team-a.workload\n',
    )
  })

  test.each([
    ['a destination', `destinations: [${place}]`, `destinations: [${place}, {name: '*', namespace: '*'}]`, true],
    ['a destination less', `destinations: [${place}, {name: x, namespace: y}]`, `destinations: [${place}]`, false],
    ['what * allowed', `destinations: [${place}]`, 'destinations: [{name: team-a.web, namespace: x}]', false],
    ['kinds', "clusterResourceWhitelist: [{group: '', kind: Namespace, name: a}]", kinds, true],
    ['fewer kinds', kinds, "clusterResourceWhitelist: [{group: '', kind: Namespace, name: a}]", false],
    ['no list of kinds', 'namespaceResourceWhitelist: [{group: apps, kind: Deployment}]', 'a: b', true],
    ['a first list of kinds', 'a: b', 'namespaceResourceWhitelist: [{group: apps, kind: Deployment}]', false],
    ['a denial that goes', "sourceRepos: ['*', '!https://x']", "sourceRepos: ['*']", true],
    ['a denial that comes', "sourceRepos: ['*']", "sourceRepos: ['*', '!https://x']", false],
  ])('%s', (_, before, after, widens) => {
    const { changes } = compareTexts(project(before), project(after))
    expect(changes.map(({ risks }) => risks)).toEqual([widens ? ['widens-rights'] : []])
  })
})

describe('rights that come with a new cluster', () => {
  const [old, both] = [fleet(['a/one']), fleet(['a/one', 'a/two'])]
  const beside = (path: string, object: string): Texts => ({ [`clusters/${path}.yaml`]: `{${object}}` })
  const binding = (where: string): Texts =>
    beside(
      where,
      'apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: x}, roleRef: {kind: ClusterRole, name: cluster-admin}, subjects: [{kind: Group, name: all}]',
    )
  const project = (where: string, repos: string): Texts =>
    beside(
      where,
      `apiVersion: argoproj.io/v1alpha1, kind: AppProject, metadata: {name: p, namespace: argocd}, spec: {sourceRepos: [${repos}]}`,
    )
  const effects = (before: Texts, after: Texts): readonly string[] =>
    shownTexts(before, after)
      .split('\n')
      .filter((line) => line.startsWith('  widens rights'))

  test('are shown where they are those of the management cluster, and the cluster stays one that is new', () => {
    const after = { ...both, ...binding('a/two/cluster/x') }
    expect(effects(old, after)).toEqual([
      '  widens rights  Cluster: ClusterRoleBinding x (Group all as cluster-admin) on a/two',
    ])
    const { clusters } = compareTexts(old, after).facts
    expect({ ...clusters, added: clusters.added.map(({ objects }) => objects) }).toEqual({
      added: [4],
      removed: [],
      changed: 0,
      unchanged: 1,
    })
  })

  test('are shown where a project moves to the new cluster and is widened on the way', () => {
    const before = { ...old, ...project('a/one/cluster/p', 'https://git.example.com/a') }
    const after = { ...both, ...project('a/two/cluster/p', "'*'") }
    expect(effects(before, after)).toEqual(['  widens rights  Cluster: AppProject argocd/p on a/two'])
  })

  test('are no more than a part of it in the cluster itself', () => {
    expect(effects(old, { ...both, ...binding('a/two/addons/01-cni/x') })).toEqual([])
  })
})

test('an image without a version says so', () => {
  const path = 'clusters/a/one/addons/01-x/deployment-x.yaml'
  const withImage = (image: string): Texts => ({
    ...cluster('a/one'),
    [path]: `{apiVersion: apps/v1, kind: Deployment, metadata: {name: x, namespace: x}, spec: {template: {spec: {containers: [{name: c, image: "${image}"}]}}}}`,
  })
  expect(shownTexts(withImage('busybox:1'), withImage('busybox'))).toContain('  image  busybox 1 -> latest on a/one\n')
})

test('a definition that does not change says how lists of its kind are compared', () => {
  const folder = 'clusters/team-a/web/addons/01-some'
  const crd = `${folder}/customresourcedefinition-somes.example.com.yaml`
  const list = '{type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id]}'
  const definition = `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: somes.example.com}, spec: {group: example.com, names: {kind: Some}, versions: [{name: v1, schema: {openAPIV3Schema: {properties: {spec: {properties: {list: ${list}}}}}}}]}}`
  const some = (items: string): Texts => ({
    [crd]: definition,
    [`${folder}/some-x.yaml`]: `{apiVersion: example.com/v1, kind: Some, metadata: {name: x}, spec: {list: [${items}]}}`,
  })
  const fieldsOf = (before: string, after: string): readonly string[] =>
    compareTexts(some(before), some(after)).changes.flatMap(({ fields }) =>
      fields.map(({ path }) => JSON.stringify(path)),
    )
  expect(fieldsOf('{id: 1, v: 1}, {id: 2}', '{id: 2}, {id: 1, v: 2}')).toEqual([
    '["spec","list",{"key":"id","value":"1"},"v"]',
  ])
  expect(fieldsOf('{id: 1}, {id: 2}', '{id: 2}, {id: 1}')).toEqual([])
})

test('objects of which labels and annotations differ only are one line', () => {
  const folder = 'clusters/team-a/web/addons/01-some'
  const tree = (version: string, value: string): Texts => ({
    ...Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [
        `${folder}/configmap-${name}.yaml`,
        `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}, labels: {helm.sh/chart: some-${version}}}}`,
      ]),
    ),
    [`${folder}/configmap-d.yaml`]: `{apiVersion: v1, kind: ConfigMap, metadata: {name: d, labels: {helm.sh/chart: some-${version}}}, data: {a: ${value}}}`,
  })
  const text = shownTexts(tree('1', 'x'), tree('2', 'w'))
  expect(text.slice(text.indexOf('  ~'))).toBe(`  ~ ConfigMap d
      data.a: x -> w
      metadata.labels["helm.sh/chart"]: some-1 -> some-2
  ~ 3 objects: labels and annotations only, metadata.labels["helm.sh/chart"] (--all)
`)
})

test.each([
  ['another version of an image', 'shop:1.1.0', [{ addon: 'shop', chart: 'shop', before: '1.0.0', after: '1.1.0' }]],
  ['another image', 'example.com/shop', []],
  ['another image of another version', 'example.com/shop:2.0.0', []],
])('the version of an addon by its images: %s', (_, image, want) => {
  const path = 'clusters/team-a/web/addons/01-shop/x.yaml'
  const pod = (own: string): string =>
    `{apiVersion: v1, kind: Pod, metadata: {name: x, namespace: a}, spec: {containers: [{name: c, image: "${own}"}]}}`
  const { addons } = compareTexts({ [path]: pod('shop:1.0.0') }, { [path]: pod(image) }).facts
  expect(addons).toEqual(want.map((one) => ({ ...one, clusters: [{ namespace: 'team-a', name: 'web' }] })))
})
