import { readFile } from 'node:fs/promises'
import { KubeAccessError, type KubeconfigAccess, type KubeconfigPart } from '../model/kube-access.ts'
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
 * The API server of the cluster that this pod runs in, and us as its service account. `folder` is where Kubernetes
 * puts what a pod needs.
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

/**
 * Reads the files that a kubeconfig names.
 * @throws KubeAccessError
 */
export async function readKubeconfigFiles(access: KubeconfigAccess): Promise<PlainAccess> {
  const { url, serverName, isUnverified, token, proxy, namespace } = access
  const [ca, cert, key] = [
    await partOf(access.certificateAuthority),
    await partOf(access.clientCertificate),
    await partOf(access.clientKey),
  ]
  return {
    target: {
      url,
      certificateAuthorities: ca,
      clientCertificate: cert !== undefined && key !== undefined ? { cert, key } : undefined,
      serverName,
      isUnverified,
      authorize: token === undefined ? undefined : bearer(await sayToken(token)),
    },
    proxy,
    namespace,
  }
}

async function partOf(part: KubeconfigPart | undefined): Promise<string | undefined> {
  if (part === undefined) return undefined
  return 'text' in part ? part.text : readNamed(part.file, part.field)
}

async function sayToken(part: KubeconfigPart): Promise<() => Promise<string>> {
  if ('text' in part) return async () => part.text
  await readNamed(part.file, part.field)
  return tokenOf(part.file)
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
