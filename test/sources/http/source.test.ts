import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { HttpSourceConfig } from '../../../src/model/fleet.ts'
import { formatTag, parseReleaseTag } from '../../../src/model/release-name.ts'
import type { ReleaseSource } from '../../../src/model/release-source.ts'
import { openHttpSource } from '../../../src/sources/http/source.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { sourceContext } from '../../support/source-context.ts'
import {
  requireBearer,
  startWebServer,
  type WebHandler,
  type WebRoutes,
  type WebServer,
} from '../../../tools/servers/web-server.ts'

const at = { source: { name: 'stackmason.yaml', text: 'name: web' }, start: 6, end: 9 }
const name = parseReleaseTag('openstack-scs2-1-34-v3')
const folder = '/stacks/openstack-scs2-1-34-v3'

const metadata = `apiVersion: metadata.clusterstack.x-k8s.io/v1alpha1
versions:
  clusterStack: v3
  kubernetes: v1.34.7
  components:
    clusterAddon: v2
    nodeImage: v1
`

interface Setting {
  readonly variables?: Readonly<Record<string, string>>
  readonly offline?: boolean
  readonly config?: Partial<HttpSourceConfig>
}

async function serve(routes: WebRoutes | WebHandler): Promise<WebServer> {
  const server = await startWebServer(routes)
  onTestFinished(server.close)
  return server
}

async function open(server: WebServer, setting: Setting = {}): Promise<ReleaseSource> {
  const config: HttpSourceConfig = {
    type: 'http',
    name: 'web',
    at,
    url: `${server.url}/stacks`,
    plainHttp: true,
    ...setting.config,
  }
  return openHttpSource(config, await sourceContext(setting.variables, { offline: setting.offline === true }))
}

function assetOf(file: string, content: string): object {
  const digest = `sha256:${createHash('sha256').update(content).digest('hex')}`
  return { name: file, digest, size: Buffer.byteLength(content) }
}

function indexOf(...releases: readonly object[]): object {
  return { apiVersion: 'stackmason.dev/v1alpha1', kind: 'ReleaseIndex', releases }
}

/** Method and path of what was asked. */
function asked(server: WebServer): readonly string[] {
  return server.requests.map(({ method, path }) => `${method} ${path}`)
}

describe('with an index', () => {
  const index = indexOf(
    { name: 'openstack-scs-v5', assets: [assetOf('a', 'a')] },
    { name: formatTag(name), published: '2026-05-04T10:00:00Z', assets: [assetOf('metadata.yaml', metadata)] },
    { name: 'docker-ferrol-1-27-v0-sha-hipstsw', kubernetesVersion: 'v1.27.3', assets: [assetOf('a', 'a')] },
  )

  test('lists what it names, and skips odd names', async () => {
    const server = await serve({ '/stacks/index.json': { body: index } })
    const source = await open(server)
    expect(await source.list()).toEqual({
      releases: [
        { name: parseReleaseTag('docker-ferrol-1-27-v0-sha-hipstsw'), kubernetesVersion: 'v1.27.3' },
        { name, published: '2026-05-04T10:00:00Z' },
      ],
      findings: [
        {
          code: 'RELEASE_TAG_SKIPPED',
          severity: 'note',
          message: 'source "web" has a tag that is not a release name, skipped: "openstack-scs-v5"',
          at,
          hint: expect.any(String),
        },
      ],
    })
    await source.list()
    expect(asked(server)).toEqual(['GET /stacks/index.json'])
  })

  test('describes by metadata.yaml when the index is silent', async () => {
    const server = await serve({
      '/stacks/index.json': { body: index },
      [`${folder}/metadata.yaml`]: { body: metadata },
    })
    const source = await open(server)
    const [hashed, stable] = (await source.list()).releases
    expect(await source.describe(hashed!)).toEqual(hashed)
    expect(await source.describe(stable!)).toEqual({ ...stable, kubernetesVersion: 'v1.34.7' })
    expect(asked(server)).toEqual(['GET /stacks/index.json', `GET ${folder}/metadata.yaml`])
  })

  test('locates without another request, and fetches with digest and size checked', async () => {
    const server = await serve({
      '/stacks/index.json': { body: index },
      [`${folder}/metadata.yaml`]: { body: metadata },
    })
    const source = await open(server)
    const located = await source.locate(name)
    expect(located).toEqual({
      name,
      from: `${server.url}${folder}`,
      assets: [assetOf('metadata.yaml', metadata)],
    })
    expect(await source.locate(parseReleaseTag('openstack-scs2-1-34-v4'))).toBeUndefined()
    expect(new TextDecoder().decode(await source.fetch(located!, located!.assets[0]!))).toBe(metadata)
    expect(asked(server)).toEqual(['GET /stacks/index.json', `GET ${folder}/metadata.yaml`])
  })

  test('refuses an asset that is not what the index says, and names the index', async () => {
    const body = metadata.replace('v1.34.7', 'v1.34.8')
    const server = await serve({ '/stacks/index.json': { body: index }, [`${folder}/metadata.yaml`]: { body } })
    const source = await open(server)
    const located = await source.locate(name)
    const [problem, ...others] = await diagnosticsOf(source.fetch(located!, located!.assets[0]!))
    expect(others).toEqual([])
    expect(problem).toMatchObject({
      code: 'FETCH_DIGEST_MISMATCH',
      at,
      hint: 'Find out who replaced the file. If that was on purpose, write index.json anew (`stackmason build --index`), else put the file back.',
    })
    const [, what = '', named] = /from [^ ]+: (.*); (.*)$/.exec(problem?.message ?? '') ?? []
    expect(what).toMatch(/^what it sends has the digest sha256:\S+, not/)
    expect(named).toBe(`${server.url}/stacks/index.json says what it has to be`)
  })

  test.each([
    { case: 'names that lead out', body: indexOf({ name: '../other', assets: [assetOf('../x', 'a')] }), count: 2 },
    {
      case: 'a release twice',
      body: { ...index, releases: [1, 2].map(() => ({ name: 'a', assets: [assetOf('a', 'a')] })) },
      count: 1,
    },
    { case: 'a web page', body: '<!doctype html>', count: 1 },
  ])('refuses an index with $case', async ({ body, count }) => {
    const server = await serve({ '/stacks/index.json': { body } })
    const source = await open(server)
    const problems = await diagnosticsOf(source.list())
    expect(problems).toHaveLength(count)
    for (const problem of problems) {
      expect(problem).toEqual({
        code: 'FETCH_INVALID',
        severity: 'error',
        message: expect.stringMatching(`^${server.url}/stacks/index.json is not an index of releases: `),
        at,
        hint: expect.any(String),
      })
    }
    expect(await diagnosticsOf(source.locate(name))).toEqual(problems)
  })

  test('refuses an index without end', async () => {
    const server = await serve({ '/stacks/index.json': { body: ' '.repeat(17 * 1024 * 1024) } })
    expect(await diagnosticsOf((await open(server)).list())).toMatchObject([{ code: 'FETCH_TOO_LARGE', at }])
  })
})

describe('without an index', () => {
  const single: WebRoutes = {
    [`${folder}/metadata.yaml`]: { body: metadata },
    [`${folder}/openstack-scs2-1-34-cluster-class-v3.tgz`]: { body: 'class' },
    [`${folder}/openstack-scs2-1-34-cluster-addon-v2.tgz`]: { body: 'addon' },
    [`${folder}/cluster-addon-values.yaml`]: { body: 'values' },
  }

  test('lists nothing and says so', async () => {
    const server = await serve(single)
    expect(await (await open(server)).list()).toEqual({
      releases: [],
      findings: [
        {
          code: 'FETCH_NOT_FOUND',
          severity: 'warning',
          message: 'source "web" has no index.json, so nothing of what it offers is known',
          at,
          hint: 'Put an index.json there, or name the versions in the ClusterStack: those are looked for.',
        },
      ],
    })
  })

  test('asks for the names that a release may have, the addon by its own version', async () => {
    const server = await serve(single)
    const source = await open(server)
    const located = await source.locate(name)
    expect(located).toEqual({
      name,
      from: `${server.url}${folder}`,
      assets: [
        { name: 'cluster-addon-values.yaml' },
        { name: 'metadata.yaml' },
        { name: 'openstack-scs2-1-34-cluster-addon-v2.tgz' },
        { name: 'openstack-scs2-1-34-cluster-class-v3.tgz' },
      ],
    })
    expect(asked(server)).toEqual([
      'GET /stacks/index.json',
      `GET ${folder}/metadata.yaml`,
      `HEAD ${folder}/openstack-scs2-1-34-cluster-class-v3.tgz`,
      `HEAD ${folder}/openstack-scs2-1-34-cluster-addon-v2.tgz`,
      `HEAD ${folder}/clusteraddon.yaml`,
      `HEAD ${folder}/cluster-addon-values.yaml`,
      `HEAD ${folder}/hashes.json`,
      `HEAD ${folder}/image.yaml`,
      `HEAD ${folder}/kubernetes.yaml`,
      `HEAD ${folder}/node-images.yaml`,
    ])
    await source.locate(name)
    expect(await source.describe({ name })).toEqual({ name, kubernetesVersion: 'v1.34.7' })
    expect(new TextDecoder().decode(await source.fetch(located!, { name: 'metadata.yaml' }))).toBe(metadata)
    expect(server.requests).toHaveLength(10)
    const archive = { name: 'openstack-scs2-1-34-cluster-class-v3.tgz' }
    expect(new TextDecoder().decode(await source.fetch(located!, archive))).toBe('class')
    const pinned = { ...archive, digest: `sha256:${'0'.repeat(64)}` }
    const [problem] = await diagnosticsOf(source.fetch(located!, pinned))
    expect(problem).toMatchObject({ code: 'FETCH_DIGEST_MISMATCH' })
    expect(problem?.message).not.toContain('index.json')
  })

  test('knows both spellings of versions off the stable channel', async () => {
    const hashed = parseReleaseTag('docker-ferrol-1-27-v0-sha-hipstsw')
    const server = await serve({
      '/stacks/docker-ferrol-1-27-v0-sha-hipstsw/metadata.yaml': {
        body: metadata
          .replace('clusterStack: v3', 'clusterStack: v0-sha.hipstsw')
          .replace('Addon: v2', 'Addon: v0-sha.abc'),
      },
      '/stacks/docker-ferrol-1-27-v0-sha-hipstsw/docker-ferrol-1-27-cluster-class-v0-sha.hipstsw.tgz': { body: 'a' },
      '/stacks/docker-ferrol-1-27-v0-sha-hipstsw/docker-ferrol-1-27-cluster-addon-v0-sha-abc.tgz': { body: 'b' },
      '/stacks/docker-ferrol-1-27-v0-sha-hipstsw/clusteraddon.yaml': { body: 'c' },
    })
    expect((await (await open(server)).locate(hashed))?.assets.map((asset) => asset.name)).toEqual([
      'clusteraddon.yaml',
      'docker-ferrol-1-27-cluster-addon-v0-sha-abc.tgz',
      'docker-ferrol-1-27-cluster-class-v0-sha.hipstsw.tgz',
      'metadata.yaml',
    ])
  })

  test('a server that does not know HEAD is asked with GET', async () => {
    const server = await serve((request) => {
      if (request.method === 'HEAD') return { status: 405 }
      const route = single[request.path]
      return typeof route === 'object' && 'body' in route ? route : undefined
    })
    const located = await (await open(server)).locate(name)
    expect(located?.assets).toHaveLength(4)
  })

  test('does not find a release without metadata.yaml', async () => {
    const server = await serve({ '/stacks/index.json': { status: 410 } })
    expect(await (await open(server)).locate(name)).toBeUndefined()
    expect(asked(server)).toEqual(['GET /stacks/index.json', `GET ${folder}/metadata.yaml`])
  })

  test('says what is wrong with metadata.yaml', async () => {
    const server = await serve({ [`${folder}/metadata.yaml`]: { body: '<html>It works!</html>' } })
    const source = await open(server)
    expect(await diagnosticsOf(source.locate(name))).toMatchObject([{ code: 'RELEASE_METADATA_INVALID' }])
  })
})

describe('refuses', () => {
  test.each(['../../secret', '..', 'a/b', 'a\\b', '', '%2e%2e'])('to fetch an asset called %j', async (asset) => {
    const server = await serve(() => ({ body: 'x' }))
    const located = { name, from: 'somewhere', assets: [] }
    expect(await diagnosticsOf((await open(server)).fetch(located, { name: asset }))).toEqual([
      {
        code: 'FETCH_INVALID',
        severity: 'error',
        message: `${JSON.stringify(asset)} is not a name of an asset of openstack-scs2-1-34-v3`,
        at,
      },
    ])
    expect(server.requests).toEqual([])
  })

  test('the network with --offline, without looking for credentials', async () => {
    const server = await serve({})
    const source = await open(server, { offline: true, config: { credentials: { token: 'NOT_SET' } } })
    expect(await diagnosticsOf(source.list())).toMatchObject([{ code: 'FETCH_OFFLINE', at }])
    expect(server.requests).toEqual([])
  })

  test('an asset that is gone', async () => {
    const server = await serve({})
    const located = { name, from: 'somewhere', assets: [] }
    expect(await diagnosticsOf((await open(server)).fetch(located, { name: 'hashes.json' }))).toMatchObject([
      { code: 'FETCH_NOT_FOUND', message: expect.stringContaining('hashes.json of somewhere') },
    ])
  })
})

test('shows the token that the fleet names to the server, and not to whom it redirects', async () => {
  const token = 'a-token-of-no-worth'
  const other = await serve({ '/elsewhere': { body: metadata } })
  const server = await serve({
    '/stacks/index.json': requireBearer(token, 'Bearer', {
      body: indexOf({ name: formatTag(name), assets: [assetOf('metadata.yaml', metadata)] }),
    }),
    [`${folder}/metadata.yaml`]: { status: 302, headers: { location: `${other.otherUrl}/elsewhere` } },
  })
  const access = { config: { credentials: { token: 'WEB_TOKEN' } }, variables: { WEB_TOKEN: token } }
  const source = await open(server, access)
  const located = await source.locate(name)
  expect(new TextDecoder().decode(await source.fetch(located!, located!.assets[0]!))).toBe(metadata)
  expect(server.requests.map(({ headers }) => headers.get('authorization'))).toEqual([
    `Bearer ${token}`,
    `Bearer ${token}`,
  ])
  expect(other.requests.map(({ headers }) => headers.has('authorization'))).toEqual([false])
  const problems = await diagnosticsOf((await open(server)).list())
  expect(problems).toMatchObject([{ code: 'FETCH_UNAUTHORIZED', at }])
})

test('asks a server that a pull request names nothing, rather than show it a token of CI', async () => {
  const server = await serve({ '/stacks/index.json': { body: indexOf() } })
  const config = { credentials: { token: 'PUBLISH_TOKEN' } }
  const variables = { PUBLISH_TOKEN: 'a-token-of-no-worth', CI_MERGE_REQUEST_IID: '7' }
  const { host } = new URL(server.url)
  expect(await diagnosticsOf((await open(server, { config, variables })).list())).toMatchObject([
    { code: 'FETCH_CREDENTIALS', at, message: expect.stringContaining(`PUBLISH_TOKEN is not sent to ${host}: `) },
  ])
  expect(server.requests).toEqual([])
  const allowed = { ...variables, STACKMASON_ALLOWED_CREDENTIALS: `${host}=PUBLISH_TOKEN` }
  await (await open(server, { config, variables: allowed })).list()
  expect(server.requests.map(({ headers }) => headers.get('authorization'))).toEqual(['Bearer a-token-of-no-worth'])
})
