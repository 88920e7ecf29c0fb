import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import { HttpError } from '../model/http.ts'
import { type KubeAccess, KubeAccessError, type KubeconfigAccess, type KubeConnector } from '../model/kube-access.ts'
import type { Environment } from '../model/ports.ts'
import type { ServerAccess, ServerConnection } from '../model/server-connection.ts'
import { type ConnectionTarget, openConnection } from './node-connection.ts'
import { readKubeconfigFiles, readServiceAccount } from './node-kubeconfig.ts'

/** Where Kubernetes puts what a pod needs. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
/** Milliseconds for which a header is used: tokens are replaced long before they end. */
const HEADER_KEPT = 30_000

/**
 * {@link KubeConnector} by service accounts and kubeconfigs. client-node is loaded for users alone that log in by a
 * program or a plugin: it takes more memory than all else. `folder` is that of the service account.
 */
export function createNodeKube(
  environment: Environment = { get: (name) => process.env[name] },
  folder: string = SERVICE_ACCOUNT,
): KubeConnector {
  return {
    open: (access) => open(access, { environment, folder }),
    connect: (access) => connect(access, environment),
  }
}

async function connect({ token, proxy, ...target }: ServerAccess, environment: Environment): Promise<ServerConnection> {
  const headers = new Map(token === undefined ? [] : [['authorization', `Bearer ${token}`]])
  try {
    return await openThrough({ ...target, authorize: async () => headers }, proxy, environment)
  } catch (cause) {
    if (cause instanceof HttpError) throw cause
    throw new HttpError('tls', 'the certificates or the key for it cannot be used', { cause })
  }
}

/** As in client-go, a proxy that is named is the only one, and is used for every host. */
async function openThrough(
  target: ConnectionTarget,
  proxy: string | undefined,
  environment: Environment,
): Promise<ServerConnection> {
  const proxied: Environment = { get: (name) => (/^https?_proxy$/.test(name) ? proxy : undefined) }
  return openConnection(target, proxy === undefined ? environment : proxied)
}

async function open(
  access: KubeconfigAccess | undefined,
  { environment, folder }: { readonly environment: Environment; readonly folder: string },
): Promise<KubeAccess> {
  if (access?.login === 'program') return openSpecial(access, environment)
  const { target, proxy, namespace } =
    access === undefined ? await readServiceAccount(environment, folder) : await readKubeconfigFiles(access)
  return { connection: await opened(() => openThrough(target, proxy, environment)), namespace }
}

/** Says of what is read, not repeating it, why it is of no use. */
async function opened(openOne: () => Promise<ServerConnection>): Promise<ServerConnection> {
  try {
    return await openOne()
  } catch (cause) {
    if (cause instanceof HttpError) throw new KubeAccessError(cause.message, { cause })
    throw new KubeAccessError('its certificates or keys cannot be read', { cause })
  }
}

async function openSpecial(access: KubeconfigAccess, environment: Environment): Promise<KubeAccess> {
  const config = await loadConfig(access)
  const login = await logIn(config)
  const { servername, rejectUnauthorized } = login
  const [ca, cert, key] = [login.ca, login.cert, login.key].map(pemOf)
  const target: ConnectionTarget = {
    url: access.url,
    certificateAuthorities: ca,
    clientCertificate: cert !== undefined && key !== undefined ? { cert, key } : undefined,
    serverName: servername,
    isUnverified: rejectUnauthorized === false,
    authorize: authorizer(config, login),
  }
  const connection = await opened(() => openThrough(target, access.proxy, environment))
  return { connection, namespace: access.namespace }
}

/** client-node gives one PEM or none. */
function pemOf(value: RequestOptions['ca'] | RequestOptions['key']): string | undefined {
  if (typeof value === 'string') return value
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : undefined
}

async function loadConfig({ file, context }: KubeconfigAccess): Promise<KubeConfig> {
  const { KubeConfig } = await load()
  const config = new KubeConfig()
  try {
    config.loadFromFile(file)
  } catch (cause) {
    // its words may repeat the file's
    throw new KubeAccessError('it is not a kubeconfig', { cause })
  }
  if (context !== undefined) config.setCurrentContext(context)
  return config
}

async function load(): Promise<{ readonly KubeConfig: new () => KubeConfig }> {
  try {
    return await import('@kubernetes/client-node')
  } catch (cause) {
    throw new KubeAccessError(
      `its user logs in by a program or a plugin; Kubernetes' client, which does that, does not run on Node ${process.versions.node}, and runs on Node 22.19 or newer`,
      { cause },
    )
  }
}

type Login = RequestOptions

async function logIn(config: KubeConfig): Promise<Login> {
  const login: Login = {}
  try {
    await config.applyToHTTPSOptions(login)
  } catch (cause) {
    throw new KubeAccessError('its user cannot log in', { cause })
  }
  return login
}

/** Gives the headers that say who we are; asks for them anew now and then, since tokens are replaced. */
function authorizer(config: KubeConfig, first: Login): () => Promise<ReadonlyMap<string, string>> {
  let headers = headersOf(first)
  let readAt = performance.now()
  return async () => {
    if (performance.now() - readAt < HEADER_KEPT) return headers
    readAt = performance.now()
    headers = headersOf(await logIn(config))
    return headers
  }
}

function headersOf({ headers, auth }: Login): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [name, value] of Object.entries(headers ?? {})) found.set(name.toLowerCase(), String(value))
  if (typeof auth === 'string') found.set('authorization', `Basic ${Buffer.from(auth).toString('base64')}`)
  return found
}
