import { expect, test } from 'vitest'
import { formatManifest, mediaTypeOf } from '../../src/build/release-manifest.ts'
import { decodeUtf8, encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

// csctl pkg/cmd mediatype.go; what it gives no type, its registry library takes for a tar
test.each([
  ['openstack-scs2-1-34-cluster-class-v1.tgz', 'application/vnd.scs.cluster-class.v1.tar+gzip'],
  ['openstack-scs2-1-34-cluster-addon-v1.tgz', 'application/vnd.scs.cluster-addon.layer.v1.tar+gzip'],
  ['openstack-scs2-1-34-node-image-v1.tgz', 'application/vnd.scs.node-image.layer.v1.tar+gzip'],
  ['clusteraddon.yaml', 'application/vnd.scs.cluster-addon.config.layer.v1+yaml'],
  ['metadata.yaml', 'application/vnd.scs.metadata.layer.v1+yaml'],
  ['hashes.json', 'application/vnd.scs.hashes.layer.v1+yaml'],
  ['node-images.yaml', 'application/vnd.scs.node-image.config.layer.v1+yaml'],
  ['cluster-addon-values.yaml', 'application/vnd.oci.image.layer.v1.tar'],
  ['other.tgz', 'application/vnd.oci.image.layer.v1.tar'],
])('%s is %s', (file, type) => {
  expect(mediaTypeOf(file)).toBe(type)
})

test('a manifest has what csctl puts into it', () => {
  const assets = [
    { path: 'metadata.yaml', bytes: encodeUtf8('m') },
    { path: 'hashes.json', bytes: encodeUtf8('') },
  ]
  const facts = { kubernetesVersion: 'v1.34.7', hash: 'azlfam7rgn823', created: 1_777_888_999_123 }
  const manifest = formatManifest(assets, facts, createNodePorts().crypto)
  expect(JSON.parse(decodeUtf8(manifest))).toEqual({
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    artifactType: 'application/vnd.scs.cluster-stacks.v1',
    config: {
      mediaType: 'application/vnd.oci.empty.v1+json',
      digest: 'sha256:44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
      size: 2,
      data: 'e30=',
    },
    layers: [
      {
        mediaType: 'application/vnd.scs.hashes.layer.v1+yaml',
        digest: 'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
        size: 0,
        annotations: { 'org.opencontainers.image.title': 'hashes.json' },
      },
      {
        mediaType: 'application/vnd.scs.metadata.layer.v1+yaml',
        digest: 'sha256:62c66a7a5dd70c3146618063c344e531e6d4b59e379808443ce962b3abd63c5a',
        size: 1,
        annotations: { 'org.opencontainers.image.title': 'metadata.yaml' },
      },
    ],
    annotations: {
      hash: 'azlfam7',
      kubernetesVersion: 'v1.34.7',
      'org.opencontainers.image.created': '2026-05-04T10:03:19Z',
    },
  })
})
