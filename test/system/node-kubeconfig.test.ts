import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { readKubeconfigFiles, readServiceAccount } from '../../src/system/node-kubeconfig.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'
import { openAccess } from '../../src/kube/kubeconfig/open-access.ts'
import type { KubeconfigAccess } from '../../src/model/kube-access.ts'
import { tempFolder } from '../support/temp-folder.ts'

const pem = (text: string): string => Buffer.from(text).toString('base64')

interface Shape {
  readonly cluster?: object
  readonly user?: object
  readonly context?: object
}

async function written(shape: Shape | string, files: Readonly<Record<string, string>> = {}): Promise<string> {
  const folder = await tempFolder()
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  const file = join(folder, 'config')
  await writeFile(file, typeof shape === 'string' ? shape : JSON.stringify(configOf(shape)))
  return file
}

function configOf({ cluster = {}, user = {}, context = {} }: Shape): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'here',
    contexts: [
      { name: 'there', context: { cluster: 'far', user: 'me' } },
      { name: 'here', context: { cluster: 'near', user: 'me', ...context } },
    ],
    clusters: [
      { name: 'near', cluster: { server: 'https://near.example:6443', ...cluster } },
      { name: 'far', cluster: { server: 'https://far.example' } },
    ],
    users: [{ name: 'me', user }],
  }
}

/** As it is read before it is opened. */
async function accessOf(file: string, context: string | undefined): Promise<KubeconfigAccess | undefined> {
  const { files, kube } = createNodePorts()
  let found: KubeconfigAccess | undefined
  const connection = {
    host: '',
    exchange: () => Promise.reject(new Error('nothing is asked')),
    follow: () => Promise.reject(new Error('nothing is watched')),
    reopen: () => Promise.reject(new Error('one is enough')),
    close: async () => undefined,
  }
  const open = async (access: KubeconfigAccess | undefined) => {
    found = access
    return { connection, namespace: undefined }
  }
  await openAccess({ kubeconfig: file, context }, { files, kube: { ...kube, open } })
  return found
}

async function shown(file: string, context?: string): Promise<unknown> {
  try {
    const named = await accessOf(file, context)
    if (named?.login !== 'plain') return 'by client-node'
    const access = await readKubeconfigFiles(named)
    const { authorize, ...target } = access.target
    const headers = authorize === undefined ? {} : Object.fromEntries(await authorize())
    return { ...target, ...headers, proxy: access.proxy, namespace: access.namespace }
  } catch (error) {
    return String(error)
  }
}

afterEach(() => {
  vi.restoreAllMocks()
})

describe('a kubeconfig', () => {
  test('with everything inside', async () => {
    const file = await written({
      cluster: {
        'certificate-authority-data': pem('CA'),
        'tls-server-name': 'api',
        'proxy-url': 'http://proxy.example',
      },
      user: { 'client-certificate-data': pem('CERT'), 'client-key-data': pem('KEY'), token: 't' },
      context: { namespace: 'team-a' },
    })
    expect(await shown(file)).toEqual({
      url: 'https://near.example:6443',
      certificateAuthorities: 'CA',
      clientCertificate: { cert: 'CERT', key: 'KEY' },
      serverName: 'api',
      isUnverified: false,
      authorization: 'Bearer t',
      proxy: 'http://proxy.example',
      namespace: 'team-a',
    })
  })

  test('with files beside it', async () => {
    const file = await written(
      {
        cluster: { 'certificate-authority': 'ca.pem' },
        user: { 'client-certificate': './cert.pem', 'client-key': 'key.pem', tokenFile: 'token', token: 'older' },
      },
      { 'ca.pem': 'CA', 'cert.pem': 'CERT', 'key.pem': 'KEY', token: 'from-file\n' },
    )
    expect(await shown(file)).toMatchObject({
      certificateAuthorities: 'CA',
      clientCertificate: { cert: 'CERT', key: 'KEY' },
      authorization: 'Bearer from-file',
    })
  })

  test('of another context', async () => {
    const file = await written({ cluster: { 'insecure-skip-tls-verify': true }, user: { token: 't' } })
    expect(await shown(file)).toMatchObject({ url: 'https://near.example:6443', isUnverified: true })
    expect(await shown(file, 'there')).toMatchObject({ url: 'https://far.example', isUnverified: false })
  })

  test.each([
    ['a program', { exec: { command: 'login' } }],
    ['a plugin', { 'auth-provider': { name: 'oidc' } }],
    ['a password', { username: 'me', password: 'x' }],
    ['somebody else', { as: 'root', token: 't' }],
  ])('whose user logs in by %s is left to client-node', async (_, user) => {
    expect(await shown(await written({ user }))).toBe('by client-node')
  })

  test.each([
    ['a list', '[1, 2]', 'its current context names no cluster'],
    ['empty', '', 'its current context names no cluster'],
    ['no YAML', 'users: [{name: me, token: canary\n', 'it is not a kubeconfig'],
    [
      'a bomb',
      `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'
        .split('')
        .map(
          (key, index) =>
            `${key}: &${key} [${Array(9)
              .fill(`*${'abcdefghi'[index] ?? ''}`)
              .join(', ')}]`,
        )
        .join('\n')}\n`,
      'it is not a kubeconfig',
    ],
    [
      'without an address',
      JSON.stringify(configOf({ cluster: { server: 'near' } })),
      'the server of cluster near is not an address',
    ],
    [
      'of keys of Object',
      '{"current-context": "__proto__", "contexts": [{"name": "__proto__", "context": {"__proto__": {"cluster": "near"}}}]}',
      'its current context names no cluster',
    ],
  ])('that is %s', async (_, text, said) => {
    expect(await shown(await written(text))).toBe(`KubeAccessError: ${said}`)
  })

  test('that is not there, or whose files or context are not', async () => {
    expect(await shown('/nowhere/config')).toBe('KubeAccessError: it is not there')
    const file = await written({ user: { tokenFile: 'gone' } })
    expect(await shown(file)).toMatch(/^KubeAccessError: the file of tokenFile cannot be read: .*\/gone$/)
    expect(await shown(file, 'nowhere')).toBe('KubeAccessError: it has no context nowhere with a cluster')
  })
})

describe('a service account', () => {
  async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
    const folder = join(await tempFolder(), 'serviceaccount')
    await mkdir(folder)
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
    return folder
  }
  const pod = (variables: Readonly<Record<string, string>>): { get: (name: string) => string | undefined } => ({
    get: (name) => variables[name],
  })

  test('is that of the pod; its token is read again when it is replaced', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(0)
    const folder = await folderWith({ 'ca.crt': 'CA', token: 'one\n', namespace: 'system' })
    const environment = pod({ KUBERNETES_SERVICE_HOST: 'fd00::1', KUBERNETES_SERVICE_PORT: '6443' })
    const { target, namespace } = await readServiceAccount(environment, folder)
    expect([target.url, target.certificateAuthorities, namespace]).toEqual(['https://[fd00::1]:6443', 'CA', 'system'])
    const said = async (): Promise<string | undefined> => (await target.authorize?.())?.get('authorization')
    expect(await said()).toBe('Bearer one')
    await writeFile(join(folder, 'token'), 'two\n')
    now.mockReturnValue(29_999)
    expect(await said()).toBe('Bearer one')
    now.mockReturnValue(30_000)
    expect(await said()).toBe('Bearer two')
  })

  test('is missing outside of a pod, or where it is not mounted', async () => {
    const folder = await folderWith({ 'ca.crt': 'CA' })
    await expect(readServiceAccount(pod({}), folder)).rejects.toThrow('this is not a pod of a cluster')
    await expect(readServiceAccount(pod({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }), folder)).rejects.toThrow(
      'this pod has no service account: see automountServiceAccountToken',
    )
  })
})
