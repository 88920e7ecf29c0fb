import { describe, expect, it } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { planNodeImages as plan, type PlannedNodeImages } from '../../../src/handoff/images/plan-node-images.ts'
import type { ImageUser } from '../../../src/handoff/images/release-users.ts'
import type { Cluster, NodeImageConfig } from '../../../src/model/fleet.ts'
import type { HandoffStack } from '../../../src/model/handoff.ts'
import { textAt } from '../../../src/model/field.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { formatTag, parseReleaseTag } from '../../../src/model/release-name.ts'
import type { Release } from '../../../src/model/release.ts'
import { manifestOf, objectOf } from '../../render/stack/objects.ts'
import { positionedMap } from '../../support/positioned.ts'

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
}): HandoffStack {
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
  stack: HandoffStack,
  over: {
    readonly name?: string
    readonly namespace?: string
    readonly variables?: string
    /** Further fields of the topology. */
    readonly topology?: string
    readonly beside?: readonly string[]
  } = {},
): ImageUser {
  const { name = 'web', topology = '' } = over
  const text = `kind: Cluster\nmetadata: {name: ${name}}\nspec:\n  topology:\n    variables: ${over.variables ?? '[]'}\n${topology}`
  const cluster: Partial<Cluster> = {
    name,
    namespace: over.namespace ?? stack.namespace,
    version: 'v1.34.7',
    object: objectOf(text),
    document: positionedMap(text, { name: 'cluster.yaml' }),
    source: { name: 'cluster.yaml', text },
    beside: (over.beside ?? []).map((text) => positionedMap(text)),
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

const briefs = (stacks: readonly HandoffStack[]): readonly string[] =>
  stacks.flatMap(({ folder, imagesFrom }) => [
    ...folder.manifests
      .filter(({ kind }) => kind === 'Image' || kind === 'NodeImageGate')
      .map(({ kind, namespace, name }) => `${kind} ${String(namespace)}/${name}`),
    ...(imagesFrom ?? []).map((tag) => `from ${tag}`),
  ])
const policyOf = ({ folder }: HandoffStack): string =>
  folder.manifests
    .filter(({ kind }) => kind === 'Image')
    .map(({ name, object }) => `${name} ${textAt(object, 'spec', 'managementPolicy')}`)
    .join(', ')
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
      'NODE_IMAGE_UPLOADS namespaces team-a, team-b all upload a node image "node-v1.34.7", with Secret s and cloud c',
    ])
  })

  it.each([['*'], ['team-a', 'team-b']])(
    'are uploaded by several namespaces without a word where the fleet says %s',
    (...uploadFrom) => {
      const stacks = ['team-a', 'team-b'].map((namespace) => stackOf({ files: [imageFile('node-v1.34.7')], namespace }))
      const planned = planNodeImages(stacks, [], [configOf({ uploadFrom })])
      expect(planned.findings).toEqual([])
      expect(planned.stacks.map(policyOf)).toEqual(['node-v1.34.7 managed', 'node-v1.34.7 managed'])
    },
  )

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
    const planned = planNodeImages(stacks, [], [configOf({ uploadFrom: ['team-b'] })])
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
    expect(planNodeImages([docker], [], [])).toEqual({
      stacks: [docker],
      imageStacks: [],
      keptStacks: [],
      imagesFrom: new Map(),
      findings: [],
    })
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
        'NODE_IMAGE_NAMESPACE namespace team-b does not upload the node images of release openstack-scs2-1-34-v1: its Image objects look for those that namespace team-a uploads, by name',
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
    {
      name: 'of another name for one group of machines and for the control plane',
      over: {
        topology:
          '    controlPlane: {variables: {overrides: [{name: imageName, value: cp}]}}\n    workers: {machineDeployments: [{name: a}, {name: gpu, variables: {overrides: [{name: imageName, value: gpu}, {name: imageAddVersion, value: false}]}}]}\n',
      },
      want: [
        'NODE_IMAGE_MISMATCH machines of cluster team-a/web look for the image "cp-v1.34.7", but its release brings node-v1.34.7',
        'NODE_IMAGE_MISMATCH machines of cluster team-a/web look for the image "gpu", but its release brings node-v1.34.7',
      ],
    },
    {
      name: 'of another name for nobody, since every group has its own',
      over: {
        variables: '[{name: imageName, value: nobody}]',
        topology: '    controlPlane: {variables: {overrides: [{name: imageName, value: node}]}}\n',
      },
      want: [],
    },
  ]
  it.each(cases)('$name', ({ over, want }) => {
    expect(messages(planNodeImages([stack], [clusterOf(stack, over)], []).findings)).toEqual(want)
  })

  it('are told with the line that chooses, and with that of the version where a patch or the fleet does', () => {
    const user = clusterOf(stack, {
      topology:
        '    workers:\n      machineDeployments:\n        - variables: {overrides: [{name: imageName, value: gpu}]}\n',
    })
    const placeOf = (of: ImageUser): string => {
      const [finding] = planNodeImages([stack], [of], []).findings
      return finding?.at === undefined ? '' : finding.at.source.text.slice(finding.at.start, finding.at.end)
    }
    expect(placeOf(user)).toBe('gpu')
    const patched = {
      ...user.cluster,
      document: positionedMap('kind: Cluster\nmetadata: {name: web}\n'),
    }
    expect(placeOf({ ...user, cluster: patched })).toBe('')
  })

  it('are those of the release on the way of an upgrade, whatever version cluster.yaml wants in the end', () => {
    const user = clusterOf(stack)
    const ahead = { ...user, cluster: { ...user.cluster, version: 'v1.36.1' } }
    expect(planNodeImages([stack], [ahead], []).findings).toEqual([])
  })

  it('are not told of a cluster that is as it is committed', () => {
    const user = clusterOf(stack, { variables: '[{name: imageName, value: other}]' })
    expect(planNodeImages([stack], [{ ...user, isCommitted: true }], []).findings).toEqual([])
  })

  it('are chosen by variables of other names', () => {
    const other = stackOf({
      files,
      objects: [classText(false).replace('imageName', 'osImage').replace('imageIsOrc', 'byObject'), machine],
    })
    const config = configOf({ variables: { name: 'osImage', isObject: 'byObject' } })
    const user = clusterOf(other, { variables: '[{name: osImage, value: x}, {name: byObject, value: true}]' })
    expect(messages(planNodeImages([other], [user], [config]).findings)).toEqual([
      'NODE_IMAGE_MISMATCH machines of cluster team-a/web look for the Image object "x-v1.34.7", but its release brings node-v1.34.7',
    ])
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

describe('an image that several releases of a namespace need', () => {
  const shared = imageFile('node-v1.34.7')
  const release = (version: string, kubernetes = '1-34', files = [shared]): HandoffStack =>
    stackOf({ tag: `openstack-scs2-${kubernetes}-${version}`, files })
  const [v1, v2, v10] = [release('v1'), release('v2'), release('v10')]
  const inTree = (stack: HandoffStack): HandoffStack => ({
    ...stack,
    folder: {
      ...stack.folder,
      manifests: [...stack.folder.manifests, { ...manifestOf(shared.slice(4)), namespace: 'team-a' }],
    },
  })
  const [image, from] = ['Image team-a/node-v1.34.7', (version: string) => `from openstack-scs2-1-34-${version}`]

  it.each<{
    readonly name: string
    readonly stacks: readonly HandoffStack[]
    readonly used: readonly HandoffStack[]
    readonly kept?: readonly HandoffStack[]
    readonly held?: readonly (readonly [string, string])[]
    readonly want: readonly (readonly string[])[]
    readonly wantKept?: readonly (readonly string[])[]
  }>([
    {
      name: 'lies with the one in use, whatever comes first',
      stacks: [v2, v1],
      used: [v1],
      want: [[from('v1')], [image]],
    },
    { name: 'moves on when its last cluster has', stacks: [v2, v1], used: [v2], want: [[image], [from('v2')]] },
    {
      name: 'lies with the oldest in use',
      stacks: [v10, v2, v1],
      used: [v10, v2],
      want: [[from('v2')], [image], [from('v2')]],
    },
    { name: 'lies with the oldest where none is in use', stacks: [v10, v2], used: [], want: [[from('v2')], [image]] },
    {
      name: 'of several Kubernetes versions, too: the lowest is the oldest',
      stacks: [v2, release('v9', '1-33', [])],
      used: [v2],
      want: [[image], []],
    },
    {
      name: 'stays with an unused release that cannot be rendered only until one in use needs it',
      stacks: [v1],
      used: [v1],
      kept: [{ ...inTree(v2), isUnused: true }],
      want: [[image]],
      wantKept: [[from('v1')]],
    },
    {
      name: 'stays with an unused release that cannot be rendered when no other is in use',
      stacks: [v1],
      used: [],
      kept: [{ ...inTree(v2), isUnused: true }],
      want: [[from('v2')]],
      wantKept: [[image]],
    },
    {
      name: 'stays in a folder that stays as it is committed',
      stacks: [v1],
      used: [v1],
      kept: [inTree(v2)],
      want: [[from('v2')]],
      wantKept: [[image]],
    },
    {
      name: 'stays where a narrowed run finds it',
      stacks: [v1, v2],
      used: [v1],
      held: [['team-a/node-v1.34.7', 'openstack-scs2-1-34-v2']],
      want: [[from('v2')], [image]],
    },
  ])('$name', ({ stacks, used, kept = [], held, want, wantKept = [] }) => {
    const planned = plan(
      stacks,
      used.map((stack) => clusterOf(stack)),
      { configs: [], kept, ...(held !== undefined && { held: new Map(held) }) },
    )
    expect(planned.stacks.map(({ release: { name } }) => formatTag(name))).toEqual(
      stacks.map(({ release: { name } }) => formatTag(name)),
    )
    expect(planned.stacks.map((stack) => briefs([stack]))).toEqual(want)
    expect(planned.keptStacks.map((stack) => briefs([stack as HandoffStack]))).toEqual(wantKept)
  })
})

describe('an image that a file of the release describes', () => {
  const entries = (...names: readonly string[]): string =>
    `openStackNodeImages:\n${names.map((name) => `  - {url: "https://images.example/${name}", createOpts: {name: "${name}"}}\n`).join('')}`
  const entry = (name: string): string =>
    `images:\n  - {name: "${name}", separator: "-", versions: [{version: v1.34.6, url: "https://x.example/a", checksum: "sha256:ab"}, {version: v1.34.7, url: "https://x.example/b", checksum: "sha256:cd"}]}\n`
  const skipped = (name: string): string =>
    `NODE_IMAGE_SKIPPED node image "${name}" is not taken: its name does not say that it is for Kubernetes v1.34.7`
  it.each([
    {
      name: 'is taken wherever its name says the version',
      files: [entries('node-v1.34.7-ob', 'second-v1.34.7', 'v1.34.7', 'Kube 1.34.7 amd64')],
      images: ['node-v1.34.7-ob', 'second-v1.34.7', 'v1.34.7', 'kube-1.34.7-amd64'],
      want: [],
    },
    {
      name: 'is taken from the file of the older operator without a version',
      files: [entries('plain')],
      images: ['plain'],
      want: [],
    },
    {
      name: 'is left out with a word when it names another',
      files: [entries('node-v1.34.7', 'node-v1.34.70')],
      images: ['node-v1.34.7'],
      want: [skipped('node-v1.34.70')],
    },
    { name: 'is one of many of a list for all versions', files: [entry('node')], images: ['node-v1.34.7'], want: [] },
    {
      name: 'is left out with a word when an object names no version',
      files: [imageFile('node-v1.34.7') + imageFile('plain')],
      images: ['node-v1.34.7'],
      want: [skipped('plain')],
    },
    {
      name: 'is left out with a word when another one has its name',
      files: [entries('Node v1.34.7', 'node-v1.34.7')],
      images: ['node-v1.34.7'],
      want: [
        'NODE_IMAGE_SKIPPED node image "node-v1.34.7" is not taken: its object would be named "node-v1.34.7" like that of "Node v1.34.7"',
      ],
    },
  ])('$name', ({ files, images, want }) => {
    const { stacks, findings } = planNodeImages([stackOf({ files })], [], [])
    expect(
      stacks.flatMap(({ folder }) => folder.manifests.filter(({ kind }) => kind === 'Image')).map(({ name }) => name),
    ).toEqual(images)
    expect(messages(findings.filter(({ code }) => code === 'NODE_IMAGE_SKIPPED'))).toEqual(want)
  })

  it('is told to have no checksum only where it is uploaded', () => {
    const codes = (config: Partial<NodeImageConfig>): readonly string[] =>
      planNodeImages([stackOf({ files: [entries('node-v1.34.7')] })], [], [configOf(config)]).findings.map(
        ({ code }) => code,
      )
    expect([codes({}), codes({ use: 'existing' })]).toEqual([['NODE_IMAGE_OPTION'], []])
  })
})

describe('a gate', () => {
  const unknown = (stack: HandoffStack, over: Partial<NodeImageConfig>): readonly string[] => {
    try {
      const { stacks } = planNodeImages([stack], [clusterOf(stack)], [configOf({ gate: 'controller', ...over })])
      return briefs(stacks)
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      return error.diagnostics.map(
        ({ code, severity, message, hint }) => `${severity} ${code} ${message} | ${hint ?? ''}`,
      )
    }
  }
  const refusal = (stack: string): string =>
    `error NODE_IMAGE_UNKNOWN nothing says which node images release openstack-${stack}-1-34-v1 needs for v1.34.7, so its NodeImageGate would be open whether they are there or not | Add to spec.nodeImages of stackmason.yaml: {provider: openstack, stack: ${stack}} with \`file\`, with \`use: existing\`, or with \`use: none\` if nothing can be missing.`

  it('never opens because nobody has said which images there are', () => {
    expect(unknown(stackOf({}), {})).toEqual([refusal('scs2')])
    const [plain = ''] = refusal('scs2').split(' | ')
    // what is described is there, but for others: to add one for the fleet is not the way out
    expect(unknown(stackOf({ files: [imageFile('node-v1.34.6')] }), {})).toEqual([
      `${plain} | The image that is described there is for another version (node-v1.34.6): describe one for v1.34.7.`,
    ])
    expect(unknown(stackOf({ files: [imageFile('node-v1.34.6'), imageFile('node-v1.33.1')] }), {})).toEqual([
      `${plain} | The images that are described there are for another version (node-v1.34.6, node-v1.33.1): describe one for v1.34.7.`,
    ])
    // no machine template tells that it boots from an image: that says nothing about images
    expect(unknown(stackOf({ objects: [classText(false)] }), {})).toEqual([refusal('scs2')])
    const silent = classText(false).replace(
      'schema: {openAPIV3Schema: {default: node}}',
      'schema: {openAPIV3Schema: {}}',
    )
    expect(unknown(stackOf({ objects: [silent, machine] }), { use: 'existing' })).toEqual([refusal('scs2')])
  })

  it('opens where the fleet says that nothing can be missing, and waits for what is described', () => {
    expect(unknown(stackOf({}), { use: 'none' })).toEqual(['NodeImageGate team-a/openstack-scs2-1-34-v1'])
    expect(unknown(stackOf({ files: [imageFile('node-v1.34.7')] }), {})).toEqual([
      'Image team-a/node-v1.34.7',
      'NodeImageGate team-a/openstack-scs2-1-34-v1',
    ])
    expect(unknown(stackOf({}), { use: 'existing' })).toEqual([
      'Image team-a/node-v1.34.7',
      'NodeImageGate team-a/openstack-scs2-1-34-v1',
    ])
  })
})

describe('images of clusters outside the namespace of their class', () => {
  const files = [imageFile('node-v1.34.7')]
  const orc = '[{name: imageIsOrc, value: true}]'
  const tag = 'openstack-scs2-1-34-v1'
  const shown = ({ imageStacks, imagesFrom, findings }: PlannedNodeImages): unknown => ({
    images: imageStacks.flatMap((stack) => [
      `${stack.folder.path}: ${[policyOf(stack), ...(stack.imagesFrom ?? []).map((other) => `from ${other}`)].join(', ')}`,
      ...stack.folder.manifests
        .filter(({ kind }) => kind !== 'Image')
        .map(({ kind, namespace, name }) => `${kind} ${String(namespace)}/${name}`),
    ]),
    places: [...imagesFrom],
    codes: findings.map(({ code }) => code),
  })
  interface Row {
    readonly name: string
    readonly stacks?: readonly HandoffStack[]
    readonly kept?: readonly HandoffStack[]
    readonly users: readonly Parameters<typeof clusterOf>[1][]
    readonly config?: Partial<NodeImageConfig>
    readonly want: { readonly images: readonly string[]; readonly places: unknown; readonly codes: readonly string[] }
  }
  const platform = stackOf({ files, namespace: 'platform' })
  const team = { namespace: 'team-b', variables: orc }
  const held = [[`team-b/${tag}`, [tag]]]
  const rows: readonly Row[] = [
    {
      name: 'are found by name without a word from the fleet',
      users: [team, { ...team, name: 'db' }],
      want: { images: [`stacks/team-b/${tag}: node-v1.34.7 unmanaged`], places: held, codes: ['NODE_IMAGE_NAMESPACE'] },
    },
    {
      name: 'are found by name in a project that is shared',
      users: [team],
      config: { uploadFrom: ['platform'] },
      want: { images: [`stacks/team-b/${tag}: node-v1.34.7 unmanaged`], places: held, codes: [] },
    },
    {
      name: 'are uploaded into a project of their own',
      users: [team],
      config: { uploadFrom: ['platform', 'team-b'] },
      want: { images: [`stacks/team-b/${tag}: node-v1.34.7 managed`], places: held, codes: [] },
    },
    {
      name: 'are uploaded into a project of their own, also for machines that look by name',
      users: [{ namespace: 'team-b' }],
      config: { uploadFrom: ['*'] },
      want: { images: [`stacks/team-b/${tag}: node-v1.34.7 managed`], places: held, codes: [] },
    },
    {
      name: 'are those that exist, as the clusters of each namespace choose',
      users: [
        { ...team, variables: '[{name: imageIsOrc, value: true}, {name: imageName, value: mine}]' },
        { ...team, namespace: 'team-c' },
      ],
      stacks: [stackOf({ namespace: 'platform' })],
      config: { use: 'existing' },
      want: {
        images: [`stacks/team-b/${tag}: mine-v1.34.7 unmanaged`, `stacks/team-c/${tag}: node-v1.34.7 unmanaged`],
        places: [...held, [`team-c/${tag}`, [tag]]],
        codes: [],
      },
    },
    {
      name: 'have their gate beside them',
      users: [team],
      config: { gate: 'controller', uploadFrom: ['platform'] },
      want: {
        images: [`stacks/team-b/${tag}: node-v1.34.7 unmanaged`, `NodeImageGate team-b/${tag}`],
        places: held,
        codes: [],
      },
    },
    {
      name: 'are not needed by machines that look by name',
      users: [{ namespace: 'team-b' }],
      want: { images: [], places: [], codes: [] },
    },
    {
      name: 'are not made where the fleet says that there are none',
      users: [team],
      config: { use: 'none' },
      want: { images: [], places: [], codes: [] },
    },
    {
      name: 'are not made beside a cluster that brings its own',
      users: [{ ...team, beside: [imageFile('node-v1.34.7').slice(4)] }],
      want: { images: [], places: [], codes: [] },
    },
    {
      name: 'are needed by a single group of machines',
      users: [
        {
          namespace: 'team-b',
          topology:
            '    workers: {machineDeployments: [{variables: {overrides: [{name: imageIsOrc, value: true}]}}]}\n',
        },
      ],
      config: { uploadFrom: ['platform'] },
      want: { images: [`stacks/team-b/${tag}: node-v1.34.7 unmanaged`], places: held, codes: [] },
    },
    {
      name: 'lie in the stack of the same release that the namespace has',
      stacks: [platform, stackOf({ files, namespace: 'team-b' })],
      users: [team],
      config: { uploadFrom: ['platform'] },
      want: { images: [], places: held, codes: [] },
    },
    {
      name: 'lie in no stack of the namespace that nobody uses',
      stacks: [platform, stackOf({ files, namespace: 'team-b', tag: 'openstack-scs2-1-34-v2' })],
      users: [team],
      config: { uploadFrom: ['platform'] },
      want: { images: [`stacks/team-b/${tag}: node-v1.34.7 unmanaged`], places: held, codes: [] },
    },
    {
      name: 'are uploaded as the unused stack of the namespace would',
      stacks: [
        stackOf({ files, namespace: 'platform' }),
        stackOf({ files, namespace: 'team-b', tag: 'openstack-scs2-1-34-v2' }),
      ],
      users: [team],
      want: {
        images: [`stacks/team-b/${tag}: node-v1.34.7 managed`],
        places: held,
        codes: ['NODE_IMAGE_UPLOADS'],
      },
    },
    {
      name: 'lie in a folder that is kept as it is committed',
      kept: [stackOf({ objects: [imageFile('node-v1.34.7').slice(4)], namespace: 'team-b' })],
      users: [team],
      config: { uploadFrom: ['platform'] },
      want: { images: [], places: held, codes: [] },
    },
  ]
  it.each(rows)('$name', ({ stacks = [platform], kept = [], users, config, want }) => {
    const [stack = platform] = stacks
    const configs = config === undefined ? [] : [configOf(config)]
    const planned = plan(
      stacks,
      users.map((over) => clusterOf(stack, over)),
      { configs, kept },
    )
    expect(shown(planned)).toEqual(want)
    expect(planned.stacks).toHaveLength(stacks.length)
  })

  it('are copies of those that the class chart renders, in the namespace of the clusters', () => {
    const stack = stackOf({
      objects: [
        classText(true),
        machine,
        imageFile('node-v1.34.7').slice(4).replace('{name: node', '{namespace: platform, name: node'),
      ],
      namespace: 'platform',
    })
    const { imageStacks } = planNodeImages([stack], [clusterOf(stack, team)], [configOf({ uploadFrom: ['*'] })])
    expect(
      imageStacks[0]?.folder.manifests.map(({ namespace, object }) => [
        namespace,
        textAt(object, 'metadata', 'namespace'),
      ]),
    ).toEqual([['team-b', 'team-b']])
  })

  it('stay while a cluster has not left the release', () => {
    const next = stackOf({ files: [imageFile('node-v1.34.7')], namespace: 'platform', tag: 'openstack-scs2-1-34-v2' })
    const users = [clusterOf(next, team), { ...clusterOf(platform, team), isCommitted: true }]
    const both = planNodeImages([platform, next], users, [configOf({ uploadFrom: ['platform'] })])
    expect(shown(both)).toEqual({
      images: [`stacks/team-b/${tag}: node-v1.34.7 unmanaged`],
      places: [...held, ['team-b/openstack-scs2-1-34-v2', [tag]]],
      codes: [],
    })
    const left = planNodeImages([next], users.slice(0, 1), [configOf({ uploadFrom: ['platform'] })])
    expect(left.imageStacks.map(({ folder }) => folder.path)).toEqual(['stacks/team-b/openstack-scs2-1-34-v2'])
  })
})
