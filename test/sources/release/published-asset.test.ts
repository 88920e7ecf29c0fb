import { expect, test } from 'vitest'
import { demandsOf, isAssetName } from '../../../src/sources/release/published-asset.ts'

test.each([
  ['metadata.yaml', true],
  ['openstack-scs2-1-34-cluster-class-v0-sha.abc.tgz', true],
  ['a', true],
  ['a+b_c', true],
  ['', false],
  ['.', false],
  ['..', false],
  ['.hidden', false],
  ['a/b', false],
  ['a\\b', false],
  ['/a', false],
  ['%2e%2e', false],
  ['a b', false],
  ['a\n', false],
  ['a?b', false],
  ['a'.repeat(255), true],
  ['a'.repeat(256), false],
])('%j as the name of an asset: %j', (name, wanted) => {
  expect(isAssetName(name)).toBe(wanted)
})

test.each([
  { asset: { name: 'a' }, published: { name: 'a' }, wanted: undefined },
  { asset: { name: 'a' }, published: { name: 'a', size: 0 }, wanted: { size: 0 } },
  { asset: { name: 'a' }, published: { name: 'a', size: 1, digest: 'sha256:1' }, wanted: { digest: 'sha256:1' } },
  // what the lock says counts
  {
    asset: { name: 'a', digest: 'sha256:2' },
    published: { name: 'a', size: 1, digest: 'sha256:1' },
    wanted: { digest: 'sha256:2' },
  },
])('asks of $asset, published as $published, for $wanted', ({ asset, published, wanted }) => {
  expect(demandsOf(asset, published)).toEqual(wanted)
})
