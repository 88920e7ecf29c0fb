import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { capiManagers, type CapiManager, type CapiManagerName } from '../capi.ts'
import { freePorts, startChildServer, type ChildServer } from './child-server.ts'
import { fieldOf, refusals, type KubeClient, type KubeObject } from './kube-client.ts'
import { makeWebCertificates, type WebCertificates } from './web-certificates.ts'

/** A Cluster API that runs. */
export interface Capi {
  /** What a manager has said so far; all of them without `name`. */
  readonly log: (name?: CapiManagerName) => string
  /** Kills all managers at once. */
  readonly close: () => Promise<void>
}

/** How {@link startCapi} starts. */
export interface CapiOptions {
  /** All of them without. Those left out do not define their kinds either. */
  readonly managers?: readonly CapiManagerName[]
  /** Over the defaults of the managers and `ClusterTopology`. */
  readonly featureGates?: Readonly<Record<string, boolean>>
}

/** The API server that Cluster API runs on. */
export type CapiTarget = Pick<KubeClient, 'apply' | 'createCrds'> & { readonly kubeconfig: string }

const readyWithin = 60_000

/**
 * True if Cluster API can be had. Tests skip themselves without it, saying so once; in CI they must not.
 * @throws Error in CI when it is missing
 */
export function hasCapi(): boolean {
  if (capiManagers() !== undefined) return true
  if (process.env['CI'] !== undefined)
    throw new Error('no Cluster API: tests on it cannot run; npx tsx tools/capi.ts builds it')
  console.warn('SKIPPED, no Cluster API: tests on it; npx tsx tools/capi.ts builds it')
  return false
}

/**
 * Starts the real Cluster API on an API server that does not know its kinds yet: the core with managed topologies and
 * the kubeadm providers. The server asks their webhooks about each object. They may do everything there, as the
 * administrator, die with this process; close them when done.
 */
export async function startCapi(kube: CapiTarget, options: CapiOptions = {}): Promise<Capi> {
  const built = capiManagers()
  if (built === undefined) throw new Error('no Cluster API')
  const managers = built.filter(({ name }) => options.managers?.includes(name) !== false)
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'stackmason-capi-')))
  const servers = new Map<CapiManagerName, ChildServer>()
  const close = async (): Promise<void> => {
    await Promise.all([...servers.values()].map((server) => server.kill()))
    await rm(folder, { recursive: true, force: true })
  }
  try {
    const certificates = makeWebCertificates()
    await writeCertificates(folder, certificates)
    const ports = await freePorts(managers.length * 2)
    const places = managers.map((manager, index) => ({
      manager,
      webhook: ports[index * 2] ?? 0,
      health: ports[index * 2 + 1] ?? 0,
    }))
    const objects = await Promise.all(
      places.map(({ manager, webhook }) => readObjects(manager, { port: webhook, ca: certificates.ca })),
    )
    await Promise.all(objects.map((list) => kube.createCrds(list.filter(isCrd))))
    for (const place of places) servers.set(place.manager.name, startManager(place, { folder, kube, options }))
    await waitUntilReady(
      servers,
      places.map(({ health }) => health),
    )
    const refused = refusals(await kube.apply(objects.flat().filter((object) => !isCrd(object))))
    if (refused.length > 0) throw new Error(refused.join('\n'))
  } catch (error) {
    await close()
    throw error
  }
  return {
    log: (name) =>
      [...servers].flatMap(([at, server]) => (name === undefined || name === at ? [server.log()] : [])).join('\n'),
    close,
  }
}

async function writeCertificates(folder: string, { server }: WebCertificates): Promise<void> {
  await mkdir(join(folder, 'certificates'))
  await writeFile(join(folder, 'certificates/tls.crt'), server.cert)
  await writeFile(join(folder, 'certificates/tls.key'), server.key, { mode: 0o600 })
}

interface Place {
  readonly manager: CapiManager
  /** Ports. */
  readonly webhook: number
  readonly health: number
}

interface Surroundings {
  readonly folder: string
  readonly kube: CapiTarget
  readonly options: CapiOptions
}

function startManager({ manager, webhook, health }: Place, { folder, kube, options }: Surroundings): ChildServer {
  const gates = Object.entries({ ClusterTopology: true, ...options.featureGates })
  return startChildServer(manager.program, {
    args: [
      '--leader-elect=false',
      '--diagnostics-address=0',
      `--health-addr=127.0.0.1:${String(health)}`,
      `--webhook-port=${String(webhook)}`,
      `--webhook-cert-dir=${join(folder, 'certificates')}`,
      `--feature-gates=${gates.map(([name, value]) => `${name}=${String(value)}`).join(',')}`,
    ],
    logFile: join(folder, `${manager.name}.log`),
    env: { KUBECONFIG: kube.kubeconfig, POD_NAMESPACE: 'capi-system', POD_NAME: manager.name, POD_UID: manager.name },
  })
}

async function readObjects(
  manager: CapiManager,
  webhook: { readonly port: number; readonly ca: string },
): Promise<readonly KubeObject[]> {
  const objects = JSON.parse(await readFile(manager.objects, 'utf8')) as readonly KubeObject[]
  return objects.map((object) => ({ ...object, ...callHere(object, webhook) }))
}

/**
 * The fields that say where webhooks are, which expect a Service and cert-manager as in a cluster; they now lead to a
 * port of this machine.
 */
function callHere(object: KubeObject, webhook: { readonly port: number; readonly ca: string }): object {
  const here = (config: unknown): unknown => {
    const path = fieldOf(config, 'service.path')
    if (typeof path !== 'string') throw new Error(`${object.metadata.name} names no path of a webhook`)
    return {
      url: `https://127.0.0.1:${String(webhook.port)}${path}`,
      caBundle: Buffer.from(webhook.ca).toString('base64'),
    }
  }
  const { spec, webhooks } = object
  if (Array.isArray(webhooks))
    return {
      webhooks: webhooks.map((item: object) => ({ ...item, clientConfig: here(fieldOf(item, 'clientConfig')) })),
    }
  const conversion = fieldOf(spec, 'conversion.webhook')
  if (typeof spec !== 'object' || typeof conversion !== 'object') return {}
  const clientConfig = here(fieldOf(conversion, 'clientConfig'))
  return { spec: { ...spec, conversion: { strategy: 'Webhook', webhook: { ...conversion, clientConfig } } } }
}

function isCrd({ kind }: KubeObject): boolean {
  return kind === 'CustomResourceDefinition'
}

async function waitUntilReady(
  servers: ReadonlyMap<CapiManagerName, ChildServer>,
  ports: readonly number[],
): Promise<void> {
  const end = performance.now() + readyWithin
  for (;;) {
    const answers = await Promise.all(
      ports.map((port) => fetch(`http://127.0.0.1:${String(port)}/readyz`).catch(() => undefined)),
    )
    if (answers.every((answer) => answer?.status === 200)) return
    const dead = [...servers].find(([, server]) => server.status() !== undefined)
    if (dead !== undefined || performance.now() > end) {
      const logs = [...servers].map(([name, server]) => `${name}:\n${server.log().slice(-3000)}`)
      throw new Error(`${dead?.[0] ?? 'Cluster API'} did not start:\n${logs.join('\n---\n')}`)
    }
    await setTimeout(100)
  }
}
