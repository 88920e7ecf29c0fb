import { joinPath } from '../../codec/path.ts'
import { compareNatural } from '../../codec/text/text-order.ts'
import { isSuspendedInTree, unitPathOf } from '../../handoff/committed-units.ts'
import { ApiError } from '../../kube/api-error.ts'
import { openAccess } from '../../kube/kubeconfig/open-access.ts'
import { ApiServer } from '../../kube/api-server.ts'
import { Discovery } from '../../kube/discovery.ts'
import { TokenBucket } from '../../kube/token-bucket.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { textAt } from '../../model/field.ts'
import { HttpError } from '../../model/http.ts'
import { type KubeAccess, KubeAccessError, type KubeAccessOptions } from '../../model/kube-access.ts'
import type { Manifest } from '../../model/manifest.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { formatClassName, formatTag } from '../../model/release-name.ts'
import { stackFolder } from '../../model/tree-path.ts'
import { type CommittedTree, openCommittedTree } from '../../sources/committed/committed-tree.ts'
import { describeStep, type FleetStatus, fleetStatus, kindsOf } from '../../status/fleet-status.ts'
import { readLiveObjects } from '../../status/live-objects.ts'
import { type DefinitionVersion, judgeRemoval, type RemovalVerdict } from '../../status/removable-version.ts'
import type { WantedCluster, WantedFleet, WantedObject, WantedStack, WantedUnit } from '../../status/wanted.ts'
import { selectPart } from '../fleet/fleet-part.ts'
import { withFleet } from '../fleet/with-fleet.ts'

/** The options of `stackmason status`. */
export interface StatusOptions {
  /** Folder to search from, upwards, for stackmason.yaml. */
  readonly start: string
  /** stackmason.yaml or its folder, instead of searching. */
  readonly fleet?: string
  /** Only these clusters and the releases that they use, `name` or `namespace/name`; empty = all. */
  readonly clusters: readonly string[]
  /** The management cluster. */
  readonly access: KubeAccessOptions
  readonly userAgent: string
  /**
   * Called with every state that differs from the one before; until all is ready or the signal is aborted. Undefined:
   * one look.
   */
  readonly watch?: { readonly onChange: (status: FleetStatus) => void; readonly until: AbortSignal }
}

/** How a fleet is. */
export interface StatusResult extends FleetStatus {
  readonly fleet: string
  /** True if the commit is compared with what runs; false where there is none, and the files are. */
  readonly isCommit: boolean
  /** Clusters of the inputs that the tree does not have yet, `namespace/name`. */
  readonly notInTree: readonly string[]
  /** Warnings of reading the fleet. */
  readonly findings: readonly Diagnostic[]
}

/** The verdict on removing a version of a definition. */
export interface RemovalResult extends RemovalVerdict {
  readonly findings: readonly Diagnostic[]
}

/** Milliseconds for a request. */
const REQUEST_TIMEOUT = 30_000
/** Milliseconds between two looks. */
const LOOK_EVERY = 5000

/**
 * Compares the committed tree with the management cluster, and says what is not ready and why. Only reads.
 * @throws StackmasonError as reading the fleet; USAGE for a cluster that it does not have; CLUSTER_UNREACHABLE
 */
export async function readStatus(options: StatusOptions, ports: Ports): Promise<StatusResult> {
  return withFleet(options, ports, async (repository) => {
    const { fleet } = repository
    const { clusters, isWhole } = selectPart(repository, { clusters: options.clusters, stacks: [] })
    const tree = await openCommittedTree(joinPath(fleet.root, fleet.output), { from: 'commit' }, ports)
    const wanted = await wantedOf(tree, isWhole ? tree.clusters : clusters, isWhole)
    const known = new Set(tree.clusters.map(objectPath))
    const status = await asking(options, ports, async (api, signal) => look(wanted, { options, ports, api, signal }))
    return {
      fleet: fleet.name,
      ...status,
      isCommit: tree.isCommit,
      notInTree: clusters.map(objectPath).filter((path) => !known.has(path)),
      findings: [],
    }
  })
}

/**
 * Says whether a version may be removed from a CustomResourceDefinition of the management cluster.
 * @throws StackmasonError USAGE where there is no such definition; CLUSTER_UNREACHABLE
 */
export async function readRemoval(
  version: DefinitionVersion,
  options: Pick<StatusOptions, 'access' | 'userAgent'>,
  ports: Ports,
): Promise<RemovalResult> {
  const verdict = await asking(options, ports, async (api, signal) => judgeRemoval(version, { api, signal }))
  if (verdict !== undefined && !('versions' in verdict)) return { ...verdict, findings: [] }
  if (verdict !== undefined) {
    throw new StackmasonError({
      code: 'USAGE',
      severity: 'error',
      message: `definition ${version.definition} has no version ${version.version}`,
      hint: `It has: ${verdict.versions.join(', ')}.`,
    })
  }
  throw new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message: `the cluster has no definition ${version.definition}`,
    hint: 'Write it as kubectl get crd lists it, with a version: PLURAL.GROUP/VERSION.',
  })
}

interface Looking {
  readonly options: StatusOptions
  readonly ports: Ports
  readonly api: ApiServer
  readonly signal: AbortSignal
}

async function look(wanted: WantedFleet, { options: { watch }, ports, api, signal }: Looking): Promise<FleetStatus> {
  const { clock } = ports
  const discovery = new Discovery(api, clock)
  const namespaces = [...new Set([...wanted.clusters, ...wanted.stacks].map(({ namespace }) => namespace))]
  const read = async (): Promise<FleetStatus> =>
    fleetStatus(wanted, await readLiveObjects(kindsOf(wanted), namespaces, { api, discovery, signal }))
  let status = await read()
  if (watch === undefined) return status
  watch.onChange(status)
  while (!isReady(status) && !watch.until.aborted) {
    await clock.sleep(LOOK_EVERY, watch.until)
    if (watch.until.aborted) break
    const next = await read()
    if (JSON.stringify(next) !== JSON.stringify(status)) watch.onChange(next)
    status = next
  }
  return status
}

/** True if nothing of a fleet is waited for. */
export function isReady({ clusters, stacks }: FleetStatus): boolean {
  return [...clusters, ...stacks].every((one) => one.isReady)
}

/** Asks the management cluster, and closes the way to it. */
async function asking<Result>(
  { access: wanted, userAgent }: Pick<StatusOptions, 'access' | 'userAgent'>,
  ports: Ports,
  ask: (api: ApiServer, signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const access = await open(wanted, ports)
  const api = new ApiServer(access.connection, {
    timeout: REQUEST_TIMEOUT,
    userAgent,
    limit: new TokenBucket({ perSecond: 50, burst: 100 }, ports.clock),
    count: () => undefined,
  })
  const ended = new AbortController()
  try {
    return await ask(api, ended.signal)
  } catch (error) {
    if (error instanceof ApiError) {
      throw unreachable(
        `the API server at ${access.connection.host} refuses us: ${error.message}`,
        'Ask kubectl auth can-i --list what the user of the kubeconfig may do; docs/23 says what is needed.',
      )
    }
    if (!(error instanceof HttpError)) throw error
    throw unreachable(
      `the API server at ${access.connection.host} cannot be reached: ${error.message}`,
      'Check the address in the kubeconfig and the network: kubectl version.',
    )
  } finally {
    ended.abort()
    await access.connection.close()
  }
}

async function open(options: KubeAccessOptions, ports: Ports): Promise<KubeAccess> {
  try {
    return await openAccess(options, ports)
  } catch (error) {
    if (!(error instanceof KubeAccessError)) throw error
    const of = options.kubeconfig === undefined ? '' : ` by ${options.kubeconfig}`
    throw unreachable(
      `no way to an API server${of}: ${error.message}`,
      'Name a kubeconfig of the management cluster with --kubeconfig or KUBECONFIG.',
    )
  }
}

function unreachable(message: string, hint: string): StackmasonError {
  return new StackmasonError({ code: 'CLUSTER_UNREACHABLE', severity: 'error', message, hint })
}

/** Reads the wanted state of these clusters and of releases: of all, or of those that the clusters use. */
async function wantedOf(tree: CommittedTree, names: readonly ObjectName[], isWhole: boolean): Promise<WantedFleet> {
  const clusters: WantedCluster[] = []
  for (const name of names) {
    const committed = tree.cluster(name)
    if (committed === undefined) continue
    const { className, addons, target, decommission, object, version } = committed
    const objects = await tree.handoff(name)
    const isSuspended = isSuspendedInTree(objects)
    const step = describeStep({ className, addons, target, decommission: decommission?.step })
    clusters.push({
      namespace: name.namespace,
      name: name.name,
      className: object === undefined ? undefined : className,
      version,
      step: step ?? (isSuspended ? 'suspended' : undefined),
      units: unitsOf(objects),
      hasValues: tree.hasBeside(name, 'RuntimeValues'),
      migrations: tree.migrations(name),
    })
  }
  const used = new Set(clusters.map(({ className }) => className))
  const stacks: WantedStack[] = []
  for (const { namespace, release } of await tree.stacks()) {
    const [tag, className] = [formatTag(release.name), formatClassName(release.name)]
    if (!isWhole && !used.has(className)) continue
    const folder = stackFolder(namespace, tag)
    const units = (await tree.stackHandoff(namespace)).filter((object) => unitPathOf(object).endsWith(`/${folder}`))
    const { manifests = [] } = (await tree.stack(namespace, tag)) ?? {}
    stacks.push({ namespace, tag, className, units: unitsOf(units), images: manifests.filter(isImage).map(named) })
  }
  return { clusters, stacks, isWhole }
}

/** By name: that of a cluster before those of its addons. */
function unitsOf(objects: readonly Manifest[]): readonly WantedUnit[] {
  return objects
    .filter((object) => unitPathOf(object) !== '')
    .map((object) => ({
      ...named(object),
      release: textAt(object.object, 'metadata', 'labels', 'stackmason.dev/release'),
      isSuspended: isSuspendedInTree([object]),
    }))
    .toSorted((a, b) => compareNatural(a.name, b.name))
}

function isImage({ apiVersion, kind }: Manifest): boolean {
  return (
    (kind === 'NodeImageGate' && apiVersion.startsWith('stackmason.dev/')) ||
    (kind === 'Image' && apiVersion.startsWith('openstack.k-orc.cloud/'))
  )
}

function named({ apiVersion, kind, namespace = '', name }: Manifest): WantedObject {
  return { apiVersion, kind, namespace, name }
}
