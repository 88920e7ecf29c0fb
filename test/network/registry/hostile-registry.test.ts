import { createHash } from 'node:crypto'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeUtf8 } from '../../../src/codec/bytes/utf8.ts'
import { OCI_MANIFEST } from '../../../src/network/registry/manifest.ts'
import { HttpError } from '../../../src/model/http.ts'
import { openRegistry } from '../../../src/network/registry/open-registry.ts'
import type { Registry } from '../../../src/network/registry/registry.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { startWebServer, type WebHandler, type WebRoutes, type WebServer } from '../../../tools/servers/web-server.ts'
import { webScript, type WebStep } from '../../support/web-script.ts'
import { ociContext, plainRegistry } from './oci-context.ts'

const base = '/v2/kaas/stacks'
const password = 'the password of a test'
const basic = `Basic ${Buffer.from(`mason:${password}`).toString('base64')}`

function digestOf(text: string | Uint8Array): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

async function start(routes: WebRoutes | WebHandler): Promise<WebServer> {
  const server = await startWebServer(routes)
  onTestFinished(server.close)
  return server
}

/** Opens the repository with user and password. */
async function openAsUser(host: string): Promise<Registry> {
  const environment = { OCI_USER: 'mason', OCI_PASS: password }
  const credentials = { username: 'OCI_USER', password: 'OCI_PASS' }
  return openRegistry(
    { host, repository: 'kaas/stacks', plainHttp: true, credentials },
    await ociContext({ environment }),
  )
}

describe('an answer that is not what it should be', () => {
  const layer = { mediaType: 'x', digest: digestOf('blob'), size: 4 }
  const manifest = JSON.stringify({ schemaVersion: 2, mediaType: OCI_MANIFEST, config: layer, layers: [layer] })
  const headers = { 'content-type': OCI_MANIFEST }

  const cases: readonly {
    readonly name: string
    readonly routes: WebRoutes
    readonly ask: (registry: Registry) => Promise<unknown>
    readonly want: string
    readonly message?: string
  }[] = [
    {
      name: 'a manifest of five megabytes',
      routes: { [`${base}/manifests/v1`]: { headers, body: new Uint8Array(5 * 1024 * 1024) } },
      ask: (registry) => registry.getManifest('v1'),
      want: 'FETCH_TOO_LARGE',
    },
    {
      name: 'a manifest of another digest than asked for',
      routes: { [`${base}/manifests/${digestOf('x')}`]: { headers, body: manifest } },
      ask: (registry) => registry.getManifest(digestOf('x')),
      want: 'FETCH_DIGEST_MISMATCH',
    },
    {
      name: 'a manifest of another digest than the registry says',
      routes: {
        [`${base}/manifests/v1`]: { headers: { ...headers, 'docker-content-digest': digestOf('x') }, body: manifest },
      },
      ask: (registry) => registry.getManifest('v1'),
      want: 'FETCH_DIGEST_MISMATCH',
    },
    {
      name: 'JSON nested a hundred thousand times',
      routes: { [`${base}/manifests/v1`]: { headers, body: '{"layers":'.repeat(100_000) } },
      ask: (registry) => registry.getManifest('v1'),
      want: 'FETCH_INVALID',
    },
    {
      name: 'a page of HTML',
      routes: { [`${base}/manifests/v1`]: { headers: { 'content-type': 'text/html' }, body: '<html></html>' } },
      ask: (registry) => registry.getManifest('v1'),
      want: 'FETCH_INVALID',
    },
    {
      name: 'a manifest of schema 1',
      routes: { [`${base}/manifests/v1`]: { body: { schemaVersion: 1, fsLayers: [] } } },
      ask: (registry) => registry.getManifest('v1'),
      want: 'FETCH_INVALID',
    },
    {
      name: 'an index whose only entry is missing',
      routes: { [`${base}/manifests/v1`]: { body: { schemaVersion: 2, manifests: [layer] } } },
      ask: (registry) => registry.getManifest('v1'),
      want: 'FETCH_INVALID',
    },
    {
      name: 'a blob with other bytes',
      routes: { [`${base}/blobs/${digestOf('blob')}`]: { body: 'glob' } },
      ask: (registry) => registry.getBlob(digestOf('blob'), { size: 4 }),
      want: 'FETCH_DIGEST_MISMATCH',
    },
    {
      name: 'a blob longer than its manifest says',
      routes: { [`${base}/blobs/${digestOf('blob')}`]: { body: 'x'.repeat(1000) } },
      ask: (registry) => registry.getBlob(digestOf('blob'), { size: 4 }),
      want: 'FETCH_TOO_LARGE',
    },
    {
      name: 'a blob larger than allowed',
      routes: {},
      ask: (registry) => registry.getBlob(digestOf('blob'), { size: 5, maxBytes: 4 }),
      want: 'FETCH_TOO_LARGE',
    },
    {
      name: 'tags that are not JSON',
      routes: { [`${base}/tags/list`]: { body: 'tags' } },
      ask: (registry) => registry.listTags(),
      want: 'FETCH_INVALID',
    },
    {
      name: 'an upload without a place to send it',
      routes: { [`POST ${base}/blobs/uploads/`]: { status: 202 } },
      ask: (registry) => registry.pushBlob(new Uint8Array(1)),
      want: 'FETCH_INVALID',
    },
    {
      name: 'a challenge that nobody can meet',
      routes: { [`${base}/manifests/v1`]: { status: 401, headers: { 'www-authenticate': 'Negotiate' } } },
      ask: (registry) => registry.getManifest('v1'),
      want: 'FETCH_UNAUTHORIZED',
    },
    {
      name: '401 without a challenge',
      routes: { [`${base}/manifests/v1`]: { status: 401 } },
      ask: (registry) => registry.getManifest('v1'),
      want: 'FETCH_UNAUTHORIZED',
    },
    ...['', 'realm="/token"', 'realm="file:///etc/passwd"', 'realm="https://"'].map((realm) => ({
      name: `a token service that is none: ${realm}`,
      routes: { [`${base}/manifests/v1`]: { status: 401, headers: { 'www-authenticate': `Bearer ${realm}` } } },
      ask: (registry: Registry) => registry.getManifest('v1'),
      want: 'FETCH_INVALID',
    })),
  ]
  test.each(cases)('$name', async ({ routes, ask, want }) => {
    const server = await start(routes)
    const problems = await diagnosticsOf(ask(await plainRegistry(server.host)))
    expect(problems.map(({ code }) => code)).toEqual([want])
  })

  test('with names of the prototype is read as any other', async () => {
    const text = manifest.replace('"layers"', '"__proto__":{"polluted":1},"annotations":{"__proto__":"a"},"layers"')
    const server = await start({ [`${base}/manifests/v1`]: { headers, body: text } })
    const found = await (await plainRegistry(server.host)).getManifest('v1')
    expect([...(found?.manifest.annotations ?? [])]).toEqual([['__proto__', 'a']])
    expect('polluted' in {}).toBe(false)
  })
})

test('a list of tags has one deadline for all pages, and not one for each', async () => {
  const page = (next: string): WebStep => ({
    takes: 250_000,
    body: { tags: [`t${next}`] },
    headers: { link: `<?page=${next}>; rel="next"` },
  })
  const script = webScript([page('1'), page('2'), page('3'), new HttpError('timeout', 'it took too long')])
  const context = await ociContext()
  const registry = await openRegistry(
    { host: 'registry.example', repository: 'kaas/stacks', plainHttp: false },
    { ...context, ports: { ...context.ports, ...script.ports } },
  )
  expect((await diagnosticsOf(registry.listTags())).map(({ code }) => code)).toEqual(['FETCH_TIMEOUT'])
  expect(script.sent.map(({ timeout }) => timeout)).toEqual([300_000, 300_000, 100_000, 1])
})

describe('a token service that answers', () => {
  const cases: readonly { readonly name: string; readonly answer: WebRoutes[string]; readonly want: string }[] = [
    { name: 'no JSON', answer: { body: 'x' }, want: 'FETCH_INVALID' },
    { name: 'no token', answer: { body: {} }, want: 'FETCH_INVALID' },
    { name: 'a token with a line break', answer: { body: { token: 'a\r\nx-evil: 1' } }, want: 'FETCH_INVALID' },
    { name: 'that nobody may have one', answer: { status: 403 }, want: 'FETCH_UNAUTHORIZED' },
    { name: 'with a token of no use', answer: { body: { token: 'a' } }, want: 'FETCH_UNAUTHORIZED' },
    { name: 'megabytes', answer: { body: new Uint8Array(2 * 1024 * 1024) }, want: 'FETCH_TOO_LARGE' },
  ]
  test.each(cases)('$name', async ({ answer, want }) => {
    const server: WebServer = await start({
      [`${base}/manifests/v1`]: (request) => ({
        status: 401,
        headers: { 'www-authenticate': `Bearer realm="http://${request.headers.get('host') ?? ''}/token",service="s"` },
      }),
      '/token': answer,
    })
    const problems = await diagnosticsOf((await openAsUser(server.host)).getManifest('v1'))
    expect(problems.map(({ code }) => code)).toEqual([want])
    expect(JSON.stringify(problems)).not.toContain(password)
  })
})

test('a registry that says another digest of what was pushed', async () => {
  const said = digestOf('another')
  const server = await start({
    [`PUT ${base}/manifests/v1`]: { status: 201, headers: { 'docker-content-digest': said } },
  })
  const content = { bytes: encodeUtf8('{}'), mediaType: OCI_MANIFEST }
  const registry = await plainRegistry(server.host)
  expect(await diagnosticsOf(registry.pushManifest('v1', content))).toMatchObject([
    {
      code: 'FETCH_DIGEST_MISMATCH',
      message: `the manifest of ${server.host}/kaas/stacks:v1 has the digest ${said}, and should have ${digestOf('{}')}`,
      hint: 'Do not use the tag: the registry, or a proxy in front of it, changed the manifest or says a wrong digest. Remove the tag there, and push again once that is settled.',
    },
  ])
})

describe('a login page in the place of a registry', () => {
  const page = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Please log in</html>' } as const
  const begun = { status: 202, headers: { location: `${base}/blobs/uploads/1` } } as const
  const content = { bytes: encodeUtf8('{}'), mediaType: OCI_MANIFEST }
  const hint =
    'Something else may answer in its place, such as the login page of a proxy: check its address and the way there, then push again.'

  test.each<{
    readonly name: string
    readonly routes: WebRoutes
    readonly ask: (registry: Registry) => Promise<unknown>
    readonly message: (host: string) => string
  }>([
    {
      name: 'takes no blob',
      routes: { [`POST ${base}/blobs/uploads/`]: begun, [`PUT ${base}/blobs/uploads/1`]: page },
      ask: (registry) => registry.pushBlob(encodeUtf8('blob')),
      message: (host) =>
        `the registry does not confirm that it takes a blob for ${host}/kaas/stacks: it answers with status 200, and not with 201`,
    },
    {
      name: 'takes no blob that it seems to have',
      routes: {
        [`HEAD ${base}/blobs/${digestOf('blob')}`]: page,
        [`POST ${base}/blobs/uploads/`]: begun,
        [`PUT ${base}/blobs/uploads/1`]: page,
      },
      ask: (registry) => registry.pushBlob(encodeUtf8('blob')),
      message: (host) =>
        `the registry does not confirm that it takes a blob for ${host}/kaas/stacks: it answers with status 200, and not with 201`,
    },
    {
      name: 'begins no upload',
      routes: { [`POST ${base}/blobs/uploads/`]: page },
      ask: (registry) => registry.pushBlob(encodeUtf8('blob')),
      message: (host) =>
        `the registry does not confirm that it takes a blob for ${host}/kaas/stacks: it answers with status 200, and not with 202`,
    },
    {
      name: 'takes no manifest',
      routes: { [`PUT ${base}/manifests/v1`]: page },
      ask: (registry) => registry.pushManifest('v1', content),
      message: (host) =>
        `the registry does not confirm that it takes the manifest of ${host}/kaas/stacks:v1: it answers with status 200, and not with 201`,
    },
  ])('$name', async ({ routes, ask, message }) => {
    const server = await start(routes)
    expect(await diagnosticsOf(ask(await plainRegistry(server.host)))).toMatchObject([
      { code: 'FETCH_INVALID', message: message(server.host), hint },
    ])
  })

  test('has no manifest of a digest', async () => {
    const server = await start({ [`${base}/manifests/${digestOf('{}')}`]: page })
    const registry = await plainRegistry(server.host)
    expect(await diagnosticsOf(registry.findDigest(digestOf('{}')))).toMatchObject([{ code: 'FETCH_DIGEST_MISMATCH' }])
  })
})

describe('a registry that names no digest of what was pushed', () => {
  const content = { bytes: encodeUtf8('{}'), mediaType: OCI_MANIFEST }
  const digest = digestOf('{}')

  test.each([201, 202])('is asked for it after status %i', async (status) => {
    const server = await start({
      [`PUT ${base}/manifests/v1`]: { status },
      [`${base}/manifests/${digest}`]: { headers: { 'content-type': OCI_MANIFEST }, body: '{}' },
    })
    const registry = await plainRegistry(server.host)
    expect(await registry.pushManifest('v1', content)).toEqual({ digest, result: 'pushed' })
    expect(await registry.findDigest(digest)).toBe(digest)
    expect(server.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      `PUT ${base}/manifests/v1`,
      `GET ${base}/manifests/${digest}`,
      `HEAD ${base}/manifests/${digest}`,
      `GET ${base}/manifests/${digest}`,
    ])
  })

  test('and does not have it, has not taken it', async () => {
    const server = await start({ [`PUT ${base}/manifests/v1`]: { status: 201 } })
    const registry = await plainRegistry(server.host)
    expect(await diagnosticsOf(registry.pushManifest('v1', content))).toMatchObject([
      {
        code: 'FETCH_INVALID',
        message: `the registry takes the manifest of ${server.host}/kaas/stacks:v1, and has no ${digest} then`,
        hint: 'Push again; if that does not help, ask who runs the registry, or a proxy in front of it.',
      },
    ])
  })
})

describe('credentials stay with the registry', () => {
  const ping = { status: 401, headers: { 'www-authenticate': 'Basic realm="registry"' } } as const
  const onlyUser =
    (answer: ReturnType<WebHandler>): WebHandler =>
    (request) =>
      request.headers.get('authorization') === basic ? answer : ping

  test('when a blob is redirected to a storage', async () => {
    const storage = await start({ '/blob': { body: 'blob' } })
    const server = await start({
      '/v2/': ping,
      [`${base}/blobs/${digestOf('blob')}`]: onlyUser({
        status: 307,
        headers: { location: `${storage.url}/blob?signature=1` },
      }),
    })
    const registry = await openAsUser(server.host)
    expect(await registry.getBlob(digestOf('blob'))).toEqual(encodeUtf8('blob'))
    expect(storage.requests.map(({ headers }) => headers.get('authorization'))).toEqual([undefined])
  })

  test('when the storage asks for them', async () => {
    const storage = await start(() => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="storage"' } }))
    const server = await start({
      '/v2/': { body: {} },
      [`${base}/blobs/${digestOf('blob')}`]: { status: 307, headers: { location: `${storage.url}/blob` } },
    })
    const registry = await openAsUser(server.host)
    expect((await diagnosticsOf(registry.getBlob(digestOf('blob'))))[0]?.code).toBe('FETCH_UNAUTHORIZED')
    expect([...storage.requests, ...server.requests].filter(({ headers }) => headers.has('authorization'))).toEqual([])
  })

  test('when the storage names a token service of its own', async () => {
    const thief = await start(() => ({ body: { token: 'x' } }))
    const storage = await start(() => ({
      status: 401,
      headers: { 'www-authenticate': `Bearer realm="${thief.url}/token"` },
    }))
    const server = await start({
      '/v2/': { body: {} },
      [`${base}/blobs/${digestOf('blob')}`]: { status: 307, headers: { location: `${storage.url}/blob` } },
    })
    await diagnosticsOf((await openAsUser(server.host)).getBlob(digestOf('blob')))
    expect(thief.requests).toEqual([])
  })

  test('when the token service sends on to another host', async () => {
    const thief = await start(() => ({ body: { token: 'x' } }))
    const server: WebServer = await start({
      [`${base}/manifests/v1`]: (request) => ({
        status: 401,
        headers: { 'www-authenticate': `Bearer realm="http://${request.headers.get('host') ?? ''}/token"` },
      }),
      '/token': { status: 307, headers: { location: `${thief.url}/token` } },
    })
    const problems = await diagnosticsOf((await openAsUser(server.host)).getManifest('v1'))
    expect(problems[0]?.message).toBe(
      `the token service http://${server.host}/token sends on to somewhere else, where no credentials go`,
    )
    expect(thief.requests).toEqual([])
  })

  test('when a page of tags is said to be elsewhere', async () => {
    const elsewhere = await start(() => ({ body: { tags: ['evil'] } }))
    const server = await start({
      [`${base}/tags/list`]: onlyUser({ body: { tags: ['a'] }, headers: { link: `<${elsewhere.url}/x>; rel="next"` } }),
    })
    const problems = await diagnosticsOf((await openAsUser(server.host)).listTags())
    expect(problems[0]?.message).toBe(
      `the tags of ${server.host}/kaas/stacks cannot be read: it refuses to give the next page`,
    )
    expect(server.requests.at(-1)?.path).toBe('/x')
    expect(elsewhere.requests).toEqual([])
  })

  test.each(['user', 'nobody'])('when a storage that a blob is redirected to asks who it is: %s', async (who) => {
    const storage = await start(() => ({ status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } }))
    const digest = digestOf('blob')
    const redirect = { status: 307, headers: { location: `${storage.url}/blob` } }
    const server = await start({
      [`${base}/blobs/${digest}`]: who === 'user' ? onlyUser(redirect) : redirect,
      '/v2/': ping,
    })
    const registry = who === 'user' ? await openAsUser(server.host) : await plainRegistry(server.host)
    expect(await diagnosticsOf(registry.getBlob(digest, { purpose: 'the blob' }))).toMatchObject([
      {
        code: 'FETCH_UNAUTHORIZED',
        message: `cannot get the blob from ${server.host}, which redirects to ${storage.host}: it answered 401`,
        hint:
          who === 'user'
            ? `Credentials are for the first host only and were not sent on to ${storage.host}: name that host in the fleet if it is the right one.`
            : `No credentials were sent to ${storage.host}, and those of the first host are not for it: name that host in the fleet if it is the right one.`,
      },
    ])
    expect(storage.requests.map(({ headers }) => headers.get('authorization'))).toEqual([undefined])
  })

  test('when what several are wanted of is refused', async () => {
    const server = await start({
      [`${base}/tags/list`]: { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } },
    })
    expect(await diagnosticsOf((await openAsUser(server.host)).listTags())).toMatchObject([
      {
        code: 'FETCH_UNAUTHORIZED',
        message: `${server.host} does not accept the credentials that were found for it, and refuses the tags of ${server.host}/kaas/stacks`,
      },
    ])
  })

  test('when an upload goes elsewhere', async () => {
    const elsewhere = await start({ 'PUT /upload': { status: 201 } })
    const server = await start({
      '/v2/': ping,
      [`POST ${base}/blobs/uploads/`]: onlyUser({
        status: 202,
        headers: { location: `${elsewhere.url}/upload?session=1` },
      }),
    })
    const digest = await (await openAsUser(server.host)).pushBlob(encodeUtf8('blob'))
    expect(digest).toBe(digestOf('blob'))
    expect(elsewhere.requests.map(({ path, headers }) => [path, headers.get('authorization')])).toEqual([
      [`/upload?session=1&digest=${encodeURIComponent(digest)}`, undefined],
    ])
  })
})

describe('an upload', () => {
  test('goes to a relative place with a query of its own', async () => {
    const server = await start({
      [`POST ${base}/blobs/uploads/`]: { status: 202, headers: { location: `${base}/blobs/uploads/1?_state=a%2Bb` } },
      [`PUT ${base}/blobs/uploads/1`]: { status: 201 },
    })
    await (await plainRegistry(server.host)).pushBlob(encodeUtf8('blob'))
    const put = server.requests.find(({ method }) => method === 'PUT')
    expect(new URL(put?.path ?? '', server.url).searchParams.get('_state')).toBe('a+b')
    expect(new URL(put?.path ?? '', server.url).searchParams.get('digest')).toBe(digestOf('blob'))
    expect(put?.body).toEqual(encodeUtf8('blob'))
  })

  test('is begun again when the registry forgot it, and given up after the third time', async () => {
    const server = await start({
      [`POST ${base}/blobs/uploads/`]: { status: 202, headers: { location: `${base}/blobs/uploads/1` } },
      [`PUT ${base}/blobs/uploads/1`]: [{ status: 404 }, { status: 201 }, { status: 404 }],
    })
    const registry = await plainRegistry(server.host)
    await registry.pushBlob(encodeUtf8('blob'))
    expect(server.requests.filter(({ method }) => method === 'PUT').length).toBe(2)
    expect((await diagnosticsOf(registry.pushBlob(encodeUtf8('blob'))))[0]?.code).toBe('FETCH_NOT_FOUND')
    expect(server.requests.filter(({ method }) => method === 'PUT').length).toBe(5)
  })
})
