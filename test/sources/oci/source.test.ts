import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeUtf8, encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { OciSourceConfig } from '../../../src/model/fleet.ts'
import { formatTag, parseReleaseTag } from '../../../src/model/release-name.ts'
import type { ReleaseSource } from '../../../src/model/release-source.ts'
import { OCI_INDEX, OCI_MANIFEST } from '../../../src/network/registry/manifest.ts'
import { openOciSource } from '../../../src/sources/oci/source.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { hasRegistry, startRegistry, type TestRegistry } from '../../../tools/servers/registry.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { ociContext, plainRegistry, type TestContextOptions } from '../../network/registry/oci-context.ts'
import { metadataText, pushRelease } from './push-release.ts'

const at = { source: { name: 'stackmason.yaml', text: 'oci: {}' }, start: 0, end: 3 }
const name = parseReleaseTag('openstack-scs2-1-34-v2')
const tag = formatTag(name)

function configOf(repository: string | undefined): OciSourceConfig {
  return {
    name: 'releases',
    type: 'oci',
    plainHttp: true,
    publicKeys: [],
    at,
    ...(repository !== undefined && { repository }),
  }
}

async function open(repository: string | undefined, options?: TestContextOptions): Promise<ReleaseSource> {
  return openOciSource(configOf(repository), await ociContext(options))
}

describe.skipIf(!hasRegistry())('releases in a registry', () => {
  let server: TestRegistry
  beforeAll(async () => {
    server = await startRegistry()
  })
  afterAll(() => server.close())

  const files = {
    'metadata.yaml': metadataText('v2', 'v1.34.7'),
    'clusteraddon.yaml': 'clusterAddonVersion: x\n',
    'hashes.json': '{}',
  }

  test('are listed by their tags; other tags are told of once, those of cosign never', async () => {
    const repository = 'a/list'
    const registry = await plainRegistry(server.host, { repository })
    await pushRelease(registry, tag, { form: 'csctl', files })
    const bytes = (await registry.getManifest(tag))?.bytes ?? new Uint8Array()
    const cosign = `sha256-${'0a'.repeat(32)}`
    const odd = [
      'openstack-scs-v5',
      'openstack-scs-1-29-v2-test',
      'openstack-csp-helper-v0.2.0',
      'latest',
      'a-b-1-30-v007',
      'a-b-1-30-v1-stable-3',
      'zzz',
    ]
    const good = ['docker-ferrol-1-27-v0-sha-hipstsw', 'openstack-scs2-1-34-v10']
    for (const one of [...odd, ...good, cosign, `${cosign}.sig`, `${cosign}.att`])
      await registry.pushManifest(one, { bytes, mediaType: OCI_MANIFEST })
    const { releases, findings } = await (await open(`${server.host}/${repository}`)).list()
    expect(releases.map((release) => formatTag(release.name))).toEqual([...good, tag])
    expect(findings).toEqual([
      {
        code: 'RELEASE_TAG_SKIPPED',
        severity: 'note',
        message: `tags of ${server.host}/${repository} that are not release names were skipped: a-b-1-30-v007, a-b-1-30-v1-stable-3, latest, openstack-csp-helper-v0.2.0, openstack-scs-1-29-v2-test and 2 more`,
        at,
      },
    ])
  })

  test('are described by annotations, as csctl writes them', async () => {
    const repository = 'a/described'
    const registry = await plainRegistry(server.host, { repository })
    const annotations = {
      kubernetesVersion: 'v1.34.7',
      hash: 'abc1234',
      'org.opencontainers.image.created': '2026-05-04T10:00:00Z',
    }
    const digest = await pushRelease(registry, tag, {
      form: 'csctl',
      files: { ...files, 'metadata.yaml': 'none' },
      annotations,
    })
    expect(await (await open(`${server.host}/${repository}`)).describe({ name })).toEqual({
      name,
      revision: digest,
      kubernetesVersion: 'v1.34.7',
      published: '2026-05-04T10:00:00Z',
    })
  })

  test.each([
    { form: 'oras', annotations: {} },
    { form: 'csctl', annotations: {} },
    { form: 'csctl', annotations: { kubernetesVersion: 'soon' } },
  ] as const)('are described by metadata.yaml otherwise: $form $annotations', async ({ form, annotations }) => {
    const repository = 'a/metadata'
    const registry = await plainRegistry(server.host, { repository })
    const digest = await pushRelease(registry, tag, { form, files, annotations })
    const described = await (await open(`${server.host}/${repository}`)).describe({ name })
    expect(described).toEqual({ name, revision: digest, kubernetesVersion: 'v1.34.7' })
  })

  test('may be gone when they are to be described, and may lack metadata.yaml', async () => {
    const repository = 'a/gone'
    const registry = await plainRegistry(server.host, { repository })
    const digest = await pushRelease(registry, tag, { form: 'oras', files: { a: '1' } })
    const source = await open(`${server.host}/${repository}`)
    expect(await source.describe({ name })).toEqual({ name, revision: digest })
    const other = parseReleaseTag('openstack-scs2-1-34-v3')
    expect(await source.describe({ name: other })).toEqual({ name: other })
  })

  test.each(['csctl', 'oras'] as const)('are found and fetched in the form of %s', async (form) => {
    const repository = `a/${form}`
    const revision = await pushRelease(await plainRegistry(server.host, { repository }), tag, { form, files })
    const source = await open(`${server.host}/${repository}`)
    const located = await source.locate(name)
    expect(located).toMatchObject({ name, revision, from: `oci://${server.host}/${repository}:${tag}` })
    const assets = located?.assets ?? []
    expect(assets.map((asset) => asset.name)).toEqual(['clusteraddon.yaml', 'hashes.json', 'metadata.yaml'])
    const texts = await Promise.all(assets.map(async (asset) => decodeUtf8(await source.fetch(located!, asset))))
    expect(texts).toEqual([files['clusteraddon.yaml'], files['hashes.json'], files['metadata.yaml']])
    expect(await source.locate(parseReleaseTag('openstack-scs2-1-34-v3'))).toBeUndefined()
  })

  test('whose tag was moved are noticed, and the pinned ones are still there', async () => {
    const repository = 'a/moved'
    const registry = await plainRegistry(server.host, { repository })
    const before = await pushRelease(registry, tag, { form: 'oras', files })
    const after = await pushRelease(registry, tag, { form: 'oras', files: { ...files, 'hashes.json': '{"moved":1}' } })
    const source = await open(`${server.host}/${repository}`)
    expect((await source.locate(name))?.revision).toBe(after)
    const pinned = await source.locate(name, before)
    expect(pinned?.revision).toBe(before)
    const asset = pinned?.assets.find((one) => one.name === 'hashes.json')
    expect(decodeUtf8(await source.fetch(pinned!, asset!))).toBe('{}')
    expect(await source.locate(name, `sha256:${'0'.repeat(64)}`)).toBeUndefined()
  })

  test('that were fetched once are there without the network, when they are pinned', async () => {
    const repository = 'a/offline'
    const cacheFolder = await tempFolder()
    const revision = await pushRelease(await plainRegistry(server.host, { repository }), tag, { form: 'csctl', files })
    const online = await open(`${server.host}/${repository}`, { cacheFolder })
    const located = await online.locate(name)
    await Promise.all((located?.assets ?? []).map((asset) => online.fetch(located!, asset)))
    const offline = await open(`${server.host}/${repository}`, { cacheFolder, offline: true })
    const again = await offline.locate(name, revision)
    expect(again).toEqual(located)
    for (const asset of again?.assets ?? []) await offline.fetch(again!, asset)
    const refused = await Promise.all(
      [offline.locate(name), offline.list(), offline.locate(name, `sha256:${'0'.repeat(64)}`)].map(diagnosticsOf),
    )
    expect(refused.map(([first]) => first?.code)).toEqual(Array.from(refused, () => 'FETCH_OFFLINE'))
  })

  test('that are something else are refused', async () => {
    const repository = 'a/other'
    const registry = await plainRegistry(server.host, { repository })
    const empty = await registry.pushBlob(encodeUtf8('{}'))
    const push = (type: string, title?: string): Promise<unknown> => {
      const layer = {
        mediaType: 'x',
        digest: empty,
        size: 2,
        ...(title && { annotations: { 'org.opencontainers.image.title': title } }),
      }
      const manifest = {
        schemaVersion: 2,
        mediaType: OCI_MANIFEST,
        config: { mediaType: type, digest: empty, size: 2 },
        layers: [layer],
      }
      return registry.pushManifest(tag, { bytes: encodeUtf8(JSON.stringify(manifest)), mediaType: OCI_MANIFEST })
    }
    const refusal = async (): Promise<unknown> => {
      const source = await open(`${server.host}/${repository}`)
      const [problem] = await diagnosticsOf(source.locate(name))
      return { ...problem, message: problem?.message.replace(`${server.host}/${repository}:${tag}`, 'it') }
    }
    const invalid = { code: 'FETCH_INVALID', severity: 'error', at }
    await push('application/vnd.cncf.helm.config.v1+json')
    expect(await refusal()).toEqual({ ...invalid, message: 'it cannot be used: it is a Helm chart, not a release' })
    await push('application/vnd.oci.image.config.v1+json')
    expect(await refusal()).toEqual({
      ...invalid,
      message:
        'it cannot be used: it is a container image, not a release: no layer has a title (org.opencontainers.image.title)',
    })
    await push('application/vnd.oci.empty.v1+json', '../x')
    expect(await refusal()).toEqual({
      ...invalid,
      message: 'it cannot be used: the title "../x" of a layer is not a file name',
    })
    await registry.pushManifest(tag, {
      bytes: encodeUtf8(JSON.stringify({ schemaVersion: 2, mediaType: OCI_INDEX, manifests: [] })),
      mediaType: OCI_INDEX,
    })
    expect(await refusal()).toEqual({ ...invalid, message: 'it is an index of 0 manifests, and one is needed' })
  })

  test.each([
    {
      name: 'as the operator wants it',
      variables: (host: string) => ({ OCI_REGISTRY: host, OCI_REPOSITORY: `${host}/a/env` }),
    },
    {
      name: 'as the build scripts want it',
      variables: (host: string) => ({ OCI_REGISTRY: host, OCI_REPOSITORY: 'a/env' }),
    },
  ])('are found through the environment $name', async ({ variables }) => {
    await pushRelease(await plainRegistry(server.host, { repository: 'a/env' }), tag, { form: 'oras', files })
    const source = await open(undefined, { environment: variables(server.host) })
    expect((await source.locate(name))?.from).toBe(`oci://${server.host}/a/env:${tag}`)
  })

  test('in a repository that is not there are none', async () => {
    const source = await open(`${server.host}/not/there`)
    expect(await diagnosticsOf(source.list())).toEqual([
      {
        code: 'FETCH_NOT_FOUND',
        severity: 'error',
        message: `${server.host} has no repository not/there, or does not show it to those it does not know`,
        at,
      },
    ])
    expect(await source.locate(name)).toBeUndefined()
  })
})

describe('a source without a usable repository', () => {
  const hint = 'Write `repository: <host>/<path>` below `oci`, or set OCI_REGISTRY and OCI_REPOSITORY.'
  test.each([
    { environment: {}, code: 'CONFIG_MISSING_FIELD', message: 'is missing: OCI_REPOSITORY is not set' },
    {
      environment: { OCI_REPOSITORY: 'kaas/stacks' },
      code: 'CONFIG_INVALID_VALUE',
      message: 'is not valid: OCI_REGISTRY is not set, and OCI_REPOSITORY names no host',
    },
  ])('is refused: $message', async ({ environment, code, message }) => {
    const problems = await diagnosticsOf(open(undefined, { environment }))
    expect(problems).toEqual([
      { code, severity: 'error', message: `the repository of source "releases" ${message}`, at, hint },
    ])
  })
})
