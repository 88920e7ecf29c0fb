import { writeFile } from 'node:fs/promises'
import { get } from 'node:https'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { ListenError, type Listening, type TlsFiles } from '../../src/model/listener.ts'
import { nodeListener } from '../../src/system/node-listener.ts'
import { makeWebCertificates } from '../../tools/servers/web-certificates.ts'
import { tempFolderForFile } from '../support/temp-folder.ts'

const open: Listening[] = []

async function start(port: number = 0): Promise<Listening> {
  const listening = await nodeListener.listen({ host: '127.0.0.1', port }, (path) => ({
    status: 503,
    text: `${path}\n`,
  }))
  open.push(listening)
  return listening
}

afterEach(async () => {
  for (const listening of open.splice(0)) await listening.close()
})

describe('a listener', () => {
  test.each([
    { method: 'GET', path: '/healthz?verbose=1', want: [503, '/healthz\n'] },
    { method: 'HEAD', path: '/healthz', want: [503, ''] },
    { method: 'POST', path: '/healthz', want: [405, 'only GET is answered here\n'] },
  ])('answers $method', async ({ method, path, want }) => {
    const { port } = await start()
    const answer = await fetch(`http://127.0.0.1:${String(port)}${path}`, { method })
    expect([answer.status, await answer.text()]).toEqual(want)
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  })

  test('says why it cannot listen', async () => {
    const { port } = await start()
    const error = await start(port).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ListenError)
    expect(error).toHaveProperty('message', 'another program listens there')
  })

  test('answers nobody after it was closed', async () => {
    const { port, close } = await start()
    await close()
    open.length = 0
    await expect(fetch(`http://127.0.0.1:${String(port)}/`)).rejects.toThrow('fetch failed')
  })

  test('answers with what takes a while, and says nothing of what went wrong', async () => {
    const listening = await nodeListener.listen({ host: '127.0.0.1', port: 0 }, async (path) => {
      if (path === '/broken') throw new Error('the words of a secret')
      return { status: 200, text: 'a 1\n', contentType: 'text/plain; version=0.0.4' }
    })
    open.push(listening)
    const answers = await Promise.all(
      ['/metrics', '/broken'].map(async (path) => fetch(`http://127.0.0.1:${String(listening.port)}${path}`)),
    )
    expect(answers.map(({ status, headers }) => [status, headers.get('content-type')])).toEqual([
      [200, 'text/plain; version=0.0.4'],
      [500, 'text/plain; charset=utf-8'],
    ])
    expect(await Promise.all(answers.map((answer) => answer.text()))).toEqual(['a 1\n', 'no answer could be made\n'])
  })
})

describe('a listener with a certificate', () => {
  const first = makeWebCertificates()
  const second = makeWebCertificates()

  async function startSecure(): Promise<{
    readonly port: number
    readonly files: TlsFiles
    readonly problems: string[]
  }> {
    const folder = tempFolderForFile()
    const problems: string[] = []
    const files: TlsFiles = {
      certificate: join(folder, 'tls.crt'),
      key: join(folder, 'tls.key'),
      rereadEvery: 10,
      onProblem: (message) => problems.push(message),
    }
    await Promise.all([writeFile(files.certificate, first.server.cert), writeFile(files.key, first.server.key)])
    const listening = await nodeListener.listen(
      { host: '127.0.0.1', port: 0 },
      () => ({ status: 200, text: 'ok' }),
      files,
    )
    open.push(listening)
    return { port: listening.port, files, problems }
  }

  /** The text of an answer, or why there is none. */
  const ask = async (port: number, ca: string): Promise<string> =>
    new Promise((resolve) => {
      get({ host: 'localhost', port, ca, agent: false }, (response) => {
        response.setEncoding('utf8').on('data', resolve)
      }).on('error', (error) => {
        resolve('code' in error ? String(error.code) : 'no code')
      })
    })

  test('takes up one that was replaced, and keeps the old one until both files are there', async () => {
    const { port, files, problems } = await startSecure()
    expect(await ask(port, first.ca)).toBe('ok')
    await writeFile(files.certificate, second.server.cert)
    await expect
      .poll(() => problems)
      .toEqual(['the certificate and its key cannot be used; the earlier ones stay in use'])
    expect(await ask(port, first.ca)).toBe('ok')
    await writeFile(files.key, second.server.key)
    await expect.poll(() => ask(port, second.ca)).toBe('ok')
    expect(await ask(port, first.ca)).toMatch(/^UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN$/)
    expect(problems).toHaveLength(1)
  })

  test.each(['certificate', 'key'] as const)('keeps the old one while the file of the %s is empty', async (part) => {
    const { port, files, problems } = await startSecure()
    await writeFile(files[part], '')
    await expect.poll(() => problems).toHaveLength(1)
    expect(await ask(port, first.ca)).toBe('ok')
  })

  test.each([
    { what: 'an empty key', key: '', want: 'the certificate and the key cannot be used together' },
    { what: 'nothing', key: undefined, want: 'the certificate or its key cannot be read' },
    { what: 'the key of another', key: second.server.key, want: 'the certificate and the key cannot be used together' },
    { what: 'no key', key: 'words', want: 'the certificate and the key cannot be used together' },
  ])('says that it cannot begin with $what', async ({ key, want }) => {
    const folder = tempFolderForFile()
    const files = { certificate: join(folder, 'other.crt'), key: join(folder, `other-${String(key?.length)}.key`) }
    await writeFile(files.certificate, first.server.cert)
    if (key !== undefined) await writeFile(files.key, key)
    const tls: TlsFiles = { ...files, rereadEvery: 10_000, onProblem: () => undefined }
    const address = { host: '127.0.0.1', port: 0 }
    const error = await nodeListener
      .listen(address, () => ({ status: 200, text: '' }), tls)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(ListenError)
    expect(error).toMatchObject({ message: want, reason: 'certificate', address })
  })
})
