import { cp } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import { listImages, type ImagesResult } from '../../src/pipeline/commands/images.ts'
import { render } from '../../src/pipeline/commands/render.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { writeFiles } from '../../tools/fleets/stack-folder.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { releaseFiles } from '../../tools/servers/release-server.ts'
import { sharedFolder } from '../../tools/fleets/shared-folder.ts'
import { clusterFile, fleetFile, imageFleet, managerFile, stackDocument } from './image-fleet.ts'
import { remoteFleet } from './remote-fleet.ts'

/** A line for each image. */
function rows({ images }: ImagesResult, folder: string): readonly string[] {
  return images.map(({ name, kubernetesVersions, releases, namespaces, use, saidAt, usedBy }) => {
    const said = saidAt.map(({ file, line }) => `${file.replace(`${folder}/`, '')}:${String(line ?? '')}`)
    const lists = [kubernetesVersions, releases, namespaces, [use], usedBy, said]
    return [name, ...lists.map((list) => list.join(','))].join(' | ')
  })
}

const brief = (findings: readonly Diagnostic[]): readonly string[] =>
  findings.map(({ severity, code, message }) => `${severity} ${code} ${message}`)
const newRow = (use: string): string =>
  `node-image-v1.34.7 | v1.34.7 | openstack-new-1-34-v1 | platform,team-a,team-b | ${use} | team-a/web,team-b/api | providers/new/image.yaml:3,providers/new/kubernetes.yaml:19`
const oldRow = (use: string, said: string): string =>
  `node-image-v1.33.6 | v1.33.6 | openstack-old-1-33-v1 | platform,team-a | ${use} | team-a/past | ${said}`

describe('the node images of a fleet', () => {
  test('are those that its releases bring, and those that machines look for in vain', async () => {
    const { folder, list } = await imageFleet()
    const result = await list()
    expect(rows(result, folder)).toEqual([oldRow('unknown', ''), newRow('release')])
    expect(brief(result.findings)).toEqual([
      'warning NODE_IMAGE_UNKNOWN nothing says which node images release openstack-old-1-33-v1 needs for v1.33.6, so its class is offered whether they are there or not',
    ])
    expect(result.managerFile).toBeUndefined()
  })

  test.each([
    {
      nodeImages: '[{provider: openstack, stack: old, use: existing}]',
      expected: oldRow('existing', 'stackmason.yaml:11'),
    },
    { nodeImages: '[{provider: openstack, stack: old, use: none}]', expected: oldRow('none', 'stackmason.yaml:11') },
    {
      nodeImages: '[{provider: openstack, stack: old, file: images.yaml}]',
      expected: oldRow('release', 'images.yaml:15'),
    },
    {
      nodeImages: '[{provider: openstack, stack: old, use: existing, file: images.yaml}]',
      expected: oldRow('existing', 'images.yaml:15'),
    },
  ])('come as the fleet says: $nodeImages', async ({ nodeImages, expected }) => {
    const { folder, list } = await imageFleet({ ...fleetFile(nodeImages), 'images.yaml': managerFile })
    const result = await list()
    expect(rows(result, folder)).toEqual([expected, newRow('release')])
    // a file for the operator of a cloud publishes its images
    const isManaged = nodeImages.includes('old, file:')
    expect(brief(result.findings)).toEqual(
      isManaged
        ? [
            'warning NODE_IMAGE_OPTION node image "node-image-v1.33.6": `visibility: public` is for the operator of the cloud; a project that uploads the image itself has it as private',
          ]
        : [],
    )
  })

  test('are told for each choice of a cluster', async () => {
    const { folder, list } = await imageFleet(
      clusterFile('team-b', 'api', { variables: '[{name: imageName, value: special}]' }),
    )
    const result = await list({ stacks: ['new'] })
    expect(rows(result, folder)).toEqual([
      newRow('release').replace(',team-b |', ' |').replace(',team-b/api', ''),
      'special-v1.34.7 | v1.34.7 | openstack-new-1-34-v1 | platform,team-b | unknown | team-b/api | ',
    ])
    expect(result.findings.map(({ code }) => code)).toEqual(['NODE_IMAGE_MISMATCH'])
  })

  test('are told of a class that no cluster uses, and of none for stacks without machines of OpenStack', async () => {
    const { folder, list } = await imageFleet(clusterFile('team-a', 'past'))
    const { images } = await list({ releases: ['openstack-old-1-33-v1'] })
    expect(images.map(({ name, usedBy, namespaces }) => [name, usedBy, namespaces])).toEqual([
      ['node-image-v1.33.6', [], ['platform']],
    ])
    await cp(join(import.meta.dirname, '../../examples/fleet'), join(folder, 'example'), { recursive: true })
    expect((await list({ start: join(folder, 'example') })).images).toEqual([])
  })
})

test('a release that no source has any more is told, while clusters of it run', async () => {
  const tool = '  handoff: {argocd: {repoURL: "https://git.example/fleet.git", path: rendered}}\n'
  const { folder, list } = await imageFleet(fleetFile('', tool))
  const options = { clusters: [], stacks: [], check: false, allowEmpty: false, overwriteEdited: false }
  await render({ start: folder, ...options }, createNodePorts(), () => undefined)
  await writeFiles(folder, {
    'stackmason.yaml': (fleetFile('', tool)['stackmason.yaml'] ?? '')
      .toString()
      .replace('new, version: v1', 'new, version: v2'),
    ...clusterFile('team-a', 'web', { className: 'openstack-new-1-34-v2' }),
    ...clusterFile('team-b', 'api', { className: 'openstack-new-1-34-v2' }),
    'stacks/new.yaml': (stackDocument('new', '1.34')['stacks/new.yaml'] ?? '').toString().replace('[v1]', '[v2]'),
  })
  const { images, findings } = await list()
  expect(images.map(({ name, releases }) => [name, releases])).toEqual([
    ['node-image-v1.33.6', ['openstack-old-1-33-v1']],
    ['node-image-v1.34.7', ['openstack-new-1-34-v2']],
  ])
  expect(brief(findings)).toContain(
    'warning NODE_IMAGE_UNKNOWN no source has release openstack-new-1-34-v1 any more, so the node images of its clusters are not listed',
  )
})

test.each([
  [
    'node-images.yaml',
    'openStackNodeImages:\n  - url: https://images.example/v1.34.7.qcow2\n    createOpts: {name: node-image-v1.34.7}\n',
    2,
  ],
  [
    'image.yaml',
    'apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image\nmetadata: {name: node-image-v1.34.7}\nspec: {resource: {content: {download: {url: "https://images.example/v1.34.7.qcow2"}}}}\n',
    3,
  ],
])('a release of the lock is read from the cache, without network: %s', async (file, text, line) => {
  const fleet = await remoteFleet()
  // README.md is locked as every file is, though nothing reads it
  fleet.offered.set('docker-demo-1-34-v1', releaseFiles('v1', { change: { [file]: text, 'README.md': 'Hello' } }))
  await fleet.update()
  fleet.offered.clear()
  const options = { clusters: [], stacks: [], releases: [], export: false, network: 'offline' as const }
  const { images } = await listImages({ start: fleet.folder, ...options }, fleet.ports, () => undefined)
  expect(images.map(({ name, use, saidAt }) => [name, use, saidAt])).toEqual([
    ['node-image-v1.34.7', 'release', [{ file: expect.stringMatching(`/docker-demo-1-34-v1/${file}$`), line }]],
  ])
})

describe('the selection', () => {
  test.each([
    { title: 'a ClusterStack', options: { stacks: ['platform/old'] }, names: ['node-image-v1.33.6'] },
    { title: 'a release', options: { releases: ['openstack-new-1-34-v1'] }, names: ['node-image-v1.34.7'] },
    { title: 'a cluster', options: { clusters: ['past'] }, names: ['node-image-v1.33.6'] },
    {
      title: 'a cluster and a release',
      options: { clusters: ['past'], releases: ['openstack-new-1-34-v1'] },
      names: ['node-image-v1.33.6', 'node-image-v1.34.7'],
    },
  ])('of $title', async ({ options, names }) => {
    const { list } = await imageFleet()
    const { images } = await list(options)
    expect(images.map(({ name }) => name)).toEqual(names)
    // whoever uses an image counts, also when only one of them was named
    expect((await list({ clusters: ['web'] })).images.map(({ usedBy }) => usedBy)).toEqual([
      ['team-a/web', 'team-b/api'],
    ])
  })

  test.each([
    { options: { stacks: ['none'] }, message: 'the fleet has no stack "none"' },
    { options: { clusters: ['none'] }, message: 'the fleet has no cluster "none"' },
    { options: { releases: ['openstack-new-1-34-v9'] }, message: 'the fleet needs no release "openstack-new-1-34-v9"' },
  ])('of what is not there: $message', async ({ options, message }) => {
    const { list } = await imageFleet()
    expect(await diagnosticsOf(list(options))).toMatchObject([{ code: 'USAGE', message }])
  })
})

/** Names that openstack-image-manager gives in Glance (its process_image, for `multi: false`). */
function glanceNames(text: string): readonly string[] {
  const { images } = parse(text) as {
    images: readonly { name: string; separator?: string; versions: readonly { version: string }[] }[]
  }
  return images.flatMap(({ name, separator = ' ', versions }) =>
    versions.map(({ version: own }) => `${name}${separator}${own}`),
  )
}

describe('the export for openstack-image-manager', () => {
  const described =
    '[{provider: openstack, stack: old, use: existing, file: images.yaml}, {provider: openstack, stack: new, use: existing}]'

  test('gives exactly the names that machines look for', async () => {
    const { list } = await imageFleet({ ...fleetFile(described), 'images.yaml': managerFile })
    const { images, managerFile: text = '', findings } = await list({ export: true })
    expect(findings).toEqual([])
    expect(glanceNames(text)).toEqual(images.map(({ name }) => name))
    expect(text.match(/^ {2}- name/gm)).toHaveLength(1)
    expect((await list({ export: true })).managerFile).toBe(text)
    expect(glanceNames((await list({ export: true, clusters: ['past'] })).managerFile ?? '')).toEqual([
      'node-image-v1.33.6',
    ])
  })

  test('warns of images that the fleet uploads, too', async () => {
    const nodeImages = '[{provider: openstack, stack: old, use: none}]'
    const tool = '  handoff: {argocd: {repoURL: "https://git.example/fleet.git", path: rendered}}\n'
    const { list } = await imageFleet(fleetFile(nodeImages, tool))
    const { findings, managerFile: text = '' } = await list({ export: true })
    expect(brief(findings)).toEqual([
      'warning NODE_IMAGE_EXPORT the fleet uploads node image "node-image-v1.34.7", so openstack-image-manager would bring a second image of that name',
    ])
    expect(glanceNames(text)).toEqual(['node-image-v1.34.7'])
  })

  test('fails with every image that nobody describes for the manager', async () => {
    const { list } = await imageFleet({ 'providers/new/kubernetes.yaml': 'images: []\n' })
    expect((await diagnosticsOf(list({ export: true }))).map(({ code, message }) => `${code} ${message}`)).toEqual([
      'NODE_IMAGE_EXPORT nothing says what node image "node-image-v1.33.6" is, so it cannot be exported',
      'NODE_IMAGE_EXPORT openstack-image-manager demands of node image "node-image-v1.34.7" what nothing says: enable, login, min_disk, min_ram, multi, status, visibility, tags, meta.architecture, meta.hw_disk_bus, meta.hypervisor_type, meta.os_distro, meta.os_purpose, meta.provided_until, meta.replace_frequency, meta.uuid_validity, build_date',
    ])
  })
})

const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: node images of the real OpenStack stack: no ../shared')

test.skipIf(shared === undefined)(
  'openstack/scs: the image of its class, which says too little for the manager',
  async () => {
    const { folder, list } = await imageFleet()
    await cp(join(shared ?? '', 'cluster-stacks/providers/openstack/scs'), join(folder, 'real/providers/scs'), {
      recursive: true,
    })
    await writeFiles(join(folder, 'real'), {
      'stackmason.yaml': `apiVersion: stackmason.dev/v1alpha1
kind: Fleet
metadata: {name: real}
spec: {sources: [{name: scs, providerDirectory: {path: providers/scs, version: v1}}]}
`,
      ...stackDocument('scs', '1.32'),
    })
    const start = join(folder, 'real')
    expect(rows(await list({ start }), start)).toEqual([
      'ubuntu-capi-image-v1.32.5 | v1.32.5 | openstack-scs-1-32-v1 | platform | release |  | providers/scs/cluster-class/templates/image.yaml:',
    ])
    expect(await diagnosticsOf(list({ start, export: true }))).toMatchObject([{ code: 'NODE_IMAGE_EXPORT' }])
  },
)
