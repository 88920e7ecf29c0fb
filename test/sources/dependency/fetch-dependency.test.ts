import { describe, expect, onTestFinished, test } from 'vitest'
import type { LockedDependency } from '../../../src/model/lock.ts'
import { fetchDependency } from '../../../src/sources/dependency/fetch-dependency.ts'
import { fixtureChart, indexOf, startChartRepository } from '../../../tools/servers/chart-repository.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { startWebServer, type WebRoutes } from '../../../tools/servers/web-server.ts'
import { dependencyContext } from './dependency-fixture.ts'

const chart = fixtureChart('app', '1.0.0')

function locked(url: string, changes: Partial<LockedDependency> = {}): LockedDependency {
  const { name, version, digest } = chart
  const archive = `${url}/charts/app-1.0.0.tgz`
  return { name, repository: url, request: '^1', version, url: archive, digest, ...changes }
}

async function repository(routes: WebRoutes = {}): ReturnType<typeof startChartRepository> {
  const served = await startChartRepository([chart], { routes })
  onTestFinished(served.close)
  return served
}

describe('fetchDependency', () => {
  test('asks for the archive alone, and only once', async () => {
    const { url, requests } = await repository()
    const context = await dependencyContext({ repositories: [{ url }] })
    expect(await fetchDependency(locked(url), context)).toEqual(chart.archive)
    expect(await fetchDependency(locked(url), context)).toEqual(chart.archive)
    expect(requests.map(({ path }) => path)).toEqual(['/charts/app-1.0.0.tgz'])
    const offline = await dependencyContext({ offline: true, cacheFolder: context.cacheFolder() })
    expect(await fetchDependency(locked(url), offline)).toEqual(chart.archive)
  })

  test('says offline what is missing', async () => {
    const context = await dependencyContext({ offline: true })
    expect(await diagnosticsOf(fetchDependency(locked('https://charts.example'), context))).toEqual([
      {
        code: 'FETCH_OFFLINE',
        severity: 'error',
        message: 'chart app 1.0.0 of https://charts.example is not in the cache',
        hint: 'Run `stackmason fetch` without --offline.',
      },
    ])
  })

  test('goes to the mirror that the fleet names now', async () => {
    const mirror = await repository()
    const context = await dependencyContext({ repositories: [{ url: 'https://charts.example', mirror: mirror.url }] })
    expect(await fetchDependency(locked('https://charts.example'), context)).toEqual(chart.archive)
  })

  test('sends the query of the repository, which the lock leaves out', async () => {
    const { url, requests } = await repository()
    const context = await dependencyContext({ repositories: [{ url }] })
    await fetchDependency(locked(url, { repository: `${url}?signature=abc` }), context)
    expect(requests.map(({ path }) => path)).toEqual(['/charts/app-1.0.0.tgz?signature=abc'])
  })

  test('shows the query of the repository to no other host', async () => {
    const { url, otherUrl, requests } = await repository()
    const context = await dependencyContext({ repositories: [{ url }, { url: otherUrl }] })
    const elsewhere = { repository: `${url}?token=abc`, url: `${otherUrl}/charts/app-1.0.0.tgz` }
    expect(await fetchDependency(locked(url, elsewhere), context)).toEqual(chart.archive)
    expect(requests.map(({ path }) => path)).toEqual(['/charts/app-1.0.0.tgz'])
  })

  test('asks the index when the archive has moved', async () => {
    const { url } = await repository()
    const context = await dependencyContext({ repositories: [{ url }] })
    expect(await fetchDependency(locked(url, { url: `${url}/old/app-1.0.0.tgz` }), context)).toEqual(chart.archive)
  })

  test('never takes another archive, wherever it lies', async () => {
    const other = fixtureChart('app', '1.0.0+other')
    const { url } = await repository({ '/charts/app-1.0.0.tgz': { body: other.archive } })
    const context = await dependencyContext({ repositories: [{ url }] })
    expect(await diagnosticsOf(fetchDependency(locked(url), context))).toMatchObject([
      { code: 'FETCH_DIGEST_MISMATCH' },
    ])
    const moved = locked(url, { url: `${url}/old/app-1.0.0.tgz` })
    expect(await diagnosticsOf(fetchDependency(moved, context))).toMatchObject([{ code: 'FETCH_NOT_FOUND' }])
  })

  test('tells that the version is gone', async () => {
    const server = await startWebServer({ '/index.yaml': { body: indexOf([fixtureChart('app', '2.0.0')]) } })
    onTestFinished(server.close)
    const context = await dependencyContext({ repositories: [{ url: server.url }] })
    expect(await diagnosticsOf(fetchDependency(locked(server.url), context))).toMatchObject([
      { code: 'FETCH_NOT_FOUND' },
    ])
  })
})
