import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parse } from 'yaml'
import { KubeAccessError, type KubeAccessOptions } from '../model/kube-access.ts'
import type { Environment } from '../model/ports.ts'
import type { ConnectionTarget } from './node-connection.ts'

/** How a server is reached, as far as files say it: nothing has to be run to log in. */
export interface PlainAccess {
  readonly target: ConnectionTarget
  /** Instead of those of the environment. */
  readonly proxy: string | undefined
  readonly namespace: string | undefined
}

/** Milliseconds for which a token is used: files of tokens are replaced long before those in them end. */
const TOKEN_KEPT = 30_000

/**
 * The API server of the cluster that this pod runs in, and us as its service account. `folder` is where Kubernetes puts what a pod needs.
 * @throws KubeAccessError outside of a pod, or without a service account
 */
export async function readServiceAccount(environment: Environment, folder: string): Promise<PlainAccess> {
  const host = environment.get('KUBERNETES_SERVICE_HOST') ?? ''
  if (host === '') throw new KubeAccessError('this is not a pod of a cluster, and no kubeconfig is named')
  const port = environment.get('KUBERNETES_SERVICE_PORT') ?? '443'
  const url = `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  const ca = await readText(`${folder}/ca.crt`)
  if (ca === undefined || (await readText(`${folder}/token`)) === undefined) {
    throw new KubeAccessError('this pod has no service account: see automountServiceAccountToken')
  }
  const target = { url, certificateAuthorities: ca, authorize: bearer(tokenOf(`${folder}/token`)) }
  return { target, proxy: undefined, namespace: (await readText(`${folder}/namespace`))?.trim() }
}

/** Ways to log in that run something, or act as somebody else. */
const special = ['exec', 'auth-provider', 'username', 'password', 'as', 'as-uid', 'as-groups', 'as-user-extra']

/**
 * Reads a kubeconfig that users name; paths in it are relative to its folder.
 * @returns undefined where its user logs in by a program or a plugin
 * @throws KubeAccessError
 */
export async function readKubeconfig(
  file: string,
  { context: asked }: Pick<KubeAccessOptions, 'context'>,
): Promise<PlainAccess | undefined> {
  const text = await readText(file)
  if (text === undefined) throw new KubeAccessError('it is not there')
  const config = parseConfig(text)
  const context = itemOf(config, {
    list: 'contexts',
    part: 'context',
    name: asked ?? textOf(config, 'current-context'),
  })
  const cluster = itemOf(config, { list: 'clusters', part: 'cluster', name: textOf(context, 'cluster') })
  const user = itemOf(config, { list: 'users', part: 'user', name: textOf(context, 'user') })
  if (cluster === undefined) {
    throw new KubeAccessError(
      asked === undefined ? 'its current context names no cluster' : `it has no context ${asked} with a cluster`,
    )
  }
  const url = textOf(cluster, 'server') ?? ''
  if (!URL.canParse(url))
    throw new KubeAccessError(`the server of cluster ${textOf(context, 'cluster') ?? ''} is not an address`)
  if (special.some((field) => fieldOf(user, field) !== undefined)) return undefined
  const base = dirname(resolve(file))
  const pem = async (object: unknown, name: string): Promise<string | undefined> => {
    const data = textOf(object, `${name}-data`)
    if (data !== undefined) return Buffer.from(data, 'base64').toString('utf8')
    const path = textOf(object, name)
    return path === undefined ? undefined : readNamed(resolve(base, path), name)
  }
  const [ca, cert, key] = [
    await pem(cluster, 'certificate-authority'),
    await pem(user, 'client-certificate'),
    await pem(user, 'client-key'),
  ]
  const tokenFile = textOf(user, 'tokenFile')
  const token = textOf(user, 'token')
  if (tokenFile !== undefined) await readNamed(resolve(base, tokenFile), 'tokenFile')
  const serverName = textOf(cluster, 'tls-server-name')
  // as in client-go, a file counts more than a token beside it
  const say = tokenFile === undefined ? token && (async () => token) : tokenOf(resolve(base, tokenFile))
  return {
    target: {
      url,
      ...(ca !== undefined && { certificateAuthorities: ca }),
      ...(cert !== undefined && key !== undefined && { clientCertificate: { cert, key } }),
      ...(serverName !== undefined && { serverName }),
      isUnverified: fieldOf(cluster, 'insecure-skip-tls-verify') === true,
      ...(typeof say === 'function' && { authorize: bearer(say) }),
    },
    proxy: textOf(cluster, 'proxy-url'),
    namespace: textOf(context, 'namespace'),
  }
}

function parseConfig(text: string): unknown {
  try {
    return parse(text, { logLevel: 'error' })
  } catch {
    // the parser's words may repeat the file's
    throw new KubeAccessError('it is not a kubeconfig')
  }
}

interface Named {
  readonly list: string
  readonly part: string
  readonly name: string | undefined
}

function itemOf(config: unknown, { list, part, name }: Named): unknown {
  const items = fieldOf(config, list)
  if (!Array.isArray(items) || name === undefined) return undefined
  const found: unknown = items.find((item: unknown) => textOf(item, 'name') === name)
  return fieldOf(found, part)
}

function fieldOf(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return undefined
  const value: unknown = Object.entries(object).find(([key]) => key === name)?.[1]
  return value ?? undefined
}

/** Undefined where there is none, or an empty one. */
function textOf(object: unknown, name: string): string | undefined {
  const value = fieldOf(object, name)
  return typeof value === 'string' && value !== '' ? value : undefined
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8')
  } catch {
    return undefined
  }
}

async function readNamed(file: string, field: string): Promise<string> {
  const text = await readText(file)
  if (text === undefined) throw new KubeAccessError(`the file of ${field} cannot be read: ${file}`)
  return text
}

/** Reads a file of a token anew now and then; while it cannot be read the one before is used. */
function tokenOf(file: string): () => Promise<string> {
  let token = ''
  let readAt = -Infinity
  return async () => {
    if (performance.now() - readAt < TOKEN_KEPT) return token
    readAt = performance.now()
    token = (await readText(file))?.trim() ?? token
    return token
  }
}

function bearer(token: () => Promise<string>): () => Promise<ReadonlyMap<string, string>> {
  return async () => new Map([['authorization', `Bearer ${await token()}`]])
}
