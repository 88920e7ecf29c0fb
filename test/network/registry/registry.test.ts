import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { OCI_INDEX, OCI_MANIFEST } from '../../../src/network/registry/manifest.ts'
import { openRegistry } from '../../../src/network/registry/open-registry.ts'
import type { Registry } from '../../../src/network/registry/registry.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import {
  hasRegistry,
  registryIdentityToken,
  registryUser,
  startRegistry,
  type TestRegistry,
} from '../../../tools/servers/registry.ts'
import { tempFolder, tempFolderForFile } from '../../support/temp-folder.ts'
import { ociContext, plainRegistry } from './oci-context.ts'
import { pushRelease } from '../../sources/oci/push-release.ts'

const isPossible = hasRegistry()
const user = { username: 'OCI_USER', password: 'OCI_PASS' }
const userEnvironment = { OCI_USER: registryUser.username, OCI_PASS: registryUser.password }

describe.skipIf(!isPossible)('a registry for everybody', () => {
  let server: TestRegistry
  beforeAll(async () => {
    server = await startRegistry()
  })
  afterAll(() => server.close())

  test('takes a blob once and gives it back', async () => {
    const registry = await plainRegistry(server.host)
    const bytes = encodeUtf8('some bytes')
    const digest = await registry.pushBlob(bytes)
    expect(await registry.pushBlob(bytes)).toBe(digest)
    const other = await plainRegistry(server.host)
    expect(await other.getBlob(digest, { size: bytes.length })).toEqual(bytes)
  })

  test('takes an empty blob, and one of some megabytes', async () => {
    const registry = await plainRegistry(server.host)
    const other = await plainRegistry(server.host)
    for (const bytes of [new Uint8Array(), new Uint8Array(5_000_000).fill(7)]) {
      const digest = await registry.pushBlob(bytes)
      expect((await other.getBlob(digest)).length).toBe(bytes.length)
      expect(await registry.pushBlob(bytes)).toBe(digest)
    }
  })

  test('gives a manifest by tag and by digest, and says when there is none', async () => {
    const registry = await plainRegistry(server.host, { repository: 'a/manifest' })
    expect(await registry.getManifest('v1')).toBeUndefined()
    const digest = await pushRelease(registry, 'v1', { form: 'csctl', files: { a: '1' }, annotations: { hash: 'abc' } })
    const other = await plainRegistry(server.host, { repository: 'a/manifest' })
    const found = await other.getManifest('v1')
    expect([found?.digest, found?.mediaType, found?.manifest.annotations.get('hash')]).toEqual([
      digest,
      OCI_MANIFEST,
      'abc',
    ])
    expect(await other.getManifest(digest)).toEqual(found)
    expect(await other.getManifest('v2')).toBeUndefined()
    expect(await other.getManifest(`sha256:${'0'.repeat(64)}`)).toBeUndefined()
  })

  test('lists more tags than one page has, and nothing for a repository that is not there', async () => {
    const registry = await plainRegistry(server.host, { repository: 'a/list' })
    expect(await registry.listTags()).toBeUndefined()
    await pushRelease(registry, 'v0', { form: 'oras', files: { a: '1' } })
    const found = await registry.getManifest('v0')
    const tags = Array.from({ length: 150 }, (_, index) => `v${index}`)
    for (const tag of tags)
      await registry.pushManifest(tag, { bytes: found?.bytes ?? new Uint8Array(), mediaType: OCI_MANIFEST })
    expect([...((await registry.listTags()) ?? [])].sort()).toEqual([...tags].sort())
  })

  test('keeps a tag that is there when asked to', async () => {
    const registry = await plainRegistry(server.host, { repository: 'a/absent' })
    const first = await pushRelease(registry, 'v1', { form: 'oras', files: { a: '1' } })
    const other = encodeUtf8(JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests: [] }))
    expect(await registry.pushManifest('v1', { bytes: other, mediaType: OCI_INDEX }, { ifAbsent: true })).toEqual({
      digest: first,
      result: 'exists',
    })
    expect(await registry.pushManifest('v2', { bytes: other, mediaType: OCI_INDEX }, { ifAbsent: true })).toMatchObject(
      { result: 'pushed' },
    )
    expect((await registry.getDocument('v1'))?.digest).toBe(first)
  })

  test('an index of one manifest is followed, under its own digest; any other is refused', async () => {
    const registry = await plainRegistry(server.host, { repository: 'a/index' })
    const digest = await pushRelease(registry, 'v1', { form: 'oras', files: { a: '1' } })
    const entry = { mediaType: OCI_MANIFEST, digest, size: (await registry.getManifest('v1'))?.bytes.length }
    const indexOf = (manifests: readonly unknown[]): Uint8Array =>
      encodeUtf8(JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests }))
    const one = await registry.pushManifest('one', { bytes: indexOf([entry]), mediaType: OCI_INDEX })
    await registry.pushManifest('two', { bytes: indexOf([entry, entry]), mediaType: OCI_INDEX })
    const found = await registry.getManifest('one')
    expect([found?.digest, found?.manifest.layers.length]).toEqual([one.digest, 1])
    const problems = await diagnosticsOf(registry.getManifest('two'))
    expect(problems[0]).toMatchObject({
      code: 'FETCH_INVALID',
      message: `${server.host}/a/index:two is an index of 2 manifests, and one is needed`,
    })
  })

  test('a blob that it lost is reported', async () => {
    const registry = await plainRegistry(server.host, { repository: 'a/lost' })
    const digest = await registry.pushBlob(encodeUtf8('lost'))
    const hex = digest.slice('sha256:'.length)
    await rm(join(server.folder, 'docker/registry/v2/blobs/sha256', hex.slice(0, 2), hex), { recursive: true })
    const other = await plainRegistry(server.host, { repository: 'a/lost' })
    const problems = await diagnosticsOf(other.getBlob(digest, { purpose: 'metadata.yaml of v1' }))
    expect(problems[0]).toMatchObject({ code: 'FETCH_NOT_FOUND' })
    expect(problems[0]?.message).toContain('metadata.yaml of v1')
  })

  test('a manifest that names blobs it does not have is refused', async () => {
    const registry = await plainRegistry(server.host, { repository: 'a/refused' })
    const descriptor = { mediaType: 'x', digest: `sha256:${'1'.repeat(64)}`, size: 1 }
    const manifest = { schemaVersion: 2, mediaType: OCI_MANIFEST, config: descriptor, layers: [] }
    const problems = await diagnosticsOf(
      registry.pushManifest('v1', { bytes: encodeUtf8(JSON.stringify(manifest)), mediaType: OCI_MANIFEST }),
    )
    expect(problems[0]).toMatchObject({ code: 'FETCH_REFUSED' })
  })

  test('what was fetched by digest is there without the network, what was not is named', async () => {
    const cacheFolder = await tempFolder()
    const repository = 'a/offline'
    const digest = await pushRelease(await plainRegistry(server.host, { repository }), 'v1', {
      form: 'oras',
      files: { a: '1' },
    })
    const online = await plainRegistry(server.host, { repository, cacheFolder })
    const layer = (await online.getManifest(digest))?.manifest.layers[0]
    await online.getBlob(layer?.digest ?? '')
    const offline = await plainRegistry(server.host, { repository, cacheFolder, offline: true })
    expect((await offline.getManifest(digest))?.digest).toBe(digest)
    expect(await offline.getBlob(layer?.digest ?? '')).toEqual(encodeUtf8('1'))
    const refused = await Promise.all(
      [offline.getManifest('v1'), offline.listTags(), offline.getBlob(`sha256:${'2'.repeat(64)}`)].map(diagnosticsOf),
    )
    expect(refused.map(([first]) => first?.code)).toEqual(Array.from(refused, () => 'FETCH_OFFLINE'))
  })

  test('names that are none are refused before anything is sent', async () => {
    const registry = await plainRegistry(server.host)
    expect((await diagnosticsOf(registry.getManifest('../x')))[0]?.code).toBe('FETCH_INVALID')
    expect((await diagnosticsOf(registry.getBlob('sha256:../x')))[0]?.code).toBe('FETCH_INVALID')
    expect((await diagnosticsOf(plainRegistry('user@host')))[0]?.code).toBe('FETCH_INVALID')
    expect((await diagnosticsOf(plainRegistry(server.host, { repository: '../x' })))[0]?.code).toBe('FETCH_INVALID')
  })
})

describe.skipIf(!isPossible).each(['basic', 'token'] as const)('a registry with TLS and %s authentication', (auth) => {
  const folder = tempFolderForFile()
  const caFile = join(folder, `${auth}.pem`)
  let server: TestRegistry
  beforeAll(async () => {
    server = await startRegistry({ auth, tls: true, anonymousPull: false })
    writeFileSync(caFile, server.ca ?? '')
  })
  afterAll(() => server.close())

  async function open(environment: Readonly<Record<string, string>>, repository = 'kaas/stacks'): Promise<Registry> {
    const credentials = 'OCI_USER' in environment ? { credentials: user } : {}
    return openRegistry(
      { host: server.host, repository, plainHttp: false, caFile, ...credentials },
      await ociContext({ environment }),
    )
  }

  test('serves those whom the fleet gives credentials', async () => {
    const registry = await open(userEnvironment)
    const digest = await pushRelease(registry, 'v1', { form: 'csctl', files: { a: '1', b: '2' } })
    const other = await open(userEnvironment)
    const found = await other.getManifest('v1')
    expect(found?.digest).toBe(digest)
    const layers = found?.manifest.layers ?? []
    expect(await Promise.all(layers.map((layer) => other.getBlob(layer.digest)))).toEqual([
      encodeUtf8('1'),
      encodeUtf8('2'),
    ])
    expect(await other.listTags()).toEqual(['v1'])
  })

  test("serves those who set the operator's variables", async () => {
    const registry = await open({
      OCI_REGISTRY: server.host,
      OCI_REPOSITORY: `${server.host}/kaas/stacks`,
      OCI_USERNAME: registryUser.username,
      OCI_PASSWORD: registryUser.password,
    })
    await pushRelease(registry, 'v2', { form: 'oras', files: { a: '1' } })
    expect(await registry.listTags()).toContain('v2')
  })

  test('serves those who logged in with the Docker client', async () => {
    const config = await tempFolder()
    const encoded = Buffer.from(`${registryUser.username}:${registryUser.password}`).toString('base64')
    writeFileSync(join(config, 'config.json'), JSON.stringify({ auths: { [server.host]: { auth: encoded } } }))
    const registry = await open({ DOCKER_CONFIG: config })
    expect(await registry.getManifest('nothing')).toBeUndefined()
  })

  test('refuses those without credentials, and says so', async () => {
    const registry = await open({})
    const [problem] = await diagnosticsOf(registry.getManifest('v1'))
    expect(problem?.code).toBe('FETCH_UNAUTHORIZED')
    expect(problem?.message).toBe(
      `${server.host} gives the manifest of ${server.host}/kaas/stacks:v1 only to those it knows, and no credentials for it were found`,
    )
    const refused = await Promise.all(
      [registry.listTags(), registry.getBlob(`sha256:${'3'.repeat(64)}`), registry.pushBlob(new Uint8Array(3))].map(
        diagnosticsOf,
      ),
    )
    expect(refused.map(([first]) => first?.code)).toEqual(Array.from(refused, () => 'FETCH_UNAUTHORIZED'))
  })

  test('refuses a wrong password, and shows it nowhere', async () => {
    const registry = await open({ ...userEnvironment, OCI_PASS: 'wrong password' })
    const problems = await diagnosticsOf(registry.getManifest('v1'))
    expect(problems[0]?.code).toBe('FETCH_UNAUTHORIZED')
    expect(problems[0]?.message).toContain('the credentials that were found for')
    expect(JSON.stringify(problems)).not.toContain('wrong password')
  })

  test('is not trusted without its authority', async () => {
    const config = { host: server.host, repository: 'kaas/stacks', plainHttp: false }
    const registry = await openRegistry(config, await ociContext())
    expect((await diagnosticsOf(registry.getManifest('v1')))[0]?.code).toBe('FETCH_TLS')
  })
})

describe.skipIf(!isPossible)('a registry with a token service', () => {
  test('lets anonymous people pull and not push', async () => {
    const server = await startRegistry({ auth: 'token' })
    try {
      await pushRelease(await openAs(server, userEnvironment), 'v1', { form: 'oras', files: { a: '1' } })
      const anonymous = await openAs(server, {})
      expect(await anonymous.listTags()).toEqual(['v1'])
      expect((await diagnosticsOf(anonymous.pushBlob(new Uint8Array(1))))[0]?.code).toBe('FETCH_UNAUTHORIZED')
      expect(new Set(server.tokens?.requests.map(({ who }) => who))).toEqual(new Set(['user', 'anonymous']))
      expect(server.tokens?.requests.at(-1)).toMatchObject({
        service: 'registry of a test',
        // version 3 of the registry names actions in any order
        scopes: [expect.stringMatching(/^repository:kaas\/stacks:(?:pull,push|push,pull)$/)],
        who: 'anonymous',
      })
    } finally {
      await server.close()
    }
  })

  test('is asked for one token per scope, however many requests there are at once', async () => {
    const server = await startRegistry({ auth: 'token' })
    try {
      const registry = await openAs(server, userEnvironment)
      await pushRelease(registry, 'v1', { form: 'oras', files: { a: '1', b: '2', c: '3' } })
      const other = await openAs(server, userEnvironment)
      await other.listTags()
      const before = server.tokens?.requests.length ?? 0
      const layers = (await other.getManifest('v1'))?.manifest.layers ?? []
      await Promise.all(layers.map(({ digest }) => other.getBlob(digest)))
      expect(server.tokens?.requests.length).toBe(before)
      expect(before).toBeLessThanOrEqual(4)
    } finally {
      await server.close()
    }
  })

  test('gives a new token when the old one has expired', async () => {
    const server = await startRegistry({ auth: 'token', expiresIn: 1 })
    try {
      const registry = await openAs(server, userEnvironment)
      await pushRelease(registry, 'v1', { form: 'oras', files: { a: '1' } })
      const before = server.tokens?.requests.length ?? 0
      await new Promise((resolve) => {
        setTimeout(resolve, 1500)
      })
      expect(await registry.listTags()).toEqual(['v1'])
      expect(server.tokens?.requests.length).toBeGreaterThan(before)
    } finally {
      await server.close()
    }
  })

  test("exchanges the Docker client's identity token by POST", async () => {
    const server = await startRegistry({ auth: 'token', anonymousPull: false })
    try {
      await pushRelease(await openAs(server, userEnvironment), 'v1', { form: 'oras', files: { a: '1' } })
      const config = await tempFolder()
      const entry = { auth: Buffer.from('<token>:').toString('base64'), identitytoken: registryIdentityToken }
      writeFileSync(join(config, 'config.json'), JSON.stringify({ auths: { [server.host]: entry } }))
      const registry = await openAs(server, { DOCKER_CONFIG: config })
      expect(await registry.listTags()).toEqual(['v1'])
      expect(server.tokens?.requests.at(-1)).toMatchObject({ method: 'POST', who: 'identity' })
    } finally {
      await server.close()
    }
  })

  async function openAs(server: TestRegistry, environment: Readonly<Record<string, string>>): Promise<Registry> {
    const credentials = 'OCI_USER' in environment ? { credentials: user } : {}
    const config = { host: server.host, repository: 'kaas/stacks', plainHttp: true, ...credentials }
    return openRegistry(config, await ociContext({ environment }))
  }
})
