import { expect, test } from 'vitest'
import type { Manifest } from '../../src/model/manifest.ts'
import { oncePerManifest } from '../../src/model/once-per-manifest.ts'
import { Dict } from '../../src/model/value.ts'

test('an object is looked at once, whatever is found of it, and an equal one for itself', () => {
  const looked: string[] = []
  const find = oncePerManifest(({ name }) => {
    looked.push(name)
    return name === 'a' ? undefined : [name]
  })
  const manifest = (name: string): Manifest => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    name,
    object: new Dict(),
    origin: { unit: 'u', from: 'f', template: 't' },
  })
  const [a, b] = [manifest('a'), manifest('b')]
  expect([a, b, a, b, manifest('b')].map(find)).toEqual([undefined, ['b'], undefined, ['b'], ['b']])
  expect(looked).toEqual(['a', 'b', 'b'])
})
