import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { diff } from '../../src/pipeline/commands/diff.ts'
import { fetchLock } from '../../src/pipeline/commands/fetch-lock.ts'
import { openRegistry } from '../../src/network/registry/open-registry.ts'
import { dependencyContext } from '../sources/dependency/dependency-fixture.ts'
import {
  fixtureFiles,
  indexOf,
  packChart,
  startChartRepository,
  type ChartRepositoryOptions,
  type RepositoryChart,
  type TestChartRepository,
} from '../../tools/servers/chart-repository.ts'
import { hasRegistry, registryUser, startRegistry } from '../../tools/servers/registry.ts'
import { fleetYaml, releaseFiles } from '../../tools/servers/release-server.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { startWebServer, type WebAnswer } from '../../tools/servers/web-server.ts'
import { runCli } from '../cli/run-cli.ts'
import { problemsOf, remoteFleet, type RemoteFleet } from './remote-fleet.ts'

const ADDONS = 'clusters/team-a/web/addons.yaml'
const addons = join('rendered/clusters/team-a/web/addons-own')

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: agents.example.org}
spec: {group: example.org, scope: Cluster, names: {kind: Agent, plural: agents}, versions: []}
`

function chart(name: string, version: string, more: readonly (readonly [string, string])[] = []): RepositoryChart {
  return packChart(name, version, new Map([...fixtureFiles(name, version), ['crds/crd.yaml', crd], ...more]))
}

const charts = [chart('agent', '1.0.0'), chart('agent', '1.2.0')]

function addonsYaml(repository: string, { name = 'agent', version = '^1.0.0' } = {}): string {
  return `apiVersion: stackmason.dev/v1alpha1
kind: Addons
spec:
  addons:
    - name: watcher
      namespace: default
      chart:
        repository: ${repository}
        name: ${name}
        version: ${JSON.stringify(version)}
`
}

type Fleet = RemoteFleet & { readonly repository: TestChartRepository }

async function fleetWith(options: ChartRepositoryOptions = {}, offered = charts): Promise<Fleet> {
  const repository = await startChartRepository(offered, options)
  onTestFinished(repository.close)
  const fleet = await remoteFleet()
  fleet.offered.set('docker-demo-1-34-v1', releaseFiles('v1'))
  fleet.change({
    'stackmason.yaml': fleetYaml(
      fleet.server.url,
      `  chartRepositories:\n    - {url: "${repository.url}", plainHttp: true}\n`,
    ),
    [ADDONS]: addonsYaml(repository.url),
  })
  return Object.assign(fleet, { repository })
}

/** What the addon was rendered to, by file name. */
async function renderedIn({ folder }: RemoteFleet): Promise<ReadonlyMap<string, string>> {
  const unit = (await readdir(join(folder, addons))).find((name) => name === 'watcher') ?? 'none'
  const files = await readdir(join(folder, addons, unit))
  return new Map(
    await Promise.all(
      files.map(async (name) => [name, await readFile(join(folder, addons, unit, name), 'utf8')] as const),
    ),
  )
}

describe('a chart of a repository as an own addon', () => {
  test('is locked by update, rendered without network, with values, CRDs and namespace', async () => {
    const fleet = await fleetWith()
    fleet.change({ 'clusters/team-a/web/values/watcher.yaml': 'greeting: servus\n' })
    expect((await fleet.update()).changes.at(-1)).toEqual({
      kind: 'dependency',
      change: 'added',
      name: 'agent',
      detail: `1.2.0 from ${fleet.repository.url}`,
    })
    const lock = fleet.read('stackmason.lock')
    expect(lock).toContain(charts[1]?.digest)
    const asked = fleet.repository.requests.length
    await fleet.render({ network: 'offline' })
    const files = [...(await renderedIn(fleet)).values()].join('---\n')
    expect(files).toContain('name: agent-1.2.0\n  namespace: default\n')
    expect(files).toContain('greeting: servus')
    expect(files).toContain('kind: CustomResourceDefinition')
    expect((await fleet.render({ check: true, network: 'offline' })).findings).toEqual([])
    expect(fleet.repository.requests.length).toBe(asked)
    expect((await fleet.update()).status).toBe('unchanged')
  })

  test('is listed with the version that is asked for, the one that is locked, and who uses it', async () => {
    const fleet = await fleetWith()
    const cluster = fleet.read('clusters/team-a/web/cluster.yaml')
    fleet.change({
      [ADDONS]: null,
      'clusters/team-a/addons.yaml': addonsYaml(fleet.repository.url),
      'clusters/team-a/api/cluster.yaml': cluster.replace('name: web', 'name: api'),
    })
    const list = async (words: readonly string[] = []): Promise<string> =>
      (await runCli(['list', ...words], { cwd: fleet.folder, ports: fleet.ports })).stdout
    const title = 'CHART  VERSION  LOCKED  DIGEST'
    expect((await list()).split('\n\n')[1]).toBe(
      `${title}  REPOSITORY${' '.repeat(fleet.repository.url.length - 10)}  ADDON    USED BY
agent  ^1.0.0   -       -       ${fleet.repository.url}  watcher  team-a/api, team-a/web
`,
    )
    await fleet.update()
    const digest = charts[1]?.digest.slice('sha256:'.length, 'sha256:'.length + 12) ?? ''
    expect((await list()).split('\n\n')[1]).toBe(
      `${title}        REPOSITORY${' '.repeat(fleet.repository.url.length - 10)}  ADDON    USED BY
agent  ^1.0.0   1.2.0   ${digest}  ${fleet.repository.url}  watcher  team-a/api, team-a/web
`,
    )
    expect(await list(['--source', 'web'])).not.toContain('CHART')
  })

  test('moves within its range by update, not by render', async () => {
    const fleet = await fleetWith()
    fleet.change({ [ADDONS]: addonsYaml(fleet.repository.url, { version: '1.0.0' }) })
    await fleet.update()
    await fleet.render()
    expect([...(await renderedIn(fleet)).values()].join('')).toContain('name: agent-1.0.0\n')
    fleet.change({ [ADDONS]: addonsYaml(fleet.repository.url, { version: '>=1.1' }) })
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      `LOCK_MISSING ${ADDONS}:10:18 chart agent >=1.1 of ${fleet.repository.url} is not in stackmason.lock | Run \`stackmason update\`, review its output, and commit stackmason.lock.`,
    ])
    const old = fleet.read('stackmason.lock')
    await fleet.update()
    await fleet.render()
    expect([...(await renderedIn(fleet)).values()].join('')).toContain('name: agent-1.2.0\n')
    fleet.write('old.lock', old)
    const compared = { before: { kind: 'disk' }, after: { kind: 'render', lock: fleet.path('old.lock') } } as const
    const comparing = diff({ start: fleet.folder, compared }, fleet.ports, () => undefined)
    expect(await problemsOf(comparing, fleet.folder)).toEqual([
      `LOCK_MISSING ${ADDONS}:10:18 chart agent >=1.1 of ${fleet.repository.url} is not in old.lock | Bring old.lock up to date where it comes from, or leave --lock out: \`stackmason update\` changes stackmason.lock alone.`,
    ])
  })

  test('counts for folders above, and leaves the lock with its entry', async () => {
    const fleet = await fleetWith()
    fleet.change({ [ADDONS]: null, 'clusters/addons.yaml': addonsYaml(fleet.repository.url) })
    await fleet.update()
    await fleet.render()
    expect((await renderedIn(fleet)).size).toBeGreaterThan(1)
    fleet.change({ 'clusters/addons.yaml': null })
    expect((await fleet.update()).changes).toEqual([
      expect.objectContaining({ kind: 'dependency', change: 'removed', name: 'agent' }),
    ])
  })

  test('is fetched into an empty cache by digest; other content is refused', async () => {
    const fleet = await fleetWith()
    await fleet.update()
    fleet.forget()
    expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
      expect.stringMatching(
        /^CHART_DEPENDENCY_MISSING \S+addons\.yaml:10:18 chart agent 1\.2\.0 of .* is locked, but not in the cache \| Run `stackmason fetch`/,
      ),
    ])
    const start = { start: fleet.folder }
    expect((await fetchLock(start, fleet.ports, () => undefined)).fetched.files).toBeGreaterThan(0)
    await fleet.render({ network: 'offline' })

    fleet.forget()
    await fleet.repository.close()
    const other = await startChartRepository([chart('agent', '1.2.0', [['note.txt', 'other']])])
    onTestFinished(other.close)
    fleet.change({
      'stackmason.yaml': fleetYaml(
        fleet.server.url,
        `  chartRepositories:\n    - {url: "${fleet.repository.url}", plainHttp: true, mirror: "${other.url}"}\n`,
      ),
    })
    expect(
      await problemsOf(
        fetchLock(start, fleet.ports, () => undefined),
        fleet.folder,
      ),
    ).toEqual([
      expect.stringMatching(
        /^FETCH_DIGEST_MISMATCH .* \| Do not use it before you know who replaced it and why; to accept it, remove its entry from stackmason\.lock and run `stackmason update`\.$/,
      ),
    ])
    const lock = await readFile(join(fleet.folder, 'stackmason.lock'), 'utf8')
    fleet.change({ 'stackmason.lock': lock.replace(/\ndependencies:[^]*/, '\n') })
    expect((await fleet.update()).changes).toEqual([
      expect.objectContaining({ kind: 'dependency', change: 'added', name: 'agent' }),
    ])
    await fleet.render({ network: 'offline' })
  })

  test.each(['addons.yaml', 'a chart of the fleet', 'a release'])(
    'fetch lets itself in by the query of the repository, as %s writes it; it is in no file',
    async (place) => {
      const [packed] = charts
      if (packed === undefined) throw new Error('no chart')
      const answers = new Map<string, WebAnswer>([
        ['/index.yaml?token=abc', { body: indexOf([packed]) }],
        ['/charts/agent-1.0.0.tgz?token=abc', { body: packed.archive }],
      ])
      const charted = await startWebServer(({ path }) => answers.get(path) ?? { status: 403 })
      onTestFinished(charted.close)
      const fleet = await remoteFleet()
      const address = `${charted.url}?token=abc`
      const dependencies = `dependencies:\n  - {name: agent, version: ^1.0.0, repository: "${address}"}\n`
      fleet.offered.set('docker-demo-1-34-v1', releaseFiles('v1', place === 'a release' ? { dependencies } : {}))
      fleet.change({
        'stackmason.yaml': fleetYaml(
          fleet.server.url,
          `  chartRepositories:\n    - {url: "${charted.url}", plainHttp: true}\n`,
        ),
        ...(place === 'addons.yaml' && { [ADDONS]: addonsYaml(address) }),
        ...(place === 'a chart of the fleet' && {
          [ADDONS]: addonsYaml('x').replace(/chart:[^]*/, 'chart: {path: ../../../charts/mine}\n'),
          'charts/mine/Chart.yaml': `apiVersion: v2\nname: mine\nversion: 1.0.0\n${dependencies}`,
        }),
      })
      await fleet.update()
      expect(fleet.read('stackmason.lock')).toContain(packed.digest)
      expect(fleet.read('stackmason.lock')).not.toContain('abc')
      fleet.forget()
      const asked = charted.requests.length
      await fetchLock({ start: fleet.folder }, fleet.ports, () => undefined)
      expect(charted.requests.slice(asked).map(({ path }) => path)).toEqual(['/charts/agent-1.0.0.tgz?token=abc'])
      await fleet.render({ network: 'offline' })
    },
  )

  test.each(['1.2.0', '^1.0.0'])(
    'a lock that names another version than its digest pins is refused (%s)',
    async (version) => {
      const fleet = await fleetWith()
      fleet.change({ [ADDONS]: addonsYaml(fleet.repository.url, { version }) })
      await fleet.update()
      const lock = fleet.read('stackmason.lock')
      const edited = lock.replace(/ version: "?1\.2\.0"?\n/, ' version: 1.0.0\n')
      expect(edited).not.toBe(lock)
      fleet.change({ 'stackmason.lock': edited })
      const problems = await problemsOf(fleet.render(), fleet.folder)
      expect(problems).toEqual([
        expect.stringMatching(
          /^LOCK_MISMATCH stackmason\.lock:\d+:\d+ stackmason\.lock says chart agent 1\.0\.0, but its digest is that of agent 1\.2\.0 \| Find out who edited the lock; `stackmason update` corrects it\.$/,
        ),
      ])
      await fleet.update()
      expect(fleet.read('stackmason.lock')).toBe(lock)
    },
  )

  test.each(['1.2.0', '^1.0.0'])(
    'a digest of another chart in the lock is replaced by update, not kept (%s)',
    async (asked) => {
      const fleet = await fleetWith()
      fleet.change({ [ADDONS]: addonsYaml(fleet.repository.url, { version: asked }) })
      await fleet.update()
      const lock = fleet.read('stackmason.lock')
      const other = charts[0]
      if (other === undefined) throw new Error('there is no other chart')
      fleet.change({ [ADDONS]: addonsYaml(fleet.repository.url, { version: '1.0.0' }) })
      await fleet.update()
      fleet.change({
        [ADDONS]: addonsYaml(fleet.repository.url, { version: asked }),
        'stackmason.lock': lock.replace(charts[1]?.digest ?? 'none', other.digest),
      })
      expect(await problemsOf(fleet.render(), fleet.folder)).toEqual([
        expect.stringMatching(/^LOCK_MISMATCH .* says chart agent 1\.2\.0, but its digest is that of agent 1\.0\.0 /),
      ])
      await fleet.update()
      expect(fleet.read('stackmason.lock')).toBe(lock)
    },
  )

  test.each<{ readonly name: string; readonly entry: Parameters<typeof addonsYaml>[1]; readonly problem: RegExp }>([
    {
      name: 'no such chart',
      entry: { name: 'agnt' },
      problem: /^DEPENDENCY_NOT_FOUND \S+addons\.yaml:10:18 .* has no chart agnt \| Did you mean agent\?$/,
    },
    {
      name: 'a digest without a registry',
      entry: { version: `sha256:${'0'.repeat(64)}` },
      problem: /^CHART_INVALID \S+addons\.yaml:10:18 /,
    },
    {
      name: 'no such version',
      entry: { version: '^2' },
      problem: /^DEPENDENCY_NOT_FOUND \S+addons\.yaml:10:18 .* that fits \^2 \| It offers 1\.2\.0, 1\.0\.0\.$/,
    },
    { name: 'no version at all', entry: { version: 'one' }, problem: /^CHART_INVALID \S+addons\.yaml:10:18 / },
    {
      name: 'a chart without what it depends on',
      entry: { name: 'umbrella' },
      problem:
        /^CHART_DEPENDENCY_MISSING \S+addons\.yaml:10:18 chart umbrella of \S+ was packed without charts that it depends on: part \| /,
    },
  ])('$name', async ({ entry, problem }) => {
    const umbrella = chart('umbrella', '1.0.0', [
      [
        'Chart.yaml',
        'apiVersion: v2\nname: umbrella\nversion: 1.0.0\ndependencies: [{name: part, version: 1.0.0, repository: "https://charts.example.org"}]\n',
      ],
    ])
    const fleet = await fleetWith({}, [...charts, umbrella])
    fleet.change({ [ADDONS]: addonsYaml(fleet.repository.url, entry) })
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([expect.stringMatching(problem)])
    expect(fleet.has('stackmason.lock')).toBe(false)
  })

  const archive = Buffer.from(charts[1]?.archive ?? [])
  test.each<{ readonly name: string; readonly answer: WebAnswer; readonly code: string }>([
    {
      name: 'a body that ends early',
      answer: { body: archive, fault: { type: 'truncate', after: 20 } },
      code: 'FETCH_FAILED',
    },
    { name: 'a reset', answer: { body: archive, fault: { type: 'reset', after: 20 } }, code: 'FETCH_FAILED' },
    {
      name: 'other bytes than the index says',
      answer: { body: Buffer.from(archive).fill(7, 100, 110) },
      code: 'FETCH_DIGEST_MISMATCH',
    },
    { name: 'a server that is overloaded', answer: { status: 503 }, code: 'FETCH_REFUSED' },
    { name: 'a file that is not there', answer: { status: 404 }, code: 'FETCH_NOT_FOUND' },
    { name: 'a file that nobody may read', answer: { status: 401 }, code: 'FETCH_UNAUTHORIZED' },
    {
      name: 'a redirect that goes round',
      answer: { status: 302, headers: { location: '/charts/agent-1.2.0.tgz' } },
      code: 'FETCH_INVALID',
    },
  ])('network: $name', async ({ answer, code }) => {
    const fleet = await fleetWith({ routes: { '/charts/agent-1.2.0.tgz': answer } })
    const problems = await problemsOf(fleet.update(), fleet.folder)
    expect(problems).toEqual([expect.stringMatching(new RegExp(`^${code} `))])
    expect(fleet.has('stackmason.lock')).toBe(false)
  })

  test.each<{ readonly name: string; readonly chart: string; readonly problem: RegExp }>([
    {
      name: 'path and repository',
      chart: '{path: charts/x, repository: "https://x.example", name: x, version: "1"}',
      problem: /^CONFIG_CONFLICT \S+:6:7 .* has a path and a repository/,
    },
    {
      name: 'no version',
      chart: '{repository: "https://x.example", name: x}',
      problem: /^CONFIG_MISSING_FIELD \S+:6:7 .* lacks version \|/,
    },
    { name: 'nothing', chart: '{}', problem: /^CONFIG_MISSING_FIELD \S+:6:7 .* says no chart \|/ },
    {
      name: 'another kind of address',
      chart: '{repository: "file:///etc", name: x, version: "1"}',
      problem: /^CONFIG_INVALID_VALUE \S+:6:\d+ /,
    },
    {
      name: 'a name that leads elsewhere',
      chart: '{repository: "https://x.example", name: "../x", version: "1"}',
      problem: /^CONFIG_INVALID_VALUE \S+:6:\d+ /,
    },
  ])('written wrong: $name', async ({ chart: written, problem }) => {
    const fleet = await fleetWith()
    fleet.change({
      [ADDONS]: `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n    - name: watcher\n      chart: ${written}\n`,
    })
    expect((await problemsOf(fleet.render(), fleet.folder))[0]).toMatch(problem)
  })
})

describe.skipIf(!hasRegistry())('a chart of a real registry as an own addon', () => {
  test('with TLS and a login is locked, rendered, and fetched again by digest', async () => {
    const registry = await startRegistry({ auth: 'basic', tls: true })
    onTestFinished(registry.close)
    const caFile = join(await tempFolder(), 'ca.pem')
    await writeFile(caFile, registry.ca ?? '')
    const environment = { REGISTRY_USER: registryUser.username, REGISTRY_PASSWORD: registryUser.password }
    const credentials = { username: 'REGISTRY_USER', password: 'REGISTRY_PASSWORD' }
    const [packed = chart('agent', '1.2.0')] = charts.slice(1)
    const session = await openRegistry(
      { host: registry.host, repository: 'charts/agent', plainHttp: false, caFile, credentials },
      await dependencyContext({ environment }),
    )
    const config = encodeUtf8('{"name":"agent"}')
    const describeBlob = async (mediaType: string, bytes: Uint8Array): Promise<object> => ({
      mediaType,
      digest: await session.pushBlob(bytes),
      size: bytes.length,
    })
    const manifest = {
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: await describeBlob('application/vnd.cncf.helm.config.v1+json', config),
      layers: [await describeBlob('application/vnd.cncf.helm.chart.content.v1.tar+gzip', packed.archive)],
    }
    const { digest } = await session.pushManifest('1.2.0', {
      bytes: encodeUtf8(JSON.stringify(manifest)),
      mediaType: manifest.mediaType,
    })

    const fleet = await fleetWith()
    const { environment: own } = fleet.ports
    const ports = {
      ...fleet.ports,
      environment: { get: (name: string) => new Map(Object.entries(environment)).get(name) ?? own.get(name) },
    }
    Object.assign(fleet.ports, ports)
    const url = `oci://${registry.host}/charts`
    fleet.change({
      'stackmason.yaml': fleetYaml(
        fleet.server.url,
        `  chartRepositories:\n    - {url: "${url}", caFile: ca.pem, credentialsFrom: {username: REGISTRY_USER, password: REGISTRY_PASSWORD}}\n`,
      ),
      'ca.pem': registry.ca ?? '',
      [ADDONS]: addonsYaml(url, { version: '~1.2' }),
    })
    expect((await fleet.update()).changes.at(-1)).toMatchObject({ name: 'agent', detail: `1.2.0 from ${url}` })
    const lock = fleet.read('stackmason.lock')
    expect(lock).toContain(packed.digest)
    expect(lock).not.toContain(registryUser.password)
    fleet.forget()
    await fetchLock({ start: fleet.folder }, fleet.ports, () => undefined)
    await fleet.render({ network: 'offline' })
    expect([...(await renderedIn(fleet)).values()].join('')).toContain('name: agent-1.2.0\n')

    // by digest: exact, so it never moves
    fleet.change({ [ADDONS]: addonsYaml(url, { version: digest }) })
    expect((await fleet.update()).changes.map(({ change }) => change)).toEqual(['added', 'removed'])
    expect((await fleet.update()).status).toBe('unchanged')
    await fleet.render({ network: 'offline' })
    expect([...(await renderedIn(fleet)).values()].join('')).toContain('name: agent-1.2.0\n')
    fleet.change({
      [ADDONS]: addonsYaml(url, { version: digest.replace(/.$/, (last) => (last === '0' ? '1' : '0')) }),
    })
    expect(await problemsOf(fleet.update(), fleet.folder)).toEqual([
      expect.stringMatching(/^DEPENDENCY_NOT_FOUND \S+addons\.yaml:10:18 .* has no chart agent with the digest /),
    ])
  })
})
