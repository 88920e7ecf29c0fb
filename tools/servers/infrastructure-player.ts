import { setTimeout } from 'node:timers/promises'
import {
  infrastructureCrds,
  infrastructureGroup,
  type InfrastructureProvider,
  type ProviderContract,
} from './infrastructure-crds.ts'
import { fieldOf, refusals, type KubeClient, type KubeObject, type KubeReference } from './kube-client.ts'

/** Where the API server of a cluster is reached. */
export interface Endpoint {
  readonly host: string
  readonly port: number
}

/** How {@link playInfrastructure} plays. */
export interface InfrastructureOptions {
  readonly provider: InfrastructureProvider
  /** The contracts that the provider obeys: each is a version of its kinds, the last is stored. */
  readonly contracts: readonly ProviderContract[]
  /** Asked again and again; the infrastructure of a cluster is there as soon as it has an endpoint. */
  readonly endpointOf: (cluster: { readonly namespace: string; readonly name: string }) => Endpoint | undefined
  /** What else a provider says of a cluster of it, e.g. its networks. */
  readonly statusOf?: (cluster: KubeObject) => Readonly<Record<string, unknown>>
  /** Told when a machine boots, before it counts as there. */
  readonly onMachine?: (machine: PlayedMachine) => Promise<void>
}

/** A machine that boots. */
export interface PlayedMachine {
  readonly name: string
  readonly namespace: string
  readonly cluster: string
  readonly isControlPlane: boolean
  readonly providerID: string
}

/** A provider that is played. */
export interface InfrastructurePlayer {
  /** Problems that it met and tried again. */
  readonly problems: () => readonly string[]
  readonly close: () => Promise<void>
}

/** The management cluster it is played on. */
export type InfrastructureTarget = Pick<KubeClient, 'apply' | 'applyStatus' | 'createCrds' | 'get' | 'list'>

const clusterLabel = 'cluster.x-k8s.io/cluster-name'
const controlPlaneLabel = 'cluster.x-k8s.io/control-plane'
const pausedAnnotation = 'cluster.x-k8s.io/paused'
const betweenLooks = 500
const listedWithin = 30_000

/**
 * Plays a provider of infrastructure by the contracts of Cluster API, without any: it defines its kinds, gives clusters
 * their endpoint and machines their id, once Cluster API is so far, and says so. It leaves alone what is paused or
 * goes.
 */
export async function playInfrastructure(
  kube: InfrastructureTarget,
  options: InfrastructureOptions,
): Promise<InfrastructurePlayer> {
  await kube.createCrds(infrastructureCrds(options.provider, options.contracts))
  const stage = { kube, options, booted: new Set<string>() }
  await waitUntilListed(stage)
  const problems: string[] = []
  let isOpen = true
  const play = async (): Promise<void> => {
    while (isOpen) {
      await playRound(stage).catch((error: unknown) => {
        problems.push(String(error))
      })
      await setTimeout(betweenLooks)
    }
  }
  const ended = play()
  return {
    problems: () => problems,
    close: async () => {
      isOpen = false
      await ended
    },
  }
}

interface Stage {
  readonly kube: InfrastructureTarget
  readonly options: InfrastructureOptions
  /** Machines that were told. */
  readonly booted: Set<string>
}

async function playRound(stage: Stage): Promise<void> {
  for (const object of await listed(stage, 'Cluster')) await provideCluster(stage, object)
  for (const object of await listed(stage, 'Machine')) await provideMachine(stage, object)
}

function listed({ kube, options }: Stage, kind: 'Cluster' | 'Machine'): Promise<readonly KubeObject[]> {
  return kube.list(`${infrastructureGroup}/${options.contracts.at(-1) ?? ''}`, `${options.provider}${kind}`)
}

/** A kind that the server tells of may still not be listed. */
async function waitUntilListed(stage: Stage): Promise<void> {
  const end = performance.now() + listedWithin
  for (;;) {
    try {
      await Promise.all([listed(stage, 'Cluster'), listed(stage, 'Machine')])
      return
    } catch (error) {
      if (performance.now() > end) throw error
      await setTimeout(betweenLooks)
    }
  }
}

async function provideCluster(stage: Stage, object: KubeObject): Promise<void> {
  const { kube, options } = stage
  const owner = await ownerOf(kube, object, 'Cluster')
  if (owner === undefined || isPaused(owner) || isPaused(object)) return
  // one that people fixed is theirs; a load balancer's comes when it is there
  const given = endpointIn(owner) ?? endpointIn(object)
  const found = given ?? options.endpointOf({ namespace: object.metadata.namespace ?? '', name: owner.metadata.name })
  if (found === undefined) return
  if (endpointIn(object) === undefined) await setSpec(kube, object, { controlPlaneEndpoint: found })
  if (!isProvisioned(object, options))
    await kube.applyStatus({
      ...referenceOf(object),
      status: { ...provisioned(object, options), ...options.statusOf?.(object) },
    })
}

async function provideMachine(stage: Stage, object: KubeObject): Promise<void> {
  const { kube, options, booted } = stage
  const owner = await ownerOf(kube, object, 'Machine')
  if (owner === undefined || isPaused(owner) || isPaused(object)) return
  // nothing boots before there is something to boot with
  if (typeof fieldOf(owner, 'spec.bootstrap.dataSecretName') !== 'string') return
  const { name, namespace = '' } = object.metadata
  const providerID = `${options.provider.toLowerCase()}:////${name}`
  if (fieldOf(object, 'spec.providerID') === undefined) await setSpec(kube, object, { providerID })
  const key = `${namespace}/${name}`
  if (!booted.has(key)) {
    await options.onMachine?.({
      name: owner.metadata.name,
      namespace,
      cluster: String(labelsOf(object)[clusterLabel]),
      isControlPlane: labelsOf(owner)[controlPlaneLabel] !== undefined,
      providerID,
    })
    booted.add(key)
  }
  if (isProvisioned(object, options)) return
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }]
  await kube.applyStatus({ ...referenceOf(object), status: { ...provisioned(object, options), addresses } })
}

/** The owner by which Cluster API took this object on; without, it is nobody's yet. */
async function ownerOf(kube: InfrastructureTarget, object: KubeObject, kind: string): Promise<KubeObject | undefined> {
  if (object.metadata['deletionTimestamp'] !== undefined) return undefined
  const owners = object.metadata['ownerReferences']
  const owner: unknown = Array.isArray(owners)
    ? owners.find((reference: unknown) => fieldOf(reference, 'kind') === kind)
    : undefined
  if (owner === undefined) return undefined
  const metadata = { name: String(fieldOf(owner, 'name')), namespace: object.metadata.namespace ?? '' }
  return kube.get({ apiVersion: 'cluster.x-k8s.io/v1beta2', kind, metadata })
}

function isPaused(object: KubeObject): boolean {
  return (
    fieldOf(object, 'spec.paused') === true ||
    Object.hasOwn(Object(object.metadata['annotations'] ?? {}), pausedAnnotation)
  )
}

function labelsOf(object: KubeObject): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(Object(object.metadata['labels'] ?? {})))
}

function endpointIn(object: KubeObject): Endpoint | undefined {
  const host = fieldOf(object, 'spec.controlPlaneEndpoint.host')
  const port = fieldOf(object, 'spec.controlPlaneEndpoint.port')
  return typeof host === 'string' && host !== '' && typeof port === 'number' ? { host, port } : undefined
}

async function setSpec(kube: InfrastructureTarget, object: KubeObject, spec: object): Promise<void> {
  const refused = refusals(
    await kube.apply([{ ...referenceOf(object), spec }], { fieldManager: 'infrastructure-player' }),
  )
  if (refused.length > 0) throw new Error(refused.join('\n'))
}

/** Where each contract wants to read it. */
function provisioned(object: KubeObject, { contracts }: InfrastructureOptions): object {
  const since = { lastTransitionTime: object.metadata['creationTimestamp'] }
  return {
    ...(contracts.includes('v1beta1') && { ready: true }),
    ...(contracts.includes('v1beta2') && { initialization: { provisioned: true } }),
    conditions: [{ type: 'Ready', status: 'True', reason: 'Provisioned', message: '', ...since }],
  }
}

function isProvisioned(object: KubeObject, { contracts }: InfrastructureOptions): boolean {
  const path = contracts.includes('v1beta2') ? 'status.initialization.provisioned' : 'status.ready'
  return fieldOf(object, path) === true
}

function referenceOf({ apiVersion, kind, metadata: { name, namespace } }: KubeObject): KubeReference {
  return { apiVersion, kind, metadata: { name, ...(namespace !== undefined && { namespace }) } }
}
