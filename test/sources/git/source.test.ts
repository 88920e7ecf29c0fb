import { execFileSync } from 'node:child_process'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { deflateSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import type { GitSourceConfig } from '../../../src/model/fleet.ts'
import { formatTag, parseReleaseTag } from '../../../src/model/release-name.ts'
import { PROVIDER_ARCHIVE, type LocatedRelease, type ReleaseSource } from '../../../src/model/release-source.ts'
import { openGitSource } from '../../../src/sources/git/source.ts'
import { readLocatedRelease } from '../../../src/sources/release/read-located-release.ts'
import { listReleases, readRelease } from '../../../src/sources/release/read-release.ts'
import type { ReadRelease } from '../../../src/sources/release/read-result.ts'
import type { SourceContext } from '../../../src/sources/source-context.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import {
  makeRepository,
  startGitServer,
  type GitServer,
  type GitServerOptions,
  type RepositoryFile,
  type TestRepository,
} from '../../../tools/servers/git-server.ts'
import { sharedFolder } from '../../../tools/fleets/shared-folder.ts'
import { sourceContext } from '../../support/source-context.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import { makeWebCertificates } from '../../../tools/servers/web-certificates.ts'
import { at, changed, stagesFolder, stagesRelease, type FileMap } from '../../../tools/fleets/stack-folder.ts'
import { formatDiagnostic } from '../release/support.ts'

const ports = createNodePorts()
const shared = sharedFolder()
if (shared === undefined) console.warn('SKIPPED: real stacks through git need the shared data (STACKMASON_SHARED)')

const saved = { ...process.env }
beforeEach(() => {
  process.env['GIT_CONFIG_NOSYSTEM'] = '1'
  process.env['GIT_CONFIG_GLOBAL'] = '/dev/null'
})
afterEach(() => {
  process.env = { ...saved }
})

function configOf(url: string, more: Partial<GitSourceConfig> = {}): GitSourceConfig {
  return { name: 'demo', type: 'git', url, path: 'providers/demo', plainHttp: true, at, ...more }
}

function below(folder: string, files: FileMap): Readonly<Record<string, RepositoryFile>> {
  return Object.fromEntries(Object.entries(files).map(([path, content]) => [`${folder}/${path}`, content]))
}

interface Served {
  readonly repository: TestRepository
  readonly server: GitServer
  readonly url: string
}

/** A repository with one commit, behind a server. */
async function served(
  files: Readonly<Record<string, RepositoryFile>>,
  options: GitServerOptions = {},
): Promise<Served> {
  const root = await tempFolder()
  const repository = makeRepository(join(root, 'stacks.git'))
  repository.commit(files)
  const server = await startGitServer(root, options)
  onTestFinished(() => server.close())
  return { repository, server, url: `${server.url}/stacks.git` }
}

async function readFrom(source: ReleaseSource, tag: string, revision?: string): Promise<ReadRelease> {
  const located = await source.locate(parseReleaseTag(tag), revision)
  if (located === undefined) throw new Error(`no release ${tag}`)
  return readAll(source, located)
}

async function readAll(source: ReleaseSource, located: LocatedRelease): Promise<ReadRelease> {
  const byName = new Map(located.assets.map((asset) => [asset.name, asset]))
  const read = async (name: string): Promise<Uint8Array> => {
    const asset = byName.get(name)
    if (asset === undefined) throw new Error(`no asset ${name}`)
    return source.fetch(located, asset)
  }
  return readLocatedRelease({ origin: located.from, names: [...byName.keys()], read }, located.name, ports)
}

async function tagsOf(source: ReleaseSource): Promise<readonly string[]> {
  return (await source.list()).releases.map(({ name }) => formatTag(name))
}

/** The one thing it is refused with, and its hint. */
async function refusal(
  action: Promise<unknown>,
): Promise<{ readonly text: string; readonly hint: string | undefined }> {
  const [problem, other]: readonly Diagnostic[] = await diagnosticsOf(action)
  if (problem === undefined || other !== undefined) throw new Error('expected one problem')
  return { text: formatDiagnostic(problem), hint: problem.hint }
}

describe('a provider directory in git', () => {
  it('is one release, and its archive the one asset', async () => {
    const { repository, url } = await served(below('providers/demo', stagesFolder))
    const commit = repository.git(['rev-parse', 'main'])
    const source = await openGitSource(configOf(url, { version: 'v3' }), await sourceContext())
    const name = parseReleaseTag('docker-demo-1-30-v3')
    const offered = { name, kubernetesVersion: 'v1.30.4', published: '2026-01-02T03:04:05Z', revision: commit }
    expect(await source.list()).toEqual({ releases: [offered], findings: [] })
    expect(await source.describe({ name })).toEqual({ name, kubernetesVersion: 'v1.30.4' })
    const located = await source.locate(name)
    expect(located).toEqual({
      name,
      from: `${url}//providers/demo`,
      revision: commit,
      assets: [
        { name: PROVIDER_ARCHIVE, digest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), size: expect.any(Number) },
      ],
    })
    expect(await source.locate(parseReleaseTag('docker-demo-1-30-v4'))).toBeUndefined()
    const { release, findings } = await readFrom(source, 'docker-demo-1-30-v3')
    expect(findings).toEqual([])
    expect(release.origin).toBe(`${url}//providers/demo`)
    expect(release.addons[0]?.chart.origin).toBe(`${url}//providers/demo/cluster-addon/cni`)
    expect(release.addons[0]?.chart.metadata.version).toBe('v3')
  })

  it('has the version of its content where none is given', async () => {
    const { url } = await served(below('providers/demo', stagesFolder))
    const source = await openGitSource(configOf(url), await sourceContext())
    expect(await tagsOf(source)).toEqual(['docker-demo-1-30-v0-sha-dkr2pix'])
    const { release } = await readFrom(source, 'docker-demo-1-30-v0-sha-dkr2pix')
    expect(release.clusterClass.metadata.version).toBe('v0-sha.dkr2pix')
  })

  it('may be the whole repository, less what was built in it', async () => {
    const { url } = await served({ ...stagesFolder, '.release/docker-demo-1-30-v1/metadata.yaml': 'versions: {}\n' })
    const source = await openGitSource(configOf(url, { path: '' }), await sourceContext())
    const { release } = await readFrom(source, 'docker-demo-1-30-v0-sha-dkr2pix')
    expect(release.origin).toBe(url)
  })

  it('names its files in messages', async () => {
    const broken = changed(stagesFolder, { 'cluster-class/Chart.yaml': 'apiVersion: v2\nversion: v1\n' })
    const { url } = await served(below('providers/demo', broken))
    const source = await openGitSource(configOf(url, { version: 'v3' }), await sourceContext())
    expect((await refusal(readFrom(source, 'docker-demo-1-30-v3'))).text).toBe(
      `CHART_INVALID ${url}//providers/demo/cluster-class/Chart.yaml:1:1 chart.metadata.name is required`,
    )
  })

  it
    .skipIf(shared === undefined)
    .each([
      'providers/docker/scs',
      'providers/openstack/scs',
      'providers/openstack/scs2',
      'cso-test/2/docker/ferrol/1-27',
    ])('equals the same directory read locally: %s', async (path) => {
    const folder = `${shared}/cluster-stacks`
    const files = await filesBelow(join(folder, path))
    const { url } = await served(below(path, files))
    const source = await openGitSource(configOf(url, { path }), await sourceContext())
    const local = { name: 'demo', type: 'providerDirectory', path: `${folder}/${path}`, at } as const
    const { releases } = await listReleases(local, ports)
    const offered = (await source.list()).releases
    expect(offered.map(({ name }) => name)).toEqual(releases)
    const [name] = releases
    if (name === undefined) throw new Error('no release')
    const fromGit = await readFrom(source, formatTag(name))
    const fromDisk = await readRelease(local, name, ports)
    const [got, want] = [replaceOrigin(fromGit, `${url}//${path}`), replaceOrigin(fromDisk, `${folder}/${path}`)]
    // vitest's own comparison takes many seconds for so much
    expect(isDeepStrictEqual(got, want)).toBe(true)
  })
})

async function filesBelow(folder: string): Promise<FileMap> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(files.map(async (file) => [file.slice(folder.length + 1), await readFile(file)] as const)),
  )
}

/** The same value with `origin` written `DIR` in every text of it. */
function replaceOrigin(value: unknown, origin: string): unknown {
  if (typeof value === 'string') return value.replaceAll(origin, 'DIR')
  if (value instanceof Map) return [...value].map((entry) => replaceOrigin(entry, origin))
  if (value instanceof Uint8Array) return value
  // what finds the place of a value in its text, which is compared
  if (typeof value === 'function') return 'places'
  if (Array.isArray(value)) return value.map((item) => replaceOrigin(item, origin))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceOrigin(item, origin)]))
}

describe('a folder of releases in git', () => {
  it('is read as a directory of releases, also below cluster-stacks', async () => {
    const { repository, url } = await served({
      ...below('releases/docker-demo-1-30-v3', stagesRelease),
      ...below('releases/cluster-stacks/docker-demo-1-30-v4', { 'metadata.yaml': 'x' }),
      'releases/odd-v3/x': 'x',
      'other/file': 'x',
    })
    const commit = repository.git(['rev-parse', 'main'])
    const source = await openGitSource(configOf(url, { path: 'releases' }), await sourceContext())
    const { releases, findings } = await source.list()
    expect(releases.map(({ name, revision }) => [formatTag(name), revision])).toEqual([
      ['docker-demo-1-30-v3', commit],
      ['docker-demo-1-30-v4', commit],
    ])
    expect(findings.map(formatDiagnostic)).toEqual([
      'RELEASE_NAME_INVALID stackmason.yaml:1:1 source "demo" has one folder that is skipped: odd-v3 (it has 2 parts between dashes instead of 5 or 7, as in <provider>-<stack>-<major>-<minor>-<version>)',
    ])
    const name = parseReleaseTag('docker-demo-1-30-v3')
    expect(await source.describe({ name })).toEqual({ name, kubernetesVersion: 'v1.30.4' })
    const unread = { name: parseReleaseTag('docker-demo-1-30-v4') }
    expect(await source.describe(unread)).toEqual(unread)
    const located = await source.locate(name)
    expect(located?.from).toBe(`${url}//releases/docker-demo-1-30-v3`)
    expect(located?.assets.map((asset) => asset.name)).toEqual(Object.keys(stagesRelease).sort())
    const { release, findings: warnings } = await readFrom(source, 'docker-demo-1-30-v3')
    expect(warnings).toEqual([])
    expect(release.addons.map((addon) => addon.name)).toEqual(['cni', 'metrics'])
    expect(await source.locate(parseReleaseTag('docker-demo-1-30-v5'))).toBeUndefined()
  })
})

describe('a ref', () => {
  it('is a branch, a tag of either kind, a full name, a commit, or HEAD', async () => {
    const { repository, url } = await served(below('providers/demo', stagesFolder))
    const first = repository.git(['rev-parse', 'main'])
    repository.git(['tag', '-a', 'v1', '-m', 'v1', first])
    repository.git(['tag', 'light', first])
    repository.git(['branch', 'stable/1.x', first])
    const second = repository.commit({ ...below('providers/demo', stagesFolder), more: 'x' })
    const revisionAt = async (ref: string | undefined): Promise<string | undefined> => {
      const source = await openGitSource(configOf(url, ref === undefined ? {} : { ref }), await sourceContext())
      return (await source.list()).releases[0]?.revision
    }
    for (const ref of ['v1', 'light', 'stable/1.x', 'refs/tags/v1', 'refs/heads/stable/1.x', first]) {
      expect([ref, await revisionAt(ref)]).toEqual([ref, first])
    }
    for (const ref of [undefined, 'HEAD', 'main', 'refs/heads/main', second]) {
      expect([ref, await revisionAt(ref)]).toEqual([ref, second])
    }
  })

  it('may move: a pinned commit stays what it was', async () => {
    const { repository, url } = await served(below('providers/demo', stagesFolder))
    const context = await sourceContext()
    const config = configOf(url, { ref: 'main', version: 'v3' })
    const before = await openGitSource(config, context)
    const pinned = (await before.list()).releases[0]?.revision
    const old = await readFrom(before, 'docker-demo-1-30-v3')
    const edited = changed(stagesFolder, { 'cluster-addon/cni/values.yaml': 'a: 1\n' })
    const moved = repository.commit(below('providers/demo', edited))
    // one run sees one state
    expect((await before.list()).releases[0]?.revision).toBe(pinned)
    for (const where of [context, await sourceContext()]) {
      const after = await openGitSource(config, where)
      expect((await after.list()).releases[0]?.revision).toBe(moved)
      expect((await readFrom(after, 'docker-demo-1-30-v3', pinned)).release.digest).toBe(old.release.digest)
      expect((await readFrom(after, 'docker-demo-1-30-v3')).release.digest).not.toBe(old.release.digest)
    }
  })

  it('may move between the question and the fetch', async () => {
    const { repository, url } = await served(below('providers/demo', stagesFolder))
    const first = repository.git(['rev-parse', 'main'])
    const listRefs: typeof ports.git.listRefs = async (remote) => {
      const refs = await ports.git.listRefs(remote)
      repository.commit(below('providers/demo', changed(stagesFolder, { 'cluster-addon/cni/values.yaml': 'a: 1\n' })))
      return refs
    }
    const context = await sourceContext({}, { ports: { git: { ...ports.git, listRefs } } })
    const source = await openGitSource(configOf(url, { ref: 'main', version: 'v3' }), context)
    const offered = (await source.list()).releases[0]?.revision
    expect(offered).toBe(repository.git(['rev-parse', 'main']))
    const values = async (revision: string | undefined): Promise<string | undefined> =>
      (await readFrom(source, 'docker-demo-1-30-v3', revision)).release.addons[0]?.chart.valuesFile?.text
    expect([await values(offered), await values(first)]).toEqual(['a: 1\n', undefined])
  })

  it('that is not there is told with what is', async () => {
    const { repository, url } = await served(below('providers/demo', stagesFolder))
    repository.git(['tag', 'v1.0', 'main'])
    repository.git(['tag', 'both', 'main'])
    repository.commit({ x: 'y' }, 'both')
    const empty = makeRepository(join(await tempFolder(), 'empty.git'))
    const place = 'stackmason.yaml:1:1'
    const problemAt = async (ref: string | undefined, at_: string = url): ReturnType<typeof refusal> =>
      refusal((await openGitSource(configOf(at_, ref === undefined ? {} : { ref }), await sourceContext())).list())
    expect({
      near: await problemAt('mian'),
      far: await problemAt('production'),
      short: await problemAt('abcdef0'),
      both: await problemAt('both'),
      empty: await problemAt(undefined, empty.path),
      emptyNamed: await problemAt('main', empty.path),
    }).toEqual({
      near: {
        text: `GIT_FAILED ${place} ${url} cannot be read: there is no branch or tag "mian"`,
        hint: 'Did you mean main?',
      },
      far: {
        text: `GIT_FAILED ${place} ${url} cannot be read: there is no branch or tag "production"`,
        hint: 'There are both, main, both, v1.0.',
      },
      short: {
        text: `GIT_FAILED ${place} ${url} cannot be read: there is no branch or tag "abcdef0"`,
        hint: 'If it is a commit, write all 40 digits of its id.',
      },
      both: {
        text: `GIT_FAILED ${place} ${url} cannot be read: "both" is a branch and a tag, at different commits`,
        hint: 'Write refs/heads/both or refs/tags/both.',
      },
      empty: {
        text: `GIT_FAILED ${place} ${empty.path} cannot be read: the repository has no HEAD`,
        hint: 'Name a branch, tag or commit under ref of the source.',
      },
      emptyNamed: {
        text: `GIT_FAILED ${place} ${empty.path} cannot be read: there is no branch or tag "main"`,
        hint: 'The repository is empty.',
      },
    })
  })
})

describe('what goes wrong', () => {
  const gone = '1234567890123456789012345678901234567890'

  it('names the address and what to do', async () => {
    const { repository, server, url } = await served({
      ...below('providers/demo', stagesFolder),
      ...below('providers/more', stagesFolder),
      file: 'x',
    })
    const commit = repository.git(['rev-parse', 'main'])
    const problemOf = async (config: GitSourceConfig): ReturnType<typeof refusal> =>
      refusal((await openGitSource(config, await sourceContext())).list())
    const place = 'stackmason.yaml:1:1'
    const providers = 'Provider directories there: providers/demo, providers/more.'
    expect({
      path: await problemOf(configOf(url, { path: 'providers/dmeo' })),
      file: await problemOf(configOf(url, { path: 'file' })),
      repository: await problemOf(configOf(`${server.url}/none.git`)),
      commit: await problemOf(configOf(url, { ref: gone })),
    }).toEqual({
      path: { text: `GIT_FAILED ${place} ${url} has no folder "providers/dmeo" at commit ${commit}`, hint: providers },
      file: { text: `GIT_FAILED ${place} ${url} has no folder "file" at commit ${commit}`, hint: providers },
      repository: {
        text: `GIT_FAILED ${place} there is no git repository at ${server.url}/none.git: fatal: repository '${server.url}/none.git/' not found`,
        hint: 'Check the url; servers also say this to those who may not read.',
      },
      commit: {
        text: `GIT_FAILED ${place} ${url} does not have what was asked for: no branch and no tag leads to the commit ${gone}`,
        hint: 'If its history was rewritten, look at what changed and run `stackmason update`.',
      },
    })
  })

  it('is tried again when it may pass', async () => {
    let failures = 2
    const { url, server } = await served(below('providers/demo', stagesFolder), {
      intercept: (_request, response) => {
        if (failures-- <= 0) return false
        response.writeHead(503).end()
        return true
      },
    })
    const slept: number[] = []
    const clock = { ...ports.clock, sleep: async (duration: number) => void slept.push(duration) }
    const source = await openGitSource(configOf(url), await sourceContext({}, { ports: { clock } }))
    expect(await tagsOf(source)).toEqual(['docker-demo-1-30-v0-sha-dkr2pix'])
    expect(slept).toEqual([expect.any(Number), expect.any(Number)])
    await server.close()
    const other = await openGitSource(configOf(url), await sourceContext({}, { ports: { clock } }))
    expect((await refusal(other.list())).text).toMatch(
      /^FETCH_FAILED stackmason.yaml:1:1 http:\S+ cannot be reached: fatal: unable to access .*Failed to connect/,
    )
    expect(slept).toHaveLength(4)
  })

  it('is refused before anything is asked: credentials in the url, http, git', async () => {
    const withCredentials = configOf('https://me:hunter2@git.example/r.git')
    const context = await sourceContext()
    expect(await refusal(openGitSource(withCredentials, context))).toEqual({
      text: 'FETCH_CREDENTIALS stackmason.yaml:1:1 the url of source "demo" holds credentials',
      hint: 'Take them out of the file, and name variables that hold them under credentialsFrom.',
    })
    expect((await refusal(openGitSource(configOf('http://git.example/r', { plainHttp: false }), context))).text).toBe(
      'FETCH_PLAIN_HTTP stackmason.yaml:1:1 http://git.example/r uses http without TLS',
    )
    for (const url of ['git://git.example/r', 'GIT://git.example/r']) {
      expect((await refusal(openGitSource(configOf(url, { plainHttp: false }), context))).text).toBe(
        `FETCH_PLAIN_HTTP stackmason.yaml:1:1 ${url} uses git without TLS`,
      )
    }
    await expect(openGitSource(configOf('git://git.example/r', { plainHttp: true }), context)).resolves.toBeDefined()
  })

  it('is told of plainHttp where the server offers no TLS', async () => {
    const { url } = await served(below('providers/demo', stagesFolder))
    const refused = await refusal(
      (await openGitSource(configOf(url.replace('http:', 'https:')), await sourceContext())).list(),
    )
    expect(refused.text).toMatch(/^FETCH_TLS stackmason.yaml:1:1 https:\S+ cannot be trusted: fatal: /)
    expect(refused.hint).toBe(
      'If the server offers no TLS, write http:// in the url and set `plainHttp: true` on the source; otherwise check the port.',
    )
  })

  it('needs the authority of a server with an own certificate', async () => {
    const { ca, server: tls } = makeWebCertificates()
    const { url } = await served(below('providers/demo', stagesFolder), { tls })
    process.env['GIT_SSL_NO_VERIFY'] = '1'
    const refused = await refusal((await openGitSource(configOf(url), await sourceContext())).list())
    expect(refused.text).toMatch(/^FETCH_TLS stackmason.yaml:1:1 https:\S+ cannot be trusted: fatal: .*certificate/)
    const caFile = join(await tempFolder(), 'ca.pem')
    await ports.files.write(caFile, encodeUtf8(ca))
    const source = await openGitSource(configOf(url, { caFile }), await sourceContext())
    expect(await tagsOf(source)).toEqual(['docker-demo-1-30-v0-sha-dkr2pix'])
  })
})

describe('a private repository', () => {
  const credentials = { username: 'x-access-token', password: 'hunter2-token' }

  it('is read with the token that the fleet names, which is nowhere else', async () => {
    const { url, server } = await served(below('providers/demo', stagesFolder), { credentials })
    const config = configOf(url, { credentials: { token: 'STACKS_TOKEN' } })
    const context = await sourceContext({ STACKS_TOKEN: 'hunter2-token' })
    const source = await openGitSource(config, context)
    expect(await tagsOf(source)).toEqual(['docker-demo-1-30-v0-sha-dkr2pix'])
    expect(server.requests.length).toBeGreaterThan(2)
    const basic = Buffer.from('x-access-token:hunter2-token').toString('base64')
    for (const entry of await readdir(context.cacheFolder(), { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue
      const content = await readFile(join(entry.parentPath, entry.name))
      expect([entry.name, content.includes('hunter2'), content.includes(basic)]).toEqual([entry.name, false, false])
    }
  })

  it('refuses others, and says what to do', async () => {
    const { url, server } = await served(below('providers/demo', stagesFolder), { credentials })
    const open = async (config: GitSourceConfig, variables: Readonly<Record<string, string>>): Promise<ReleaseSource> =>
      openGitSource(config, await sourceContext(variables))
    const message = `${url} refuses access: fatal: could not read Username for '${server.url}': terminal prompts disabled`
    expect(await refusal((await open(configOf(url), {})).list())).toEqual({
      text: `FETCH_UNAUTHORIZED stackmason.yaml:1:1 ${message}`,
      hint: 'Name variables under credentialsFrom of the source, or set up a credential helper of git for the server.',
    })
    const named = configOf(url, { credentials: { username: 'STACKS_USER', password: 'STACKS_PASSWORD' } })
    expect(await refusal((await open(named, { STACKS_USER: 'me', STACKS_PASSWORD: 'wrong-secret' })).list())).toEqual({
      text: `FETCH_UNAUTHORIZED stackmason.yaml:1:1 ${message}`,
      hint: 'Check what STACKS_USER and STACKS_PASSWORD hold, and how far it reaches.',
    })
  })
})

describe('a redirect', () => {
  it('is followed without credentials only', async () => {
    const { url, server } = await served(below('providers/demo', stagesFolder), {
      intercept: (request, response) => {
        if (!(request.url ?? '').startsWith('/old')) return false
        response.writeHead(301, { location: (request.url ?? '').replace('/old/', '/') }).end()
        return true
      },
    })
    const old = url.replace(server.url, `${server.url}/old`)
    expect(await tagsOf(await openGitSource(configOf(old), await sourceContext()))).toEqual([
      'docker-demo-1-30-v0-sha-dkr2pix',
    ])
    const config = configOf(old, { credentials: { token: 'STACKS_TOKEN' } })
    const source = await openGitSource(config, await sourceContext({ STACKS_TOKEN: 'hunter2-token' }))
    expect(await refusal(source.list())).toEqual({
      text: `GIT_FAILED stackmason.yaml:1:1 git failed at ${old}: fatal: unable to access '${old}/': The requested URL returned error: 301`,
      hint: 'Credentials follow no redirect: write the url that the server redirects to (many want .git at the end).',
    })
  })
})

describe('hostile content', () => {
  const demo = below('providers/demo', stagesFolder)
  const open = async (
    files: Readonly<Record<string, RepositoryFile>>,
    more: Partial<GitSourceConfig> = {},
  ): Promise<{ readonly source: ReleaseSource; readonly url: string; readonly repository: TestRepository }> => {
    const { url, repository } = await served(files)
    return { url, repository, source: await openGitSource(configOf(url, more), await sourceContext()) }
  }

  it.each([
    ['a link upwards', '../../../../../etc/hosts', 'leads out of the repository'],
    ['an absolute link', '/etc/hosts', 'leads out of the repository'],
    [
      'a link to another folder of the repository',
      '../../../../other/secret',
      'is a link that leads out of URL//providers/demo',
    ],
    ['a link to nothing', 'none', 'cannot be read: it is a link to something that is not there'],
    ['a link to itself', 'values.yaml', 'cannot be read: it is a link'],
    ['a link to a folder', 'templates', 'is a link to a folder; in a release only links to files are followed'],
  ])('%s', async (_name, link, want) => {
    const { source, url } = await open({
      ...demo,
      'other/secret': 'x',
      'providers/demo/cluster-addon/cni/values.yaml': { link },
    })
    const { text } = await refusal(source.list())
    expect(text.replaceAll(url, 'URL')).toContain(`URL//providers/demo/cluster-addon/cni/values.yaml ${want}`)
    expect(text).toMatch(/^FILE_(OUTSIDE|UNREADABLE) /)
  })

  it('follows a link to a file inside, and to the folder itself', async () => {
    const { source } = await open(
      {
        ...demo,
        'providers/demo/cluster-addon/metrics/values.yaml': { link: '../cni/Chart.yaml' },
        current: { link: 'providers/demo' },
      },
      { path: 'current', version: 'v3' },
    )
    const { release } = await readFrom(source, 'docker-demo-1-30-v3')
    expect(release.addons[1]?.chart.valuesFile?.text).toContain('name: CNI')
  })

  it('runs no filter, hook or attribute', async () => {
    const { source } = await open(
      {
        ...demo,
        '.gitattributes': '* text eol=crlf filter=evil ident export-subst\n',
        '.gitconfig': '[filter "evil"]\n\tsmudge = touch ran\n',
        'hooks/post-checkout': '#!/bin/sh\ntouch ran\n',
        'providers/demo/cluster-class/values.yaml': 'a: $Id$ $Format:%H$\n',
      },
      { version: 'v3' },
    )
    const { release } = await readFrom(source, 'docker-demo-1-30-v3')
    expect(release.clusterClass.valuesFile?.text).toBe('a: $Id$ $Format:%H$\n')
  })

  it('refuses pointers of Git LFS', async () => {
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 12345\n`
    const { source, url } = await open({ ...demo, 'providers/demo/cluster-addon/cni/charts/sub.tgz': pointer })
    expect((await refusal(source.list())).text).toBe(
      `FILE_UNREADABLE ${url}//providers/demo/cluster-addon/cni/charts/sub.tgz ${url}//providers/demo/cluster-addon/cni/charts/sub.tgz is a pointer of Git LFS: the file itself lies on another server`,
    )
  })

  it('refuses a submodule inside, and leaves others alone', async () => {
    const { repository, url } = await served(demo)
    const add = (path: string): void => {
      const tree = repository.git(['ls-tree', '-r', 'main'])
      const index = `${tree}\n160000 commit ${'1'.repeat(40)}\t${path}\n`
      repository.git(['update-index', '--index-info'], index)
      const made = repository.git(['commit-tree', repository.git(['write-tree']), '-p', 'main', '-m', 'submodule'])
      repository.git(['update-ref', 'refs/heads/main', made])
    }
    add('elsewhere')
    const fine = await openGitSource(configOf(url), await sourceContext())
    expect(await tagsOf(fine)).toEqual(['docker-demo-1-30-v0-sha-dkr2pix'])
    add('providers/demo/cluster-addon/sub')
    const source = await openGitSource(configOf(url), await sourceContext())
    expect((await refusal(source.list())).text).toBe(
      `FILE_UNREADABLE ${url}//providers/demo/cluster-addon/sub ${url}//providers/demo/cluster-addon/sub is a submodule: its files lie in another repository`,
    )
  })

  it.each(['..', '.'])('refuses a tree with the name %s', async (name) => {
    const { repository, url } = await served(demo)
    const blob = repository.git(['hash-object', '-w', '--stdin'], 'evil')
    const inner = repository.git(['mktree'], `100644 blob ${blob}\tx\n`)
    // git's own tools make no such tree
    const entry = Buffer.concat([Buffer.from(`40000 ${name}\0`), Buffer.from(inner, 'hex')])
    const tree = repository.git(['hash-object', '-t', 'tree', '-w', '--literally', '--stdin'], entry)
    const made = repository.git(['commit-tree', tree, '-m', 'evil'])
    repository.git(['update-ref', 'refs/heads/main', made])
    const source = await openGitSource(configOf(url), await sourceContext())
    expect((await refusal(source.list())).text).toBe(
      `FILE_OUTSIDE ${url}//"${name}/x" ${url}//"${name}/x" leads out of the repository`,
    )
  })

  it('refuses a file larger than any of a release without reading it', async () => {
    const { source, url } = await open({ ...demo, 'providers/demo/big': new Uint8Array(65 * 1024 * 1024) })
    expect((await refusal(source.list())).text).toBe(
      `RELEASE_TOO_LARGE ${url}//providers/demo/big ${url}//providers/demo/big holds more than 67108864 bytes, which no release does`,
    )
  })
})

describe('offline', () => {
  it('has what was fetched before, by its commit', async () => {
    const { repository, server, url } = await served(below('providers/demo', stagesFolder))
    const commit = repository.git(['rev-parse', 'main'])
    const online = await sourceContext()
    const config = configOf(url, { version: 'v3' })
    const before = await readFrom(await openGitSource(config, online), 'docker-demo-1-30-v3')
    await server.close()
    const offline: SourceContext = { ...online, offline: true }
    const source = await openGitSource(config, offline)
    expect(await readFrom(source, 'docker-demo-1-30-v3', commit)).toEqual(before)
    expect(await refusal(source.list())).toEqual({
      text: `FETCH_OFFLINE stackmason.yaml:1:1 where HEAD of ${url} stands is known only there`,
      hint: 'Run the command without --offline.',
    })
    const other = '1234567890123456789012345678901234567890'
    expect((await refusal(source.locate(parseReleaseTag('docker-demo-1-30-v3'), other))).text).toBe(
      `FETCH_OFFLINE stackmason.yaml:1:1 commit ${other} of ${url} is not in the cache`,
    )
    expect(await tagsOf(await openGitSource({ ...config, ref: commit }, offline))).toEqual(['docker-demo-1-30-v3'])
  })

  it('is no matter for a repository on this machine', async () => {
    const repository = makeRepository(join(await tempFolder(), 'r.git'))
    repository.commit(stagesFolder)
    const context = await sourceContext({}, { offline: true })
    for (const url of [repository.path, `file://${repository.path}`]) {
      const source = await openGitSource(configOf(url, { path: '' }), context)
      expect(await tagsOf(source)).toEqual(['docker-demo-1-30-v0-sha-dkr2pix'])
    }
  })
})

describe('a cache that was damaged', () => {
  it('is made good', async () => {
    const { url } = await served(below('providers/demo', stagesFolder))
    const context = await sourceContext()
    const config = configOf(url, { version: 'v3' })
    const want = await readFrom(await openGitSource(config, context), 'docker-demo-1-30-v3')
    const [id = ''] = await readdir(join(context.cacheFolder(), 'v1/git'))
    const repository = join(context.cacheFolder(), 'v1/git', id, 'repository')
    const packs = join(repository, 'objects/pack')
    const [pack = ''] = (await readdir(packs)).filter((name) => name.endsWith('.pack'))
    const damages: readonly (() => Promise<unknown>)[] = [
      () => rm(join(repository, 'HEAD')),
      () => rm(join(repository, 'objects'), { recursive: true }),
      () => rm(repository, { recursive: true }),
      () => rm(join(packs, pack)),
      async () =>
        ports.files.write(
          join(packs, pack),
          (await readFile(join(packs, pack))).map((byte, index) => (index > 200 ? byte ^ 0x55 : byte)),
        ),
    ]
    for (const damage of damages) {
      await damage()
      expect(await readFrom(await openGitSource(config, context), 'docker-demo-1-30-v3')).toEqual(want)
      expect(await readdir(join(context.cacheFolder(), 'v1/git', id))).toEqual(['repository'])
    }
  })

  const forgeries = {
    blob: (text: string) => `${text}# other\n`,
    tree: (text: string) => text.replaceAll('100644 ', '100755 '),
    commit: (text: string) => `${text}other\n`,
  }
  it.each(Object.entries(forgeries))('is made good where other bytes lie under the id of a %s', async (type, forge) => {
    const { url } = await served(below('providers/demo', stagesFolder))
    const context = await sourceContext()
    const config = configOf(url, { version: 'v3' })
    const tag = 'docker-demo-1-30-v3'
    const source = await openGitSource(config, context)
    const want = await readFrom(source, tag)
    const commit = (await source.list()).releases[0]?.revision
    const repository = await repositoryIn(context)
    expect(await forgeObjects(repository, type, forge)).toBeGreaterThan(0)
    const offline = { ...context, offline: true }
    expect((await refusal(openGitSource(config, offline).then((one) => readFrom(one, tag, commit)))).text).toMatch(
      /^(?:GIT_FAILED .* of the cached repository is damaged: its content is that of another|FETCH_OFFLINE .*)$/,
    )
    expect(await readFrom(await openGitSource(config, context), tag, commit)).toEqual(want)
    expect(await readFrom(await openGitSource(config, offline), tag, commit)).toEqual(want)
  })

  it('is made good where files have other sizes', async () => {
    const { url } = await served(below('providers/demo', stagesFolder))
    const context = await sourceContext()
    const config = configOf(url, { version: 'v3' })
    const tag = 'docker-demo-1-30-v3'
    const source = await openGitSource(config, context)
    const want = await readFrom(source, tag)
    const commit = (await source.list()).releases[0]?.revision
    const big = deflateSync(Buffer.from(`blob ${String(2 ** 40)}\0`))
    for (const revision of [undefined, commit]) {
      expect(await forgeObjects(await repositoryIn(context), 'blob', () => '', big)).toBeGreaterThan(0)
      expect(await readFrom(await openGitSource(config, context), tag, revision)).toEqual(want)
    }
  })
})

describe('a server that sends other objects than it names', () => {
  const LACKING =
    /^GIT_FAILED .* git failed at .*: (?:fatal: (?:bad (?:tree )?object|missing (?:blob|tree) object)|.* did not send all necessary objects)/
  const cases: Readonly<Record<string, { readonly sent: (all: Objects) => Uint8Array; readonly want: RegExp }>> = {
    'another commit': {
      sent: ({ repository, other }) => packOf(repository, listed(repository, other)),
      want: LACKING,
    },
    'a commit without its folders': {
      sent: ({ repository, commit }) => packOf(repository, [commit]),
      want: LACKING,
    },
    'folders without a file': {
      sent: ({ repository, commit, file }) =>
        packOf(
          repository,
          listed(repository, commit).filter((id) => id !== file),
        ),
      want: LACKING,
    },
    'a file with other bytes': {
      sent: ({ repository, commit, file, otherFile }) =>
        packOf(
          repository,
          listed(repository, commit).map((id) => (id === file ? otherFile : id)),
        ),
      want: LACKING,
    },
    'bytes that are damaged': {
      sent: ({ repository, commit }) =>
        packOf(repository, listed(repository, commit)).map((byte, index) => (index === 200 ? byte ^ 0x55 : byte)),
      want: /^GIT_FAILED .* git failed at .*: fatal: .*pack/,
    },
    'half of a pack': {
      sent: ({ repository, commit }) => packOf(repository, listed(repository, commit)).subarray(0, 200),
      want: /^FETCH_FAILED .* cannot be reached: fatal: early EOF/,
    },
  }

  describe.each(Object.entries(cases))('%s', (_, { sent, want }) => {
    it.each(['what a branch names', 'what the lock names'])(
      'is refused as %s, and nothing of it is kept',
      async (by) => {
        let forged: { readonly commit: string; readonly pack: Uint8Array } | undefined
        const { repository, url } = await served(below('providers/demo', stagesFolder), {
          intercept: (request, response) => forged !== undefined && answerForged(request, response, forged),
        })
        const commit = repository.git(['rev-parse', 'main'])
        const file = repository.git(['rev-parse', 'main:providers/demo/csctl.yaml'])
        const other = repository.commit({
          ...below('providers/demo', stagesFolder),
          'providers/demo/csctl.yaml': 'x: y\n',
        })
        const otherFile = repository.git(['rev-parse', 'main:providers/demo/csctl.yaml'])
        repository.git(['update-ref', 'refs/heads/main', commit])
        const clock = { ...ports.clock, sleep: async () => undefined }
        const context = await sourceContext({}, { ports: { clock } })
        const tag = 'docker-demo-1-30-v3'
        const revision = by === 'what the lock names' ? commit : undefined
        const read = async (): Promise<ReadRelease> =>
          readFrom(await openGitSource(configOf(url, { version: 'v3' }), context), tag, revision)
        forged = { commit, pack: sent({ repository, commit, file, other, otherFile }) }
        expect((await refusal(read())).text).toMatch(want)
        const kept = await readdir(join(context.cacheFolder(), 'v1/git'), { recursive: true })
        expect(kept.filter((path) => path.includes('/'))).toEqual([])
        forged = undefined
        expect((await read()).release.name).toEqual(parseReleaseTag(tag))
      },
    )
  })
})

/** A repository with two commits, and a file that has other bytes in each. */
interface Objects {
  readonly repository: TestRepository
  readonly commit: string
  readonly file: string
  readonly other: string
  readonly otherFile: string
}

/** The commit with its folders and files, without what is before it. */
function listed(repository: TestRepository, commit: string): readonly string[] {
  return repository.git(['rev-list', '--objects', '--no-walk', '--no-object-names', commit]).split('\n')
}

function packOf(repository: TestRepository, objects: readonly string[]): Uint8Array {
  const args = ['pack-objects', '--quiet', '--stdout']
  return execFileSync('git', args, { cwd: repository.path, input: `${objects.join('\n')}\n` })
}

/** Answers git's first protocol with a pack that is made beforehand. */
function answerForged(
  request: IncomingMessage,
  response: ServerResponse,
  { commit, pack }: { readonly commit: string; readonly pack: Uint8Array },
): boolean {
  const line = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text
  if (request.method === 'GET') {
    const abilities = 'shallow allow-tip-sha1-in-want allow-reachable-sha1-in-want symref=HEAD:refs/heads/main'
    const refs = [`${commit} HEAD\0${abilities}\n`, `${commit} refs/heads/main\n`].map(line).join('')
    response.setHeader('content-type', 'application/x-git-upload-pack-advertisement')
    response.end(`${line('# service=git-upload-pack\n')}0000${refs}0000`)
    return true
  }
  let asked = ''
  request.setEncoding('latin1')
  request.on('data', (text: string) => (asked += text))
  request.on('end', () => {
    response.setHeader('content-type', 'application/x-git-upload-pack-result')
    response.write(`${line(`shallow ${commit}`)}0000`)
    response.end(asked.includes('done') ? Buffer.concat([Buffer.from(line('NAK\n')), pack]) : undefined)
  })
  return true
}

async function repositoryIn(context: SourceContext): Promise<string> {
  const [id = ''] = await readdir(join(context.cacheFolder(), 'v1/git'))
  return join(context.cacheFolder(), 'v1/git', id, 'repository')
}

/** Puts other content under the ids of all objects of a type, as whoever can write to the cache may; gives how many. */
async function forgeObjects(
  repository: string,
  type: string,
  forge: (text: string) => string,
  written?: Uint8Array,
): Promise<number> {
  const git = (args: readonly string[], input?: Uint8Array): Buffer =>
    execFileSync('git', ['--git-dir', repository, ...args], { input, stdio: ['pipe', 'pipe', 'inherit'] })
  const packs = join(repository, 'objects/pack')
  for (const name of await readdir(packs)) {
    const bytes = await readFile(join(packs, name))
    await rm(join(packs, name))
    if (name.endsWith('.pack')) git(['unpack-objects', '-q'], bytes)
  }
  const check = ['cat-file', '--batch-all-objects', '--batch-check=%(objectname) %(objecttype)']
  const lines = git(check).toString().trim().split('\n')
  const ids = lines.flatMap((line) => (line.endsWith(` ${type}`) ? [line.split(' ')[0] ?? ''] : []))
  for (const id of ids) {
    const content = Buffer.from(forge(git(['cat-file', type, id]).toString('latin1')), 'latin1')
    const path = join(repository, 'objects', id.slice(0, 2), id.slice(2))
    await rm(path)
    const header = Buffer.from(`${type} ${String(content.length)}\0`)
    await writeFile(path, written ?? deflateSync(Buffer.concat([header, content])))
  }
  return ids.length
}
