import { describe, expect, test } from 'vitest'
import { parseGoYaml } from '../../src/codec/go-yaml/go-yaml-parse.ts'
import {
  chartRootOf,
  classNamePath,
  isCapiCluster,
  readClassReference,
  readTopologyVersion,
  runtimeKindOf,
} from '../../src/model/class-reference.ts'

describe('the class that a Cluster asks for', () => {
  test.each([
    {
      topology: '{class: a-b-1-34-v1, classNamespace: classes, version: v1.34.7}',
      want: { name: 'a-b-1-34-v1', namespace: 'classes' },
      path: 'spec.topology.class',
      version: 'v1.34.7',
    },
    {
      topology: '{classRef: {name: a-b-1-34-v1, namespace: classes}, version: v1.34.7}',
      want: { name: 'a-b-1-34-v1', namespace: 'classes' },
      path: 'spec.topology.classRef.name',
      version: 'v1.34.7',
    },
    {
      topology: '{classRef: {name: a-b-1-34-v1}}',
      want: { name: 'a-b-1-34-v1', namespace: '' },
      path: 'spec.topology.classRef.name',
      version: '',
    },
    { topology: '{class: 7}', want: { name: '', namespace: '' }, path: 'spec.topology.class', version: '' },
    { topology: 'none', want: { name: '', namespace: '' }, path: 'spec.topology.class', version: '' },
  ])('$topology', ({ topology, want, path, version }) => {
    const cluster = parseGoYaml(`spec: {topology: ${topology}}`)
    expect(readClassReference(cluster)).toEqual(want)
    expect(classNamePath(cluster).join('.')).toBe(path)
    expect(readTopologyVersion(cluster)).toBe(version)
  })
})

test.each([
  { apiVersion: 'cluster.x-k8s.io/v1beta1', kind: 'Cluster', want: true },
  { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'Cluster', want: true },
  { apiVersion: 'cluster.x-k8s.io/v1beta2', kind: 'ClusterClass', want: false },
  { apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta2', kind: 'Cluster', want: false },
  { apiVersion: 'cluster.x-k8s.io.example.com/v1', kind: 'Cluster', want: false },
  { apiVersion: 'postgresql.cnpg.io/v1', kind: 'Cluster', want: false },
  { apiVersion: 'v1', kind: 'Cluster', want: false },
])('$apiVersion $kind: $want', ({ want, ...object }) => {
  expect(isCapiCluster(object)).toBe(want)
})

test.each([
  { root: 'Cluster', kind: 'Cluster' },
  { root: 'ControlPlane', kind: 'ControlPlane' },
  { root: 'InfraCluster', kind: 'InfrastructureCluster' },
] as const)('charts call a value of $kind one of $root', ({ root, kind }) => {
  expect(runtimeKindOf(root)).toBe(kind)
  expect(chartRootOf(kind)).toBe(root)
})
