import { describe, expect, it } from 'vitest'
import { formatManifestYaml } from '../../../src/codec/yaml/manifest-yaml.ts'
import { createImageVariables } from '../../../src/handoff/images/image-variables.ts'
import type { ImageStack } from '../../../src/handoff/images/image-manifest.ts'
import { planNodeImages } from '../../../src/handoff/images/plan-node-images.ts'
import { StackmasonError } from '../../../src/model/diagnostic.ts'
import { dictAt } from '../../../src/model/field.ts'
import type { Cluster, NodeImageConfig } from '../../../src/model/fleet.ts'
import type { HandoffStack } from '../../../src/model/handoff.ts'
import { parseReleaseTag } from '../../../src/model/release-name.ts'
import { dict } from '../../../src/model/value.ts'
import { manifestOf, objectOf } from '../../render/stack/objects.ts'
import { positionedMap } from '../../support/positioned.ts'

const at = { source: { name: 'stackmason.yaml', text: '' }, start: 0, end: 0 }
const machine =
  '{apiVersion: infrastructure.cluster.x-k8s.io/v1beta1, kind: OpenStackMachineTemplate, metadata: {name: m}, spec: {template: {spec: {image: {filter: {name: node-v1.34.7}}}}}}'
const scs2 =
  'imageName: {type: string, default: node}, imageAddVersion: {type: boolean, default: true}, imageIsOrc: {type: boolean, default: false}'
const image = (name: string, resource = ''): string =>
  `apiVersion: openstack.k-orc.cloud/v1alpha1\nkind: Image\nmetadata: {name: ${name}}\nspec: {managementPolicy: managed, resource: {${resource}content: {download: {url: x}}}}\n`

function placeOf(variables: string, files: readonly string[] = []): ImageStack {
  const schemas = [...objectOf(`{${variables}}`)].map(([name, schema]) =>
    dict([
      ['name', name],
      ['schema', dict([['openAPIV3Schema', schema]])],
    ]),
  )
  const clusterClass = manifestOf(
    '{apiVersion: cluster.x-k8s.io/v1beta1, kind: ClusterClass, metadata: {name: c}, spec: {}}',
  )
  clusterClass.object.set('spec', dict([['variables', schemas]]))
  return {
    namespace: 'team',
    release: {
      name: parseReleaseTag('openstack-scs2-1-34-v1'),
      kubernetesVersion: 'v1.34.7',
      imageFiles: files.map((text) => ({ name: 'image.yaml', text })),
    },
    folder: { manifests: [clusterClass, manifestOf(machine)] },
  }
}

function clusterOf(topology: string): Cluster {
  const text = `apiVersion: v1\nkind: ConfigMap\n---\nkind: Cluster\nmetadata: {name: web}\nspec:\n  topology:\n    class: c\n${topology}`
  const cluster: Partial<Cluster> = {
    name: 'web',
    namespace: 'team',
    object: objectOf(text.slice(text.indexOf('---') + 4)),
    source: { name: 'cluster.yaml', text },
    document: positionedMap(text, { name: 'cluster.yaml', kind: 'Cluster' }),
    versionAt: at,
  }
  return cluster as Cluster
}

const configOf = (over: Partial<NodeImageConfig>): NodeImageConfig => ({
  provider: 'openstack',
  stack: 'scs2',
  use: 'release',
  credentials: { secretName: 'openstack', cloudName: 'openstack' },
  gate: 'images',
  at,
  ...over,
})

describe('variables that choose images', () => {
  interface Row {
    readonly name: string
    readonly class?: string
    readonly files?: readonly string[]
    readonly config: Partial<NodeImageConfig>
    readonly topology?: string
    /** `spec.topology` less `class`. */
    readonly want: string
  }
  const rows: readonly Row[] = [
    { name: 'are left alone without a word from the fleet', config: {}, want: '' },
    {
      name: 'say what the fleet says',
      config: { findBy: 'object' },
      want: 'variables:\n- name: imageIsOrc\n  value: true\n',
    },
    {
      name: 'are written even where the class says the same',
      config: { findBy: 'name' },
      want: 'variables:\n- name: imageIsOrc\n  value: false\n',
    },
    {
      name: 'come after those of cluster.yaml, which stay when they agree',
      config: { findBy: 'object' },
      topology: '    variables: [{name: imageIsOrc, value: true}, {name: other, value: 1}]\n',
      want: 'variables:\n- name: imageIsOrc\n  value: true\n- name: other\n  value: 1\n',
    },
    {
      name: 'have other names',
      class: 'osImage: {type: string}, byObject: {type: boolean}',
      config: { findBy: 'object', variables: { name: 'osImage', isObject: 'byObject' } },
      files: [image('node-v1.34.7')],
      want: 'variables:\n- name: osImage\n  value: node-v1.34.7\n- name: byObject\n  value: true\n',
    },
    {
      name: 'leave the name alone when the class chooses the image of the release',
      config: { findBy: 'object' },
      files: [image('node-v1.34.7')],
      want: 'variables:\n- name: imageIsOrc\n  value: true\n',
    },
    {
      name: 'name the image of the release when the class would choose another',
      config: { findBy: 'object' },
      files: [image('ubuntu-v1.34.7')],
      want: 'variables:\n- name: imageName\n  value: ubuntu\n- name: imageAddVersion\n  value: true\n- name: imageIsOrc\n  value: true\n',
    },
    {
      name: 'name it as it is called in the cloud, which need not end in the version',
      config: { findBy: 'name' },
      files: [image('node-v1.34.7', 'name: Node 1, ')],
      want: 'variables:\n- name: imageName\n  value: Node 1\n- name: imageAddVersion\n  value: false\n- name: imageIsOrc\n  value: false\n',
    },
    {
      name: 'leave the name to cluster.yaml where it says one',
      config: { findBy: 'object' },
      files: [image('ubuntu-v1.34.7')],
      topology: '    variables: [{name: imageName, value: mine}]\n',
      want: 'variables:\n- name: imageName\n  value: mine\n- name: imageIsOrc\n  value: true\n',
    },
    {
      name: 'leave the name alone where the release has several images',
      config: { findBy: 'object' },
      files: [`${image('a-v1.34.7')}---\n${image('b-v1.34.7')}`],
      want: 'variables:\n- name: imageIsOrc\n  value: true\n',
    },
    {
      name: 'are not needed where the machine templates say it',
      class: '',
      config: { findBy: 'name' },
      want: '',
    },
  ]
  it.each(rows)('$name', (row) => {
    const set = createImageVariables(placeOf(row.class ?? scs2, row.files), configOf(row.config))
    const topology = dictAt(set(clusterOf(row.topology ?? '')).object, 'spec', 'topology')
    expect(formatManifestYaml(topology ?? fail()).replace('class: c\n', '')).toBe(row.want)
  })

  const broken: readonly {
    readonly name: string
    readonly class?: string
    readonly config?: Partial<NodeImageConfig>
    readonly topology?: string
    readonly want: readonly string[]
  }[] = [
    {
      name: 'that cluster.yaml sets otherwise',
      topology: '    variables: [{name: imageIsOrc, value: false}]\n',
      want: [
        'CONFIG_CONFLICT cluster team/web sets imageIsOrc to false, but the fleet wants machines to find images by object @9: variables: [{name: imageIsOrc, value: false}]',
      ],
    },
    {
      name: 'that groups of machines set otherwise, each with its line',
      topology:
        '    controlPlane:\n      variables: {overrides: [{name: imageIsOrc, value: false}]}\n    workers:\n      machineDeployments:\n        - name: a\n        - variables: {overrides: [{name: x, value: 1}, {name: imageIsOrc, value: false}]}\n',
      want: [
        'CONFIG_CONFLICT cluster team/web sets imageIsOrc to false, but the fleet wants machines to find images by object @10: variables: {overrides: [{name: imageIsOrc, value: false}]}',
        'CONFIG_CONFLICT cluster team/web sets imageIsOrc to false, but the fleet wants machines to find images by object @14: - variables: {overrides: [{name: x, value: 1}, {name: imageIsOrc, value: false}]}',
      ],
    },
    {
      name: 'that the class does not have',
      class: 'imageName: {type: string}, imageIsOrk: {type: boolean}',
      want: ['CONFIG_REFERENCE class openstack-scs2-1-34-v1 has no variable "imageIsOrc" that could choose images'],
    },
    {
      name: 'that the class does not have, nor machine templates that say it',
      class: '',
      want: [
        'CONFIG_REFERENCE class openstack-scs2-1-34-v1 has no variable "imageName" that could choose images',
        'CONFIG_REFERENCE class openstack-scs2-1-34-v1 has no variable "imageIsOrc" that could choose images',
      ],
    },
    {
      name: 'that hold something else',
      class: 'imageName: {type: string}, imageIsOrc: {type: string}',
      want: [
        'CONFIG_CONFLICT variable "imageIsOrc" of class openstack-scs2-1-34-v1 is of type string, but it must be boolean to choose images',
      ],
    },
  ]
  it.each(broken)('are refused: $name', (row) => {
    let told: readonly string[] = []
    try {
      createImageVariables(
        placeOf(row.class ?? scs2),
        configOf({ findBy: 'object', ...row.config }),
      )(clusterOf(row.topology ?? ''))
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      told = error.diagnostics.map(({ code, message, at: place }) => {
        const before = place?.source.text.slice(0, place.start).split('\n') ?? []
        const line = place?.source.text.split('\n')[before.length - 1]?.trim() ?? ''
        return `${code} ${message}${line === '' ? '' : ` @${String(before.length)}: ${line}`}`
      })
    }
    expect(told).toEqual(row.want)
  })

  it('are said to be unknown, as a warning, where the fleet only names them', () => {
    const { release, folder, namespace } = placeOf(scs2, [image('node-v1.34.7')])
    const stack = { namespace, release, folder: { path: 's', manifests: folder.manifests } } as HandoffStack
    const config = configOf({ variables: { isObject: 'imageIsOrk', name: 'imageName' } })
    const { findings } = planNodeImages([stack], [], { configs: [config], kept: [] })
    expect(
      findings
        .filter(({ code }) => code !== 'NODE_IMAGE_OPTION')
        .map(({ code, severity, message, hint }) => [code, severity, message, hint]),
    ).toEqual([
      [
        'CONFIG_REFERENCE',
        'warning',
        'class openstack-scs2-1-34-v1 has no variable "imageIsOrk" that could choose images',
        'Did you mean "imageIsOrc"? Write the names of its variables under spec.nodeImages[].variables, or remove findBy.',
      ],
    ])
  })
})

function fail(): never {
  throw new Error('no topology')
}
