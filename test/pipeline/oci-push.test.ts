import { describe, expect, it, onTestFinished } from 'vitest'
import { digestOf } from '../../src/codec/bytes/digest.ts'
import { encodeUtf8 } from '../../src/codec/bytes/utf8.ts'
import { openRegistry } from '../../src/network/registry/open-registry.ts'
import { pushArtifact } from '../../src/pipeline/publishing/oci-registry.ts'
import { type Artifact, makeArtifact, packArtifact, typesFor } from '../../src/publish/oci/artifact.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { startWebServer, type WebAnswer, type WebRequest, type WebServer } from '../../tools/servers/web-server.ts'
import { ociContext } from '../network/registry/oci-context.ts'
import { diagnosticsOf } from '../support/diagnostics-of.ts'

const { crypto } = createNodePorts()
const password = 'the password of a test'
const files = [
  { path: 'b/x.yaml', bytes: encodeUtf8('x: 1\n') },
  { path: 'a.yaml', bytes: encodeUtf8('a: 1\n') },
]
const origin = { source: 'https://git.example/fleet', revision: 'main@sha1:1', created: '2026-01-02T03:04:05Z' }
const artifact = makeArtifact(packArtifact(files, typesFor('flux'), crypto), origin, crypto)

type Answers = (request: WebRequest, count: number) => WebAnswer | undefined

async function serve(answers: Answers): Promise<WebServer> {
  const server = await startWebServer(answers)
  onTestFinished(server.close)
  return server
}

const challenge = { 'www-authenticate': 'Basic realm="x"' }

/** A registry that knows nothing and takes everything from who has the password, but for what `faults` answers. */
function registry(faults: Answers = () => undefined): Answers {
  return (request, count) => {
    const fault = faults(request, count)
    if (fault !== undefined) return fault
    if (!request.headers.has('authorization')) return { status: 401, headers: challenge }
    const { method, path } = request
    if (method === 'HEAD') return { status: 404 }
    if (method === 'POST') return { status: 202, headers: { location: '/upload' } }
    if (path.startsWith('/upload')) return { status: 201 }
    return method === 'PUT'
      ? { status: 201, headers: { 'docker-content-digest': digestOf(request.body, crypto) } }
      : { status: 200 }
  }
}

async function push(
  { url }: WebServer,
  make: () => Promise<Artifact> = () => Promise.resolve(artifact),
): ReturnType<typeof pushArtifact> {
  const environment = { USER: 'mason', PASSWORD: password }
  const context = await ociContext({ environment })
  const ports = { ...context.ports, clock: { ...context.ports.clock, sleep: () => Promise.resolve() } }
  const to = await openRegistry(
    {
      host: new URL(url).host,
      repository: 'fleet',
      plainHttp: true,
      credentials: { username: 'USER', password: 'PASSWORD' },
    },
    { ...context, ports },
  )
  const { digest } = artifact.manifest
  return pushArtifact(
    { registry: to, digest, make, fixedTag: 'abc', versionTags: [], movingTag: 'main', key: undefined },
    ports,
  )
}

function lines({ requests }: WebServer): readonly string[] {
  return requests
    .filter(({ headers }) => headers.has('authorization'))
    .map(({ method, path }) => `${method} ${path.replaceAll(/sha256(:|%3A)[0-9a-f]{60}/g, '…')}`)
}

it('an artifact of these files has this digest, on every machine', () => {
  expect(artifact.layer.digest).toMatchInlineSnapshot(
    `"sha256:55bf7a5f6a93dafd6502bc2b2d84056da7421bf7e6f8fbd8e77f58cee740054a"`,
  )
  expect(artifact.manifest.digest).toMatchInlineSnapshot(
    `"sha256:4e60cb51a605036343051caf88885e61307c302e08123c27fbcc563b317a588d"`,
  )
  const other = makeArtifact(packArtifact(files.toReversed(), typesFor('flux'), crypto), origin, crypto)
  expect(other.manifest.digest).toBe(artifact.manifest.digest)
})

describe('pushing an artifact', () => {
  it('sends layer, configuration, manifest, and the tag that others follow last', async () => {
    const server = await serve(registry())
    expect(await push(server)).toEqual({ isPushed: true, isTagged: true, isSigned: false, taken: [] })
    const [layer, config, manifest] = [artifact.layer, artifact.config, artifact.manifest].map(
      ({ digest }) => `…${digest.slice(-4)}`,
    )
    expect(lines(server)).toEqual([
      'HEAD /v2/fleet/manifests/main',
      `HEAD /v2/fleet/manifests/${manifest ?? ''}`,
      `HEAD /v2/fleet/blobs/${layer ?? ''}`,
      'POST /v2/fleet/blobs/uploads/',
      `PUT /upload?digest=${layer ?? ''}`,
      `HEAD /v2/fleet/blobs/${config ?? ''}`,
      'POST /v2/fleet/blobs/uploads/',
      `PUT /upload?digest=${config ?? ''}`,
      'PUT /v2/fleet/manifests/abc',
      'PUT /v2/fleet/manifests/main',
    ])
  })

  it('asks once where all of it is there, and makes nothing', async () => {
    const server = await serve(
      registry(({ method, headers }) =>
        method === 'HEAD' && headers.has('authorization')
          ? { headers: { 'docker-content-digest': artifact.manifest.digest } }
          : undefined,
      ),
    )
    const outcome = await push(server, () => Promise.reject(new Error('made')))
    expect(outcome).toEqual({ isPushed: false, isTagged: false, isSigned: false, taken: [] })
    expect(lines(server)).toEqual(['HEAD /v2/fleet/manifests/main'])
  })

  it('shows credentials to no other host, wherever uploads are to go', async () => {
    const other = await serve(() => ({ status: 201 }))
    const server = await serve(
      registry(({ method, headers }) =>
        method === 'POST' && headers.has('authorization')
          ? { status: 202, headers: { location: `${other.url}/take?x=1` } }
          : undefined,
      ),
    )
    await push(server)
    expect(other.requests.map(({ method, path }) => `${method} ${path.slice(0, 22)}`)).toEqual(
      Array.from({ length: 2 }, () => 'PUT /take?x=1&digest=sha25'),
    )
    expect(other.requests.filter(({ headers }) => headers.has('authorization'))).toEqual([])
  })

  it('shows credentials to no other host that it redirects to', async () => {
    const said = { 'docker-content-digest': artifact.manifest.digest }
    const other = await serve(() => ({ status: 201, headers: said }))
    const server = await serve(
      registry(({ method, path, headers }) =>
        method === 'PUT' && path.startsWith('/v2/') && headers.has('authorization')
          ? { status: 307, headers: { location: `${other.url}/manifest` } }
          : undefined,
      ),
    )
    await push(server)
    expect(other.requests.length).toBe(2)
    expect(other.requests.filter(({ headers }) => headers.has('authorization'))).toEqual([])
  })

  it.each([429, 500, 502, 503])('goes on after %d', async (status) => {
    const server = await serve(
      registry(({ method, headers }, count) =>
        method !== 'HEAD' && headers.has('authorization') && count === 1 ? { status } : undefined,
      ),
    )
    expect(await push(server)).toMatchObject({ isPushed: true })
  })

  const on =
    (method: string, part: string, answer: WebAnswer): Answers =>
    (request) =>
      request.method === method && request.path.includes(part) && request.headers.has('authorization')
        ? answer
        : undefined
  const big = new Uint8Array(2 * 1024 * 1024)

  it.each<readonly [string, Answers, string, string]>([
    [
      'a wrong password',
      on('POST', '', { status: 401, headers: challenge }),
      'FETCH_UNAUTHORIZED',
      'does not accept the credentials',
    ],
    [
      'no right to push',
      on('POST', '', { status: 403, body: { errors: [{ code: 'DENIED', message: 'no' }] } }),
      'FETCH_UNAUTHORIZED',
      '403',
    ],
    ['a registry that takes nothing', on('POST', '', { status: 405 }), 'FETCH_REFUSED', '405'],
    ['a layer that is too large for a proxy', on('PUT', '/upload', { status: 413 }), 'FETCH_REFUSED', '413'],
    ['no place for uploads', on('POST', '', { status: 202 }), 'FETCH_INVALID', 'does not say where to send it'],
    [
      'a place that is none',
      on('POST', '', { status: 202, headers: { location: 'ftp://x/y' } }),
      'FETCH_INVALID',
      'not an address of a web server',
    ],
    [
      'redirects in a circle',
      on('PUT', '/v2/', { status: 307, headers: { location: '/v2/fleet/manifests/abc' } }),
      'FETCH_INVALID',
      'redirects more than 10 times',
    ],
    [
      'another digest under a digest',
      on('HEAD', 'manifests/sha256', { headers: { 'docker-content-digest': `sha256:${'0'.repeat(64)}` } }),
      'FETCH_DIGEST_MISMATCH',
      'and should have',
    ],
    [
      'another digest of what was sent',
      on('PUT', '/v2/', { status: 201, headers: { 'docker-content-digest': `sha256:${'0'.repeat(64)}` } }),
      'FETCH_DIGEST_MISMATCH',
      'and should have',
    ],
    ['two megabytes of answer', on('PUT', '/v2/', { status: 201, body: big }), 'FETCH_TOO_LARGE', '1048576'],
    ['an upload that is always forgotten', on('PUT', '/upload', { status: 404 }), 'FETCH_NOT_FOUND', '404'],
  ])('ends in an error of ours: %s', async (_, faults, code, message) => {
    const server = await serve(registry(faults))
    const [problem] = await diagnosticsOf(push(server))
    expect(problem).toMatchObject({ code })
    expect(problem?.message).toContain(message)
    expect(problem?.message).not.toContain(password)
    expect(server.requests.length).toBeLessThan(60)
  })
})
