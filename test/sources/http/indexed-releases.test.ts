import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { parseIndexedReleases } from '../../../src/sources/http/indexed-releases.ts'

const digest = `sha256:${'a'.repeat(64)}`
const asset = { name: 'metadata.yaml', digest, size: 10 }
const release = { name: 'openstack-scs2-1-34-v2', assets: [asset] }

function parse(index: unknown): ReturnType<typeof parseIndexedReleases> {
  return parseIndexedReleases(encodeUtf8(typeof index === 'string' ? index : JSON.stringify(index)))
}

function indexOf(...releases: readonly unknown[]): object {
  return { apiVersion: 'stackmason.dev/v1alpha1', kind: 'ReleaseIndex', releases }
}

test('reads releases with their assets by name, and passes over what a later version may add', () => {
  const index = indexOf(
    {
      ...release,
      kubernetesVersion: 'v1.34.7',
      published: '2026-05-04T10:00:00Z',
      notes: ['x'],
      assets: [asset, { ...asset, name: 'hashes.json', size: 0, signature: 'x' }],
    },
    { ...release, name: 'openstack-scs-v5' },
  )
  expect(parse({ ...index, generatedAt: 'now' })).toEqual({
    releases: [
      {
        tag: 'openstack-scs2-1-34-v2',
        kubernetesVersion: 'v1.34.7',
        published: '2026-05-04T10:00:00Z',
        assets: [{ ...asset, name: 'hashes.json', size: 0 }, asset],
      },
      { tag: 'openstack-scs-v5', assets: [asset] },
    ],
  })
})

describe('refuses', () => {
  test.each<readonly [name: string, index: unknown, problem: string]>([
    ['a web page', '<html>', 'it is not valid JSON: '],
    ['a list', [], 'got array, want object'],
    ['another kind', { ...indexOf(), kind: 'Inventory' }, 'kind: '],
    ['a later version', { ...indexOf(), apiVersion: 'stackmason.dev/v2' }, 'apiVersion: '],
    ['a release without assets', indexOf({ name: 'a' }), 'releases[0]: '],
    ['no asset at all', indexOf({ ...release, assets: [] }), 'releases[0].assets: '],
    ...['../x', '..', 'a/b', 'a\\b', '', '.a', 'a%2fb', 'a b', 'a\u0000', 'ä', 'a'.repeat(129)].map(
      (name) =>
        [`the release name ${JSON.stringify(name)}`, indexOf({ ...release, name }), 'releases[0].name: '] as const,
    ),
    ...['../x', '..', '/etc/passwd', 'a/b', 'a\\b', '', '.a', 'a%2fb', 'a?b', 'a#b', 'a\nb', 'a'.repeat(256)].map(
      (name) =>
        [
          `the asset name ${JSON.stringify(name)}`,
          indexOf({ ...release, assets: [{ ...asset, name }] }),
          'releases[0].assets[0].name: ',
        ] as const,
    ),
    ...[-1, 1.5, 1e30, 134217729, '10', null].map(
      (size) =>
        [
          `the size ${JSON.stringify(size)}`,
          indexOf({ ...release, assets: [{ ...asset, size }] }),
          'releases[0].assets[0].size: ',
        ] as const,
    ),
    ...['', 'sha256:', `sha512:${'a'.repeat(64)}`, `sha256:${'A'.repeat(64)}`, 'a'.repeat(64)].map(
      (other) =>
        [
          `the digest ${JSON.stringify(other)}`,
          indexOf({ ...release, assets: [{ ...asset, digest: other }] }),
          'releases[0].assets[0].digest: ',
        ] as const,
    ),
    [
      'a version of Kubernetes that is none',
      indexOf({ ...release, kubernetesVersion: '1.34' }),
      'releases[0].kubernetesVersion: ',
    ],
    ['a time that is none', indexOf({ ...release, published: 'yesterday' }), 'releases[0].published: '],
    ['a release twice', indexOf(release, release), 'it lists openstack-scs2-1-34-v2 twice'],
    [
      'an asset twice',
      indexOf({ ...release, assets: [asset, asset] }),
      'it lists metadata.yaml of openstack-scs2-1-34-v2 twice',
    ],
  ])('%s', (_, index, problem) => {
    const result = parse(index)
    expect(result).toEqual({ problems: [expect.stringContaining(problem)] })
  })

  test('many problems, naming ten', () => {
    const result = parse(indexOf(...Array.from({ length: 50 }, () => ({ ...release, name: '../x' }))))
    expect(result).toEqual({
      problems: Array.from({ length: 10 }, () => expect.stringMatching(/^releases\[\d\]\.name: /)),
    })
  })

  test.each([
    ['millions of nothing', `{"releases":[${'{},'.repeat(5_000_000)}{}]}`],
    ['millions of numbers', `{"releases":[${'1,'.repeat(5_000_000)}1]}`],
    ['deep nesting', '['.repeat(200_000)],
    ['a deep release', `{"releases":${'[{"a":'.repeat(50_000)}1${'}]'.repeat(50_000)}}`],
    ['a key that is not a key', '{"__proto__":{"releases":[]},"constructor":1}'],
    ['bytes that are not text', '\udcff\udc00'],
  ])('%s, without falling over', (_, text) => {
    expect(parseIndexedReleases(encodeUtf8(text))).toEqual({ problems: expect.arrayContaining([expect.any(String)]) })
  })
})
