import { describe, expect, test } from 'vitest'
import { compareCluster } from '../../src/adopt/compare-clusters.ts'
import { readObjects } from '../../src/adopt/read-objects.ts'
import type { Manifest } from '../../src/model/manifest.ts'
import { manifestOf } from '../render/stack/objects.ts'

function template(version: string, spec: string, { name = 'a', labels = '' } = {}): string {
  return `apiVersion: infrastructure.cluster.x-k8s.io/${version}
kind: DockerMachineTemplate
metadata: {name: ${name}, namespace: team-a, labels: {clusterstack.x-k8s.io/instance: owned${labels}}}
spec: ${spec}
`
}

function compare(rendered: readonly string[], live: readonly string[]): ReturnType<typeof compareCluster> {
  const { objects } = readObjects({ file: 'live.yaml', text: live.join('---\n'), clusterKey: '' })
  const manifests = rendered.map((text): Manifest => manifestOf(text))
  return compareCluster({ clusterKey: '', manifests, existing: [] }, objects)
}

describe('comparePlace', () => {
  const old = template('v1beta1', '{a: 1}')
  const other = template('v1beta2', '{b: 1}')

  test.each([
    { name: 'first', live: [old, other] },
    { name: 'last', live: [other, old] },
  ])('takes of an object in several versions the one that is rendered, when it comes $name', ({ live }) => {
    expect(compare([old], live).differences).toEqual([])
  })

  test('says how to export a version that is not there', () => {
    expect(compare([old], [other]).differences.map(({ fields }) => fields.map(({ change }) => change))).toEqual([
      [
        'was exported as infrastructure.cluster.x-k8s.io/v1beta2; export it with `kubectl get DockerMachineTemplate.v1beta1.infrastructure.cluster.x-k8s.io`',
      ],
    ])
  })

  test('names what the operator left, but not what Cluster API made of a class for a cluster', () => {
    const left = template('v1beta1', '{a: 1}', { name: 'left' })
    const labels = ', cluster.x-k8s.io/cluster-name: web, topology.cluster.x-k8s.io/owned: ""'
    const made = template('v1beta1', '{a: 1}', { name: 'web-x2x9z', labels })
    expect(compare([old], [old, left, made]).left).toEqual(['DockerMachineTemplate team-a/left'])
  })

  const managed = (entries: string): string =>
    template('v1beta1', '{a: 1}').replace('metadata: {', `metadata: {managedFields: [${entries}], `)
  const entry = 'manager: kubectl, operation: Apply, apiVersion: infrastructure.cluster.x-k8s.io/v1beta1'
  const hint =
    'Export them with `kubectl get … -o yaml --show-managed-fields`; step 3 of docs/20-moving-from-cso.md has the commands.'

  test.each([
    { name: 'fields', entries: `{${entry}, fieldsV1: {"f:spec": {".": {}, "f:a": {}, "v:1": {}, "i:0": {}}}}` },
    { name: 'items by their keys', entries: `{${entry}, fieldsV1: {"f:spec": {'k:{"name":"x"}': {"f:a": {}}}}}` },
    { name: 'no field', entries: `{${entry}, fieldsV1: {}}` },
  ])('knows what would be removed where managedFields name $name', ({ entries }) => {
    const { differences, unknown } = compare([old], [managed(entries)])
    expect([differences, unknown]).toEqual([[], []])
  })

  test.each([
    { name: 'are left out', live: old, what: 'no metadata.managedFields (kubectl leaves them out)' },
    { name: 'are empty', live: managed(''), what: 'no metadata.managedFields (kubectl leaves them out)' },
    ...[
      'null',
      '{}',
      `{${entry}}`,
      `{${entry}, fieldsV1: "f:spec"}`,
      `{${entry}, fieldsV1: {spec: {}}}`,
      `{${entry}, fieldsV1: {"f:spec": null}}`,
      `{${entry}, fieldsV1: {"f:spec": {'k:{"name"': {}}}}`,
      `{${entry}, fieldsV1: {"f:spec": {"k:1": {}}}}`,
      '{manager: kubectl, operation: Replace, apiVersion: v1, fieldsV1: {}}',
      '{operation: Apply, apiVersion: v1, fieldsV1: {}}',
      '{manager: kubectl, operation: Apply, fieldsV1: {}}',
    ].map((entries) => ({
      name: `are ${entries}`,
      live: managed(entries),
      what: 'metadata.managedFields that no server writes',
    })),
  ])('says that it cannot tell what would be removed where managedFields $name', ({ live, what }) => {
    const { differences, unknown } = compare([old], [live])
    expect([differences, unknown]).toEqual([
      [],
      [
        {
          code: 'ADOPT_NOT_READY',
          severity: 'warning',
          message: `it cannot be told which fields taking over would remove: DockerMachineTemplate team-a/a came with ${what}`,
          file: 'live.yaml',
          hint,
        },
      ],
    ])
  })

  test.each([
    {
      manager: 'kubectl, operation: Apply',
      fields: '{"f:spec": {"f:a": {}, "f:old": {}, "f:list": {"k:{\\"name\\":\\"x\\"}": {}}}}',
      want: ['the operator', 'spec.old, spec.list'],
    },
    {
      manager: 'kubectl-edit, operation: Update',
      fields: '{"f:spec": {"f:a": {"f:b": {}, "f:c": {}}, "f:1": {}, "f:2": {}, "f:3": {}, "f:4": {}, "f:5": {}}}',
      want: ['kubectl-edit', 'spec.a.b, spec.a.c, spec.1, spec.2, spec.3 and 2 more'],
    },
    { manager: 'kubectl-edit, operation: Update', fields: '{"f:spec": {"f:a": {}}, "f:status": {"f:b": {}}}' },
    { manager: 'kubectl-edit, operation: Update', fields: '{"f:metadata": {"f:labels": {"f:gone": {}}}}' },
    { manager: 'capi, operation: Update', fields: '{"f:spec": {"f:old": {}}}' },
  ])('says what it cannot tell of fields that $manager set through another version', ({ manager, fields, want }) => {
    const live = managed(
      `{manager: ${manager}, apiVersion: infrastructure.cluster.x-k8s.io/v1beta9, fieldsV1: ${fields}}`,
    )
    const { differences, unknown } = compare([old], [live])
    expect([differences, unknown.map(({ message }) => message)]).toEqual([
      [],
      want === undefined
        ? []
        : [
            `DockerMachineTemplate team-a/a: it cannot be told if taking over would remove what ${String(want[0])} set through infrastructure.cluster.x-k8s.io/v1beta9 and what infrastructure.cluster.x-k8s.io/v1beta1 does not have by that name: ${String(want[1])}`,
          ],
    ])
  })

  test('names some of many objects without managedFields', () => {
    const many = Array.from({ length: 7 }, (_, index) => template('v1beta1', '{a: 1}', { name: `a${String(index)}` }))
    const names = [0, 1, 2, 3, 4].map((index) => `DockerMachineTemplate team-a/a${String(index)}`).join(', ')
    expect(compare(many, many).unknown.map(({ message }) => message)).toEqual([
      `it cannot be told which fields taking over would remove: ${names} and 2 more came with no metadata.managedFields (kubectl leaves them out)`,
    ])
  })
})
