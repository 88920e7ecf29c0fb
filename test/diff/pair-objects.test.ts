import { describe, expect, test } from 'vitest'
import { compareTexts, shownTexts, type Texts } from './compare-texts.ts'

const path = (file: string, addon = 'cni', cluster = 'one'): string =>
  `clusters/a/${cluster}/addons/01-${addon}/${file}.yaml`
const object = (kind: string, name: string, rest: string, namespace = 'apps'): string =>
  `{apiVersion: v1, kind: ${kind}, metadata: {name: ${name}, namespace: ${namespace}}, ${rest}}`
const DATA = 'data: {a: "1", b: "2", c: "3", d: "4"}'
const NEARLY = 'data: {a: "1", b: "2", c: "3", d: "5"}'

const changesOf = (before: Texts, after: Texts): readonly string[] =>
  compareTexts(before, after).changes.map(
    (one) => `${one.change} ${one.before?.name ?? ''} ${one.after?.name ?? ''} ${one.risks.join()} ${one.undo.join()}`,
  )

describe('an object under another name', () => {
  test('is one that goes, and one that comes in its place', () => {
    const before = { [path('x')]: object('ConfigMap', 'old', DATA) }
    const after = { [path('y')]: object('ConfigMap', 'new', NEARLY) }
    expect(shownTexts(before, after)).toBe(`Effects
  deletes  addon cni: ConfigMap apps/old (now new) on a/one

addon cni: a/one
  ~ ConfigMap apps/old (now new)  (deletes)
      data.d: 4 -> 5
`)
  })

  test('with nothing else that differs is shown, too', () => {
    const before = { [path('x')]: object('PersistentVolumeClaim', 'old', 'spec: {a: 1, b: 2}') }
    const after = { [path('y')]: object('PersistentVolumeClaim', 'new', 'spec: {a: 1, b: 2}') }
    expect(changesOf(before, after)).toEqual(['renamed old new deletes content-is-gone'])
    expect(shownTexts(before, after)).toContain('  ~ PersistentVolumeClaim apps/old (now new)  (deletes)\n')
  })

  test('is the one that is most like it', () => {
    const before = { [path('x')]: object('ConfigMap', 'old', DATA) }
    const after = { [path('y')]: object('ConfigMap', 'b', NEARLY), [path('z')]: object('ConfigMap', 'c', DATA) }
    expect(changesOf(before, after)).toEqual(['added  b  ', 'renamed old c deletes '])
  })

  test.each([
    { what: 'of another kind', after: { [path('y')]: object('Secret', 'new', DATA) } },
    { what: 'in another namespace', after: { [path('y')]: object('ConfigMap', 'new', DATA, 'other') } },
    { what: 'of another addon', after: { [path('y', 'dns')]: object('ConfigMap', 'new', DATA) } },
    { what: 'of another cluster', after: { [path('y', 'cni', 'two')]: object('ConfigMap', 'new', DATA) } },
    {
      what: 'with other content',
      after: { [path('y')]: object('ConfigMap', 'new', 'data: {a: "1", x: "2", y: "3"}') },
    },
    { what: 'with too little content', after: { [path('y')]: object('ConfigMap', 'new', 'data: {a: "1"}') } },
  ])('is none $what', ({ what, after }) => {
    const rest = what.includes('little') ? 'data: {a: "1"}' : DATA
    const changes = changesOf({ [path('x')]: object('ConfigMap', 'old', rest) }, after)
    expect(changes.filter((change) => change.startsWith('renamed'))).toEqual([])
    expect(changes.length).toBe(2)
  })
})

test('what two releases have of a kind is paired only if it has something in common', () => {
  const image = (version: string, url: string): Texts => ({
    [`stacks/p/docker-demo-1-33-${version}/image.yaml`]: `{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: "node-${url}", namespace: p}, spec: {resource: {visibility: private, content: {url: ${url}, format: qcow2}}}}`,
  })
  const other: Texts = {
    'stacks/p/docker-demo-1-33-v2/image.yaml':
      '{apiVersion: openstack.k-orc.cloud/v1alpha1, kind: Image, metadata: {name: other, namespace: p}, spec: {import: {id: x, filter: y}}}',
  }
  expect(changesOf(image('v1', 'a'), image('v2', 'b'))).toEqual(['renamed node-a node-b  '])
  expect(changesOf(image('v1', 'a'), other).filter((change) => change.startsWith('renamed'))).toEqual([])
})

test('one common file makes no new name of a cluster', () => {
  const cluster = (name: string, own: string): Texts => ({
    [`clusters/a/${name}/cluster/cluster-${name}.yaml`]: `{apiVersion: cluster.x-k8s.io/v1beta2, kind: Cluster, metadata: {name: ${name}, namespace: a}}`,
    [path('common', 'cni', name)]: object('ConfigMap', 'common', DATA),
    ...Object.fromEntries(
      ['p', 'q', 'r'].map((file) => [path(file, 'own', name), object('ConfigMap', file, `data: {own: ${own}}`)]),
    ),
  })
  const renamed = (own: string): unknown =>
    compareTexts(cluster('one', 'x'), cluster('two', own)).facts.clusters.added[0]?.renamedFrom
  expect(renamed('x')).toEqual({ namespace: 'a', name: 'one' })
  expect(renamed('y')).toBe(undefined)
})

test('a Secret that says the same in data and in stringData does not change', () => {
  const secret = (rest: string): Texts => ({ [path('x')]: object('Secret', 's', rest) })
  expect(changesOf(secret('data: {a: aHVudGVyMg==}'), secret('stringData: {a: hunter2}'))).toEqual([])
  expect(shownTexts(secret('data: {a: aHVudGVyMg==}'), secret('stringData: {a: hunter3}'))).toContain(
    'data.a: changed (hidden)\n',
  )
})
