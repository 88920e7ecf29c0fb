import { describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { parseManifest } from '../../../src/network/registry/manifest.ts'
import { releaseLayers } from '../../../src/sources/oci/release-layers.ts'

const digest = `sha256:${'0a'.repeat(32)}`
const manifestType = 'application/vnd.oci.image.manifest.v1+json'
const indexType = 'application/vnd.oci.image.index.v1+json'
const layer = { mediaType: 'x', digest, size: 1 }
const manifest = { schemaVersion: 2, mediaType: manifestType, config: layer, layers: [layer] }

describe('a manifest', () => {
  const cases: readonly {
    readonly name: string
    readonly body: unknown
    readonly contentType?: string
    readonly want: string
  }[] = [
    { name: 'of OCI', body: manifest, want: `manifest ${manifestType}` },
    {
      name: 'without a media type of its own',
      body: { ...manifest, mediaType: undefined },
      want: `manifest ${manifestType}`,
    },
    {
      name: 'of Docker',
      body: { ...manifest, mediaType: undefined },
      contentType: 'application/vnd.docker.distribution.manifest.v2+json',
      want: 'manifest application/vnd.docker.distribution.manifest.v2+json',
    },
    { name: 'an index', body: { schemaVersion: 2, manifests: [layer] }, want: `index ${indexType}` },
    { name: 'served as some JSON', body: manifest, contentType: 'application/json', want: `manifest ${manifestType}` },
    {
      name: 'served as something else than it says',
      body: manifest,
      contentType: indexType,
      want: `the registry calls it ${indexType}, and it calls itself "${manifestType}"`,
    },
    {
      name: 'both at once',
      body: { ...manifest, manifests: [] },
      want: 'it could be read as a manifest and as an index',
    },
    {
      name: 'both at once, as an index',
      body: { ...manifest, mediaType: indexType, manifests: [] },
      want: 'it could be read as a manifest and as an index',
    },
    {
      name: 'of schema 1',
      body: { schemaVersion: 1 },
      want: 'it is of schema 1 of Docker, which nothing has written for years',
    },
    { name: 'of no schema', body: {}, want: 'schemaVersion is not 2' },
    { name: 'of another kind', body: { ...manifest, mediaType: 'text/x' }, want: 'it is of the unknown kind "text/x"' },
    { name: 'no JSON', body: undefined, want: 'it is not JSON: unexpected end of JSON input' },
    { name: 'a list', body: [], want: 'it is not a JSON object' },
    { name: 'layers of another type', body: { ...manifest, layers: {} }, want: 'layers is not a list' },
    {
      name: 'a layer of another type',
      body: { ...manifest, layers: [1] },
      want: 'layers[0].digest is not a sha256 digest',
    },
    {
      name: 'another algorithm',
      body: { ...manifest, layers: [layer, { ...layer, digest: 'md5:00' }] },
      want: 'layers[1].digest is not a sha256 digest',
    },
    {
      name: 'a path for a digest',
      body: { ...manifest, config: { ...layer, digest: '../../etc' } },
      want: 'config.digest is not a sha256 digest',
    },
    {
      name: 'a negative size',
      body: { ...manifest, layers: [{ ...layer, size: -1 }] },
      want: 'layers[0].size is not a size',
    },
    {
      name: 'a size in words',
      body: { ...manifest, layers: [{ ...layer, size: '1' }] },
      want: 'layers[0].size is not a size',
    },
    {
      name: 'a size beyond all numbers',
      body: { ...manifest, layers: [{ ...layer, size: 1e300 }] },
      want: 'layers[0].size is not a size',
    },
    { name: 'no config', body: { ...manifest, config: undefined }, want: 'config.digest is not a sha256 digest' },
  ]
  test.each(cases)('$name', ({ body, contentType = '', want }) => {
    const outcome = parseManifest(encodeUtf8(body === undefined ? '' : JSON.stringify(body)), contentType)
    const told =
      'value' in outcome
        ? `${outcome.value.manifest ? 'manifest' : 'index'} ${outcome.value.mediaType}`
        : outcome.reason
    expect(told).toBe(want)
  })

  test('may be nested without end, and is refused', () => {
    const outcome = parseManifest(encodeUtf8('{"a":'.repeat(100_000)), '')
    expect('reason' in outcome && outcome.reason).toMatch(/^it is not JSON: /)
  })

  test('may have names of the prototype: they are names', () => {
    const text = JSON.stringify(manifest).replace(
      '"layers"',
      '"__proto__":{"layers":[]},"annotations":{"__proto__":"x","constructor":"y","n":1},"layers"',
    )
    const outcome = parseManifest(encodeUtf8(text), '')
    const annotations = 'value' in outcome ? outcome.value.manifest?.annotations : undefined
    expect([...(annotations ?? [])]).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ])
    expect(Object.hasOwn(Object.prototype, 'layers')).toBe(false)
  })
})

describe('the layers of a release', () => {
  const at = (title: string | undefined, size = 1): unknown => ({
    mediaType: 'application/octet-stream',
    digest,
    size,
    ...(title !== undefined && { annotations: { 'org.opencontainers.image.title': title } }),
  })
  const noTitle = 'no layer has a title (org.opencontainers.image.title)'
  const cases: readonly {
    readonly name: string
    readonly layers: readonly unknown[]
    readonly config?: string
    readonly want: readonly string[] | string
  }[] = [
    { name: 'are sorted by title', layers: [at('b'), at('A'), at('metadata.yaml')], want: ['A', 'b', 'metadata.yaml'] },
    { name: 'without a title are skipped', layers: [at(undefined), at('a')], want: ['a'] },
    {
      name: 'may have any media type of the config',
      layers: [at('a')],
      config: 'application/vnd.oci.image.config.v1+json',
      want: ['a'],
    },
    { name: 'twice the same title', layers: [at('a'), at('a')], want: 'two layers have the title "a"' },
    ...['../x', 'a/b', '/etc/passwd', '..', '.', '', 'a\\b', 'a\u0000b', 'a\nb', '\u202ea', 'x'.repeat(256)].map(
      (title) => ({
        name: `the title ${JSON.stringify(title.slice(0, 20))}`,
        layers: [at(title)],
        want: `the title ${JSON.stringify(title.slice(0, 100))} of a layer is not a file name`,
      }),
    ),
    {
      name: 'too large',
      layers: [at('a', 64 * 1024 * 1024 + 1)],
      want: 'the layer "a" has 67108865 bytes; at most 67108864 are allowed',
    },
    {
      name: 'too large together',
      layers: ['a', 'b', 'c', 'd', 'e'].map((title) => at(title, 64 * 1024 * 1024)),
      want: 'its layers have more than 268435456 bytes together',
    },
    {
      name: 'too many',
      layers: Array.from({ length: 1001 }, (_, index) => at(`f${index}`)),
      want: 'it has more than 1000 layers',
    },
    {
      name: 'a Helm chart',
      layers: [at('a')],
      config: 'application/vnd.cncf.helm.config.v1+json',
      want: 'it is a Helm chart, not a release',
    },
    {
      name: 'an image',
      layers: [at(undefined)],
      config: 'application/vnd.docker.container.image.v1+json',
      want: `it is a container image, not a release: ${noTitle}`,
    },
    { name: 'nothing', layers: [], want: `it is not a release: ${noTitle}` },
    { name: 'a title named after the prototype', layers: [at('__proto__')], want: ['__proto__'] },
  ]
  test.each(cases)('$name', ({ layers, config = 'application/vnd.oci.empty.v1+json', want }) => {
    const body = { ...manifest, config: { mediaType: config, digest, size: 2 }, layers }
    const parsed = parseManifest(encodeUtf8(JSON.stringify(body)), '')
    if (!('value' in parsed) || parsed.value.manifest === undefined) throw new Error('no manifest')
    const outcome = releaseLayers(parsed.value.manifest)
    expect('value' in outcome ? outcome.value.map(({ name }) => name) : outcome.reason).toEqual(want)
  })
})
