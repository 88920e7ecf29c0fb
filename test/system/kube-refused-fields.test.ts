import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import { toPlain } from '../../src/codec/json/plain-value.ts'
import { textAt } from '../../src/model/field.ts'
import { Dict } from '../../src/model/value.ts'
import { findBadNames } from '../../src/render/stack/find-bad-names.ts'
import { findRefusedFields } from '../../src/render/stack/find-refused-fields.ts'
import { type KubeObject, refusals } from '../../tools/servers/kube-client.ts'
import { hasKube, type Kube, startKube } from '../../tools/servers/kube.ts'

const pod = '{containers: [{name: a, image: b}]}'
const workload = (spec: string, template = pod): string =>
  `spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: ${template}}, ${spec}}`

/** Objects but for their metadata, or metadata of a ConfigMap, and whether a server takes them. */
const rows: readonly (readonly [what: string, kind: string, text: string, isTaken: boolean])[] = [
  ['no replicas', 'apps/v1 Deployment', workload('replicas: 0'), true],
  ['fewer replicas than none', 'apps/v1 Deployment', workload('replicas: -1'), false],
  ['a history that is shorter than none', 'apps/v1 Deployment', workload('revisionHistoryLimit: -1'), false],
  ['seconds below none', 'apps/v1 DaemonSet', workload('minReadySeconds: -1'), false],
  ['fewer replicas than none', 'apps/v1 StatefulSet', workload('serviceName: a, replicas: -1'), false],
  [
    'a history that is shorter than none',
    'apps/v1 StatefulSet',
    workload('serviceName: a, revisionHistoryLimit: -1'),
    true,
  ],
  ['fewer replicas than none', 'apps/v1 ReplicaSet', workload('replicas: -1'), false],
  [
    'a port of none',
    'apps/v1 Deployment',
    workload('replicas: 1', '{containers: [{name: a, image: b, ports: [{containerPort: 0}]}]}'),
    false,
  ],
  ['the last port', 'v1 Service', 'spec: {ports: [{port: 65535}]}', true],
  ['a port that is too high', 'v1 Service', 'spec: {ports: [{port: 65536}]}', false],
  ['a port of none', 'v1 Service', 'spec: {ports: [{port: 0}]}', false],
  [
    'fewer tries than none',
    'batch/v1 Job',
    `spec: {backoffLimit: -1, template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}`,
    false,
  ],
  [
    'less work than none',
    'batch/v1 Job',
    `spec: {parallelism: -1, template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}}`,
    false,
  ],
  ['a label that is a number', 'v1 ConfigMap', 'labels: {a: 5}', false],
  ['a label that is empty', 'v1 ConfigMap', 'labels: {a: null}', true],
  ['an annotation that is true', 'v1 ConfigMap', 'annotations: {a: true}', false],
  ['a finalizer with a space', 'v1 ConfigMap', 'finalizers: ["a b/c"]', false],
  ['a finalizer of a domain', 'v1 ConfigMap', 'finalizers: [example.com/stay]', true],
]

describe.runIf(hasKube())('a real API server agrees on', () => {
  let kube: Kube
  beforeAll(async () => {
    kube = await startKube()
  })
  afterAll(() => kube.close())

  test.each(rows)('%s of %s', async (_, type, text, isTaken) => {
    const [apiVersion = '', kind = ''] = type.split(' ')
    const isMetadata = kind === 'ConfigMap'
    const object = parseGoYaml(
      `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: a, namespace: default${isMetadata ? `, ${text}` : ''}}\n${isMetadata ? '' : text}\n`,
      { integers: 'int' },
    )
    if (!(object instanceof Dict)) throw new TypeError('no map')
    const origin = { from: 'a', unit: 'a', template: 'a' }
    const manifest = {
      apiVersion,
      kind,
      name: textAt(object, 'metadata', 'name'),
      namespace: 'default',
      object,
      origin,
    }
    expect([...findRefusedFields([manifest]), ...findBadNames([manifest])].length).toBe(isTaken ? 0 : 1)
    const plain: KubeObject = JSON.parse(JSON.stringify(toPlain(object)))
    const refused = refusals(await kube.apply([plain]))
    expect(refused.length).toBe(isTaken ? 0 : 1)
  })
})
