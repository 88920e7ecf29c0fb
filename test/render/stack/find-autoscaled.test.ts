import { expect, test } from 'vitest'
import { parseGoYaml } from '../../../src/codec/go-yaml/go-yaml-parse.ts'
import type { Cluster, Patch } from '../../../src/model/fleet.ts'
import type { Manifest } from '../../../src/model/manifest.ts'
import { positionAt } from '../../../src/model/source.ts'
import { Dict } from '../../../src/model/value.ts'
import { findAutoscaled } from '../../../src/render/stack/find-autoscaled.ts'
import { applyPatch } from '../../../src/render/stack/patch.ts'
import { positionedMap } from '../../support/positioned.ts'

const minSize = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-min-size'
const maxSize = 'cluster.x-k8s.io/cluster-api-autoscaler-node-group-max-size'
const both = `metadata: {annotations: {${minSize}: "1", ${maxSize}: "9"}}`
const remove =
  'Remove replicas: the GitOps tool then never touches the number, and the autoscaler keeps it between its two sizes.'
const give = `Write the number that you want, or both annotations for the autoscaler: ${minSize} and ${maxSize}.`

function read(text: string): Dict {
  const value = parseGoYaml(text, { integers: 'int' })
  if (!(value instanceof Dict)) throw new Error('no map')
  return value
}

/** A Cluster with one group of machines. */
function textOf(group: string, list = 'machineDeployments'): string {
  return `apiVersion: v1
kind: ConfigMap
metadata: {name: beside}
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: {name: web, namespace: team-a}
spec:
  topology:
    workers:
      ${list}:
        - {class: worker, name: fixed, replicas: 2}
        - class: worker
          name: md
${group.replace(/^(?=.)/gm, '          ')}`
}

function objectIn(text: string): Dict {
  return read(text.slice(text.indexOf('---\n') + 4))
}

const patchSource = { name: 'patches/size.yaml', text: 'spec:\n  target: {}\n' }

function mergePatch(text: string): Patch {
  const at = { source: patchSource, start: 8, end: 14 }
  return {
    target: { kind: 'Cluster' },
    mergePatch: read(text),
    optional: false,
    at,
    document: { span: at, index: 0, words: 'bool' as const },
  }
}

function jsonPatch(op: 'add' | 'remove', path: string, value?: string): Patch {
  const at = { source: patchSource, start: 8, end: 14 }
  const operation = { op, path: `/spec/topology/workers/machineDeployments/1${path}`, at }
  const given = value === undefined ? operation : { ...operation, value: parseGoYaml(value, { integers: 'int' }) }
  return {
    target: { kind: 'Cluster' },
    jsonPatch: [given],
    optional: false,
    at,
    document: { span: at, index: 0, words: 'bool' as const },
  }
}

const label = mergePatch('metadata: {labels: {a: b}}')

test.each<{
  readonly name: string
  readonly group: string
  readonly list?: string
  readonly patches?: readonly Patch[]
  readonly class?: string
  readonly committed?: string
  readonly want: readonly string[]
}>([
  { name: 'a fixed number', group: 'replicas: 4\n', want: [] },
  { name: 'the sizes of the autoscaler', group: `${both}\n`, committed: 'replicas: 4\n', want: [] },
  {
    name: 'both',
    group: `replicas: 0\n${both}\n`,
    want: [
      `clusters/web.yaml:15:21 the machine deployment "md" has annotations for the autoscaler and a fixed number of replicas | ${remove}`,
    ],
  },
  {
    name: 'both, in a pool',
    group: `replicas: 0\n${both}\n`,
    list: 'machinePools',
    want: [
      `clusters/web.yaml:15:21 the machine pool "md" has annotations for the autoscaler and a fixed number of replicas | ${remove}`,
    ],
  },
  {
    name: 'one size alone',
    group: `metadata:\n  annotations:\n    ${minSize}: "3"\n`,
    want: [
      `clusters/web.yaml:16:13 the machine deployment "md" has one of the autoscaler's two annotations and no replicas: Cluster API takes it to one machine | Add ${maxSize}.`,
    ],
  },
  {
    name: 'a number that a patch adds',
    group: `${both}\n`,
    patches: [jsonPatch('add', '/replicas', '3'), label],
    want: [
      `patches/size.yaml:2:3 the machine deployment "md" has annotations for the autoscaler and a fixed number of replicas | ${remove}`,
    ],
  },
  {
    name: 'a number that a patch removes, for the autoscaler',
    group: `replicas: 3\n${both}\n`,
    patches: [jsonPatch('remove', '/replicas')],
    committed: 'replicas: 3\n',
    want: [],
  },
  {
    name: 'a size that a patch removes',
    group: `${both}\n`,
    patches: [jsonPatch('remove', `/metadata/annotations/${minSize.replace('/', '~1')}`)],
    want: [
      `patches/size.yaml:2:3 the machine deployment "md" has one of the autoscaler's two annotations and no replicas: Cluster API takes it to one machine | Add ${minSize}.`,
    ],
  },
  {
    name: 'sizes that the class gives',
    group: 'replicas: 3\n',
    class: `{class: worker, ${both}}`,
    want: [
      // the other group is of that class, too
      `clusters/web.yaml:12:50 the machine deployment "fixed" has its class's annotations for the autoscaler and a fixed number of replicas | ${remove}`,
      `clusters/web.yaml:15:21 the machine deployment "md" has its class's annotations for the autoscaler and a fixed number of replicas | ${remove}`,
    ],
  },
  {
    name: 'the other size from the class, as v1beta1 writes it',
    group: `metadata: {annotations: {${minSize}: "3"}}\n`,
    class: `{class: worker, template: {metadata: {annotations: {${maxSize}: "9"}}}}`,
    want: [
      `clusters/web.yaml:12:50 the machine deployment "fixed" has its class's annotations for the autoscaler and a fixed number of replicas | ${remove}`,
    ],
  },
  { name: 'sizes of another class', group: 'replicas: 3\n', class: `{class: other, ${both}}`, want: [] },
  { name: 'no number in a new group', group: 'taints: []\n', want: [] },
  { name: 'no number, as ever', group: 'taints: []\n', committed: 'taints: []\n', want: [] },
  { name: 'no number any more, where it was one', group: 'taints: []\n', committed: 'replicas: 1\n', want: [] },
  {
    name: 'no number any more',
    group: 'taints: []\n',
    committed: 'replicas: 3\n',
    want: [
      `clusters/web.yaml:13:11 the machine deployment "md" loses its 3 replicas and has no annotations for the autoscaler: Cluster API takes it to one machine | ${give}`,
    ],
  },
  {
    name: 'no number any more in a pool, by a patch',
    group: 'replicas: 3\n',
    list: 'machinePools',
    patches: [
      mergePatch(
        'spec: {topology: {workers: {machinePools: [{class: worker, name: fixed, replicas: 2}, {class: worker, name: md}]}}}',
      ),
    ],
    committed: 'replicas: 3\n',
    want: [
      `patches/size.yaml:2:3 the machine pool "md" loses its 3 replicas and has no annotations for the autoscaler: Cluster API takes it to one machine | ${give}`,
    ],
  },
])('$name', ({ group, list, patches = [], class: ofClass, committed, want }) => {
  const source = { name: 'clusters/web.yaml', text: textOf(group, list) }
  const object = objectIn(source.text)
  const at = { source, start: 0, end: 0 }
  const cluster: Cluster = {
    name: 'web',
    namespace: 'team-a',
    folder: '/clusters/team-a/web',
    object,
    apiVersion: 'cluster.x-k8s.io/v1beta2',
    className: 'a-b-1-34-v1',
    classAt: at,
    classNamespace: 'team-a',
    version: 'v1.34.1',
    versionAt: at,
    source,
    document: positionedMap(source.text, { name: source.name, kind: 'Cluster' }),
    beside: [],
    addons: [],
    values: new Map(),
    patches,
    existingSecrets: [],
    runtimeValues: new Map(),
  }
  const before: Manifest = {
    apiVersion: cluster.apiVersion,
    kind: 'Cluster',
    name: 'web',
    namespace: 'team-a',
    object,
    origin: { from: source.name, unit: 'cluster', template: source.name },
  }
  const found = findAutoscaled(before, patches.reduce(applyPatch, before), {
    cluster,
    ...(ofClass !== undefined && {
      clusterClass: read(`spec: {workers: {${list ?? 'machineDeployments'}: [${ofClass}]}}`),
    }),
    ...(committed !== undefined && { committed: objectIn(textOf(committed, list)) }),
  })
  expect(
    found.map((finding) => {
      const { source: file, start } = finding.at ?? at
      const { line, column } = positionAt(file, start)
      return `${file.name}:${line}:${column} ${finding.message} | ${finding.hint ?? ''}`
    }),
  ).toEqual(want)
  expect(found.every(({ code, severity }) => code === 'CLUSTER_AUTOSCALED' && severity === 'warning')).toBe(true)
})
