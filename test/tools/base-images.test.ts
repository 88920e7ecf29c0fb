import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openRegistry } from '../../src/network/registry/open-registry.ts'
import { createSourceContext } from '../../src/pipeline/resolve/open-source.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { findDigest, pinImages, unpinnedImages } from '../../tools/base-images.ts'
import { hasRegistry, startRegistry } from '../../tools/servers/registry.ts'
import { packageFolder } from '../cli/run-cli.ts'

const digest = `sha256:${'a'.repeat(64)}`

test('a Containerfile gets the digest of each base image behind its tag, as often as it is asked for', async () => {
  const text = readFileSync(join(packageFolder, 'Containerfile'), 'utf8')
  const asked: string[] = []
  const once = await pinImages(text, async ({ host, repository, tag }) => {
    asked.push(`${host} ${repository} ${tag}`)
    return digest
  })
  expect(asked).toEqual([
    'docker.io library/node 22-bookworm-slim',
    'docker.io library/debian bookworm-slim',
    'gcr.io distroless/nodejs22-debian12 nonroot',
  ])
  expect(unpinnedImages(once)).toEqual([])
  expect(once.replaceAll(`@${digest}`, '')).toBe(text.replaceAll(/@sha256:[0-9a-f]{64}/g, ''))
  const other = digest.replaceAll('a', 'b')
  expect(await pinImages(once, async () => other)).toBe(once.replaceAll(digest, other))
})

test('base images without a digest are named', () => {
  const text = `ARG A_IMAGE=docker.io/library/a:1\nARG B_IMAGE=gcr.io/b/c:2@${digest}\nFROM \${A_IMAGE}\n`
  expect(unpinnedImages(text)).toEqual(['docker.io/library/a:1'])
})

test.skipIf(!hasRegistry())('the digest is that which the registry has', async () => {
  const { host, close } = await startRegistry()
  try {
    const place = { host, repository: 'library/node', plainHttp: true }
    const registry = await openRegistry(place, createSourceContext(createNodePorts(), 'online'))
    const mediaType = 'application/vnd.oci.image.index.v1+json'
    const bytes = new TextEncoder().encode(JSON.stringify({ schemaVersion: 2, mediaType, manifests: [] }))
    const pushed = await registry.pushManifest('22', { mediaType, bytes })
    expect(await findDigest({ ...place, tag: '22' }, place)).toBe(pushed.digest)
    await expect(findDigest({ ...place, tag: '23' }, place)).rejects.toThrow('has no tag 23')
  } finally {
    await close()
  }
})
