import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { ServerAccess } from '../../../src/model/credentials.ts'
import type { DependencyContext } from '../../../src/sources/dependency/dependency-context.ts'
import { fetchDependency } from '../../../src/sources/dependency/fetch-dependency.ts'
import { parseOciReference } from '../../../src/sources/dependency/oci-chart.ts'
import { resolveDependency } from '../../../src/sources/dependency/resolve-dependency.ts'
import { openRegistry } from '../../../src/network/registry/open-registry.ts'
import { realHelm } from '../../support/helm.ts'
import {
  archiveName,
  fixtureChart,
  indexOf,
  startChartRepository,
  type RepositoryChart,
} from '../../../tools/servers/chart-repository.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import {
  hasRegistry,
  registryUser,
  startRegistry,
  type TestRegistry,
  type TestRegistryOptions,
} from '../../../tools/servers/registry.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { dependencyContext } from './dependency-fixture.ts'

const helm = realHelm('reading what helm pushes')

const chartLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip'
const manifestType = 'application/vnd.oci.image.manifest.v1+json'

interface Served {
  readonly registry: TestRegistry
  /** `oci://host/charts` */
  readonly url: string
  readonly access: ServerAccess
}

const environment = { REGISTRY_USER: registryUser.username, REGISTRY_PASSWORD: registryUser.password }

async function serve(options: TestRegistryOptions = {}): Promise<Served> {
  const registry = await startRegistry(options)
  onTestFinished(registry.close)
  const caFile = join(await tempFolder(), 'ca.pem')
  await writeFile(caFile, registry.ca ?? '')
  const access: ServerAccess = {
    plainHttp: registry.ca === undefined,
    ...(registry.ca === undefined ? {} : { caFile }),
    ...(options.auth === undefined
      ? {}
      : { credentials: { username: 'REGISTRY_USER', password: 'REGISTRY_PASSWORD' } }),
  }
  return { registry, url: `oci://${registry.host}/charts`, access }
}

function contextOf({ url, access }: Served): Promise<DependencyContext> {
  return dependencyContext({ repositories: [{ url, ...access }], environment })
}

/** Pushes charts as `helm push` does. */
async function push(
  { registry: { host }, access }: Served,
  charts: readonly RepositoryChart[],
  layer = chartLayer,
): Promise<void> {
  const context = await dependencyContext({ environment })
  for (const { name, version, archive } of charts) {
    const registry = await openRegistry({ host, repository: `charts/${name}`, ...access }, context)
    const config = encodeUtf8(JSON.stringify({ name, version }))
    const describeBlob = async (mediaType: string, bytes: Uint8Array): Promise<object> => ({
      mediaType,
      digest: await registry.pushBlob(bytes),
      size: bytes.length,
    })
    const manifest = {
      schemaVersion: 2,
      mediaType: manifestType,
      config: await describeBlob('application/vnd.cncf.helm.config.v1+json', config),
      layers: [
        await describeBlob('application/vnd.cncf.helm.chart.provenance.v1.prov', encodeUtf8(`signature of ${version}`)),
        await describeBlob(layer, archive),
      ],
    }
    await registry.pushManifest(version.replaceAll('+', '_'), {
      bytes: encodeUtf8(JSON.stringify(manifest)),
      mediaType: manifestType,
    })
  }
}

const charts = ['1.0.0', '1.1.0', '1.2.0-rc.1', '2.0.0+build.5'].map((version) => fixtureChart('app', version))

test.each([
  ['oci://registry.example/charts/app:1.0.0', { host: 'registry.example', repository: 'charts/app', tag: '1.0.0' }],
  ['oci://127.0.0.1:5000/app', { host: '127.0.0.1:5000', repository: 'app' }],
  ['OCI://registry.example/app/', { host: 'registry.example', repository: 'app' }],
  ['oci://registry.example', undefined],
  ['oci://user:hunter2@registry.example/app', undefined],
  ['oci://registry.example/app:1.0.0:2', undefined],
  ['oci://registry.example/app?x=1', undefined],
  ['https://registry.example/app', undefined],
])('parseOciReference %s', (url, want) => {
  expect(parseOciReference(url)).toEqual(want)
})

describe.skipIf(!hasRegistry())('charts in a registry', () => {
  test.each([
    { request: '1.0.0', tag: '1.0.0', chart: charts[0] },
    { request: '^1', tag: '1.1.0', chart: charts[1] },
    { request: '>1.1.0-0 <2', tag: '1.2.0-rc.1', chart: charts[2] },
    { request: '2.x', tag: '2.0.0_build.5', chart: charts[3] },
    { request: '2.0.0+build.5', tag: '2.0.0_build.5', chart: charts[3] },
  ])('resolve $request to $tag', async ({ request, tag, chart }) => {
    const served = await serve()
    await push(served, charts)
    const context = await contextOf(served)
    const resolved = await resolveDependency({ name: 'app', repository: served.url, request }, context)
    expect(resolved).toEqual({
      version: chart?.version,
      url: `${served.url}/app:${tag}`,
      digest: chart?.digest,
      bytes: chart?.archive,
    })
  })

  test.each<TestRegistryOptions>([
    { auth: 'basic' },
    { auth: 'token', anonymousPull: false },
    { auth: 'token', tls: true },
    { tls: true },
  ])('are fetched with %o', async (options) => {
    const served = await serve(options)
    await push(served, charts)
    const context = await contextOf(served)
    const dependency = { name: 'app', repository: served.url, request: '^1' }
    expect((await resolveDependency(dependency, context)).version).toBe('1.1.0')
  })

  test('are fetched by digest, whatever became of the tag', async () => {
    const served = await serve()
    await push(served, charts)
    const dependency = { name: 'app', repository: served.url, request: '1.0.0' }
    const { version, url, digest } = await resolveDependency(dependency, await contextOf(served))
    await push(served, [{ ...fixtureChart('app', '1.0.0'), archive: fixtureChart('app', '6.6.6').archive }])
    const bytes = await fetchDependency({ ...dependency, version, url, digest }, await contextOf(served))
    expect(bytes).toEqual(charts[0]?.archive)
  })

  test('are fetched through a mirror, and keep their address', async () => {
    const served = await serve()
    await push(served, charts)
    const url = 'oci://registry.example/stable'
    const context = await dependencyContext({ repositories: [{ url, mirror: served.url, ...served.access }] })
    const resolved = await resolveDependency({ name: 'app', repository: url, request: '^1' }, context)
    expect(resolved.url).toBe('oci://registry.example/stable/app:1.1.0')
  })

  test('may be what the index of a Helm repository points at', async () => {
    const served = await serve()
    await push(served, charts)
    const index = indexOf(charts).replaceAll(/- charts\/app-(.*)\.tgz/g, `- ${served.url}/app:$1`)
    const repository = await startChartRepository([], { index })
    onTestFinished(repository.close)
    const context = await dependencyContext({
      repositories: [{ url: repository.url }, { url: served.url, ...served.access }],
    })
    const dependency = { name: 'app', repository: repository.url, request: '^1' }
    const resolved = await resolveDependency(dependency, context)
    expect(resolved).toMatchObject({ version: '1.1.0', url: `${served.url}/app:1.1.0`, digest: charts[1]?.digest })
    const again = await dependencyContext({ repositories: [{ url: served.url, ...served.access }] })
    expect(await fetchDependency({ ...dependency, ...resolved }, again)).toEqual(charts[1]?.archive)
  })

  test('must have the digest that such an index says', async () => {
    const served = await serve()
    await push(served, charts)
    const index = indexOf([{ ...fixtureChart('app', '1.0.0'), digest: `sha256:${'0'.repeat(64)}` }])
    const pointing = index.replaceAll(/- charts\/app-(.*)\.tgz/g, `- ${served.url}/app:$1`)
    const repository = await startChartRepository([], { index: pointing })
    onTestFinished(repository.close)
    const context = await dependencyContext({
      repositories: [{ url: repository.url }, { url: served.url, ...served.access }],
    })
    const dependency = { name: 'app', repository: repository.url, request: '^1' }
    expect(await diagnosticsOf(resolveDependency(dependency, context))).toMatchObject([
      { code: 'FETCH_DIGEST_MISMATCH' },
    ])
  })

  test.each([
    {
      name: 'app',
      request: '3.0.0',
      code: 'DEPENDENCY_NOT_FOUND',
      hint: 'It offers 2.0.0+build.5, 1.2.0-rc.1, 1.1.0, 1.0.0.',
    },
    {
      name: 'app',
      request: '^3',
      code: 'DEPENDENCY_NOT_FOUND',
      hint: 'It offers 2.0.0+build.5, 1.2.0-rc.1, 1.1.0, 1.0.0.',
    },
    {
      name: 'other',
      request: '1.0.0',
      code: 'DEPENDENCY_NOT_FOUND',
      hint: 'Check name and repository of the dependency.',
    },
    {
      name: 'other',
      request: '^1',
      code: 'DEPENDENCY_NOT_FOUND',
      hint: 'Check name and repository of the dependency.',
    },
    { name: 'app', request: 'newest', code: 'CHART_INVALID', hint: undefined },
  ])('do not resolve $name $request', async ({ name, request, code, hint }) => {
    const served = await serve()
    await push(served, charts)
    const context = await contextOf(served)
    const [problem] = await diagnosticsOf(resolveDependency({ name, repository: served.url, request }, context))
    expect([problem?.code, problem?.hint]).toEqual([code, hint])
  })

  test('must be charts', async () => {
    const served = await serve()
    await push(served, charts.slice(0, 1), 'application/vnd.oci.image.layer.v1.tar+gzip')
    const context = await contextOf(served)
    const dependency = { name: 'app', repository: served.url, request: '1.0.0' }
    expect(await diagnosticsOf(resolveDependency(dependency, context))).toMatchObject([
      {
        code: 'FETCH_INVALID',
        message: `${served.registry.host}/charts/app:1.0.0 is not a Helm chart: it has no layer of type ${chartLayer}`,
      },
    ])
  })

  test.skipIf(helm === undefined)('are read as helm pushes them', async () => {
    const served = await serve()
    const folder = await tempFolder()
    for (const chart of charts) {
      const file = join(folder, archiveName(chart))
      await writeFile(file, chart.archive)
      await promisify(execFile)(helm ?? '', ['push', '--plain-http', file, served.url], { env: { HOME: folder } })
    }
    const context = await contextOf(served)
    const dependency = { name: 'app', repository: served.url, request: '>=2' }
    expect(await resolveDependency(dependency, context)).toMatchObject({
      version: '2.0.0+build.5',
      url: `${served.url}/app:2.0.0_build.5`,
      digest: charts[3]?.digest,
    })
  })
})
