import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { digestOf } from '../../../src/codec/bytes/digest.ts'
import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import { resolveDependency } from '../../../src/sources/dependency/resolve-dependency.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import {
  fixtureChart,
  indexOf,
  packChart,
  startChartRepository,
  type ChartRepositoryOptions,
  type RepositoryChart,
  type TestChartRepository,
} from '../../../tools/servers/chart-repository.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startWebServer } from '../../../tools/servers/web-server.ts'
import { dependencyContext, type FixtureOptions } from './dependency-fixture.ts'

const charts = ['1.0.0', '1.1.0', '1.2.0-rc.1', '2.0.0'].map((version) => fixtureChart('app', version))
const [first] = charts

async function repository(
  served: readonly RepositoryChart[] = charts,
  options: ChartRepositoryOptions = {},
): Promise<TestChartRepository> {
  const started = await startChartRepository(served, options)
  onTestFinished(started.close)
  return started
}

/** What resolving `app` in a repository is refused with. */
async function refusal(
  served: TestChartRepository,
  options: { readonly name?: string; readonly request?: string; readonly context?: FixtureOptions } = {},
): Promise<readonly Diagnostic[]> {
  const context = await dependencyContext({ repositories: [{ url: served.url }], ...options.context })
  const { name = 'app', request = '^1' } = options
  return diagnosticsOf(resolveDependency({ name, repository: served.url, request, file: 'Chart.yaml' }, context))
}

describe('resolveDependency from a Helm repository', () => {
  test('takes the greatest version in the range, keeps the archive and says where it is', async () => {
    const served = await repository()
    const context = await dependencyContext({ repositories: [{ url: served.url }] })
    const resolved = await resolveDependency({ name: 'app', repository: `${served.url}/`, request: '^1' }, context)
    expect(resolved).toEqual({
      version: '1.1.0',
      url: `${served.url}/charts/app-1.1.0.tgz`,
      digest: charts[1]?.digest,
      bytes: charts[1]?.archive,
    })
    expect(await context.cache.get(resolved.digest)).toEqual(resolved.bytes)
    expect(served.requests.map(({ path }) => path)).toEqual(['/index.yaml', '/charts/app-1.1.0.tgz'])
  })

  test('reads an index once in a run, and takes an archive of known digest from the cache', async () => {
    const served = await repository()
    const context = await dependencyContext({ repositories: [{ url: served.url }] })
    const dependency = { name: 'app', repository: served.url, request: '1.0.0' }
    await resolveDependency(dependency, context)
    await resolveDependency(dependency, context)
    await resolveDependency({ ...dependency, request: '2.x' }, context)
    expect(served.requests.map(({ path }) => path)).toEqual([
      '/index.yaml',
      '/charts/app-1.0.0.tgz',
      '/charts/app-2.0.0.tgz',
    ])
  })

  test('takes what Chart.lock pins, a prerelease too', async () => {
    const served = await repository()
    const context = await dependencyContext({ repositories: [{ url: served.url }] })
    const pinned = { name: 'app', repository: served.url, request: '^1', version: '1.2.0-rc.1' }
    expect((await resolveDependency(pinned, context)).version).toBe('1.2.0-rc.1')
  })

  test('reads an index without digests, and takes the digest of what came', async () => {
    const index = indexOf(charts).replace(/^ *digest: .*\n/gm, '')
    const served = await repository(charts, { index })
    const context = await dependencyContext({ repositories: [{ url: served.url }] })
    const resolved = await resolveDependency({ name: 'app', repository: served.url, request: '2.0.0' }, context)
    expect(resolved.digest).toBe(digestOf(charts[3]?.archive ?? new Uint8Array(), createNodePorts().crypto))
  })

  test('finds a chart that is called __proto__', async () => {
    const odd = fixtureChart('__proto__', '1.0.0')
    const served = await repository([odd])
    const context = await dependencyContext({ repositories: [{ url: served.url }] })
    const resolved = await resolveDependency({ name: '__proto__', repository: served.url, request: '*' }, context)
    expect(resolved.digest).toBe(odd.digest)
    expect(await refusal(served, { name: 'constructor' })).toMatchObject([{ code: 'DEPENDENCY_NOT_FOUND' }])
  })

  test('tries the addresses of an entry one after the other', async () => {
    const index = indexOf(charts).replaceAll(
      /^( *)- charts\/(.*)$/gm,
      (_all, indent: string, name: string) => `${indent}- gone/${name}\n${indent}- charts/${name}`,
    )
    const served = await repository(charts, { index })
    const context = await dependencyContext({ repositories: [{ url: served.url }] })
    const resolved = await resolveDependency({ name: 'app', repository: served.url, request: '1.0.0' }, context)
    expect(resolved.url).toBe(`${served.url}/charts/app-1.0.0.tgz`)
    expect(served.requests.map(({ path }) => path)).toEqual([
      '/index.yaml',
      '/gone/app-1.0.0.tgz',
      '/charts/app-1.0.0.tgz',
    ])
  })

  test('sends the query of the repository, and leaves it out of what it says', async () => {
    const served = await repository()
    const url = `${served.url}?signature=abc`
    const context = await dependencyContext({ repositories: [{ url: served.url }] })
    const resolved = await resolveDependency({ name: 'app', repository: url, request: '1.0.0' }, context)
    expect(resolved.url).toBe(`${served.url}/charts/app-1.0.0.tgz`)
    expect(served.requests.map(({ path }) => path)).toEqual([
      '/index.yaml?signature=abc',
      '/charts/app-1.0.0.tgz?signature=abc',
    ])
  })

  test('goes to the mirror, and names the real address', async () => {
    const mirror = await repository(charts, {
      index: indexOf(charts).replaceAll('- charts/', '- https://charts.example/stable/charts/'),
    })
    const url = 'https://charts.example/stable'
    const context = await dependencyContext({ repositories: [{ url, mirror: `${mirror.url}/` }] })
    for (const repository of [`${url}/`, `${url}?token=abc`]) {
      const resolved = await resolveDependency({ name: 'app', repository, request: '1.0.0' }, context)
      expect(resolved.url).toBe('https://charts.example/stable/charts/app-1.0.0.tgz')
    }
    expect(mirror.requests.map(({ path }) => path)).toEqual(['/index.yaml', '/charts/app-1.0.0.tgz', '/index.yaml'])
  })

  test('trusts the authority that the fleet names, over TLS', async () => {
    const served = await repository(charts, { tls: true })
    const caFile = join(await tempFolder(), 'ca.pem')
    await writeFile(caFile, served.ca ?? '')
    const context = await dependencyContext({ repositories: [{ url: served.url, plainHttp: false, caFile }] })
    const dependency = { name: 'app', repository: served.url, request: '1.0.0' }
    expect((await resolveDependency(dependency, context)).version).toBe('1.0.0')
    const distrusting = await dependencyContext()
    expect(await diagnosticsOf(resolveDependency(dependency, distrusting))).toMatchObject([{ code: 'FETCH_TLS' }])
  })

  test('shows credentials to the repository, and to no other host', async () => {
    const credentials = { username: 'mason', password: 'hunter2' }
    const other = await startWebServer({ '/app-1.0.0.tgz': { body: first?.archive ?? '' } })
    onTestFinished(other.close)
    const index = indexOf(charts).replace('charts/app-1.0.0.tgz', `${other.otherUrl}/app-1.0.0.tgz`)
    const served = await repository(charts, { credentials, index })
    const context = await dependencyContext({
      repositories: [
        { url: served.url, credentials: { username: 'CHARTS_USER', password: 'CHARTS_PASSWORD' } },
        { url: other.otherUrl },
      ],
      environment: { CHARTS_USER: credentials.username, CHARTS_PASSWORD: credentials.password },
    })
    const own = await resolveDependency({ name: 'app', repository: served.url, request: '2.0.0' }, context)
    const foreign = await resolveDependency({ name: 'app', repository: served.url, request: '1.0.0' }, context)
    expect([own.version, foreign.version]).toEqual(['2.0.0', '1.0.0'])
    expect(served.requests.map(({ headers }) => headers.has('authorization'))).toEqual([true, true])
    expect(other.requests.map(({ headers }) => headers.has('authorization'))).toEqual([false])
  })

  test('is refused without credentials, or with an unset variable', async () => {
    const served = await repository(charts, { credentials: { username: 'mason', password: 'hunter2' } })
    expect(await refusal(served)).toMatchObject([{ code: 'FETCH_UNAUTHORIZED' }])
    const repositories = [{ url: served.url, credentials: { token: 'CHARTS_TOKEN' } }]
    expect(await refusal(served, { context: { repositories } })).toMatchObject([{ code: 'FETCH_CREDENTIALS' }])
  })

  test('names the chart that was most likely meant', async () => {
    const served = await repository()
    expect(await refusal(served, { name: 'aap' })).toEqual([
      {
        code: 'DEPENDENCY_NOT_FOUND',
        severity: 'error',
        message: `the repository ${served.url} has no chart aap`,
        file: 'Chart.yaml',
        hint: 'Did you mean app?',
      },
    ])
  })

  test.each([
    { request: '^3', hint: 'It offers 2.0.0, 1.2.0-rc.1, 1.1.0, 1.0.0.' },
    { request: '1.1.5', hint: 'It offers 2.0.0, 1.2.0-rc.1, 1.1.0, 1.0.0.' },
  ])('lists versions near $request', async ({ request, hint }) => {
    const served = await repository()
    expect(await refusal(served, { request })).toMatchObject([
      {
        code: 'DEPENDENCY_NOT_FOUND',
        message: `the repository ${served.url} has no version of chart app that fits ${request}`,
        hint,
      },
    ])
  })

  test('lists the neighbours of an exact version among many', async () => {
    const many = Array.from({ length: 30 }, (_, minor) => fixtureChart('app', `1.${minor}.0`))
    const served = await repository(many)
    expect(await refusal(served, { request: '1.12.3' })).toMatchObject([
      { hint: 'It offers 1.15.0, 1.14.0, 1.13.0, 1.12.0, 1.11.0 and 25 more.' },
    ])
    expect(await refusal(served, { request: '0.1.0' })).toMatchObject([
      { hint: 'It offers 1.4.0, 1.3.0, 1.2.0, 1.1.0, 1.0.0 and 25 more.' },
    ])
  })

  test('tells that only prereleases are offered', async () => {
    const served = await repository([fixtureChart('app', '1.0.0-rc.1')])
    expect(await refusal(served)).toMatchObject([
      {
        code: 'DEPENDENCY_NOT_FOUND',
        hint: 'It offers 1.0.0-rc.1. These are prereleases, which only a range takes that names one, such as >=1.0.0-0.',
      },
    ])
  })

  test('refuses a request that is not a range', async () => {
    expect(await refusal(await repository(), { request: 'newest' })).toMatchObject([
      {
        code: 'CHART_INVALID',
        message:
          'dependency app asks for "newest", which is neither a version nor a range: improper constraint: newest',
      },
    ])
  })

  const bomb = packChart('app', '1.0.0', new Map([['Chart.yaml', new Uint8Array(100_000_000)]]))
  test.each([
    { name: 'another chart', archive: fixtureChart('other', '1.0.0').archive, code: 'FETCH_INVALID' },
    { name: 'another version', archive: fixtureChart('app', '9.9.9').archive, code: 'FETCH_INVALID' },
    { name: 'no archive', archive: 'hello', code: 'ARCHIVE_INVALID' },
    { name: 'a bomb', archive: bomb.archive, code: 'ARCHIVE_TOO_LARGE' },
    { name: 'no chart', archive: packChart('app', '1.0.0', new Map([['a', 'b']])).archive, code: 'CHART_INVALID' },
  ])('refuses $name where the chart should be', async ({ archive, code }) => {
    const index = indexOf(charts).replace(/^ *digest: .*\n/gm, '')
    const served = await repository(charts, { index, routes: { '/charts/app-1.1.0.tgz': { body: archive } } })
    expect(await refusal(served)).toMatchObject([{ code }])
  })

  test('refuses what does not have the digest of the index', async () => {
    const served = await repository(charts, {
      routes: { '/charts/app-1.1.0.tgz': { body: fixtureChart('app', '1.1.1').archive } },
    })
    expect(await refusal(served)).toMatchObject([{ code: 'FETCH_DIGEST_MISMATCH' }])
  })

  test.each([
    { name: 'no index', routes: { '/index.yaml': { status: 404 } }, code: 'FETCH_NOT_FOUND' },
    { name: 'a web page', routes: { '/index.yaml': { body: '<html>Log in</html>' } }, code: 'FETCH_INVALID' },
    { name: 'no archive', routes: { '/charts/app-1.1.0.tgz': { status: 404 } }, code: 'FETCH_NOT_FOUND' },
  ])('is refused by a server that has $name', async ({ routes, code }) => {
    expect(await refusal(await repository(charts, { routes }))).toMatchObject([{ code }])
  })

  test.each(['s3://bucket/app.tgz', 'file:///etc/passwd', 'https://user:hunter2@charts.example/app.tgz'])(
    'fetches nothing from %s',
    async (url) => {
      const served = await repository(charts, { index: indexOf(charts).replaceAll(/- charts\/.*/g, `- ${url}`) })
      const problems = await refusal(served)
      expect(problems).toMatchObject([{ code: 'FETCH_INVALID' }])
      expect(JSON.stringify(problems)).not.toContain('hunter2')
    },
  )

  test('asks no network when offline', async () => {
    const served = await repository()
    expect(await refusal(served, { context: { offline: true } })).toMatchObject([{ code: 'FETCH_OFFLINE' }])
    expect(served.requests).toEqual([])
  })

  test('takes plain http only where the fleet allows it', async () => {
    const served = await repository()
    expect(await refusal(served, { context: { repositories: [] } })).toMatchObject([{ code: 'FETCH_PLAIN_HTTP' }])
  })
})

describe("resolveDependency refuses repositories that only somebody's Helm knows:", () => {
  test.each([
    ['', 'dependency app names no repository, so it must lie in charts/, and does not'],
    ['@stable', "dependency app names the repository @stable, which only the configuration of somebody's Helm knows"],
    [
      'alias:stable',
      "dependency app names the repository alias:stable, which only the configuration of somebody's Helm knows",
    ],
    ['file://../app', 'dependency app lies at file://../app, which is not in the release'],
    ['stable', 'dependency app names the repository stable, which is not an https or oci address'],
    [
      's3://bucket/charts',
      'dependency app names the repository s3://bucket/charts, which is not an https or oci address',
    ],
    ['https://', 'dependency app names the repository https://, which is not an https or oci address'],
    ['https://user:hunter2@charts.example', 'dependency app has credentials in its address'],
    [
      'oci://registry.example:1.0.0',
      'dependency app has a repository that is not a place in a registry: oci://registry.example:1.0.0/app',
    ],
  ])('%s', async (repositoryUrl, message) => {
    const context = await dependencyContext({ offline: true })
    const dependency = { name: 'app', repository: repositoryUrl, request: '1.0.0' }
    const [problem] = await diagnosticsOf(resolveDependency(dependency, context))
    expect(problem).toMatchObject({ code: 'DEPENDENCY_UNSUPPORTED', message })
    expect(JSON.stringify(problem)).not.toContain('hunter2')
  })
})
