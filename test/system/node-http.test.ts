import { execFile, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { inspect, promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { HttpError, type Http, type HttpRequest, type HttpResponse } from '../../src/model/http.ts'
import { createNodeHttp } from '../../src/system/node-http.ts'
import { tempFolder } from '../support/temp-folder.ts'
import { makeWebCertificates } from '../../tools/servers/web-certificates.ts'
import { startWebProxy } from '../../tools/servers/web-proxy.ts'
import { startWebServer, type WebRoutes, type WebServer } from '../../tools/servers/web-server.ts'

const run = promisify(execFile)
const big = new Uint8Array(3_000_000).map((_, index) => index % 251)
const chunked = { 'transfer-encoding': 'chunked' }

const routes: WebRoutes = {
  '/a': { body: 'A', headers: { 'x-many': ['one', 'two'] } },
  '/missing': { status: 404, body: 'nothing here' },
  '/moved': { status: 302, headers: { location: '/a' } },
  '/encoded': { body: 'as it is', headers: { 'content-encoding': 'gzip' } },
  '/big': { body: big },
  '/big-chunked': { body: big, headers: chunked },
  '/empty-chunked': { headers: chunked },
  '/slow': { body: '0123456789', fault: { type: 'slow', bytes: 1, pause: 30 } },
  '/reset': { fault: { type: 'reset' } },
  '/reset-body': { body: 'content', fault: { type: 'reset', after: 3 } },
  '/reset-last': { body: 'content', headers: { connection: 'close' }, fault: { type: 'reset', after: 3 } },
  '/reset-last-chunked': {
    body: 'content',
    headers: { ...chunked, connection: 'close' },
    fault: { type: 'reset', after: 3 },
  },
  '/short': { body: 'content', fault: { type: 'truncate', after: 3 } },
  '/short-chunked': { body: 'content', headers: chunked, fault: { type: 'truncate', after: 3 } },
  '/silent': { fault: { type: 'stall' } },
  '/stalled': { body: 'content', fault: { type: 'stall', after: 3 } },
  '/ssh': { fault: { type: 'raw', bytes: 'SSH-2.0-OpenSSH_9.2\r\n' } },
  'PUT /upload': ({ body }) => ({ status: 201, body: String(body.length) }),
  'POST /upload': ({ body }) => ({ status: 202, body: String(body.length) }),
}

let plain: WebServer
let secure: WebServer
const noProxy = { get: () => undefined }
const http = createNodeHttp(noProxy)

beforeAll(async () => {
  plain = await startWebServer(routes)
  secure = await startWebServer(routes, { tls: true })
})
afterAll(async () => {
  await plain.close()
  await secure.close()
})

function ask(url: string, more: Partial<HttpRequest> = {}, through: Http = http): Promise<HttpResponse> {
  return through.exchange({
    method: 'GET',
    url,
    headers: new Map(),
    maxBytes: 100_000,
    timeout: 5_000,
    idleTimeout: 2_000,
    ...(url.startsWith('https:') && secure.ca !== undefined && { certificateAuthorities: secure.ca }),
    ...more,
  })
}

async function failureOf(exchange: Promise<HttpResponse>): Promise<{ reason: string; message: string }> {
  const error: unknown = await exchange.then(
    ({ status }) => new Error(`expected a failure, got ${status}`),
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof HttpError)) throw error
  return { reason: error.reason, message: error.message }
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

describe.each(['http', 'https'])('%s', (scheme) => {
  const server = (): WebServer => (scheme === 'http' ? plain : secure)

  test('gives status, headers and body', async () => {
    const { status, headers, body } = await ask(`${server().url}/a`)
    expect([status, headers.get('content-length'), headers.get('x-many'), text(body)]).toEqual([
      200,
      '1',
      'one, two',
      'A',
    ])
    expect(body.constructor).toBe(Uint8Array)
  })

  interface AnswerCase {
    readonly path: string
    readonly request?: Partial<HttpRequest>
    readonly want: readonly [number, number]
  }

  const answers: readonly AnswerCase[] = [
    { path: '/missing', want: [404, 12] },
    { path: '/moved', want: [302, 0] },
    { path: '/encoded', want: [200, 8] },
    { path: '/slow', request: { idleTimeout: 1000 }, want: [200, 10] },
    { path: '/big', request: { maxBytes: big.length }, want: [200, big.length] },
    { path: '/big', request: { method: 'HEAD', maxBytes: 0 }, want: [200, 0] },
    { path: '/empty-chunked', want: [200, 0] },
  ]

  test.each(answers)('$path $request', async ({ path, request, want }) => {
    const { status, body } = await ask(`${server().url}${path}`, request)
    expect([status, body.length]).toEqual(want)
  })

  const uploads: readonly (readonly [HttpRequest['method'], Uint8Array | undefined, readonly [number, string]])[] = [
    ['PUT', big, [201, '3000000']],
    ['PUT', new Uint8Array(), [201, '0']],
    ['POST', new Uint8Array(7), [202, '7']],
    ['POST', undefined, [202, '0']],
  ]

  test.each(uploads)('sends a body by %s', async (method, body, want) => {
    const answer = await ask(`${server().url}/upload`, { method, ...(body !== undefined && { body }) })
    expect([answer.status, text(answer.body)]).toEqual(want)
    expect(server().requests.at(-1)?.headers.get('content-length')).toBe(String(body?.length ?? 0))
  })

  const faults: readonly {
    readonly path: string
    readonly request?: Partial<HttpRequest>
    readonly want: readonly [string, string]
  }[] = [
    { path: '/reset', want: ['reset', 'HOST closed the connection before it answered'] },
    { path: '/reset-body', want: ['reset', 'HOST closed the connection in the middle of its answer'] },
    { path: '/reset-last', want: ['truncated', 'HOST closed the connection in the middle of its answer'] },
    { path: '/reset-last-chunked', want: ['truncated', 'HOST closed the connection in the middle of its answer'] },
    { path: '/short', want: ['truncated', 'HOST closed the connection in the middle of its answer'] },
    { path: '/short-chunked', want: ['truncated', 'HOST closed the connection in the middle of its answer'] },
    { path: '/silent', request: { idleTimeout: 100 }, want: ['timeout', 'HOST sent nothing for 0.1 s'] },
    { path: '/stalled', request: { idleTimeout: 100 }, want: ['timeout', 'HOST sent nothing for 0.1 s'] },
    {
      path: '/slow',
      request: { timeout: 100 },
      want: ['timeout', 'HOST did not complete its answer within 0.1 s'],
    },
    { path: '/big', want: ['too-large', 'HOST sends more than 100000 bytes'] },
    { path: '/big-chunked', want: ['too-large', 'HOST sends more than 100000 bytes'] },
    { path: '/ssh', want: ['protocol', 'HOST does not answer in HTTP/1.1'] },
  ]

  test.each(faults)('$path fails', async ({ path, request, want: [reason, message] }) => {
    const failure = await failureOf(ask(`${server().url}${path}`, request))
    expect(failure).toEqual({ reason, message: message.replace('HOST', server().host) })
  })

  test('keeps connections', async () => {
    const own = await startWebServer(routes, { tls: scheme === 'https' })
    onTestFinished(own.close)
    const trust = own.ca === undefined ? {} : { certificateAuthorities: own.ca }
    for (let count = 0; count < 5; count++) await ask(`${own.url}/a`, trust)
    // undici has a connection back one round of the event loop after its answer
    expect([own.requests.length, own.connections() <= 2]).toEqual([5, true])
  })
})

describe('who cannot be reached', () => {
  test('nobody listens', async () => {
    expect(await failureOf(ask('http://127.0.0.1:1/a'))).toEqual({
      reason: 'refused',
      message: '127.0.0.1:1 refuses connections',
    })
  })

  test('nobody has the name', async () => {
    expect(await failureOf(ask('http://no-such-host.invalid/a'))).toEqual({
      reason: 'name-not-found',
      message: 'the name no-such-host.invalid has no address',
    })
  })
})

describe('trust', () => {
  test('an authority that nobody named', async () => {
    const failure = await failureOf(createNodeHttp(noProxy).exchange({ ...request(`${secure.url}/a`) }))
    expect(failure).toEqual({
      reason: 'tls',
      message: `the certificate of ${secure.host} is not trusted: unable to verify the first certificate`,
    })
  })

  test('another authority', async () => {
    const { ca } = makeWebCertificates()
    expect(await failureOf(ask(`${secure.url}/a`, { certificateAuthorities: ca }))).toMatchObject({ reason: 'tls' })
  })

  test('several authorities, in one text with comments', async () => {
    const { ca } = makeWebCertificates()
    const certificateAuthorities = `# ours\n${ca}\n# theirs\n${secure.ca ?? ''}`
    expect(await ask(`${secure.url}/a`, { certificateAuthorities })).toMatchObject({ status: 200 })
  })

  test('trust in one exchange is not trust in the next', async () => {
    const both = createNodeHttp(noProxy)
    await ask(`${secure.url}/a`, {}, both)
    expect(await failureOf(both.exchange(request(`${secure.url}/a`)))).toMatchObject({ reason: 'tls' })
  })

  test('a certificate for another name', async () => {
    const certificates = makeWebCertificates(['elsewhere.example'], [])
    const server = await startWebServer(routes, { certificates })
    onTestFinished(server.close)
    expect(await failureOf(ask(`${server.otherUrl}/a`, { certificateAuthorities: certificates.ca }))).toEqual({
      reason: 'tls',
      message: `the certificate of localhost:${server.port} is not trusted: Host: localhost. is not in the cert's altnames: DNS:elsewhere.example`,
    })
  })

  test('a server without TLS', async () => {
    const failure = await failureOf(ask(`https://${plain.host}/a`))
    expect(failure).toEqual({ reason: 'no-tls', message: `no TLS with ${plain.host}: wrong version number` })
  })

  test('NODE_EXTRA_CA_CERTS counts beside the named authorities', async () => {
    const file = join(await tempFolder(), 'ca.pem')
    writeFileSync(file, secure.ca ?? '')
    const extra = createNodeHttp({ get: (name) => (name === 'NODE_EXTRA_CA_CERTS' ? file : undefined) })
    const { ca } = makeWebCertificates()
    expect(await ask(`${secure.url}/a`, { certificateAuthorities: ca }, extra)).toMatchObject({ status: 200 })
    const broken = createNodeHttp({ get: (name) => (name === 'NODE_EXTRA_CA_CERTS' ? `${file}.gone` : undefined) })
    expect(await failureOf(ask(`${secure.url}/a`, { certificateAuthorities: ca }, broken))).toEqual({
      reason: 'tls',
      message: 'the certificates to trust cannot be read',
    })
  })
})

function request(url: string): HttpRequest {
  return { method: 'GET', url, headers: new Map(), maxBytes: 1000, timeout: 5000, idleTimeout: 2000 }
}

describe('proxies', () => {
  function httpWith(variables: Readonly<Record<string, string>>): Http {
    const all = new Map(Object.entries(variables))
    return createNodeHttp({ get: (name) => all.get(name) })
  }

  test('https goes through a tunnel, plain http by its address, with the proxy’s own credentials', async () => {
    const proxy = await startWebProxy({ credentials: 'me:p@ss' })
    onTestFinished(proxy.close)
    const address = `http://me:p%40ss@${proxy.host}`
    const through = httpWith({ HTTPS_PROXY: address, http_proxy: address })
    const headers = new Map([['authorization', 'Basic for-the-server']])
    expect((await ask(`${secure.otherUrl}/a`, { headers }, through)).status).toBe(200)
    expect((await ask(`${plain.otherUrl}/a?b=c`, { headers }, through)).status).toBe(200)
    expect(proxy.requests).toEqual([`CONNECT localhost:${secure.port}`, `GET ${plain.otherUrl}/a?b=c`])
    expect(proxy.headers[0]?.has('authorization')).toBe(false)
    expect(secure.requests.at(-1)?.headers.get('authorization')).toBe('Basic for-the-server')
    expect(secure.requests.at(-1)?.headers.has('proxy-authorization')).toBe(false)
    expect(plain.requests.at(-1)?.headers.get('host')).toBe(`localhost:${plain.port}`)
  })

  test.each([
    ['localhost', 0],
    ['.example, 127.0.0.1', 1],
    ['10.0.0.0/8 127.0.0.0/8, local', 1],
    ['*', 0],
    ['', 1],
  ])('NO_PROXY=%j', async (none, count) => {
    const proxy = await startWebProxy()
    onTestFinished(proxy.close)
    // an address without a scheme, as curl takes it
    await ask(`${secure.otherUrl}/a`, {}, httpWith({ https_proxy: proxy.host, NO_PROXY: none }))
    expect(proxy.requests).toHaveLength(count)
  })

  test('NO_PROXY with a range', async () => {
    const proxy = await startWebProxy()
    onTestFinished(proxy.close)
    const through = httpWith({ http_proxy: proxy.host, NO_PROXY: '127.0.0.0/8' })
    const address = plain.otherUrl.replace('localhost', '127.0.0.1')
    expect((await ask(`${address}/a`, {}, through)).status).toBe(200)
    expect(proxy.requests).toEqual([])
    expect((await ask(`${plain.otherUrl}/a`, {}, through)).status).toBe(200)
    expect(proxy.requests).toHaveLength(1)
  })

  interface ProxyCase {
    readonly name: string
    readonly address: (host: string) => string
    readonly status?: number
    readonly closes?: boolean
    readonly credentials?: string
    readonly want: { readonly reason: string; readonly message: string }
  }

  const failures: readonly ProxyCase[] = [
    {
      name: 'wrong password',
      credentials: 'me:right',
      address: (host) => `http://me:hunter2@${host}`,
      want: { reason: 'proxy', message: 'the proxy PROXY refuses to reach SERVER (status 407)' },
    },
    {
      name: 'forbidden',
      status: 403,
      address: (host) => `http://${host}`,
      want: { reason: 'proxy', message: 'the proxy PROXY refuses to reach SERVER (status 403)' },
    },
    {
      name: 'the proxy does not reach the server',
      status: 502,
      address: (host) => `http://${host}`,
      want: { reason: 'unreachable', message: 'the proxy PROXY cannot reach SERVER (status 502)' },
    },
    {
      name: 'it closes the connection without an answer',
      closes: true,
      address: (host) => `http://${host}`,
      want: { reason: 'reset', message: 'the proxy PROXY (https_proxy) closed the connection before it answered' },
    },
    {
      name: 'nobody listens',
      address: () => 'http://me:hunter2@127.0.0.1:1',
      want: { reason: 'refused', message: 'the proxy 127.0.0.1:1 (https_proxy) refuses connections' },
    },
    {
      name: 'nobody has the name',
      address: () => 'http://me:hunter2@no-such-proxy.invalid:3128',
      want: {
        reason: 'name-not-found',
        message: 'the proxy no-such-proxy.invalid:3128 (https_proxy) has no address',
      },
    },
    {
      name: 'no address',
      address: () => 'http://me:hunter2@[',
      want: { reason: 'proxy', message: 'the variable https_proxy is not the address of a proxy' },
    },
    {
      name: 'a password that is badly encoded',
      address: () => 'http://me:hunter2%ZZ@127.0.0.1:1',
      want: { reason: 'proxy', message: 'the variable https_proxy is not the address of a proxy' },
    },
    {
      name: 'another scheme',
      address: () => 'ftp://me:hunter2@127.0.0.1:1',
      want: { reason: 'proxy', message: 'the variable https_proxy is not the address of a proxy' },
    },
  ]

  test.each(failures)('$name', async ({ address, status, closes, credentials, want }) => {
    const proxy = await startWebProxy({
      ...(closes !== undefined && { closes }),
      ...(status !== undefined && { status }),
      ...(credentials !== undefined && { credentials }),
    })
    onTestFinished(proxy.close)
    const through = httpWith({ https_proxy: address(proxy.host) })
    const exchange = ask(`${secure.url}/a`, {}, through)
    expect(await failureOf(exchange)).toEqual({
      ...want,
      message: want.message.replace('PROXY', proxy.host).replace('SERVER', secure.host),
    })
    const error: unknown = await exchange.catch((thrown: unknown) => thrown)
    expect(inspect(error, { depth: 10, showHidden: true })).not.toContain('hunter2')
    // who tries again, and when, is decided above
    expect(proxy.requests.length).toBeLessThanOrEqual(1)
  })

  interface ClosingCase {
    readonly url: (host: string) => string
    readonly when: 'at once' | 'after the request'
    readonly reason: string
  }

  const closing: readonly ClosingCase[] = [
    { url: (host) => `http://${host}`, when: 'at once', reason: 'truncated' },
    { url: (host) => `http://${host}`, when: 'after the request', reason: 'truncated' },
    { url: (host) => `https://${host}`, when: 'at once', reason: 'reset' },
    { url: (host) => `https://${host}`, when: 'after the request', reason: 'reset' },
  ]

  test.each(closing)('a server that closes $when is called once', async ({ url, when, reason }) => {
    let count = 0
    const server = createServer((socket) => {
      count++
      socket.on('error', () => socket.destroy())
      if (when === 'at once') socket.end()
      else socket.once('data', () => socket.end())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
    const message = `${host} closed the connection before it answered`
    expect([await failureOf(ask(url(host))), count]).toEqual([{ reason, message }, 1])
  })
})

describe('what failures show', () => {
  test.each(['/reset', '/reset-body', '/silent', '/big', '/ssh'])('%s: no header, password or query', async (path) => {
    const error: unknown = await ask(`${plain.url}${path}?signature=hunter2`, {
      headers: new Map([['authorization', 'Bearer hunter2']]),
      idleTimeout: 100,
    }).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(HttpError)
    const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error) + String(error)
    expect(shown).not.toContain('hunter2')
  })
})

describe('the process', () => {
  test.each(['/a', '/silent', '/stalled'])('is kept alive by nothing after %s', async (path) => {
    const folder = await tempFolder()
    const file = join(folder, 'ask.ts')
    const module = new URL('../../src/system/node-http.ts', import.meta.url).href
    writeFileSync(
      file,
      `const { createNodeHttp } = await import(${JSON.stringify(module)})
       const { setImmediate } = await import('node:timers/promises')
       // standard output, and the loader of TypeScript, which looks through its cache for some time
       const others = ['PipeWrap', 'FSReqCallback', 'FSReqPromise', 'CloseReq']
       // what is being closed takes some turns
       const end = async () => { for (let turn = 0; turn < 10; turn++) await setImmediate(); console.log(JSON.stringify(process.getActiveResourcesInfo().filter((what) => !others.includes(what)))) }
       await createNodeHttp().exchange({ method: 'GET', url: ${JSON.stringify(plain.url + path)}, headers: new Map(), maxBytes: 10, timeout: 60000, idleTimeout: 200 }).then(end, end)
       export {}`,
    )
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const { stdout, stderr } = await run(process.execPath, ['--import', import.meta.resolve('tsx'), file])
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual([])
  })

  test('loads undici at the first exchange only', () => {
    const script = `
      import { createRequire } from 'node:module'
      const { createNodeHttp } = await import(${JSON.stringify(new URL('../../src/system/node-http.ts', import.meta.url).href)})
      const loaded = () => Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('node_modules/undici'))
      const http = createNodeHttp()
      const before = loaded()
      await http.exchange({ method: 'GET', url: 'http://127.0.0.1:1', headers: new Map(), maxBytes: 1, timeout: 1000, idleTimeout: 1000 }).catch(() => undefined)
      console.log(before, loaded())`
    const { stdout } = spawnSync(
      process.execPath,
      ['--import', import.meta.resolve('tsx'), '--input-type=module', '-e', script],
      { encoding: 'utf8' },
    )
    expect(stdout.trim()).toBe('false true')
  })
})
