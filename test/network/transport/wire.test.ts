import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Diagnostic } from '../../../src/model/diagnostic.ts'
import { Secret } from '../../../src/model/secret.ts'
import { authorizationOf } from '../../../src/network/credentials/authorization.ts'
import { openTransport } from '../../../src/network/transport/open-transport.ts'
import { createTransport, type Transport, type TransportRequest } from '../../../src/network/transport/transport.ts'
import { createNodePorts } from '../../../src/system/node-ports.ts'
import { diagnosticsOf } from '../../support/diagnostics-of.ts'
import { tempFolder } from '../../support/temp-folder.ts'
import {
  requireBasic,
  requireBearer,
  startWebServer,
  type WebAnswer,
  type WebHandler,
  type WebRoutes,
  type WebServer,
} from '../../../tools/servers/web-server.ts'

const ports = createNodePorts()
const content = 'the whole content'
const digest = `sha256:${Buffer.from(ports.crypto.hash('sha256', Buffer.from(content))).toString('hex')}`

async function serve(routes: WebRoutes | WebHandler, tls: boolean = true): Promise<WebServer> {
  const server = await startWebServer(routes, { tls })
  onTestFinished(server.close)
  return server
}

function transportTo(
  server: WebServer,
  more: { readonly deadline?: number; readonly attempts?: number } = {},
): Transport {
  const trust = server.ca === undefined ? {} : { certificateAuthorities: server.ca }
  return createTransport({ plainHttp: server.ca === undefined, ...trust, ...more }, ports)
}

function fileOf(server: WebServer, path: string, more: Partial<TransportRequest> = {}): TransportRequest {
  return { method: 'GET', url: server.url + path, purpose: 'the file', maxBytes: 1000, ...more }
}

async function textOf(transport: Transport, request: TransportRequest): Promise<string> {
  return Buffer.from((await transport.send(request)).body).toString()
}

async function refusalOf(transport: Transport, request: TransportRequest): Promise<Diagnostic | undefined> {
  return (await diagnosticsOf(transport.send(request)))[0]
}

describe('faults that pass', () => {
  const whole = { body: content }

  interface Case {
    readonly name: string
    readonly fault: WebAnswer
    /** Milliseconds between the two tries, at least. */
    readonly pause?: number
  }

  const cases: readonly Case[] = [
    { name: 'reset before the answer', fault: { fault: { type: 'reset' } } },
    { name: 'reset in the middle', fault: { body: content, fault: { type: 'reset', after: 5 } } },
    { name: 'cut off', fault: { body: content, fault: { type: 'truncate', after: 5 } } },
    { name: 'wrong bytes', fault: { body: 'another content!!' } },
    { name: 'fewer bytes', fault: { body: 'the whole' } },
    { name: 'unavailable', fault: { status: 503, headers: { 'retry-after': '0' } } },
    { name: 'too many', fault: { status: 429, headers: { 'retry-after': '1' } }, pause: 990 },
  ]

  test.each(cases)('$name', async ({ fault, pause = 0 }) => {
    const server = await serve({ '/file': [fault, whole] })
    expect(await textOf(transportTo(server), fileOf(server, '/file', { digest }))).toBe(content)
    expect(server.requests).toHaveLength(2)
    const [first, second] = server.requests
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(pause)
  })

  test('a slow body is waited for as long as it moves', async () => {
    const server = await serve({ '/file': { body: content, fault: { type: 'slow', bytes: 2, pause: 20 } } })
    expect(await textOf(transportTo(server), fileOf(server, '/file'))).toBe(content)
  })
})

describe('faults that stay', () => {
  const HOST = /127\.0\.0\.1:\d+/g

  test.each([
    {
      name: 'reset before the answer',
      answer: { fault: { type: 'reset' } },
      want: 'FETCH_FAILED cannot get the file from HOST: HOST closed the connection before it answered (tried 2 times)',
    },
    {
      name: 'reset in the middle',
      answer: { body: content, fault: { type: 'reset', after: 5 } },
      want: 'FETCH_FAILED cannot get the file from HOST: HOST closed the connection in the middle of its answer (tried 2 times)',
    },
    {
      name: 'cut off',
      answer: { body: content, fault: { type: 'truncate', after: 5 } },
      want: 'FETCH_FAILED cannot get the file from HOST: HOST closed the connection in the middle of its answer (tried 2 times)',
    },
    {
      name: 'slow without end',
      answer: { body: 'x'.repeat(900), fault: { type: 'slow', bytes: 1, pause: 50 } },
      deadline: 400,
      want: 'FETCH_TIMEOUT cannot get the file from HOST: HOST did not complete its answer within 0.4 s',
    },
    {
      name: 'silent',
      answer: { fault: { type: 'stall' } },
      deadline: 300,
      want: 'FETCH_TIMEOUT cannot get the file from HOST: HOST did not complete its answer within 0.3 s',
    },
    {
      name: 'other content',
      answer: { body: 'another content!!' },
      want: `FETCH_DIGEST_MISMATCH cannot get the file from HOST: what it sends has the digest sha256:38f4b869dda4a43a1a1f20a5a0b1874cc27880478248adf1557a55226469fac3, not ${digest} (tried 2 times)`,
    },
    {
      name: 'no HTTP',
      answer: { fault: { type: 'raw', bytes: 'SSH-2.0-OpenSSH_9.2\r\n' } },
      want: 'FETCH_INVALID cannot get the file from HOST: HOST does not answer in HTTP/1.1',
    },
    {
      name: 'too much',
      answer: { body: 'x'.repeat(2_000_000) },
      want: 'FETCH_TOO_LARGE cannot get the file from HOST: HOST sends more than 1048576 bytes',
    },
  ] as const)('$name', async ({ answer, want, ...more }) => {
    const server = await serve({ '/file': answer })
    const transport = transportTo(server, { attempts: 2, ...more })
    const refusal = await refusalOf(transport, fileOf(server, '/file', { digest }))
    expect(`${refusal?.code} ${refusal?.message.replaceAll(HOST, 'HOST')}`).toBe(want)
  })
})

describe('credentials on the wire', () => {
  const password = 'pa55-hunter2-word'
  const authorization = authorizationOf({ type: 'basic', username: 'me', password: new Secret(password) })

  test('basic is shown, and wrong ones are refused without being repeated', async () => {
    const server = await serve({ '/file': requireBasic('me', password, { body: content }) })
    const transport = transportTo(server)
    expect(await textOf(transport, fileOf(server, '/file', { authorization }))).toBe(content)
    expect(await refusalOf(transport, fileOf(server, '/file'))).toMatchObject({
      code: 'FETCH_UNAUTHORIZED',
      message: `cannot get the file from ${server.host}: it answered 401, "authentication required"`,
    })
    const wrong = authorizationOf({ type: 'bearer', token: new Secret('wrong-hunter2') })
    const refusal = await refusalOf(transport, fileOf(server, '/file', { authorization: wrong }))
    expect(refusal?.hint).toBe('The credentials are wrong or expired, or do not reach far enough.')
    expect(inspect(refusal, { depth: 20 })).not.toContain('hunter2')
  })

  test('a bearer flow sees the challenge', async () => {
    const server = await serve({ '/file': requireBearer('t0ken', 'Bearer realm="r",service="s"', { body: content }) })
    const transport = transportTo(server)
    const challenge = await transport.send(fileOf(server, '/file', { accept: [401] }))
    expect([challenge.status, challenge.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="r",service="s"'])
    const bearer = authorizationOf({ type: 'bearer', token: new Secret('t0ken') })
    expect(await textOf(transport, fileOf(server, '/file', { authorization: bearer }))).toBe(content)
  })

  test.each([
    { name: 'another host', port: 'same', followed: false },
    { name: 'another port', port: 'other', followed: false },
    { name: 'the same origin', port: 'none', followed: true },
  ])('on a redirect to $name they follow: $followed', async ({ port, followed }) => {
    const other = await serve({ '/file': { body: content } }, false)
    const server = await serve(
      {
        '/moved': () => ({ status: 307, headers: { location: port === 'none' ? '/file' : target } }),
        '/file': { body: content },
      },
      false,
    )
    const target = port === 'same' ? `${server.otherUrl}/file` : `${other.url}/file`
    expect(await textOf(transportTo(server), fileOf(server, '/moved', { authorization }))).toBe(content)
    const last = [...server.requests, ...other.requests].find(({ path }) => path === '/file')
    expect(server.requests[0]?.headers.get('authorization')).toBe(authorization.reveal())
    expect(last?.headers.get('authorization')).toBe(followed ? authorization.reveal() : undefined)
  })

  test('a redirect from https to http is not followed', async () => {
    const other = await serve({ '/file': { body: content } }, false)
    const server = await serve({ '/moved': () => ({ status: 302, headers: { location: `${other.url}/file` } }) })
    const refusal = await refusalOf(transportTo(server), fileOf(server, '/moved', { authorization }))
    expect(refusal).toMatchObject({
      code: 'FETCH_PLAIN_HTTP',
      message: `cannot get the file from ${server.host}: it redirects to ${other.host} by http without TLS`,
    })
    expect(other.requests).toEqual([])
  })
})

describe('openTransport', () => {
  const at = { source: { name: 'stackmason.yaml', text: 'x' }, start: 0, end: 1 }

  async function openWith(text: string | undefined): Promise<{ readonly transport: Transport; readonly file: string }> {
    const file = join(await tempFolder(), 'ca.pem')
    if (text !== undefined) writeFileSync(file, text)
    const transport = await openTransport({ plainHttp: false, caFile: file }, { offline: false, at }, ports)
    return { transport, file }
  }

  test('trusts the authority of caFile', async () => {
    const server = await serve({ '/file': { body: content } })
    const { transport } = await openWith(`comment\n${server.ca ?? ''}`)
    expect(await textOf(transport, fileOf(server, '/file'))).toBe(content)
  })

  test('trusts nobody else than usual without caFile', async () => {
    const server = await serve({ '/file': { body: content } })
    const transport = await openTransport({ plainHttp: false }, { offline: false, at }, ports)
    expect(await refusalOf(transport, fileOf(server, '/file'))).toEqual({
      code: 'FETCH_TLS',
      severity: 'error',
      message: `cannot get the file from ${server.host}: the certificate of ${server.host} is not trusted: unable to verify the first certificate`,
      at,
    })
  })

  test('is offline when told so', async () => {
    const server = await serve({ '/file': { body: content } }, false)
    const transport = await openTransport({ plainHttp: true }, { offline: true }, ports)
    expect(await refusalOf(transport, fileOf(server, '/file'))).toMatchObject({ code: 'FETCH_OFFLINE' })
    expect(server.requests).toEqual([])
  })

  const noCertificates = {
    code: 'FETCH_TLS',
    message: 'the caFile holds no certificates in PEM',
    hint: 'Give a file with blocks of "-----BEGIN CERTIFICATE-----".',
  }

  test.each([
    {
      name: 'no file',
      text: undefined,
      want: {
        code: 'FILE_UNREADABLE',
        message: 'the caFile cannot be read: it is not there',
        hint: 'Check the path, or create it.',
      },
    },
    { name: 'empty', text: '', want: noCertificates },
    { name: 'no PEM', text: 'hello', want: noCertificates },
    {
      name: 'PEM that is not a certificate',
      text: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      want: noCertificates,
    },
    {
      name: 'a public key',
      text: '-----BEGIN PUBLIC KEY-----\nMAAA\n-----END PUBLIC KEY-----\n',
      want: noCertificates,
    },
    {
      name: 'a private key',
      text: '-----BEGIN EC PRIVATE KEY-----\nMAAA\n-----END EC PRIVATE KEY-----\n',
      want: {
        code: 'FETCH_TLS',
        message: 'the caFile holds a private key',
        hint: 'Put only certificates into it, and take the key out of the repository: everybody who saw it can use it.',
      },
    },
  ])('$name', async ({ text, want }) => {
    const [diagnostic] = await diagnosticsOf(openWith(text))
    expect(diagnostic).toEqual({ ...want, severity: 'error', at, file: expect.stringMatching(/\/ca\.pem$/) })
  })
})
