import { describe, expect, it } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/manifest-yaml.ts'
import { planNodeImages as plan, type PlannedNodeImages } from '../../../src/handoff/images/plan-node-images.ts'
import type { Cluster, NodeImageConfig } from '../../../src/model/fleet.ts'
import type { HandedCluster, HandedStack } from '../../../src/model/handoff.ts'
import { parseReleaseTag } from '../../../src/model/release-name.ts'
import type { Release } from '../../../src/model/release.ts'
import { manifestOf, objectOf } from '../../render/stack/objects.ts'

const at = { source: { name: 'cluster.yaml', text: '' }, start: 0, end: 0 }
const credentials = { secretName: 'openstack', cloudName: 'openstack' }
const imageFile = (name: string, hash = 'ab'): string =>
  `---\napiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image\nmetadata: {name: ${name}}\nspec:\n  cloudCredentialsRef: {cloudName: c, secretName: s}\n  managementPolicy: managed\n  resource: {content: {diskFormat: qcow2, download: {url: "https://images.example/a.qcow2", hash: {algorithm: sha256, value: ${hash}}}}}\n`
const classText = (isOrc: boolean): string =>
  `{apiVersion: cluster.x-k8s.io/v1beta1, kind: ClusterClass, metadata: {name: c}, spec: {variables: [{name: imageName, schema: {openAPIV3Schema: {default: node}}}, {name: imageAddVersion, schema: {openAPIV3Schema: {default: true}}}, {name: imageIsOrc, schema: {openAPIV3Schema: {default: ${String(isOrc)}}}}]}}`
const machine =
  '{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: OpenStackMachineTemplate, metadata: {name: m}, spec: {template: {spec: {image: {filter: {name: node-v1.34.7}}}}}}'

function releaseOf(tag: string, files: readonly string[]): Release {
  const imageFiles = files.map((text, index) => ({ name: `file-${String(index)}.yaml`, text }))
  const release: Partial<Release> = { name: parseReleaseTag(tag), kubernetesVersion: 'v1.34.7', imageFiles }
  return release as Release
}

function stackOf(over: {
  readonly tag?: string
  readonly namespace?: string
  readonly files?: readonly string[]
  readonly objects?: readonly string[]
}): HandedStack {
  const {
    tag = 'openstack-scs2-1-34-v1',
    namespace = 'team-a',
    files = [],
    objects = [classText(false), machine],
  } = over
  return {
    namespace,
    release: releaseOf(tag, files),
    folder: { path: `stacks/${namespace}/${tag}`, manifests: objects.map((text) => manifestOf(text)) },
  }
}

function clusterOf(
  stack: HandedStack,
  over: { readonly namespace?: string; readonly variables?: string; readonly beside?: readonly string[] } = {},
): Pick<HandedCluster, 'cluster' | 'release' | 'stackNamespace'> {
  const cluster: Partial<Cluster> = {
    name: 'web',
    namespace: over.namespace ?? stack.namespace,
    version: 'v1.34.7',
    object: objectOf(`{spec: {topology: {variables: ${over.variables ?? '[]'}}}}`),
    beside: (over.beside ?? []).map((text) => objectOf(text)),
    classAt: at,
    versionAt: at,
  }
  return { cluster: cluster as Cluster, release: stack.release, stackNamespace: stack.namespace }
}

const configOf = (over: Partial<NodeImageConfig>): NodeImageConfig => ({
  provider: 'openstack',
  stack: 'scs2',
  use: 'release',
  credentials,
  gate: 'images',
  at,
  ...over,
})

/** Without stacks that are kept. */
function planNodeImages(
  stacks: Parameters<typeof plan>[0],
  clusters: Parameters<typeof plan>[1],
  configs: readonly NodeImageConfig[],
): PlannedNodeImages {
  return plan(stacks, clusters, { configs, kept: [] })
}

const briefs = (stacks: readonly HandedStack[]): readonly string[] =>
  stacks.flatMap(({ folder, imagesFrom }) => [
    ...folder.manifests
      .filter(({ kind }) => kind === 'Image' || kind === 'NodeImageGate')
      .map(({ kind, namespace, name }) => `${kind} ${String(namespace)}/${name}`),
    ...(imagesFrom ?? []).map((tag) => `from ${tag}`),
  ])
const messages = (findings: PlannedNodeImages['findings']): readonly string[] =>
  findings.map(({ code, message }) => `${code} ${message}`)

describe('images of a release', () => {
  it('are those of its Kubernetes version, detached and kept', () => {
    const stack = stackOf({ files: [imageFile('node-v1.34.6') + imageFile('node-v1.34.7')] })
    const { stacks, findings } = planNodeImages([stack], [clusterOf(stack)], [])
    expect(findings).toEqual([])
    expect(briefs(stacks)).toEqual(['Image team-a/node-v1.34.7'])
    expect(formatManifestYaml(stacks[0]?.folder.manifests.at(-1)?.object ?? objectOf('{}'))).toBe(
      [
        'apiVersion: openstack.k-orc.cloud/v1alpha1',
        'kind: Image',
        'metadata:',
        '  name: node-v1.34.7',
        '  namespace: team-a',
        '  annotations:',
        '    helm.sh/resource-policy: keep',
        'spec:',
        '  cloudCredentialsRef:',
        '    cloudName: c',
        '    secretName: s',
        '  managedOptions:',
        '    onDelete: detach',
        '  managementPolicy: managed',
        '  resource:',
        '    content:',
        '      diskFormat: qcow2',
        '      download:',
        '        hash:',
        '          algorithm: sha256',
        '          value: ab',
        '        url: https://images.example/a.qcow2',
        '',
      ].join('\n'),
    )
  })

  it('lie in the folder of the first release of a namespace, and every namespace has its own', () => {
    const files = [imageFile('node-v1.34.7')]
    const stacks = [
      stackOf({ files }),
      stackOf({ files: [imageFile('node-v1.34.7', 'cd')], tag: 'openstack-scs2-1-34-v2' }),
      stackOf({ files, namespace: 'team-b' }),
    ]
    const planned = planNodeImages(stacks, [], [])
    expect(briefs(planned.stacks)).toEqual([
      'Image team-a/node-v1.34.7',
      'from openstack-scs2-1-34-v1',
      'Image team-b/node-v1.34.7',
    ])
    expect(messages(planned.findings)).toEqual([
      'NODE_IMAGE_MISMATCH releases openstack-scs2-1-34-v1 and openstack-scs2-1-34-v2 take the node image "node-v1.34.7" of namespace team-a from different places; the one of openstack-scs2-1-34-v1 is used',
    ])
  })

  it('stay in the folder of a stack that is kept as it is committed', () => {
    const kept = stackOf({ objects: [imageFile('node-v1.34.7').slice(4)] })
    const next = stackOf({ files: [imageFile('node-v1.34.7')], tag: 'openstack-scs2-1-34-v2' })
    const { stacks, findings } = plan([next], [], { configs: [], kept: [kept] })
    expect(briefs(stacks)).toEqual(['from openstack-scs2-1-34-v1'])
    expect(findings).toEqual([])
  })

  it('are found by name where another namespace uploads', () => {
    const files = [imageFile('node-v1.34.7')]
    const stacks = [stackOf({ files }), stackOf({ files, namespace: 'team-b' })]
    const planned = planNodeImages(stacks, [], [configOf({ uploadFrom: 'team-b' })])
    expect(planned.stacks[0]?.folder.manifests.at(-1)?.object.get('spec')).toEqual(
      objectOf(
        '{cloudCredentialsRef: {cloudName: c, secretName: s}, managementPolicy: unmanaged, import: {filter: {name: node-v1.34.7}}}',
      ),
    )
    expect(formatManifestYaml(planned.stacks[1]?.folder.manifests.at(-1)?.object ?? objectOf('{}'))).toContain(
      'managedOptions:\n    onDelete: detach\n  managementPolicy: managed\n',
    )
  })

  it('come from the class chart, which wins over files, and from a file of the fleet, which wins over those of the release', () => {
    const objects = [classText(false), machine, imageFile('node-v1.34.7').slice(4)]
    const own = stackOf({ objects, files: [imageFile('node-v1.34.7', 'cd')] })
    expect(
      formatManifestYaml(planNodeImages([own], [], []).stacks[0]?.folder.manifests.at(-1)?.object ?? objectOf('{}')),
    ).toContain('value: ab')
    const file = { name: 'images.yaml', text: imageFile('other-v1.34.7') }
    const given = stackOf({ files: [imageFile('node-v1.34.7')] })
    expect(briefs(planNodeImages([given], [], [configOf({ file })]).stacks)).toEqual(['Image team-a/other-v1.34.7'])
  })

  it('that exist are those that the class and its clusters choose', () => {
    const stack = stackOf({})
    const other = '[{name: imageName, value: mine}]'
    const planned = planNodeImages(
      [stack],
      [clusterOf(stack), clusterOf(stack, { variables: other })],
      [configOf({ use: 'existing', gate: 'controller' })],
    )
    expect(planned.findings).toEqual([])
    expect(briefs(planned.stacks)).toEqual([
      'Image team-a/node-v1.34.7',
      'Image team-a/mine-v1.34.7',
      'NodeImageGate team-a/openstack-scs2-1-34-v1',
    ])
    const [image, gate] =
      planned.stacks[0]?.folder.manifests.slice(2).filter(({ name }) => name !== 'mine-v1.34.7') ?? []
    expect(image?.object.get('spec')).toEqual(
      objectOf(
        '{cloudCredentialsRef: {cloudName: openstack, secretName: openstack}, managementPolicy: unmanaged, import: {filter: {name: node-v1.34.7}}}',
      ),
    )
    expect(gate?.object.get('spec')).toEqual(objectOf('{images: [{orcImage: node-v1.34.7}, {orcImage: mine-v1.34.7}]}'))
  })

  it('are none when the fleet says so', () => {
    const stack = stackOf({ files: [imageFile('node-v1.34.7')] })
    const planned = planNodeImages([stack], [clusterOf(stack)], [configOf({ use: 'none', gate: 'controller' })])
    expect(planned.findings).toEqual([])
    expect(briefs(planned.stacks)).toEqual(['NodeImageGate team-a/openstack-scs2-1-34-v1'])
    expect(planned.stacks[0]?.folder.manifests.at(-1)?.object.get('spec')).toEqual(objectOf('{none: true}'))
  })

  it('are asked for only where machines boot from them', () => {
    const docker = stackOf({ objects: ['{apiVersion: x/v1, kind: DockerMachineTemplate, metadata: {name: m}}'] })
    expect(planNodeImages([docker], [], [])).toEqual({ stacks: [docker], findings: [] })
    expect(messages(planNodeImages([stackOf({})], [], []).findings)).toEqual([
      'NODE_IMAGE_UNKNOWN nothing says which node images release openstack-scs2-1-34-v1 needs for v1.34.7, so its class is offered whether they are there or not',
    ])
  })
})

describe('images of clusters', () => {
  const files = [imageFile('node-v1.34.7')]
  const stack = stackOf({ files })
  const orc = '[{name: imageIsOrc, value: true}]'
  const cases: readonly {
    readonly name: string
    readonly over: Parameters<typeof clusterOf>[1]
    readonly want: readonly string[]
  }[] = [
    { name: 'as the class has them', over: {}, want: [] },
    { name: 'by object', over: { variables: orc }, want: [] },
    { name: 'by name from another namespace', over: { namespace: 'team-b' }, want: [] },
    {
      name: 'by object from another namespace',
      over: { namespace: 'team-b', variables: orc },
      want: [
        'NODE_IMAGE_NAMESPACE machines of cluster team-b/web look for the Image object "node-v1.34.7" in namespace team-b, but it lies in team-a, where the class is',
      ],
    },
    {
      name: 'by object that lies beside the cluster',
      over: {
        namespace: 'team-b',
        variables: orc,
        beside: ['{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: node-v1.34.7}}'],
      },
      want: [],
    },
    {
      name: 'without the version',
      over: { variables: '[{name: imageAddVersion, value: false}]' },
      want: [
        'NODE_IMAGE_MISMATCH machines of cluster team-a/web look for the image "node", but its release brings node-v1.34.7',
      ],
    },
    {
      name: 'of another name, by object',
      over: { variables: '[{name: imageIsOrc, value: true}, {name: imageName, value: mine}]' },
      want: [
        'NODE_IMAGE_MISMATCH machines of cluster team-a/web look for the Image object "mine-v1.34.7", but its release brings node-v1.34.7',
      ],
    },
  ]
  it.each(cases)('$name', ({ over, want }) => {
    expect(messages(planNodeImages([stack], [clusterOf(stack, over)], []).findings)).toEqual(want)
  })

  it('are those of the machine templates when the class has no variables for them', () => {
    const plain = stackOf({ files, objects: ['{apiVersion: v1, kind: ClusterClass, metadata: {name: c}}', machine] })
    expect(planNodeImages([plain], [clusterOf(plain)], []).findings).toEqual([])
    const other = stackOf({ files, objects: [machine.replace('filter: {name: node-v1.34.7}', 'imageRef: {name: x}')] })
    expect(messages(planNodeImages([other], [clusterOf(other)], []).findings)).toEqual([
      'NODE_IMAGE_MISMATCH machines of cluster team-a/web look for the Image object "x", but its release brings node-v1.34.7',
    ])
  })
})
