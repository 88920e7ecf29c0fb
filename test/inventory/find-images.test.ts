import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { findImages } from '../../src/inventory/find-images.ts'
import { formatPointer, textAt } from '../../src/model/field.ts'
import { formatImageReference } from '../../src/model/image-reference.ts'
import type { Manifest } from '../../src/model/manifest.ts'
import { createTokenTable } from '../../src/model/token.ts'
import { Dict } from '../../src/model/value.ts'

const SHA = `sha256:${'0a'.repeat(32)}`

function manifest(yaml: string): Manifest {
  const object = parseGoYaml(yaml)
  if (!(object instanceof Dict)) throw new Error('no object')
  const [apiVersion, kind, name] = [
    textAt(object, 'apiVersion'),
    textAt(object, 'kind'),
    textAt(object, 'metadata', 'name'),
  ]
  return { apiVersion, kind, name, object, origin: { from: 'x', unit: 'x', template: 'x' } }
}

/** `run container name image /field` */
function found(yaml: string): readonly string[] {
  return findImages(manifest(yaml)).found.map(({ reference, path, runs }) =>
    [
      runs === undefined ? 'mentioned' : `${runs.part} ${runs.name}`,
      formatImageReference(reference),
      formatPointer(path),
    ].join(' '),
  )
}

const pod = (spec: string): string => `{apiVersion: v1, kind: Pod, metadata: {name: a}, spec: {${spec}}}`
const custom = (spec: string): string => `{apiVersion: x.example/v1, kind: X, metadata: {name: a}, spec: {${spec}}}`
const config = (data: string): string => `{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {${data}}}`

describe('what runs', () => {
  test.each([
    [
      pod(
        'initContainers: [{name: i, image: a}], containers: [{name: c, image: b:1}], ephemeralContainers: [{name: e, image: c}]',
      ),
      [
        'init-container i docker.io/library/a:latest /spec/initContainers/0/image',
        'container c docker.io/library/b:1 /spec/containers/0/image',
        'ephemeral-container e docker.io/library/c:latest /spec/ephemeralContainers/0/image',
      ],
    ],
    [
      pod('containers: [], volumes: [{name: v, image: {reference: "quay.io/a/models:1"}}, {name: w, emptyDir: {}}]'),
      ['volume v quay.io/a/models:1 /spec/volumes/0/image/reference'],
    ],
    [
      '{apiVersion: batch/v1, kind: CronJob, metadata: {name: a}, spec: {jobTemplate: {spec: {template: {spec: {containers: [{name: c, image: a}]}}}}}}',
      ['container c docker.io/library/a:latest /spec/jobTemplate/spec/template/spec/containers/0/image'],
    ],
  ])('%s', (yaml, want) => {
    expect(found(yaml)).toEqual(want)
  })

  test('an image that cannot be read is told, not listed', () => {
    const late = manifest(
      pod('containers: [{name: c, image: "registry.example/a:${x}"}, {name: d, image: b}, {name: e}]'),
    )
    const deferred = [{ pointer: '/spec/containers/1/image', text: 'b', tokens: createTokenTable(), written: 'b' }]
    expect(findImages({ ...late, deferred })).toEqual({
      found: [],
      unreadable: [0, 1, 2].map((index) => ['spec', 'containers', index, 'image']),
    })
  })
})

describe('what is mentioned', () => {
  test.each([
    ['a field', custom('image: "quay.io/a/b:v1"'), ['quay.io/a/b:v1 /spec/image']],
    ['a field of a longer name', custom('sidecarImage: "b:1"'), ['docker.io/library/b:1 /spec/sidecarImage']],
    ['with a registry, without a tag', custom('image: quay.io/a/b'), ['quay.io/a/b:latest /spec/image']],
    ['a list', custom('images: ["a/b:1"]'), ['docker.io/a/b:1 /spec/images/0']],
    [
      'parts',
      custom(`image: {registry: quay.io, repository: a/b, tag: v1, digest: "${SHA}", pullPolicy: Always}`),
      [`quay.io/a/b:v1@${SHA} /spec/image`],
    ],
    ['parts without a registry', custom('image: {repository: quay.io/a/b, tag: v1}'), ['quay.io/a/b:v1 /spec/image']],
    [
      'a pod template of a custom resource',
      custom('template: {spec: {containers: [{name: a, image: "quay.io/a/b:v1"}]}}'),
      ['quay.io/a/b:v1 /spec/template/spec/containers/0/image'],
    ],
    [
      'variables',
      custom(
        'env: [{name: AGENT_IMAGE, value: "a/b:1"}, {name: RELATED_IMAGE_X, value: "a:2"}, {name: OTHER, value: "quay.io/a/b:3"}]',
      ),
      [
        'docker.io/a/b:1 /spec/env/0/value',
        'docker.io/library/a:2 /spec/env/1/value',
        'quay.io/a/b:3 /spec/env/2/value',
      ],
    ],
    [
      'arguments',
      custom('args: [--solver-image=a/b:1, --image, "c:2", "--reloader=quay.io/a/b:3", -v=2]'),
      ['docker.io/a/b:1 /spec/args/0', 'docker.io/library/c:2 /spec/args/2', 'quay.io/a/b:3 /spec/args/3'],
    ],
    [
      'configuration',
      config(
        'a.yaml: "x:\\n  image: busybox:1.36\\n  url: https://example.com/a:8080/b\\n", b.json: "{\\"image\\":\\"a/b:2\\",\\n\\"x\\":1}", agent-image: "a:3", c: "run quay.io/a/b:4."',
      ),
      [
        'docker.io/library/busybox:1.36 /data/a.yaml',
        'docker.io/a/b:2 /data/b.json',
        'docker.io/library/a:3 /data/agent-image',
        'quay.io/a/b:4 /data/c',
      ],
    ],
    [
      'an annotation',
      '{apiVersion: v1, kind: Service, metadata: {name: a, annotations: {x.io/proxyImage: "a/b:1"}}}',
      ['docker.io/a/b:1 /metadata/annotations/x.io~1proxyImage'],
    ],
  ])('%s', (_, yaml, want) => {
    expect(found(yaml)).toEqual(want.map((text) => `mentioned ${text}`))
  })

  test.each([
    [
      'names of node images',
      custom('image: {filter: {name: node-image}}, imageName: ubuntu-v1.34, image2: {name: "a:1"}'),
    ],
    ['a bare word', custom('image: ubuntu')],
    ['a path', custom('image: a/b')],
    ['an address', custom('image: "https://images.example/a.qcow2", logo: {image: "data:image/png;base64,AAAA"}')],
    [
      'what an image has besides',
      custom('imagePullPolicy: Always, imagePullSecret: "a:b", imageTag: "a:1", imageRepository: quay.io/a'),
    ],
    [
      'variables',
      custom(
        'env: [{name: IMAGE_PULL_TOKEN, value: "user:hunter2"}, {name: IMAGE, value: quay.io/a/b}, {name: ADDRESS, value: "host:8080"}, {name: X_IMAGE, value: "${y}"}]',
      ),
    ],
    [
      'arguments',
      custom(
        'args: [--image-pull-secret=user:hunter2, --address=host:8080, --endpoint=https://quay.io/a:b, "10.0.0.1:53", "--image", "--other", "a:1"]',
      ),
    ],
    ['Secrets', '{apiVersion: v1, kind: Secret, metadata: {name: a}, stringData: {image: "quay.io/a/b:1"}}'],
    [
      'definitions',
      '{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a}, spec: {image: "quay.io/a/b:1"}}',
    ],
    [
      'parts that lack a version',
      custom('image: {repository: quay.io/a/b}, tools: {repository: quay.io/a/b, tag: "1"}'),
    ],
    ['configuration', config('a: "user.example: password\\nimage:\\n  tag: v1\\nhost: example.com:8080\\n"')],
    ['maps of odd keys', custom('__proto__: {image: {}}, constructor: {images: [{}]}, image: [1, null, true]')],
  ])('%s are not', (_, yaml) => {
    expect(found(yaml)).toEqual([])
  })
})
