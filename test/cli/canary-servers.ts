import { createHash } from 'node:crypto'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Ports } from '../../src/model/ports.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import type { FileMap } from '../../tools/fleets/stack-folder.ts'
import { fixtureChart, indexOf, packChart, startChartRepository } from '../../tools/servers/chart-repository.ts'
import { answerReleases, clusterYaml, fleetYaml, releaseFiles, stackYaml } from '../../tools/servers/release-server.ts'
import { startWebServer, type WebAnswer } from '../../tools/servers/web-server.ts'
import { formatClaim, makeSigningKey, signPayload } from '../network/signature/sign-release.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { ADDON, ADDONS, CANARY, type CanaryCase, type CanaryFleet, CLUSTER, CONFIG } from './canary-fleet.ts'
import { runCli, type CliRunOptions } from './run-cli.ts'

const UPDATE = ['update']
const [v1, v2] = ['docker-demo-1-34-v1', 'docker-demo-1-34-v2']
const asset = `/${v1}/docker-demo-1-34-cluster-class-v1.tgz`
/** What a server says that repeats what it was sent. */
const SAID = `no access for user:${CANARY}, Basic ${Buffer.from(`user:${CANARY}`).toString('base64')}`
const credentials = 'plainHttp: true, credentialsFrom: {username: U, password: P}'

/** The machine's ports with credentials in variables whose names tell nothing, and a cache of its own. */
async function portsOf(variables: Readonly<Record<string, string>> = {}, idleTimeout = 30_000): Promise<Ports> {
  const home = await tempFolder()
  const ports = createNodePorts()
  const values = new Map(
    Object.entries({ HOME: home, STACKMASON_CACHE: join(home, 'cache'), U: 'user', P: CANARY, ...variables }),
  )
  return {
    ...ports,
    environment: { get: (name) => values.get(name) },
    clock: { ...ports.clock, sleep: async () => undefined },
    http: { exchange: (request) => ports.http.exchange({ ...request, idleTimeout }) },
  }
}

interface Remote extends CanaryFleet {
  readonly offered: Map<string, FileMap>
  readonly answers: Map<string, WebAnswer>
  readonly url: string
  readonly ports: Ports
  readonly again: (...words: readonly string[]) => Promise<unknown>
}

interface RemoteOptions {
  readonly tls?: boolean
  readonly variables?: Readonly<Record<string, string>>
  /** Milliseconds without a byte after which a server is given up. */
  readonly idleTimeout?: number
}

/** The fleet takes its releases from a web server, to which it sends the canary as password. */
function remote(
  change: (remote: Remote) => Promise<void> | void = () => undefined,
  { tls = false, variables, idleTimeout }: RemoteOptions = {},
): NonNullable<CanaryCase['prepare']> {
  return async (fleet): Promise<CliRunOptions> => {
    const offered = new Map([[v1, releaseFiles('v1')]])
    const answers = new Map<string, WebAnswer>()
    const server = await startWebServer(({ path }) => answers.get(path) ?? answerReleases(path, offered), { tls })
    onTestFinished(server.close)
    const { folder, cwd } = fleet
    folder.remove('clusters/team-a/web/values')
    folder.write(CONFIG, fleetYaml(server.url).replace('plainHttp: true', credentials))
    folder.remove('stacks/starter.yaml')
    folder.write('stacks/demo.yaml', stackYaml('autoSubscribe: true'))
    folder.write(CLUSTER, clusterYaml('v1'))
    const ports = await portsOf(variables, idleTimeout)
    const again = (...words: readonly string[]): Promise<unknown> => runCli(words, { cwd, ports })
    await change({ ...fleet, offered, answers, url: server.url, ports, again })
    return { ports }
  }
}

/** A server that answers so for one file of the release. */
const answering = (answer: WebAnswer, options?: RemoteOptions): NonNullable<CanaryCase['prepare']> =>
  remote(({ answers }) => {
    answers.set(asset, answer)
  }, options)

const class1 = Buffer.from(releaseFiles('v1')[asset.slice(v1.length + 2)] ?? '')

/** A registry of one chart, whose signature says what is wanted. */
async function signedChart(
  fleet: CanaryFleet,
  signature: (digest: string) => string | undefined,
): Promise<CliRunOptions> {
  const blobs = new Map<string, WebAnswer>()
  const add = (bytes: Uint8Array, type = 'application/octet-stream'): { digest: string; size: number } => {
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    const answer = { headers: { 'content-type': type, 'docker-content-digest': digest }, body: bytes }
    for (const kind of ['blobs', 'manifests']) blobs.set(`/v2/charts/agent/${kind}/${digest}`, answer)
    return { digest, size: bytes.length }
  }
  const manifest = (layers: readonly object[]): Buffer =>
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        config: { mediaType: 'application/vnd.cncf.helm.config.v1+json', ...add(Buffer.from('{"name":"agent"}')) },
        layers,
        annotations: { token: CANARY },
      }),
    )
  const type = 'application/vnd.oci.image.manifest.v1+json'
  const { archive } = packChart(
    'agent',
    '1.2.0',
    new Map([['Chart.yaml', 'apiVersion: v2\nname: agent\nversion: 1.2.0\n']]),
  )
  const bytes = manifest([{ mediaType: 'application/vnd.cncf.helm.chart.content.v1.tar+gzip', ...add(archive) }])
  const { digest } = add(bytes, type)
  const answers = new Map(blobs).set('/v2/charts/agent/manifests/1.2.0', {
    headers: { 'content-type': type },
    body: bytes,
  })
  const server = await startWebServer(({ path }) => answers.get(path) ?? blobs.get(path))
  onTestFinished(server.close)
  const payload = formatClaim({ digest, repository: `${server.host}/charts/agent` })
  const text = signature(payload)
  if (text !== undefined) {
    const layer = {
      mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json',
      ...add(Buffer.from(payload)),
      annotations: { 'dev.cosignproject.cosign/signature': text, token: CANARY },
    }
    const signatures = manifest([layer])
    add(signatures, type)
    answers.set(`/v2/charts/agent/manifests/${digest.replace(':', '-')}.sig`, {
      headers: { 'content-type': type },
      body: signatures,
    })
  }
  const { folder } = fleet
  folder.write('key.pub', makeSigningKey().publicKey)
  folder.edit(
    CONFIG,
    'spec:\n',
    `spec:\n  chartRepositories:\n    - {url: "oci://${server.host}/charts", ${credentials}, publicKeys: [key.pub]}\n`,
  )
  folder.write(ADDONS, ownChart(`oci://${server.host}/charts`))
  return { ports: await portsOf() }
}

const ownChart = (repository: string): string =>
  `apiVersion: stackmason.dev/v1alpha1\nkind: Addons\nspec:\n  addons:\n    - name: watcher\n      namespace: default\n      chart: {repository: "${repository}", name: agent, version: 1.2.0}\n`

/**
 * What servers, git, the cache and the lock do wrong, while the canary is a password that is sent, or stands in what is
 * received.
 */
export const serverCases: Readonly<Record<string, CanaryCase>> = {
  'a connection that breaks': {
    code: 'FETCH_FAILED',
    words: UPDATE,
    prepare: answering({ body: class1, fault: { type: 'reset', after: 20 } }),
  },
  'a server that says nothing': {
    code: 'FETCH_TIMEOUT',
    words: UPDATE,
    prepare: answering({ body: class1, fault: { type: 'stall', after: 20 } }, { idleTimeout: 300 }),
  },
  'a certificate that nobody trusts': {
    code: 'FETCH_TLS',
    words: UPDATE,
    prepare: remote(() => undefined, { tls: true }),
  },
  'an address without TLS': {
    code: 'FETCH_PLAIN_HTTP',
    words: UPDATE,
    prepare: remote(({ folder }) => folder.edit(CONFIG, 'plainHttp: true, ', '')),
  },
  'a password that is refused': {
    code: 'FETCH_UNAUTHORIZED',
    words: UPDATE,
    prepare: answering({ status: 401, headers: { 'www-authenticate': `Basic realm="${CANARY}"` }, body: SAID }),
  },
  'a variable that is empty': {
    code: 'FETCH_CREDENTIALS',
    words: UPDATE,
    prepare: remote(() => undefined, { variables: { U: '' } }),
  },
  'a file that is not there': {
    code: 'FETCH_NOT_FOUND',
    words: UPDATE,
    prepare: answering({ status: 404, body: SAID }),
  },
  'too many requests': {
    code: 'FETCH_RATE_LIMITED',
    words: UPDATE,
    prepare: answering({ status: 429, headers: { 'retry-after': '7200' }, body: SAID }),
  },
  'an answer that nothing can be done about': {
    code: 'FETCH_REFUSED',
    words: UPDATE,
    prepare: answering({ status: 418, body: SAID }),
  },
  'a redirect that repeats the password': {
    code: 'FETCH_FAILED',
    words: UPDATE,
    prepare: answering({
      status: 302,
      headers: { location: `http://user:${CANARY}@other.invalid/x?token=${CANARY}` },
    }),
  },
  'an index that is none': {
    code: 'FETCH_INVALID',
    words: UPDATE,
    prepare: remote(({ answers }) => {
      answers.set('/index.json', { body: `{"token": "${CANARY}", "releases": [${CANARY}` })
    }),
  },
  'an index that is too large': {
    code: 'FETCH_TOO_LARGE',
    words: UPDATE,
    prepare: remote(({ answers }) => {
      answers.set('/index.json', { body: `{"token": "${CANARY}"}${' '.repeat(40 << 20)}` })
    }),
  },
  'other bytes than the index says': {
    code: 'FETCH_DIGEST_MISMATCH',
    words: UPDATE,
    prepare: answering({ body: Buffer.from(CANARY.repeat(1000)).subarray(0, class1.length) }),
  },
  'nothing in the cache, offline': { code: 'FETCH_OFFLINE', words: [...UPDATE, '--offline'], prepare: remote() },
  'a tag that is none': {
    code: 'RELEASE_TAG_SKIPPED',
    words: UPDATE,
    prepare: remote(({ offered }) => {
      offered.set('docker-demo-1-34-vv1', { 'values.yaml': `password: ${CANARY}\n` })
    }),
  },
  'no lock': { code: 'LOCK_MISSING', prepare: remote() },
  'a lock that is damaged': {
    code: 'LOCK_INVALID',
    prepare: remote(({ folder }) => folder.write('stackmason.lock', `releases: [\ntoken: ${CANARY}\n`)),
  },
  'a release that is not what the lock says': {
    code: 'LOCK_MISMATCH',
    words: ['fetch'],
    prepare: remote(async ({ again, offered, ports, folder }) => {
      await again('update')
      offered.set(v1, releaseFiles('v1', { mark: CANARY }))
      folder.edit('stackmason.lock', /digest: sha256:\w{8}/, 'digest: sha256:00000000')
      await rm(ports.environment.get('STACKMASON_CACHE') ?? '', { recursive: true })
    }),
  },
  'a release that the committed tree uses': {
    code: 'RELEASE_IN_USE',
    words: [...UPDATE, '--prune'],
    prepare: remote(async ({ again, offered, folder }) => {
      await again('update')
      await again('render', '-q')
      folder.commit()
      offered.set(v2, releaseFiles('v2', { mark: `"token=${CANARY}"` }))
      await again('update')
      folder.write(CLUSTER, clusterYaml('v2'))
    }),
  },
  'a cache that is not a folder': {
    code: 'CACHE_FAILED',
    words: UPDATE,
    prepare: remote(({ ports }) => writeFile(ports.environment.get('STACKMASON_CACHE') ?? '', CANARY)),
  },
  'a chart that the repository does not have': {
    code: 'DEPENDENCY_NOT_FOUND',
    words: UPDATE,
    prepare: async ({ folder }) => {
      const login = { username: 'user', password: CANARY }
      const index = `${indexOf([fixtureChart('other', '1.0.0')])}annotations: {token: ${CANARY}}\n`
      const repository = await startChartRepository([fixtureChart('other', '1.0.0')], { credentials: login, index })
      onTestFinished(repository.close)
      folder.edit(CONFIG, 'spec:\n', `spec:\n  chartRepositories:\n    - {url: "${repository.url}", ${credentials}}\n`)
      folder.write(ADDONS, ownChart(repository.url))
      return { ports: await portsOf() }
    },
  },
  'a lock of a chart that is old': {
    code: 'DEPENDENCY_LOCK_STALE',
    words: UPDATE,
    prepare: async ({ folder }) => {
      const repository = await startChartRepository([fixtureChart('agent', '1.2.0')], {
        credentials: { username: 'user', password: CANARY },
      })
      onTestFinished(repository.close)
      folder.edit(CONFIG, 'spec:\n', `spec:\n  chartRepositories:\n    - {url: "${repository.url}", ${credentials}}\n`)
      const dependency = `dependencies:\n  - {name: agent, version: 1.2.0, repository: "${repository.url}"}\n`
      folder.write(`${ADDON}/Chart.yaml`, `${folder.read(`${ADDON}/Chart.yaml`)}${dependency}`)
      folder.write(
        `${ADDON}/Chart.lock`,
        `${dependency}digest: sha256:${'0'.repeat(64)}\ngenerated: "token=${CANARY}"\n`,
      )
      return { ports: await portsOf() }
    },
  },
  'a chart that is not signed': {
    code: 'SIGNATURE_MISSING',
    words: UPDATE,
    prepare: (fleet) => signedChart(fleet, () => undefined),
  },
  'a chart that another key signed': {
    code: 'SIGNATURE_INVALID',
    words: UPDATE,
    prepare: (fleet) => signedChart(fleet, (payload) => signPayload(payload, makeSigningKey())),
  },
  'a repository that is none': {
    code: 'GIT_FAILED',
    words: UPDATE,
    prepare: remote(async ({ folder }) => {
      const server = await startWebServer(() => ({ status: 404, body: SAID }))
      onTestFinished(server.close)
      folder.edit(CONFIG, /http: \{.*?\}\}/, `git: {url: "${server.url}/fleet.git", path: x, ${credentials}}`)
    }),
  },
  'a git server that fails': {
    code: 'FETCH_FAILED',
    words: UPDATE,
    prepare: remote(async ({ folder }) => {
      const server = await startWebServer(() => ({ status: 500, body: SAID }))
      onTestFinished(server.close)
      folder.edit(CONFIG, /http: \{.*?\}\}/, `git: {url: "${server.url}/fleet.git", path: x, ${credentials}}`)
    }),
  },
}
