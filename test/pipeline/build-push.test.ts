import { join } from 'node:path'
import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import type { Diagnostic } from '../../src/model/diagnostic.ts'
import type { Ports } from '../../src/model/ports.ts'
import { parseReleaseTag } from '../../src/model/release-name.ts'
import { build, type BuildOptions, type BuildResult } from '../../src/pipeline/commands/build.ts'
import { createSourceContext, openSource } from '../../src/pipeline/resolve/open-source.ts'
import { openRegistry } from '../../src/network/registry/open-registry.ts'
import type { Registry } from '../../src/network/registry/registry.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { at, type FileMap, stagesFolder, writeFiles } from '../../tools/fleets/stack-folder.ts'
import { problemsOf } from '../sources/release/support.ts'
import { hasRegistry, registryUser, startRegistry, type TestRegistry } from '../../tools/servers/registry.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'
import { tempFolder } from '../support/temp-folder.ts'

const isThere = hasRegistry()
let server: TestRegistry
let closed: TestRegistry
let count = 0

beforeAll(async () => {
  if (!isThere) return
  server = await startRegistry()
  closed = await startRegistry({ auth: 'token', anonymousPull: false, tls: true })
})
afterAll(async () => {
  if (!isThere) return
  await server.close()
  await closed.close()
})

interface Place {
  readonly folder: string
  readonly repository: string
  readonly ports: Ports
  readonly registry: Registry
  readonly run: (options?: Partial<BuildOptions>) => Promise<BuildResult>
  readonly write: (files: FileMap) => Promise<void>
}

/** A provider directory, and a repository of its own on the open registry. */
async function place(variables: Readonly<Record<string, string>> = {}): Promise<Place> {
  const folder = await tempFolder()
  await writeFiles(join(folder, 'stack'), stagesFolder)
  const environment = new Map(Object.entries({ HOME: folder, STACKMASON_CACHE: join(folder, 'cache'), ...variables }))
  const ports: Ports = { ...createNodePorts(), environment: { get: (name) => environment.get(name) } }
  const repository = `kaas/stacks-${String(++count)}`
  const defaults: BuildOptions = {
    directory: join(folder, 'stack'),
    output: join(folder, 'out'),
    version: { mode: 'stable' },
    rows: 'none',
    push: true,
    registry: `oci://${server.host}/${repository}`,
    plainHttp: true,
    index: false,
    overwrite: false,
    dryRun: false,
    start: folder,
  }
  return {
    folder,
    repository,
    ports,
    registry: await openRegistry(
      { host: server.host, repository, plainHttp: true },
      createSourceContext(ports, 'online'),
    ),
    run: (options) => build({ ...defaults, ...options }, ports),
    write: (files) => writeFiles(join(folder, 'stack'), files),
  }
}

describe.runIf(isThere)('a push', () => {
  test('to a registry without TLS, or with a certificate that is not trusted, names the options', async () => {
    const { run, repository } = await place()
    const told = async (running: Promise<unknown>): Promise<readonly Pick<Diagnostic, 'code' | 'hint'>[]> =>
      (await diagnosticsOf(running)).map(({ code, hint }) => ({ code, hint }))
    expect(await told(run({ plainHttp: false }))).toEqual([
      {
        code: 'FETCH_TLS',
        hint: 'If the server offers no TLS, add `--plain-http`; otherwise check the port.',
      },
    ])
    expect(await told(run({ plainHttp: false, registry: `oci://${closed.host}/${repository}` }))).toEqual([
      {
        code: 'FETCH_TLS',
        hint: 'Name the certificate authority with `--ca-file`, and check the host name.',
      },
    ])
  })

  test('makes a repository, and what csctl would have put there', async () => {
    const { run, registry, repository } = await place()
    const { releases } = await run()
    const [release] = releases
    expect(release?.pushed).toMatchObject({
      result: 'pushed',
      reference: `oci://${server.host}/${repository}:docker-demo-1-30-v1`,
    })
    const found = await registry.getManifest('docker-demo-1-30-v1')
    expect(found?.digest).toBe(release?.pushed?.digest)
    const manifest: Readonly<Record<string, unknown>> = JSON.parse(decodeUtf8(found?.bytes ?? new Uint8Array()))
    expect(manifest).toMatchObject({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      artifactType: 'application/vnd.scs.cluster-stacks.v1',
      config: { mediaType: 'application/vnd.oci.empty.v1+json', size: 2 },
      annotations: { kubernetesVersion: 'v1.30.4', hash: release?.hash.slice(0, 7) },
    })
    expect(
      found?.manifest.layers.map(({ mediaType, annotations, digest, size }) => ({
        mediaType,
        digest,
        size,
        name: annotations.get('org.opencontainers.image.title'),
      })),
    ).toEqual(
      release?.files.map(({ name, digest, size }) => ({
        mediaType: expect.stringMatching(/^application\/vnd\.scs\./),
        digest,
        size,
        name,
      })),
    )
    for (const { digest } of release?.files ?? []) await registry.getBlob(digest)
  })

  test('is found and read by a source on that registry', async () => {
    const { run, repository, ports } = await place()
    const { releases } = await run()
    const source = await openSource(
      { type: 'oci', name: 'r', at, repository: `${server.host}/${repository}`, publicKeys: [], plainHttp: true },
      createSourceContext(ports, 'online'),
    )
    const name = parseReleaseTag('docker-demo-1-30-v1')
    expect(await source.list()).toEqual({ releases: [{ name }], findings: [] })
    const described = await source.describe({ name })
    expect(described).toMatchObject({ kubernetesVersion: 'v1.30.4', revision: releases[0]?.pushed?.digest })
    expect(described.published).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    expect((await source.locate(name))?.assets).toEqual(releases[0]?.files)
  })

  test('of the same content again is fine, and leaves the registry as it is', async () => {
    const { folder, run } = await place()
    const version = { mode: 'explicit', clusterStack: 'v1' } as const
    const first = await run({ version })
    const again = await run({ version, output: join(folder, 'another') })
    expect(again.releases[0]).toMatchObject({
      status: 'built',
      pushed: { ...first.releases[0]?.pushed, result: 'exists' },
    })
  })

  test('never replaces a tag; then nothing is written either', async () => {
    const { folder, run, write, registry, repository } = await place()
    const version = { mode: 'explicit', clusterStack: 'v1' } as const
    await run({ version })
    const before = await registry.getManifest('docker-demo-1-30-v1')
    await write({ 'cluster-class/values.yaml': 'a: 2\n' })
    const hashes = join(folder, 'out/docker-demo-1-30-v1/hashes.json')
    const local = await readFile(hashes, 'utf8')
    const taken = `BUILD_TAG_EXISTS oci://${server.host}/${repository}:docker-demo-1-30-v1 is there already with other content`
    for (const dryRun of [true, false]) {
      expect(await problemsOf(() => run({ version, overwrite: true, dryRun }))).toEqual([taken])
    }
    expect((await registry.getManifest('docker-demo-1-30-v1'))?.digest).toBe(before?.digest)
    expect(await readFile(hashes, 'utf8')).toBe(local)
  })

  test('takes the version after the newest in the registry, not in the output folder', async () => {
    const { run, write, registry } = await place()
    await run({ push: false })
    // v1 was only built
    expect((await run()).releases[0]).toMatchObject({
      status: 'exists',
      tag: 'docker-demo-1-30-v1',
      pushed: { result: 'pushed' },
    })
    expect((await run()).releases).toMatchObject([{ status: 'unchanged', tag: 'docker-demo-1-30-v1' }])
    await write({ 'cluster-class/values.yaml': 'a: 2\n' })
    const dry = await run({ dryRun: true })
    expect(dry.releases[0]).toMatchObject({
      status: 'built',
      tag: 'docker-demo-1-30-v2',
      pushed: { result: 'missing' },
    })
    expect(await registry.listTags()).toEqual(['docker-demo-1-30-v1'])
    expect((await run()).releases[0]?.versions).toEqual({ clusterStack: 'v2', clusterAddon: 'v2', nodeImage: 'v1' })
    expect([...((await registry.listTags()) ?? [])].sort()).toEqual(['docker-demo-1-30-v1', 'docker-demo-1-30-v2'])
  })

  test('of two at once that build the same ends the same', async () => {
    const { folder, run, registry } = await place()
    const version = { mode: 'explicit', clusterStack: 'v1' } as const
    const results = await Promise.all(
      [1, 2, 3].map((one) => run({ version, output: join(folder, `out-${String(one)}`) })),
    )
    const tags = results.map(({ releases }) => releases[0]?.tag)
    expect(tags).toEqual(Array(3).fill('docker-demo-1-30-v1'))
    const found = await registry.getManifest('docker-demo-1-30-v1')
    expect(found?.manifest.layers.map(({ digest }) => digest)).toEqual(
      results[0]?.releases[0]?.files.map(({ digest }) => digest),
    )
  })

  test.each([
    {
      name: 'host and path apart',
      variables: (host: string, path: string) => ({ OCI_REGISTRY: host, OCI_REPOSITORY: path }),
    },
    {
      name: 'host in the repository',
      variables: (host: string, path: string) => ({ OCI_REGISTRY: host, OCI_REPOSITORY: `${host}/${path}` }),
    },
  ])('goes where the environment says: $name', async ({ variables }) => {
    const path = `kaas/environment-${String(++count)}`
    const { run } = await place(variables(server.host, path))
    expect((await run({ registry: '' })).releases[0]?.pushed?.reference).toBe(
      `oci://${server.host}/${path}:docker-demo-1-30-v1`,
    )
  })

  test('logs in with the variables of the operator, over TLS with its own authority, and tells no secret', async () => {
    const variables = {
      OCI_REGISTRY: closed.host,
      OCI_REPOSITORY: `${closed.host}/kaas/closed`,
      OCI_USERNAME: registryUser.username,
      OCI_PASSWORD: registryUser.password,
    }
    const { folder, run } = await place(variables)
    const caFile = join(folder, 'ca.pem')
    await writeFile(caFile, closed.ca ?? '')
    const result = await run({ registry: '', plainHttp: false, caFile })
    expect(result.releases[0]?.pushed?.result).toBe('pushed')
    expect(JSON.stringify(result)).not.toContain(registryUser.password)
    const { folder: other, run: runWithout } = await place()
    await writeFile(join(other, 'ca.pem'), closed.ca ?? '')
    const problems = await problemsOf(() =>
      runWithout({ registry: `oci://${closed.host}/kaas/closed`, plainHttp: false, caFile: join(other, 'ca.pem') }),
    )
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^FETCH_UNAUTHORIZED /)
  })
})

describe.runIf(isThere)('a push without a place', () => {
  test('says what is missing', async () => {
    const { run } = await place()
    expect(await problemsOf(() => run({ registry: '' }))).toEqual([
      'BUILD_INPUT_INVALID environment:1:1 there is no registry to push to: OCI_REPOSITORY is not set',
    ])
    expect(await problemsOf(() => run({ registry: 'oci://nowhere' }))).toEqual([
      'BUILD_INPUT_INVALID command line:1:1 there is no registry to push to: the path of the repository is missing after the host',
    ])
    await expect(run({ registry: '' })).rejects.toMatchObject({
      diagnostics: [{ hint: 'Name the registry with --registry or --source, or set OCI_REGISTRY and OCI_REPOSITORY.' }],
    })
  })
})
