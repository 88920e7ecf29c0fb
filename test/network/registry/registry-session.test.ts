import { describe, expect, onTestFinished, test } from 'vitest'
import { openBlobCache } from '../../../src/sources/cache/blob-cache.ts'
import { openRegistry } from '../../../src/network/registry/open-registry.ts'
import type { Registry } from '../../../src/network/registry/registry.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import {
  requireBearer,
  startWebServer,
  type WebHandler,
  type WebRoutes,
  type WebServer,
} from '../../../tools/servers/web-server.ts'

const tags = '/v2/kaas/stacks/tags/list'
const user = { username: 'OCI_USER', password: 'OCI_PASS' }
const environment = { OCI_USER: 'mason', OCI_PASS: 'pass' }
const basic = `Basic ${Buffer.from('mason:pass').toString('base64')}`
const answer = { body: { tags: ['a'] } }

async function start(routes: WebRoutes): Promise<WebServer> {
  const server = await startWebServer(routes)
  onTestFinished(server.close)
  return server
}

/** Opens the repository; `reads` counts how often a variable was looked at. */
async function open(
  server: WebServer,
  variables: Readonly<Record<string, string>>,
  credentials?: { readonly token: string } | typeof user,
): Promise<{ readonly registry: Registry; readonly reads: () => number }> {
  let count = 0
  const values = new Map(Object.entries(variables))
  const get = (name: string): string | undefined => {
    count++
    return values.get(name)
  }
  const ports = { ...createNodePorts(), environment: { get } }
  const cache = openBlobCache(await tempFolder(), ports)
  const registry = await openRegistry(
    { host: server.host, repository: 'kaas/stacks', plainHttp: true, ...(credentials && { credentials }) },
    { ports, offline: false, cache },
  )
  return { registry, reads: () => count }
}

/** Gives tokens t1, t2 … to the user, and takes only the newest. */
function tokenRoutes(challenge: (realm: string) => string): WebRoutes {
  let issued = 0
  const list: WebHandler = (request) => {
    const realm = `http://${request.headers.get('host') ?? ''}/token`
    const isKnown = issued > 0 && request.headers.get('authorization') === `Bearer t${issued}`
    return isKnown ? answer : { status: 401, headers: { 'www-authenticate': challenge(realm) } }
  }
  const token: WebHandler = (request) => {
    if (request.headers.get('authorization') !== basic) return { status: 401 }
    issued++
    return { body: { token: `t${issued}`, expires_in: 300 } }
  }
  return { [tags]: list, '/token': token, '/expire': () => ({ body: String(++issued) }) }
}

describe('what a registry is shown', () => {
  test('is nothing while it does not ask, and then nothing is looked up', async () => {
    const server = await start({ [tags]: answer })
    const { registry, reads } = await open(server, environment, user)
    expect(await registry.listTags()).toEqual(['a'])
    expect(reads()).toBe(0)
    expect(server.requests.map(({ headers }) => headers.has('authorization'))).toEqual([false])
  })

  test('is a token that the fleet names, as it is', async () => {
    const challenge = 'Bearer realm="http://127.0.0.1:1/token"'
    const server = await start({ [tags]: requireBearer('abc', challenge, answer) })
    const { registry } = await open(server, { OCI_TOKEN: 'abc' }, { token: 'OCI_TOKEN' })
    expect(await registry.listTags()).toEqual(['a'])
  })

  test("is the operator's OCI_ACCESS_TOKEN in base64, as the operator sends it", async () => {
    const challenge = 'Bearer realm="http://127.0.0.1:1/token"'
    const server: WebServer = await start({
      [tags]: requireBearer(Buffer.from('abc').toString('base64'), challenge, answer),
    })
    const { registry } = await open(server, { OCI_REGISTRY: server.host, OCI_ACCESS_TOKEN: 'abc' })
    expect(await registry.listTags()).toEqual(['a'])
  })

  test('is a token of its service when it would take a password as well', async () => {
    const server = await start(tokenRoutes((realm) => `Basic realm="x", Bearer realm="${realm}",service="a b"`))
    const { registry } = await open(server, environment, user)
    expect(await registry.listTags()).toEqual(['a'])
    const asked = server.requests.find(({ path }) => path.startsWith('/token'))
    expect(asked?.path).toBe('/token?service=a+b&scope=repository%3Akaas%2Fstacks%3Apull')
  })

  test('has the scope that it asks for, and keeps what the address of the service has', async () => {
    const server = await start(tokenRoutes((realm) => `Bearer realm="${realm}?a=1",scope="repository:other:pull"`))
    const { registry } = await open(server, environment, user)
    await registry.listTags()
    const asked = server.requests.find(({ path }) => path.startsWith('/token'))
    expect(asked?.path).toBe('/token?a=1&scope=repository%3Aother%3Apull')
  })

  test('has no scope that only its root speaks of', async () => {
    const blob = `/v2/kaas/stacks/blobs/sha256:${'0a'.repeat(32)}`
    const routes = tokenRoutes((realm) => `Bearer realm="${realm}",scope="repository:user/image:pull"`)
    const server = await start({ '/token': routes['/token']!, '/v2/': routes[tags]!, [blob]: { status: 401 } })
    const { registry } = await open(server, environment, user)
    await diagnosticsOf(registry.getBlob(`sha256:${'0a'.repeat(32)}`))
    expect(server.requests.map(({ path }) => path)).toEqual([
      blob,
      '/v2/',
      '/token?scope=repository%3Akaas%2Fstacks%3Apull',
      blob,
    ])
  })

  test('is found out by the list of tags when its root is open', async () => {
    const routes = tokenRoutes((realm) => `Bearer realm="${realm}"`)
    const blob = `/v2/kaas/stacks/blobs/sha256:${'0a'.repeat(32)}`
    const server = await start({ ...routes, '/v2/': { body: {} }, [blob]: { status: 401 } })
    const { registry } = await open(server, environment, user)
    await diagnosticsOf(registry.getBlob(`sha256:${'0a'.repeat(32)}`))
    expect(server.requests.map(({ path }) => path.replace(/\?.*/, ''))).toEqual([blob, '/v2/', tags, '/token', blob])
  })

  test('is a new token when the old one is refused before its time, and the same as long as it is not', async () => {
    const server = await start(tokenRoutes((realm) => `Bearer realm="${realm}"`))
    const { registry } = await open(server, environment, user)
    const tokens = (): number => server.requests.filter(({ path }) => path.startsWith('/token')).length
    await registry.listTags()
    await registry.listTags()
    expect(tokens()).toBe(1)
    await fetch(`${server.url}/expire`)
    expect(await registry.listTags()).toEqual(['a'])
    expect(tokens()).toBe(2)
  })

  test('is asked for once when it is of no use', async () => {
    const server = await start({ [tags]: { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } } })
    const { registry } = await open(server, environment, user)
    expect((await diagnosticsOf(registry.listTags()))[0]?.code).toBe('FETCH_UNAUTHORIZED')
    expect(server.requests.map(({ headers }) => headers.get('authorization'))).toEqual([undefined, basic])
    expect((await diagnosticsOf(registry.listTags()))[0]?.code).toBe('FETCH_UNAUTHORIZED')
    expect(server.requests.length).toBe(3)
  })

  test('is nothing when the token service is another server', async () => {
    const foreign = await start({ '/token': ({ headers }) => ({ status: headers.has('authorization') ? 200 : 401 }) })
    const realm = foreign.url.replace('127.0.0.1', 'localhost')
    const challenge = { 'www-authenticate': `Bearer realm="${realm}/token",service="x"` }
    const server = await start({ [tags]: { status: 401, headers: challenge } })
    const { registry } = await open(server, environment, user)
    const [finding] = await diagnosticsOf(registry.listTags())
    expect(finding).toMatchObject({ code: 'FETCH_UNAUTHORIZED' })
    expect(finding?.message).toBe(
      `the credentials of ${server.host} were not sent, because its token service ${realm}/token is another server, and it gives no token without`,
    )
    expect(foreign.requests.map(({ headers }) => headers.has('authorization'))).toEqual([false])
  })

  test('is nothing when a token cannot be used for a password', async () => {
    const server = await start({ [tags]: { status: 401, headers: { 'www-authenticate': 'Basic realm="x"' } } })
    const { registry } = await open(server, { OCI_TOKEN: 'abc' }, { token: 'OCI_TOKEN' })
    expect((await diagnosticsOf(registry.listTags()))[0]?.code).toBe('FETCH_UNAUTHORIZED')
    expect(server.requests.some(({ headers }) => headers.has('authorization'))).toBe(false)
  })
})

describe('a refusal says what became of the credentials', () => {
  const ownService = (host: string): string =>
    `If that is the registry's own service, take a token from there, which goes to ${host} itself, and name its variable: \`credentialsFrom: {token: …}\`. Otherwise find out who answers as ${host}.`
  const blamed = 'They are wrong or expired, or do not reach far enough.'
  const nobody =
    'Name variables under `credentialsFrom`, set OCI_USERNAME and OCI_PASSWORD beside OCI_REGISTRY, or log in with the Docker client.'
  const both =
    'Name the variables of both: `credentialsFrom: {username: …, password: …}`; or log in with the Docker client.'
  const unsent = 'the credentials that were found for it were not sent, because'

  test.each<{
    readonly name: string
    /** What the list of tags answers; REALM is a token service on another host, OWN one on the same. */
    readonly challenge: string
    /** What a token from either leads to; 401 without. */
    readonly withToken?: number
    readonly known?: 'user' | 'token' | 'nobody'
    readonly message: string
    readonly hint: string | ((host: string) => string)
    /** True if what was found reached the registry or a token service. */
    readonly sent?: true
  }>([
    {
      name: 'a token service on another host, whose token is refused',
      challenge: 'Bearer realm="REALM"',
      message: `HOST refuses TAGS: ${unsent} its token service REALM is another server`,
      hint: ownService,
    },
    {
      name: 'a token service on another host, whose token is not enough',
      challenge: 'Bearer realm="REALM"',
      withToken: 403,
      message: 'cannot get TAGS from HOST: it answered 403',
      hint: ownService,
    },
    {
      name: 'a token service of its own, whose token is refused',
      challenge: 'Bearer realm="OWN"',
      message: 'HOST does not accept the credentials that were found for it, and refuses TAGS',
      hint: blamed,
      sent: true,
    },
    {
      name: 'a token service of its own, whose token is not enough',
      challenge: 'Bearer realm="OWN"',
      withToken: 403,
      message: 'cannot get TAGS from HOST: it answered 403',
      hint: 'The credentials are wrong or expired, or do not reach far enough.',
      sent: true,
    },
    {
      name: 'a token for anybody that is not enough, and nothing was found',
      challenge: 'Bearer realm="OWN"',
      withToken: 403,
      known: 'nobody',
      message: 'cannot get TAGS from HOST: it answered 403',
      hint: nobody,
    },
    {
      name: 'a token of the fleet beside a token service on another host',
      challenge: 'Bearer realm="REALM"',
      known: 'token',
      message: 'HOST does not accept the credentials that were found for it, and refuses TAGS',
      hint: blamed,
      sent: true,
    },
    {
      name: 'user and password are refused',
      challenge: 'Basic realm="x"',
      message: 'HOST does not accept the credentials that were found for it, and refuses TAGS',
      hint: blamed,
      sent: true,
    },
    {
      name: 'user and password are asked for, and a token was found',
      challenge: 'Basic realm="x"',
      known: 'token',
      message: `HOST refuses TAGS: ${unsent} it asks for user and password, and they are a token`,
      hint: both,
    },
    {
      name: 'what is asked for is nothing that can be shown',
      challenge: 'Negotiate',
      message: `HOST refuses TAGS: ${unsent} it did not say how to show them`,
      hint: 'Its API must ask by `WWW-Authenticate`, for Basic or Bearer: look at the registry, and at the proxies before it.',
    },
    {
      name: 'nothing was found',
      challenge: 'Basic realm="x"',
      known: 'nobody',
      message: 'HOST gives TAGS only to those it knows, and no credentials for it were found',
      hint: nobody,
    },
  ])('$name', async ({ challenge, withToken = 401, known = 'user', message, hint, sent }) => {
    const token: WebRoutes = { '/token': { body: { token: 'anybody' } } }
    const foreign = await start(token)
    const realm = `${foreign.url.replace('127.0.0.1', 'localhost')}/token`
    const list: WebHandler = ({ headers }) => {
      const asks = challenge.replace('REALM', realm).replace('OWN', `http://${headers.get('host') ?? ''}/token`)
      const status = headers.get('authorization') === 'Bearer anybody' ? withToken : 401
      return { status, headers: { 'www-authenticate': asks } }
    }
    const server = await start({ ...token, [tags]: list })
    const credentials = known === 'user' ? user : known === 'token' ? { token: 'OCI_TOKEN' } : undefined
    const { registry } = await open(server, { ...environment, OCI_TOKEN: 'abc' }, credentials)
    const [finding, ...others] = await diagnosticsOf(registry.listTags())
    expect(others).toEqual([])
    expect([finding?.code, finding?.message, finding?.hint]).toEqual([
      'FETCH_UNAUTHORIZED',
      message
        .replace('TAGS', `the tags of ${server.host}/kaas/stacks`)
        .replace('HOST', server.host)
        .replace('REALM', realm),
      typeof hint === 'string' ? hint : hint(server.host),
    ])
    const shown = [...server.requests, ...foreign.requests].map(({ headers }) => headers.get('authorization'))
    expect(shown.some((one) => one === basic || one === 'Bearer abc')).toBe(sent ?? false)
    expect(foreign.requests.some(({ headers }) => headers.has('authorization'))).toBe(false)
  })
})
