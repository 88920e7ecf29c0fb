import { readFileSync } from 'node:fs'
import type { RequestOptions } from 'node:https'
import type { KubeConfig } from '@kubernetes/client-node'
import { HttpError } from '../model/http.ts'
import { type KubeAccess, KubeAccessError, type KubeAccessOptions, type KubeConnector } from '../model/kube-access.ts'
import type { Environment } from '../model/ports.ts'
import type { ServerAccess, ServerConnection } from '../model/server-connection.ts'
import { openConnection } from './node-connection.ts'

/** Where Kubernetes puts what a pod needs. */
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount'
/** Milliseconds for which a header is used: tokens are replaced long before they end. */
const HEADER_KEPT = 30_000

/** {@link KubeConnector} by kubeconfigs as client-node reads them, with its ways to log in; it is loaded when it is needed. */
export function createNodeKube(environment: Environment = { get: (name) => process.env[name] }): KubeConnector {
  return {
    open: (options) => open(options, environment),
    connect: (access) => connect(access, environment),
  }
}

async function connect({ token, proxy, ...target }: ServerAccess, environment: Environment): Promise<ServerConnection> {
  const headers = new Map(token === undefined ? [] : [['authorization', `Bearer ${token}`]])
  // as in client-go, a proxy that is named is the only one, and is used for every host
  const proxied: Environment = { get: (name) => (/^https?_proxy$/.test(name) ? proxy : undefined) }
  return openConnection({ ...target, authorize: async () => headers }, proxy === undefined ? environment : proxied)
}

async function open(options: KubeAccessOptions, environment: Environment): Promise<KubeAccess> {
  const config = await loadConfig(options, environment)
  const cluster = config.getCurrentCluster()
  const context = config.getContextObject(config.getCurrentContext())
  if (cluster === null || context === null) {
    throw new KubeAccessError(
      options.context === undefined
        ? 'its current context names no cluster'
        : `it has no context ${options.context} with a cluster`,
    )
  }
  if (!URL.canParse(cluster.server))
    throw new KubeAccessError(`the server of cluster ${cluster.name} is not an address`)
  const login = await logIn(config)
  const { servername, rejectUnauthorized } = login
  const [ca, cert, key] = [login.ca, login.cert, login.key].map(pemOf)
  const proxy = cluster.proxyUrl
  const proxied: Environment = {
    get: (name) => (proxy !== undefined && /^https?_proxy$/.test(name) ? proxy : environment.get(name)),
  }
  try {
    const connection = await openConnection(
      {
        url: cluster.server,
        ...(ca !== undefined && { certificateAuthorities: ca }),
        ...(cert !== undefined && key !== undefined && { clientCertificate: { cert, key } }),
        ...(servername !== undefined && { serverName: servername }),
        isUnverified: rejectUnauthorized === false,
        authorize: authorizer(config, login),
      },
      proxied,
    )
    return { connection, namespace: context.namespace ?? podNamespace(options) }
  } catch (cause) {
    if (cause instanceof HttpError) throw new KubeAccessError(cause.message, { cause })
    throw new KubeAccessError('its certificates or keys cannot be read', { cause })
  }
}

/** client-node gives one PEM or none. */
function pemOf(value: RequestOptions['ca'] | RequestOptions['key']): string | undefined {
  if (typeof value === 'string') return value
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : undefined
}

async function loadConfig({ kubeconfig, context }: KubeAccessOptions, environment: Environment): Promise<KubeConfig> {
  if (kubeconfig === undefined && (environment.get('KUBERNETES_SERVICE_HOST') ?? '') === '') {
    throw new KubeAccessError('this is not a pod of a cluster, and no kubeconfig is named')
  }
  const { KubeConfig } = await load()
  const config = new KubeConfig()
  try {
    if (kubeconfig === undefined) config.loadFromCluster()
    else config.loadFromFile(kubeconfig)
  } catch (cause) {
    const isMissing = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT'
    // its words may repeat the file's
    throw new KubeAccessError(isMissing ? 'it is not there' : 'it is not a kubeconfig', { cause })
  }
  if (context !== undefined) config.setCurrentContext(context)
  return config
}

async function load(): Promise<{ readonly KubeConfig: new () => KubeConfig }> {
  try {
    return await import('@kubernetes/client-node')
  } catch (cause) {
    throw new KubeAccessError(
      `Kubernetes' client does not run on Node ${process.versions.node}; Node 22.19 or newer does`,
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

/** The namespace that a pod runs in. */
function podNamespace({ kubeconfig }: KubeAccessOptions): string | undefined {
  if (kubeconfig !== undefined) return undefined
  try {
    return readFileSync(`${SERVICE_ACCOUNT}/namespace`, 'utf8').trim()
  } catch {
    return undefined
  }
}
