import { beforeEach, expect, test } from 'vitest'
import type { ObjectChange } from '../../../src/controller/watching/reflector.ts'
import { SourceWatches } from '../../../src/controller/watching/source-watches.ts'
import { readKubeObject } from '../../../src/kube/kube-object.ts'
import type { Resource } from '../../../src/kube/resource.ts'

const web = { kind: 'RuntimeValues', key: 'a/web' } as const
const other = { kind: 'RuntimeValues', key: 'a/other' } as const
const clusters: Resource = { group: 'example.com', version: 'v1', kind: 'Cluster', plural: 'clusters' }
const planes: Resource = { ...clusters, kind: 'Plane', plural: 'planes' }
const webCluster = { namespace: 'a', name: 'web' }

let told: string[]
/** Watches that run, and how each is told. */
let running: Map<string, (change: ObjectChange) => void>
let started: number
let watches: SourceWatches

beforeEach(() => {
  told = []
  running = new Map()
  started = 0
  watches = watchesOf([''])
})

function watchesOf(namespaces: readonly string[]): SourceWatches {
  return new SourceWatches({
    namespaces,
    start: ({ resource, namespace, labelSelector }, onChange) => {
      const name = [`${resource.version} ${resource.plural}`, namespace, labelSelector].filter(Boolean).join(' ')
      started += 1
      running.set(name, onChange)
      return () => running.delete(name)
    },
    onChange: ({ key }) => told.push(key),
  })
}

/** The watch tells of a change of an object. */
function change(watch: string, name: string): void {
  const object = readKubeObject({ metadata: { namespace: 'a', name, uid: name } })
  if (object !== undefined) running.get(watch)?.({ type: 'set', object, before: undefined })
}

test('there is one watch for a kind, which tells those who depend on what has changed', () => {
  for (const one of [web, other]) watches.pass(one)
  watches.follow(web, clusters, webCluster)
  watches.follow(other, clusters, { namespace: 'a', name: 'other' })
  watches.followAll(other, planes, 'a')
  expect([[...running.keys()], started]).toEqual([['v1 clusters', 'v1 planes'], 2])
  change('v1 clusters', 'web')
  change('v1 clusters', 'nobody')
  change('v1 planes', 'whatever')
  expect(told).toEqual(['a/web', 'a/other'])
})

test('a watch ends with the last object that depends on anything of it', () => {
  for (const one of [web, other]) watches.pass(one)
  watches.follow(web, clusters, webCluster)
  watches.follow(other, clusters, webCluster)
  watches.follow(other, planes, webCluster)
  watches.forget(other)
  expect([...running.keys()]).toEqual(['v1 clusters'])
  change('v1 clusters', 'web')
  expect(told).toEqual(['a/web'])
  watches.forget(web)
  expect([...running.keys()]).toEqual([])
  watches.pass(web)
  watches.follow(web, clusters, webCluster)
  expect([[...running.keys()], started]).toEqual([['v1 clusters'], 3])
})

test('what a pass names after its object has gone is not watched', () => {
  watches.pass(web)
  watches.follow(web, clusters, webCluster)
  watches.forget(web)
  watches.follow(web, planes, webCluster)
  expect([...running.keys()]).toEqual([])
})

test('what a whole pass does not name the object no longer depends on', () => {
  const first = watches.pass(web)
  watches.follow(web, clusters, webCluster)
  watches.follow(web, planes, webCluster)
  first()
  const second = watches.pass(web)
  watches.follow(web, clusters, webCluster)
  expect([...running.keys()]).toEqual(['v1 clusters', 'v1 planes'])
  second()
  expect([[...running.keys()], started]).toEqual([['v1 clusters'], 2])
  change('v1 clusters', 'web')
  expect(told).toEqual(['a/web'])
})

test('a pass that fails takes nothing away', () => {
  const first = watches.pass(web)
  watches.follow(web, clusters, webCluster)
  first()
  watches.pass(web)
  expect([...running.keys()]).toEqual(['v1 clusters'])
  change('v1 clusters', 'web')
  expect(told).toEqual(['a/web'])
})

test('a kind that is asked for in another version is watched in that one alone', () => {
  const first = watches.pass(web)
  watches.follow(web, clusters, webCluster)
  first()
  const second = watches.pass(web)
  watches.follow(web, { ...clusters, version: 'v2' }, webCluster)
  second()
  expect([...running.keys()]).toEqual(['v2 clusters'])
  change('v2 clusters', 'web')
  expect(told).toEqual(['a/web'])
})

test('in some namespaces, and elsewhere where that is asked for', () => {
  watches = watchesOf(['a', 'b'])
  watches.pass(web)
  watches.follow(web, clusters, webCluster)
  watches.follow(web, planes, { namespace: 'argocd', name: 'x', labelSelector: 'ours=yes' })
  watches.follow(web, { ...planes, plural: 'definitions' }, { namespace: '', name: 'x' })
  expect([...running.keys()]).toEqual(['v1 clusters a', 'v1 clusters b', 'v1 planes argocd ours=yes', 'v1 definitions'])
  watches.forget(web)
  expect([...running.keys()]).toEqual([])
})
