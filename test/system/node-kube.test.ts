import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ServerAccess } from '../../src/model/server-connection.ts'
import { createNodeKube } from '../../src/system/node-kube.ts'
import { startWebProxy } from '../../tools/servers/web-proxy.ts'
import { startWebServer, type WebServer } from '../../tools/servers/web-server.ts'
import { makeWebCertificates } from '../../tools/servers/web-certificates.ts'

describe('a connection by plain data', () => {
  const named = makeWebCertificates(['web.example'], [])
  let server: WebServer
  let other: WebServer

  beforeAll(async () => {
    server = await startWebServer({ '/base/version': { body: { ok: true } } }, { tls: true })
    other = await startWebServer({ '/version': { body: {} } }, { certificates: named })
  })
  afterAll(async () => {
    await server.close()
    await other.close()
  })

  async function ask(access: ServerAccess, environment: Readonly<Record<string, string>> = {}): Promise<string> {
    const connection = await createNodeKube({ get: (name) => environment[name] }).connect(access)
    try {
      const { status } = await connection.exchange(
        { method: 'GET', path: '/version', headers: new Map(), maxBytes: 1000, timeout: 5000, idleTimeout: 5000 },
        new AbortController().signal,
      )
      return String(status)
    } catch (error) {
      return String(error).replace(/:[0-9]{4,5}\b/g, ':PORT')
    } finally {
      await connection.close()
    }
  }

  const trusted = (): ServerAccess => ({ url: `${server.url}/base`, certificateAuthorities: server.ca ?? '' })

  test('sends the token, to the path of the server', async () => {
    expect(await ask({ ...trusted(), token: 'abc' })).toBe('200')
    expect(server.requests.at(-1)?.headers.get('authorization')).toBe('Bearer abc')
    expect(await ask(trusted())).toBe('200')
    expect(server.requests.at(-1)?.headers.get('authorization')).toBeUndefined()
  })

  test('trusts the named authority alone', async () => {
    expect(await ask({ url: server.url })).toMatch(/^HttpError: .*certificate/)
    expect(await ask({ url: server.url, certificateAuthorities: named.ca })).toMatch(/^HttpError: .*certificate/)
  })

  test('takes the certificate of the named host', async () => {
    const access = { url: other.url, certificateAuthorities: named.ca }
    expect(await ask(access)).toMatch(/^HttpError: .*certificate/)
    expect(await ask({ ...access, serverName: 'web.example' })).toBe('200')
  })

  test('goes through the named proxy, whatever the environment says', async () => {
    const proxy = await startWebProxy({ credentials: 'user:pass' })
    try {
      const environment = { https_proxy: 'http://127.0.0.1:1', no_proxy: '*' }
      expect(await ask({ ...trusted(), proxy: `http://user:pass@${proxy.host}` }, environment)).toBe('200')
      expect(proxy.requests).toEqual([`CONNECT ${server.host}`])
    } finally {
      await proxy.close()
    }
  })

  test.each([
    ['a key of another certificate', { cert: named.server.cert, key: makeWebCertificates().server.key }],
    [
      'a key that is none',
      { cert: named.server.cert, key: '-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n' },
    ],
  ])('fails like any other with %s', async (_, clientCertificate) => {
    const said = await ask({ ...trusted(), clientCertificate })
    expect(said).toMatch(/^HttpError: /)
    expect(said).not.toContain('canary')
  })
})
