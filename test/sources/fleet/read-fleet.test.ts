import { copyFile, mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { formatGoYaml } from '../../../src/codec/go-yaml/go-yaml-format.ts'
import type { FleetRepository } from '../../../src/model/fleet.ts'
import { fieldAt } from '../../../src/model/field.ts'
import { dict, goInt64 } from '../../../src/model/value.ts'
import { readFleetNames } from '../../../src/sources/fleet/fleet-names.ts'
import { readFleet } from '../../../src/sources/fleet/read-fleet.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { type FileMap, formatDiagnostic, problemsOf, readSound, soundFleet, writeFleet } from './fleet-fixture.ts'

async function read(files: FileMap): Promise<FleetRepository> {
  return (await readSound(await tempFolder(), files)).repository
}

const addons = (spec: string): string => `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n${spec}`
const patch = (name: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: Patch\nspec:\n  target: {name: ${name}}\n  mergePatch: {spec: {replicas: 2}}\n`

describe('stackmason.yaml', () => {
  it('has defaults', async () => {
    const folder = await tempFolder()
    const { fleet } = (await readSound(folder)).repository
    expect(fleet).toMatchObject({
      name: 'test',
      root: folder,
      output: 'rendered',
      helmVersion: 4,
      instanceLabel: true,
      scopes: [],
      variableRenames: new Map(),
      stackSources: [],
    })
    expect(fleet.sources).toMatchObject([{ name: 'releases', type: 'directory', path: join(folder, 'releases') }])
  })

  it('names sources of every kind, and how their servers are reached', async () => {
    const folder = await tempFolder()
    const { fleet } = (
      await readSound(folder, {
        'ca.pem': 'pem',
        'a.pub': 'key',
        'stackmason.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: all}
spec:
  sources:
    - {name: code, git: {url: "git@git.example:a/b.git", ref: main, path: ./providers//x/, version: v0-git.abc}}
    - {name: root, git: {url: "https://git.example/a.git"}}
    - {name: hub, github: {owner: SCS, repository: stacks, credentialsFrom: {token: HUB}}}
    - {name: own, github: {owner: o, repository: r, apiUrl: "https://hub.example/api/v3/"}}
    - name: registry
      oci:
        repository: registry.example:5000/kaas/stacks
        plainHttp: true
        caFile: ca.pem
        publicKeys: [a.pub]
        credentialsFrom: {username: U, password: P}
    - {name: env, oci: {}}
    - {name: web, http: {url: "https://web.example/a//"}}
  chartRepositories:
    - {url: "https://charts.example/", mirror: "http://mirror.example/", plainHttp: true}
    - {url: "oci://charts.example/a"}
`,
      })
    ).repository
    const withoutPlace = (items: readonly { readonly at: unknown }[]): readonly unknown[] =>
      items.map((item) => Object.fromEntries(Object.entries(item).filter(([key]) => !/^(?:repositoryA|a)t$/.test(key))))
    const access = { plainHttp: false }
    expect(withoutPlace(fleet.sources)).toEqual([
      {
        name: 'code',
        type: 'git',
        url: 'git@git.example:a/b.git',
        ref: 'main',
        path: 'providers/x',
        version: 'v0-git.abc',
        ...access,
      },
      { name: 'root', type: 'git', url: 'https://git.example/a.git', path: '', ...access },
      {
        name: 'hub',
        type: 'github',
        owner: 'SCS',
        repository: 'stacks',
        apiUrl: 'https://api.github.com',
        ...access,
        credentials: { token: 'HUB' },
      },
      { name: 'own', type: 'github', owner: 'o', repository: 'r', apiUrl: 'https://hub.example/api/v3', ...access },
      {
        name: 'registry',
        type: 'oci',
        repository: 'registry.example:5000/kaas/stacks',
        publicKeys: [join(folder, 'a.pub')],
        plainHttp: true,
        caFile: join(folder, 'ca.pem'),
        credentials: { username: 'U', password: 'P' },
      },
      { name: 'env', type: 'oci', publicKeys: [], ...access },
      { name: 'web', type: 'http', url: 'https://web.example/a', ...access },
    ])
    expect(withoutPlace(fleet.chartRepositories)).toEqual([
      { url: 'https://charts.example', publicKeys: [], mirror: 'http://mirror.example', plainHttp: true },
      { url: 'oci://charts.example/a', publicKeys: [], ...access },
    ])
  })

  it('is read in full', async () => {
    const folder = await tempFolder()
    const { fleet } = (
      await readSound(folder, {
        'stackmason.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: all}
spec:
  sources:
    - {name: own, providerDirectory: {path: ./own/../own, version: v3}}
    - {name: hashed, providerDirectory: {path: ${folder}/own}}
  stacks: [{provider: docker, stack: scs, source: own}]
  output: {path: ../out}
  helmVersion: 3
  instanceLabel: false
  scopes:
    - {group: "", kind: Thing, scope: Cluster}
    - {group: x.io, kind: Thing, scope: Namespaced}
  variableRenames: [{provider: docker, stack: scs, names: {worker_flavor: workerFlavor}}]
`,
        'own/csctl.yaml': '',
      })
    ).repository
    expect(fleet).toMatchObject({
      sources: [
        { name: 'own', type: 'providerDirectory', path: join(folder, 'own'), version: 'v3' },
        { name: 'hashed', type: 'providerDirectory', path: join(folder, 'own') },
      ],
      stackSources: [{ provider: 'docker', stack: 'scs', source: 'own' }],
      output: '../out',
      helmVersion: 3,
      instanceLabel: false,
      scopes: [
        { group: '', kind: 'Thing', namespaced: false },
        { group: 'x.io', kind: 'Thing', namespaced: true },
      ],
      variableRenames: new Map([['docker-scs', new Map([['worker_flavor', 'workerFlavor']])]]),
    })
    expect(fleet.sources[1]).not.toHaveProperty('version')
  })
})

describe('ClusterStacks', () => {
  it('may share a file and differ in channel', async () => {
    const stacks = soundFleet['stacks/scs.yaml'] ?? ''
    const custom = stacks.replace('name: scs', 'name: dev').replace('- v3', '- v0-sha.abc1234')
    const { clusterStacks } = await read({ 'stacks/scs.yaml': `${stacks}---\n${custom}  channel: custom\n---\n` })
    expect(clusterStacks).toMatchObject([
      {
        name: 'scs',
        namespace: 'platform',
        provider: 'docker',
        stack: 'scs',
        kubernetesVersion: '1.34',
        channel: 'stable',
        autoSubscribe: true,
        versions: [{ version: 'v3' }],
      },
      { name: 'dev', channel: 'custom', autoSubscribe: false, versions: [{ version: 'v0-sha.abc1234' }] },
    ])
  })

  it('mean what Kubernetes reads: YAML 1.1', async () => {
    const text = (soundFleet['stacks/scs.yaml'] ?? '').replace('spec:', 'spec:\n  autoSubscribe: off')
    expect((await read({ 'stacks/scs.yaml': text })).clusterStacks[0]?.autoSubscribe).toBe(false)
  })

  const shared = sharedFolder()
  if (shared === undefined) console.warn('SKIPPED: no shared folder, so no real ClusterStack is read')
  it.skipIf(shared === undefined)('of a real stack are read', async () => {
    const file = join(shared ?? '', 'cluster-stacks/providers/docker/scs/clusterstack.yaml')
    const { clusterStacks } = await read({ 'stacks/real.yaml': await readFile(file, 'utf8') })
    expect(clusterStacks[0]).toMatchObject({
      name: 'docker-131',
      namespace: 'cluster',
      kubernetesVersion: '1.31',
      channel: 'custom',
      autoSubscribe: false,
      versions: [{ version: 'v0-sha.hdl6pjy' }],
    })
  })
})

describe('clusters', () => {
  it('of v1beta1 and v1beta2 name their class', async () => {
    const { clusters } = await read({
      'clusters/team-b/db/cluster.yaml': `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: db}
spec:
  topology:
    classRef: {name: docker-scs-1-34-v0-sha.abc1234}
    version: v1.34.7
    controlPlane: {replicas: 3}
`,
    })
    expect(clusters).toMatchObject([
      {
        name: 'web',
        namespace: 'team-a',
        apiVersion: 'cluster.x-k8s.io/v1beta1',
        className: 'docker-scs-1-34-v3',
        classNamespace: 'platform',
        version: 'v1.34.7',
      },
      {
        name: 'db',
        namespace: 'team-b',
        apiVersion: 'cluster.x-k8s.io/v1beta2',
        className: 'docker-scs-1-34-v0-sha.abc1234',
        classNamespace: 'team-b',
      },
    ])
    const object = clusters[1]?.object ?? dict()
    expect(fieldAt(object, 'metadata', 'namespace')).toBe('team-b')
    expect(fieldAt(object, 'spec', 'topology', 'controlPlane', 'replicas')).toEqual(goInt64(3))
    const at = clusters[1]?.versionAt
    expect(at?.source.text.slice(at.start, at.end)).toBe('v1.34.7')
  })

  it('may have other objects beside them', async () => {
    const { clusters } = await read({
      'clusters/team-a/web/cluster.yaml': `# first
apiVersion: v1
kind: Secret
metadata: {name: cloud}
stringData: {on: off}
---
${soundFleet['clusters/team-a/web/cluster.yaml']}...
---
# the end
`,
    })
    expect(clusters[0]?.className).toBe('docker-scs-1-34-v3')
    expect(clusters[0]?.beside.map(({ value }) => formatGoYaml(value))).toEqual([
      'apiVersion: v1\nkind: Secret\nmetadata:\n  name: cloud\nstringData:\n  "true": false\n',
    ])
  })

  it('switch an addon of a folder above off with nothing but its name', async () => {
    const { repository } = await readSound(await tempFolder(), {
      'clusters/addons.yaml': addons(
        '  addons:\n    - {name: own, chart: {path: charts/own}, namespace: x, releaseName: rel}\n',
      ),
      'clusters/charts/own/Chart.yaml': '',
      'clusters/team-a/web/addons.yaml': addons('  addons:\n    - {name: own, enabled: false}\n'),
    })
    const [own, ...others] = repository.clusters[0]?.addons ?? []
    expect(others).toEqual([])
    expect(own).toMatchObject({ name: 'own', enabled: false, namespace: 'x', releaseName: 'rel' })
    expect(own?.chart).toMatch(/clusters\/charts\/own$/)
  })

  it('inherit from the folders above, the nearest winning', async () => {
    const folder = await tempFolder()
    const { repository, findings } = await readSound(folder, {
      'clusters/addons.yaml': addons(
        '  addons:\n    - {name: a, enabled: false}\n    - {name: own, chart: {path: charts/own}, namespace: x, releaseName: rel}\n  runtimeValues:\n    Cluster.spec.controlPlaneEndpoint.host: far.example\n    Cluster.spec.controlPlaneEndpoint.port: 6443\n',
      ),
      'clusters/charts/own/Chart.yaml': '',
      'clusters/team-a/addons.yaml': addons('  addons:\n    - {name: t, templates: {path: web/t}}\n'),
      'clusters/team-a/web/t/a.yaml': '',
      'clusters/team-a/web/addons.yaml': addons(
        '  addons:\n    - {name: a, conditions: ignore}\n  runtimeValues:\n    Cluster.spec.controlPlaneEndpoint.host: near.example\n',
      ),
      'clusters/values/a.yaml': 'from: top\n',
      'clusters/team-a/values/a.yaml': 'from: namespace\nnumber: 1\n',
      'clusters/team-a/web/values/a.yaml': '# nothing\n',
      'clusters/team-a/web/values/b.yaml': 'on: yes\n',
      'clusters/patches/z.yaml': patch('z'),
      'clusters/team-a/patches/a.yaml': `${patch('a1')}---\n${patch('a2')}`,
      'clusters/team-a/web/patches/b.yaml': patch('b'),
      'clusters/team-a/web/README.md': '',
      'clusters/team-b/values/a.yaml': 'other: true\n',
    })
    expect(findings).toEqual([])
    const [cluster] = repository.clusters
    expect(cluster?.folder).toBe(join(folder, 'clusters/team-a/web'))
    expect(cluster?.addons).toMatchObject([
      { name: 'a', enabled: true, ignoresConditions: true },
      {
        name: 'own',
        enabled: true,
        ignoresConditions: false,
        chart: join(folder, 'clusters/charts/own'),
        namespace: 'x',
        releaseName: 'rel',
      },
      { name: 't', templates: join(folder, 'clusters/team-a/web/t') },
    ])
    const runtimeValues = [...(cluster?.runtimeValues ?? [])].map(([path, { value }]) => `${path}=${value}`)
    expect(runtimeValues).toEqual([
      'Cluster.spec.controlPlaneEndpoint.host=near.example',
      'Cluster.spec.controlPlaneEndpoint.port=6443',
    ])
    expect(cluster?.values.get('a')?.map((file) => file.values)).toEqual([
      dict([['from', 'top']]),
      dict([
        ['from', 'namespace'],
        ['number', 1],
      ]),
      dict(),
    ])
    expect(cluster?.values.get('b')?.[0]?.values).toEqual(dict([['true', true]]))
    expect(cluster?.values.get('b')?.[0]?.source.name).toBe('clusters/team-a/web/values/b.yaml')
    expect(cluster?.patches.map((item) => item.target.name)).toEqual(['z', 'a1', 'a2', 'b'])
  })

  it('have patches of both kinds', async () => {
    const { clusters } = await read({
      'clusters/team-a/web/patches/p.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Patch
metadata: {name: p}
spec:
  target: {group: "", version: v1, kind: A, name: obj, namespace: s, addon: a}
  optional: true
  jsonPatch:
    - {op: add, path: /a, value: null}
    - {op: move, from: "", path: /b}
    - {op: test, path: "", value: 5}
`,
    })
    const [found] = clusters[0]?.patches ?? []
    expect(found).toMatchObject({
      target: { group: '', version: 'v1', kind: 'A', name: 'obj', namespace: 's', addon: 'a' },
      optional: true,
      jsonPatch: [
        { op: 'add', path: '/a', value: null },
        { op: 'move', path: '/b', from: '' },
        { op: 'test', path: '', value: goInt64(5) },
      ],
    })
    expect(found?.jsonPatch?.[1]).not.toHaveProperty('value')
    expect(found).not.toHaveProperty('mergePatch')
  })
})

describe('a fleet that is sound', () => {
  it('may hold files that nobody reads, with a warning', async () => {
    const files = {
      'clusters/notes': 'x',
      'clusters/team-a/kustomization.yaml': '',
      'clusters/team-a/web/dashboards/a.json': '',
      'clusters/team-a/stuff/a': '',
      'charts/x/Chart.yaml': '',
    }
    const unread = (path: string): string =>
      `warning CONFIG_UNKNOWN_FILE ${path} nothing reads ${path} | A cluster lies in clusters/<namespace>/<cluster>/cluster.yaml. ` +
      'Beside it options.yaml, addons.yaml, values/ and patches/ are read, and what addons.yaml names. Move whatever else out of clusters/.'
    expect(await problemsOf(await tempFolder(), files)).toEqual([
      unread('clusters/notes'),
      unread('clusters/team-a/kustomization.yaml'),
      unread('clusters/team-a/stuff'),
      unread('clusters/team-a/web/dashboards'),
    ])
  })

  it('may be the example', async () => {
    const file = join(import.meta.dirname, '../../../examples/fleet/stackmason.yaml')
    const { repository, findings } = await readFleet(file, createNodePorts())
    expect(findings).toEqual([])
    expect(repository.clusters.map(({ name }) => name)).toEqual(['edge', 'web', 'batch'])
  })

  it('may have a byte order mark and Windows line ends', async () => {
    const files = Object.fromEntries(
      Object.entries(soundFleet).map(([path, text]) => [path, `\uFEFF${text.replaceAll('\n', '\r\n')}`]),
    )
    expect((await read(files)).clusters[0]?.className).toBe('docker-scs-1-34-v3')
  })
})

it('never shows what stands in a values file', async () => {
  const secret = 'hunter2'
  const texts = [
    `a: ${secret}\na: ${secret}\n`,
    `a: "${secret}\n`,
    `- ${secret}\n`,
    `${secret}\n`,
    `a: !!int ${secret}\n`,
    `? {a: ${secret}}\n: 1\n`,
    `? null\n: ${secret}\n`,
    `18446744073709551615: ${secret}\n`,
    `a: *${secret}x\n`.replace(secret, 'anchor'),
    `a: {b: ${secret}\n`,
    `a: |${secret}\n`,
    `a: @${secret}\n`,
    `<<: ${secret}\n`,
    `a: b: ${secret}\n`,
    `\t${secret}: 1\n`.replace(secret, 'key'),
  ]
  const shown = await Promise.all(
    texts.map(async (text) => problemsOf(await tempFolder(), { 'clusters/team-a/web/values/a.yaml': text })),
  )
  expect(shown.map((problems) => problems.length > 0)).toEqual(texts.map(() => true))
  expect(shown.flat().filter((text) => text.includes(secret))).toEqual([])
})

it('names a file that is not UTF-8', async () => {
  const folder = await tempFolder()
  await readSound(folder)
  await writeFile(join(folder, 'stacks/latin.yaml'), new Uint8Array([0x61, 0x3a, 0x20, 0xe4, 0x0a]))
  expect(await problemsOf(folder, {})).toEqual([
    'CONFIG_SYNTAX stacks/latin.yaml:1:4 the file is not UTF-8 text | Save it with UTF-8 encoding.',
  ])
})

it('follows links, and asks nothing more of what its folder lists', async () => {
  const folder = await tempFolder()
  const file = await writeFleet(folder, {})
  await rename(join(folder, 'clusters/team-a/web'), join(folder, 'web'))
  await symlink('../../web', join(folder, 'clusters/team-a/web'))
  const ports = createNodePorts()
  const followed: string[] = []
  const { repository } = await readFleet(file, {
    ...ports,
    files: {
      ...ports.files,
      realPath: (path) => {
        followed.push(relative(folder, path))
        return ports.files.realPath(path)
      },
    },
  })
  expect(repository.clusters.map(({ name }) => name)).toContain('web')
  expect(followed).toEqual(['', 'clusters/team-a/web'])
})

describe('stackmason.yaml as a link', () => {
  interface Link {
    readonly name: string
    readonly hasGit: boolean
    readonly to: string
  }

  /** A fleet in a folder of a repository whose file, under two names, is a link. */
  async function linkedFleet({
    hasGit,
    to,
  }: Link): Promise<{ readonly folder: string; readonly files: readonly string[] }> {
    const folder = await tempFolder()
    const repository = join(folder, 'repository')
    const fleet = join(repository, 'fleet')
    const file = await writeFleet(fleet, {})
    await writeFile(join(folder, 'secret'), 'root:$6$TOPSECRET: [unclosed\n')
    if (hasGit) await mkdir(join(repository, '.git'))
    await copyFile(file, join(repository, 'shared.yaml'))
    await rename(file, join(fleet, 'other.yaml'))
    const files = ['stackmason.yaml', 'named.yaml'].map((name) => join(fleet, name))
    for (const name of files) await symlink(to, name)
    return { folder, files }
  }

  const outside = 'leads out of the fleet repository | Put a copy of what it leads to in its place.'
  const nothing = 'cannot be read: it is a link to something that is not there | Correct the link, or remove it.'

  it.each([
    { name: 'out of the repository', hasGit: true, to: '../../secret', code: 'FILE_OUTSIDE', why: outside },
    { name: 'to nothing', hasGit: true, to: '../../nothing', code: 'FILE_UNREADABLE', why: nothing },
    { name: 'out of its folder, without git', hasGit: false, to: '../shared.yaml', code: 'FILE_OUTSIDE', why: outside },
  ])('$name is refused', async ({ code, why, ...link }) => {
    const { folder, files } = await linkedFleet(link)
    for (const file of files) {
      const found = await diagnosticsOf(readFleet(file, createNodePorts()))
      const line = `${code} ${relative(folder, file)} ${basename(file)} ${why}`
      expect(found.map((one) => formatDiagnostic(one, folder))).toEqual([line])
      expect(JSON.stringify(found)).not.toContain('TOPSECRET')
    }
  })

  it.each([
    { name: 'to a file of the repository', hasGit: true, to: '../shared.yaml' },
    { name: 'to a file of its folder, without git', hasGit: false, to: 'other.yaml' },
  ])('$name is followed', async (link) => {
    const { files } = await linkedFleet(link)
    for (const file of files) expect((await readFleet(file, createNodePorts())).repository.fleet.name).toBe('test')
  })

  it('gives no names of what lies elsewhere', async () => {
    const folder = await tempFolder()
    const file = await writeFleet(join(folder, 'fleet'), {})
    await rename(file, join(folder, 'theirs.yaml'))
    await symlink('../theirs.yaml', file)
    expect(await readFleetNames('sources', file, createNodePorts())).toEqual([])
  })
})

it('reads nothing through folders that are links out of the repository', async () => {
  const folder = await tempFolder()
  const fleet = join(folder, 'fleet')
  const text = `${soundFleet['stackmason.yaml'] ?? ''}  nodeImages: [{provider: a, stack: b, file: images/shadow}]
  check: {schemas: [images/definitions]}
`
  const file = await writeFleet(fleet, { 'stackmason.yaml': text })
  await mkdir(join(folder, 'out/definitions'), { recursive: true })
  await writeFile(join(folder, 'out/shadow'), 'root:$6$TOPSECRET: [unclosed\n')
  await symlink('../out', join(fleet, 'images'))
  const found = await diagnosticsOf(readFleet(file, createNodePorts()))
  expect(found.map((one) => formatDiagnostic(one, fleet))).toEqual([
    'FILE_OUTSIDE images/definitions images/definitions leads out of the fleet repository | Put a copy of what it leads to in its place.',
    'FILE_OUTSIDE images/shadow images/shadow leads out of the fleet repository | Put a copy of what it leads to in its place.',
  ])
})
