import { expect, test } from 'vitest'
import type { Manifest, RenderedFolder } from '../../src/model/manifest.ts'
import { dict } from '../../src/model/value.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { TreeContents } from '../../src/write/tree-contents.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'

const { crypto } = createNodePorts()

function map(name: string): Manifest {
  const metadata = dict([
    ['name', name],
    ['namespace', 'a'],
  ])
  const object = dict([
    ['apiVersion', 'v1'],
    ['kind', 'ConfigMap'],
    ['metadata', metadata],
  ])
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    namespace: 'a',
    object,
    origin: { from: 'r', unit: 'u', template: 't' },
  }
}

function contentsOf(...folders: readonly RenderedFolder[]): TreeContents {
  const contents = new TreeContents(crypto)
  for (const folder of folders) contents.add(folder)
  return contents
}

test('equal folders share their files, equal objects of others their texts', () => {
  const contents = contentsOf(
    { path: 'a', manifests: [map('x'), map('y')] },
    { path: 'b', manifests: [map('x'), map('y')] },
    { path: 'c', manifests: [map('x')] },
  )
  const all = contents.all((path) => path).contents
  expect(contents.objects).toBe(5)
  expect([...(all.get('a')?.files.keys() ?? [])]).toEqual([
    'configmap-x.yaml',
    'configmap-y.yaml',
    'kustomization.yaml',
  ])
  expect(all.get('b')?.files).toBe(all.get('a')?.files)
  expect(all.get('c')?.files.get('configmap-x.yaml')).toBe(all.get('a')?.files.get('configmap-x.yaml'))
})

test('a folder names only those in it that have something', () => {
  const { contents, facts } = contentsOf(
    { path: 'a', manifests: [], includes: ['empty', 'full', 'holder', 'elsewhere'] },
    { path: 'a/empty', manifests: [] },
    { path: 'a/full', manifests: [map('x')] },
    { path: 'a/holder', manifests: [], includes: ['none'] },
    { path: 'a/holder/none', manifests: [] },
  ).all((path) => path)
  expect(facts.find(({ path }) => path === 'a')?.includes).toEqual(['full', 'elsewhere'])
  expect(contents.get('a/holder')?.files.size).toBe(0)
})

test('every conflict is told, where the user would find it', async () => {
  const contents = contentsOf(
    { path: 'a', manifests: [map('x'), map('x')] },
    { path: 'b', manifests: [map('y'), map('y')] },
  )
  const found = await diagnosticsOf(Promise.resolve().then(() => contents.all((path) => `/out/${path}`)))
  expect(found.map(({ code, file }) => [code, file])).toEqual([
    ['WRITE_PATH_CONFLICT', '/out/a/configmap-x.yaml'],
    ['WRITE_PATH_CONFLICT', '/out/b/configmap-y.yaml'],
  ])
})

test('a folder comes once', () => {
  const twice = (): TreeContents => contentsOf({ path: 'a', manifests: [] }, { path: 'a', manifests: [] })
  expect(twice).toThrow('folder a is rendered twice')
})
