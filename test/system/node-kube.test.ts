import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAccess } from '../../src/kube/kubeconfig/open-access.ts'
import type { ServerAccess } from '../../src/model/server-connection.ts'
import { createNodeKube } from '../../src/system/node-kube.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { startWebProxy } from '../../tools/servers/web-proxy.ts'
import { startWebServer, type WebServer } from '../../tools/servers/web-server.ts'
import { makeWebCertificates } from '../../tools/servers/web-certificates.ts'
import { base64, kubeconfig } from '../controller/workload-cluster/kubeconfigs.ts'
import { tempFolder } from '../support/temp-folder.ts'

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
    const connector = createNodeKube({ get: (name) => environment[name] })
    const connection = await connector.connect(access).catch(String)
    if (typeof connection === 'string') return connection
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
    expect(await ask({ ...trusted(), token: 'abc', clientCertificate: named.server })).toBe('200')
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
    expect(await ask({ ...trusted(), clientCertificate })).toBe(
      'HttpError: the certificates or the key for it cannot be used',
    )
  })
})

test('a user of a kubeconfig may log in by a program', async () => {
  const server = await startWebServer({ '/version': { body: {} } }, { tls: true })
  const credential = {
    apiVersion: 'client.authentication.k8s.io/v1',
    kind: 'ExecCredential',
    status: { token: 'of-program' },
  }
  const exec = {
    apiVersion: credential.apiVersion,
    command: process.execPath,
    args: ['-e', `console.log(${JSON.stringify(JSON.stringify(credential))})`],
    interactiveMode: 'Never',
  }
  const file = join(await tempFolder(), 'config')
  const cluster = { server: server.url, 'certificate-authority-data': base64(server.ca ?? '') }
  await writeFile(file, kubeconfig({ cluster, user: { exec } }))
  const { connection } = await openAccess({ kubeconfig: file, context: undefined }, createNodePorts())
  try {
    const request = { method: 'GET' as const, path: '/version', headers: new Map(), maxBytes: 1000, timeout: 5000 }
    const { status } = await connection.exchange({ ...request, idleTimeout: 5000 }, new AbortController().signal)
    expect([status, server.requests.at(-1)?.headers.get('authorization')]).toEqual([200, 'Bearer of-program'])
  } finally {
    await connection.close()
    await server.close()
  }
})
