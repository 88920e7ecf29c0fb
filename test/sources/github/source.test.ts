import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { GitHubSourceConfig } from '../../../src/model/fleet.ts'
import type { Http, HttpRequest } from '../../../src/model/http.ts'
import { formatTag, parseReleaseTag } from '../../../src/model/release-name.ts'
import type { ReleaseSource } from '../../../src/model/release-source.ts'
import { openGitHubSource } from '../../../src/sources/github/source.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { githubProblems } from '../../../tools/servers/github-description.ts'
import { startGitHubServer, type GitHubServer, type GitHubServerOptions } from '../../../tools/servers/github-server.ts'
import { sourceContext } from '../../support/source-context.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { startWebServer, type WebAnswer } from '../../../tools/servers/web-server.ts'

const token = 'ghp_this_is_no_token_at_all'
const at = { source: { name: 'stackmason.yaml', text: 'name: forge' }, start: 6, end: 11 }
const name = parseReleaseTag('openstack-scs2-1-34-v2')

const metadata = `apiVersion: metadata.clusterstack.x-k8s.io/v1alpha1
versions:
  clusterStack: v2
  kubernetes: v1.34.7
  components:
    clusterAddon: v2
    nodeImage: v1
`
const files = [
  { name: 'openstack-scs2-1-34-cluster-class-v2.tgz', content: 'class' },
  { name: 'metadata.yaml', content: metadata },
]

interface Setting {
  readonly variables?: Readonly<Record<string, string>>
  readonly offline?: boolean
  readonly config?: Partial<GitHubSourceConfig>
}

async function open(apiUrl: string, setting: Setting = {}): Promise<ReleaseSource> {
  const config: GitHubSourceConfig = {
    type: 'github',
    name: 'forge',
    at,
    owner: 'acme',
    repository: 'stacks',
    apiUrl,
    plainHttp: true,
    ...setting.config,
  }
  return openGitHubSource(config, await sourceContext(setting.variables, { offline: setting.offline === true }))
}

async function serve(options: GitHubServerOptions): Promise<GitHubServer> {
  const server = await startGitHubServer(options)
  onTestFinished(server.close)
  return server
}

const withToken = { config: { credentials: { token: 'FORGE_TOKEN' } }, variables: { FORGE_TOKEN: token } }

describe('list', () => {
  test('reads all pages, takes tags and not titles, offers prereleases, and skips drafts and odd tags', async () => {
    const server = await serve({
      token,
      releases: [
        ...Array.from({ length: 120 }, (_, index) => ({
          tag: `openstack-scs2-1-34-v${index + 1}`,
          title: `openstack-scs2-1-35-v${index + 1}`,
          published: `2026-05-04T10:${String(index % 60).padStart(2, '0')}:00Z`,
        })),
        { tag: 'docker-ferrol-1-27-v0-sha-hipstsw', title: 'Nightly', kind: 'prerelease' },
        { tag: 'docker-ferrol-1-28-v1', kind: 'draft' },
        ...Array.from({ length: 80 }, (_, index) => ({ tag: `openstack-csp-helper-v0.2.${index}` })),
        { tag: 'openstack-scs-v5' },
        { tag: 'openstack-scs-1-29-v2-test' },
        { tag: 'openstack-scs-1-29-v02' },
        { tag: 'v1.0.0', title: 'openstack-scs2-1-36-v1' },
      ],
    })
    const { releases, findings } = await (await open(server.apiUrl, withToken)).list()
    const tags = Array.from({ length: 120 }, (_, index) => `openstack-scs2-1-34-v${index + 1}`)
    expect(releases.map((release) => formatTag(release.name))).toEqual(
      ['docker-ferrol-1-27-v0-sha-hipstsw', ...tags].toSorted(),
    )
    expect(releases.find((release) => formatTag(release.name) === 'openstack-scs2-1-34-v62')).toEqual({
      name: { provider: 'openstack', stack: 'scs2', kubernetes: { major: 1, minor: 34 }, version: expect.anything() },
      published: '2026-05-04T10:01:00Z',
    })
    expect(findings).toEqual([
      {
        code: 'RELEASE_TAG_SKIPPED',
        severity: 'note',
        message:
          'source "forge" has 84 tags that are not release names, skipped: "openstack-csp-helper-v0.2.0", "openstack-csp-helper-v0.2.1", "openstack-csp-helper-v0.2.10", "openstack-csp-helper-v0.2.11", "openstack-csp-helper-v0.2.12" and 79 more',
        at,
        hint: expect.any(String),
      },
    ])
    expect(server.api.requests.map(({ path }) => path)).toEqual([
      '/repos/acme/stacks/releases?per_page=100',
      '/repositories/1296269/releases?per_page=100&page=2',
      '/repositories/1296269/releases?per_page=100&page=3',
    ])
    expect(server.files.requests).toEqual([])
  })

  test('asks as the description of the API wants it, and says who asks', async () => {
    const server = await serve({ releases: [{ tag: formatTag(name), files }] })
    const source = await open(server.apiUrl)
    await source.list()
    await source.locate(parseReleaseTag('openstack-scs2-1-34-v3'))
    for (const { path, headers } of server.api.requests) {
      expect(githubProblems({ path: path.replace(/\?.*/, ''), status: 404, body: {} })).toEqual([])
      expect(headers.get('accept')).toBe('application/vnd.github+json')
      expect(headers.get('x-github-api-version')).toBe('2022-11-28')
      expect(headers.get('user-agent')).toBe('stackmason')
      expect(headers.has('authorization')).toBe(false)
    }
    expect(server.api.requests.map(({ path }) => path)).toEqual([
      '/repos/acme/stacks/releases?per_page=100',
      '/repos/acme/stacks/releases/tags/openstack-scs2-1-34-v3',
    ])
  })

  test('prints nothing, whatever the server says', async () => {
    const spies = (['debug', 'info', 'log', 'warn', 'error'] as const).map((method) =>
      vi.spyOn(console, method).mockReturnValue(),
    )
    onTestFinished(() => {
      vi.restoreAllMocks()
    })
    const headers = { deprecation: 'Sat, 01 Aug 2026 00:00:00 GMT', sunset: 'soon', link: '<x>; rel="deprecation"' }
    const server = await startWebServer(() => ({ body: '[]', headers }))
    onTestFinished(server.close)
    expect(await (await open(server.url)).list()).toEqual({ releases: [], findings: [] })
    expect(spies.flatMap((spy) => spy.mock.calls)).toEqual([])
  })

  test('is empty for a repository without releases', async () => {
    const server = await serve({ releases: [] })
    expect(await (await open(server.apiUrl)).list()).toEqual({ releases: [], findings: [] })
  })

  test('asks nothing with --offline, and needs no token for that', async () => {
    const server = await serve({ releases: [] })
    const source = await open(server.apiUrl, { offline: true, config: { credentials: { token: 'NOT_SET' } } })
    expect(await diagnosticsOf(source.list())).toMatchObject([{ code: 'FETCH_OFFLINE' }])
    expect(server.api.requests).toEqual([])
  })
})

describe('what is told of a release', () => {
  test('adds the Kubernetes version of metadata.yaml, fetched once', async () => {
    const server = await serve({ releases: [{ tag: formatTag(name), files, published: '2026-04-01T08:00:00Z' }] })
    const source = await open(server.apiUrl)
    const [offered] = (await source.list()).releases
    const wanted = { name, published: '2026-04-01T08:00:00Z', kubernetesVersion: 'v1.34.7' }
    expect(await source.describe(offered ?? { name })).toEqual(wanted)
    expect(await source.describe({ name })).toEqual(wanted)
    expect(server.files.requests.map(({ path }) => path)).toEqual(['/content/10001?X-Amz-Signature=0123456789abcdef'])
  })

  test.each([
    { case: 'has no metadata.yaml', assets: [{ name: 'hashes.json', content: '{}' }] },
    { case: 'has a broken one', assets: [{ name: 'metadata.yaml', content: 'versions: [' }] },
  ])('says no Kubernetes version when the release $case', async ({ assets }) => {
    const server = await serve({ releases: [{ tag: formatTag(name), files: assets }] })
    const source = await open(server.apiUrl)
    expect(await source.describe({ name })).toEqual({ name, published: '2026-05-04T10:00:00Z' })
  })
})

describe('locate', () => {
  test('finds a release by its tag: its assets with size and digest, without those that are being uploaded', async () => {
    const server = await serve({
      releases: [
        { tag: 'openstack-scs2-1-34-v3', title: formatTag(name) },
        {
          tag: formatTag(name),
          title: 'Spring',
          files: [
            { name: 'metadata.yaml', content: 'abc' },
            { name: 'late.tgz', content: 'x', state: 'open' },
            { name: 'hashes.json', content: '{}', digest: null },
          ],
        },
      ],
    })
    const source = await open(server.apiUrl)
    expect(await source.locate(name)).toEqual({
      name,
      from: `${server.apiUrl}/acme/stacks/releases/tag/openstack-scs2-1-34-v2`,
      assets: [
        { name: 'hashes.json', size: 2 },
        {
          name: 'metadata.yaml',
          size: 3,
          digest: 'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
        },
      ],
    })
    await source.locate(name)
    expect(server.api.requests.map(({ path }) => path)).toEqual([
      '/repos/acme/stacks/releases/tags/openstack-scs2-1-34-v2',
    ])
  })

  test('asks for all pages of assets when a release has many', async () => {
    const many = Array.from({ length: 230 }, (_, index) => ({ name: `asset-${index}.tgz`, content: String(index) }))
    const server = await serve({ releases: [{ tag: formatTag(name), files: many }], embedded: 30 })
    const located = await (await open(server.apiUrl)).locate(name)
    expect(located?.assets.map((asset) => asset.name)).toEqual(many.map((file) => file.name).toSorted())
    expect(server.api.requests.map(({ path }) => path)).toEqual([
      '/repos/acme/stacks/releases/tags/openstack-scs2-1-34-v2',
      '/repos/acme/stacks/releases/1/assets?per_page=100',
      '/repositories/1296269/releases/1/assets?per_page=100&page=2',
      '/repositories/1296269/releases/1/assets?per_page=100&page=3',
    ])
  })

  test('does not find what is not there, or a draft', async () => {
    const server = await serve({ token, releases: [{ tag: formatTag(name), kind: 'draft' }] })
    const source = await open(server.apiUrl, withToken)
    expect(await source.locate(name)).toBeUndefined()
    expect(await source.locate(parseReleaseTag('openstack-scs2-1-34-v3'))).toBeUndefined()
    expect(server.api.requests.map(({ path }) => path)).toEqual([
      '/repos/acme/stacks/releases/tags/openstack-scs2-1-34-v2',
      '/repos/acme/stacks',
      '/repos/acme/stacks/releases/tags/openstack-scs2-1-34-v3',
    ])
  })
})

describe('fetch', () => {
  test('shows the token to the API and not to the host of the files', async () => {
    const server = await serve({ token, isPrivate: true, releases: [{ tag: formatTag(name), files }] })
    const source = await open(server.apiUrl, withToken)
    const located = await source.locate(name)
    const bytes = await source.fetch(located!, located!.assets[1]!)
    expect(new TextDecoder().decode(bytes)).toBe('class')
    expect(
      server.api.requests.map(({ path, headers }) => [path, headers.get('accept'), headers.get('authorization')]),
    ).toEqual([
      ['/repos/acme/stacks/releases/tags/openstack-scs2-1-34-v2', 'application/vnd.github+json', `Bearer ${token}`],
      ['/repos/acme/stacks/releases/assets/10000', 'application/octet-stream', `Bearer ${token}`],
    ])
    expect(server.files.requests).toHaveLength(1)
    expect(JSON.stringify([...(server.files.requests[0]?.headers ?? [])])).not.toContain(token)
    expect(server.files.requests[0]?.headers.has('authorization')).toBe(false)
  })

  test('takes the address for browsers when there is no token: it does not count against the limit', async () => {
    const server = await serve({
      releases: [{ tag: formatTag(name), files }],
      rateLimit: { requests: 1, reset: 4_102_444_800 },
    })
    const source = await open(server.apiUrl)
    const located = await source.locate(name)
    for (const asset of located!.assets) expect(await source.fetch(located!, asset)).toBeInstanceOf(Uint8Array)
    expect(server.api.requests.map(({ path }) => path)).toEqual([
      '/repos/acme/stacks/releases/tags/openstack-scs2-1-34-v2',
      '/acme/stacks/releases/download/openstack-scs2-1-34-v2/metadata.yaml',
      '/acme/stacks/releases/download/openstack-scs2-1-34-v2/openstack-scs2-1-34-cluster-class-v2.tgz',
    ])
  })

  test('finds an asset that another run located', async () => {
    const server = await serve({ releases: [{ tag: formatTag(name), files }] })
    const located = { name, from: 'anywhere', assets: [] }
    const bytes = await (await open(server.apiUrl)).fetch(located, { name: 'metadata.yaml' })
    expect(new TextDecoder().decode(bytes)).toBe(metadata)
    const missing = (await open(server.apiUrl)).fetch(located, { name: 'other.yaml' })
    expect(await diagnosticsOf(missing)).toEqual([
      { code: 'FETCH_NOT_FOUND', severity: 'error', message: 'anywhere has no asset other.yaml', at },
    ])
  })

  test.each([
    { case: 'the lock says', digest: undefined, asked: `sha256:${'0'.repeat(64)}` },
    { case: 'GitHub says', digest: `sha256:${'1'.repeat(64)}`, asked: undefined },
  ])('refuses bytes with another digest than $case', async ({ digest, asked }) => {
    const file = { name: 'metadata.yaml', content: metadata, ...(digest !== undefined && { digest }) }
    const server = await serve({ releases: [{ tag: formatTag(name), files: [file] }] })
    const source = await open(server.apiUrl)
    const located = await source.locate(name)
    const asset = { name: 'metadata.yaml', ...(asked !== undefined && { digest: asked }) }
    expect(await diagnosticsOf(source.fetch(located!, asset))).toMatchObject([{ code: 'FETCH_DIGEST_MISMATCH', at }])
  })
})

describe('GitHub Enterprise', () => {
  test('has another base address, its own authority, and is shown no token for github.com', async () => {
    const folder = await tempFolder()
    const server = await serve({ basePath: '/api/v3', tls: true, releases: [{ tag: formatTag(name), files }] })
    await writeFile(join(folder, 'ca.pem'), server.api.ca ?? '')
    const setting = {
      variables: { GITHUB_TOKEN: token, GH_TOKEN: token },
      config: { plainHttp: false, caFile: join(folder, 'ca.pem') },
    }
    const source = await open(server.apiUrl, setting)
    expect((await source.list()).releases).toHaveLength(1)
    expect((await source.locate(name))?.from).toBe(`${server.api.url}/acme/stacks/releases/tag/openstack-scs2-1-34-v2`)
    expect(server.api.requests.map(({ path }) => path)).toEqual(['/api/v3/repos/acme/stacks/releases?per_page=100'])
    expect(server.api.requests.filter(({ headers }) => headers.has('authorization'))).toEqual([])
    const distrusting = await open(server.apiUrl, { config: { plainHttp: false } })
    expect(await diagnosticsOf(distrusting.list())).toMatchObject([{ code: 'FETCH_TLS' }])
  })
})

describe('refusals', () => {
  test.each([
    {
      case: 'a private repository without a token',
      setting: {},
      message: 'has no repository acme/stacks, or it may not be read without a token',
      hint: 'Check owner and repository; if it is private, name a variable with a token under credentialsFrom of the source.',
    },
    {
      case: 'another repository with a token',
      setting: { ...withToken, config: { ...withToken.config, repository: 'gone' } },
      message: 'has no repository acme/gone, or it may not be read with the token that was sent',
      hint: 'Check owner and repository; if it is private, the token must be allowed to read its contents.',
    },
  ])('$case', async ({ setting, message, hint }) => {
    const server = await serve({ token, isPrivate: true, releases: [{ tag: formatTag(name), files }] })
    const source = await open(server.apiUrl, setting)
    const wanted = [{ code: 'FETCH_NOT_FOUND', severity: 'error', message: `${server.apiUrl} ${message}`, at, hint }]
    expect(await diagnosticsOf(source.list())).toEqual(wanted)
    expect(await diagnosticsOf(source.locate(name))).toEqual(wanted)
  })

  test('a private repository on github.com, where the usual variables count', async () => {
    const asked: HttpRequest[] = []
    const http: Http = {
      exchange: (request) => {
        asked.push(request)
        return Promise.resolve({ status: 404, headers: new Map(), body: new Uint8Array() })
      },
    }
    for (const variables of [{}, { GITHUB_TOKEN: token }]) {
      const apiUrl = 'https://api.github.com'
      const config = { type: 'github', name: 'forge', at, owner: 'acme', repository: 'stacks', apiUrl } as const
      const context = await sourceContext(variables, { ports: { http } })
      const source = await openGitHubSource({ ...config, plainHttp: false }, context)
      const [problem] = await diagnosticsOf(source.list())
      expect(problem?.message).toContain('https://api.github.com has no repository acme/stacks, or it may not be read')
      expect(problem?.hint?.includes('set GITHUB_TOKEN or GIT_ACCESS_TOKEN, or name a variable')).toBe(
        !('GITHUB_TOKEN' in variables),
      )
    }
    expect(asked.map(({ url, headers }) => [url, headers.get('authorization')])).toEqual([
      ['https://api.github.com/repos/acme/stacks/releases?per_page=100', undefined],
      ['https://api.github.com/repos/acme/stacks/releases?per_page=100', `Bearer ${token}`],
    ])
  })

  test('a wrong token, which no message shows', async () => {
    const server = await serve({ token: 'ghp_right', releases: [{ tag: formatTag(name), files }] })
    const source = await open(server.apiUrl, withToken)
    const problems = await diagnosticsOf(source.list())
    expect(problems).toMatchObject([{ code: 'FETCH_UNAUTHORIZED', at }])
    expect(JSON.stringify(problems)).not.toContain(token)
    expect(server.api.requests).toHaveLength(1)
  })

  test('a variable that is not set', async () => {
    const server = await serve({ releases: [] })
    const source = await open(server.apiUrl, { config: { credentials: { token: 'FORGE_TOKEN' } } })
    expect(await diagnosticsOf(source.list())).toMatchObject([
      { code: 'FETCH_CREDENTIALS', message: expect.stringContaining('FORGE_TOKEN') },
    ])
    expect(server.api.requests).toEqual([])
  })

  test('a rate limit that ends soon is waited for', async () => {
    const reset = Math.floor(Date.now() / 1000) + 2
    const server = await serve({ releases: [{ tag: formatTag(name), files }], rateLimit: { requests: 0, reset } })
    const source = await open(server.apiUrl)
    expect((await source.list()).releases).toHaveLength(1)
    expect(Date.now()).toBeGreaterThanOrEqual(reset * 1000)
    expect(server.api.requests.length).toBeLessThanOrEqual(3)
  })

  test('a rate limit that ends late is reported at once', async () => {
    const reset = Math.floor(Date.now() / 1000) + 3600
    const server = await serve({ releases: [], rateLimit: { requests: 0, reset } })
    expect(await diagnosticsOf((await open(server.apiUrl)).list())).toMatchObject([{ code: 'FETCH_RATE_LIMITED', at }])
    expect(server.api.requests).toHaveLength(1)
  })

  test.each<{ readonly case: string; readonly answer: WebAnswer; readonly what: string }>([
    {
      case: 'a web page',
      answer: { headers: { 'content-type': 'text/html' }, body: '<html>' },
      what: 'the answer is not a list',
    },
    { case: 'an object', answer: { body: { total_count: 1 } }, what: 'the answer is not a list' },
    { case: 'nothing', answer: { body: 'null' }, what: 'the answer is not a list' },
    {
      case: 'an odd type',
      answer: { headers: { 'content-type': ';;' }, body: '[1' },
      what: 'the answer is not a list',
    },
    { case: 'a list of numbers', answer: { body: '[5]' }, what: 'a release is not an object' },
    { case: 'a release without a tag', answer: { body: '[{"id":1}]' }, what: '"tag_name" is not text' },
    {
      case: 'a number that is none',
      answer: { body: '[{"id":123456789012345678901234567890,"tag_name":"a","assets":[]}]' },
      what: '"id" is not a whole number',
    },
    {
      case: 'an asset without a name',
      answer: { body: '[{"id":1,"tag_name":"a","assets":[{"id":1,"__proto__":{"name":"x"}}]}]' },
      what: '"name" is not text',
    },
    {
      case: 'a next page that is nowhere',
      answer: { headers: { link: '<http://>; rel="next"' }, body: '[]' },
      what: 'the next page has no address',
    },
  ])('a server that answers with $case', async ({ answer, what }) => {
    const server = await startWebServer(() => answer)
    onTestFinished(server.close)
    expect(await diagnosticsOf((await open(server.url)).list())).toEqual([
      {
        code: 'FETCH_INVALID',
        severity: 'error',
        message: expect.stringMatching(`^${server.url} does not answer as GitHub does when asked for .*: ${what}$`),
        at,
        hint: 'Check apiUrl of the source; for GitHub Enterprise it is https://<host>/api/v3.',
      },
    ])
  })

  test.each([
    ['millions of releases', `[${'{},'.repeat(2_000_000)}{}]`],
    ['more than are listed', `[${'1,'.repeat(10_000)}1]`],
    ['deep nesting', '['.repeat(1_000_000) + ']'.repeat(1_000_000)],
    ['a long number', `[${'1'.repeat(10_000_000)}]`],
  ])('a server that answers with %s', async (_, body) => {
    const server = await startWebServer(() => ({ body }))
    onTestFinished(server.close)
    expect(await diagnosticsOf((await open(server.url)).list())).toMatchObject([{ code: 'FETCH_INVALID', at }])
  })

  test('a server whose pages never end', async () => {
    const server = await startWebServer(({ path }) => ({
      body: '[]',
      headers: { link: `<${server.url}${path.replace(/\?.*/, '')}?page=2>; rel="next"` },
    }))
    onTestFinished(server.close)
    expect(await diagnosticsOf((await open(server.url)).list())).toMatchObject([
      { code: 'FETCH_INVALID', message: expect.stringContaining('there are more than 100 pages') },
    ])
  })

  test('a further page that is not there is no missing repository', async () => {
    const server = await startWebServer(({ path }) =>
      path.endsWith('page=3')
        ? { status: 404, body: '{"message":"Not Found"}' }
        : {
            body: '[]',
            headers: {
              link: `<${server.url}/repositories/1/releases?page=${path.endsWith('page=2') ? '3' : '2'}>; rel="next"`,
            },
          },
    )
    onTestFinished(server.close)
    expect(await diagnosticsOf((await open(server.url)).list())).toEqual([
      {
        code: 'FETCH_INVALID',
        severity: 'error',
        message: `${server.url} has no page 3 of the releases of acme/stacks (404), which the page before it names`,
        at,
        hint: 'Run it again: the repository may have been changed meanwhile. If it stays, a proxy before the server may not pass on addresses of further pages.',
      },
    ])
  })

  test('a next page on another host gets no token', async () => {
    const other = await startWebServer(() => ({ body: '[]' }))
    onTestFinished(other.close)
    const server = await startWebServer(() => ({
      body: '[]',
      headers: { link: `<${other.url}/steal>; rel="next"` },
    }))
    onTestFinished(server.close)
    await (await open(server.url, withToken)).list()
    expect(server.requests[0]?.headers.get('authorization')).toBe(`Bearer ${token}`)
    expect(other.requests.map(({ path, headers }) => [path, headers.get('authorization')])).toEqual([
      ['/steal', undefined],
    ])
  })

  test.each(['../../../etc/passwd', '..', 'a/b', 'a\\b', '.hidden', '%2e%2e', ''])(
    'an asset that is called %j',
    async (file) => {
      const server = await serve({ releases: [{ tag: formatTag(name), files: [{ name: file, content: 'x' }] }] })
      const problems = await diagnosticsOf((await open(server.apiUrl)).locate(name))
      expect(problems).toMatchObject([{ code: 'FETCH_INVALID', at }])
    },
  )

  test('two assets of one name', async () => {
    const twice = [...files, ...files]
    const server = await serve({ releases: [{ tag: formatTag(name), files: twice }] })
    expect(await diagnosticsOf((await open(server.apiUrl)).locate(name))).toMatchObject([
      { code: 'FETCH_INVALID', message: expect.stringContaining('two assets of openstack-scs2-1-34-v2 are called') },
    ])
  })
})
