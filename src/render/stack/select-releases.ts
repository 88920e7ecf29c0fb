import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster, ClusterStack } from '../../model/fleet.ts'
import { nearestName } from '../../model/nearest-name.ts'
import {
  compareVersions,
  formatClassName,
  formatVersion,
  parseClassName,
  parseVersion,
} from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { pathOf, type Span } from '../../model/source.ts'

/** A release that the fleet needs in a namespace. */
export interface NeededRelease {
  readonly namespace: string
  readonly name: ReleaseName
  readonly clusterStack: ClusterStack
  /** The position that asked for it: a version of the ClusterStack, its subscription, or a Cluster. */
  readonly at: Span
}

/** Which releases go where, and which one each cluster uses. */
export interface ReleaseSelection {
  readonly needed: readonly NeededRelease[]
  readonly byCluster: ReadonlyMap<Cluster, NeededRelease>
  /** Those that name no version and subscribe, where no stable release is on offer. */
  readonly unserved: readonly ClusterStack[]
  readonly problems: readonly Diagnostic[]
}

/**
 * Decides which releases are rendered: each ClusterStack's `versions`, the highest stable one on offer when it
 * subscribes, and those that a Cluster uses. Content hashes are never ordered, so channels other than stable need a
 * pin. Rules: cluster-stack operator's desired state, less its defects.
 */
export function selectReleases(
  clusterStacks: readonly ClusterStack[],
  clusters: readonly Cluster[],
  offered: (clusterStack: ClusterStack) => readonly ReleaseName[],
): ReleaseSelection {
  const needed = new Map<string, NeededRelease>()
  const unserved: ClusterStack[] = []
  const problems: Diagnostic[] = []
  const need = (release: NeededRelease): NeededRelease => {
    const key = `${release.namespace}/${formatClassName(release.name)}`
    const known = needed.get(key) ?? release
    needed.set(key, known)
    return known
  }
  for (const clusterStack of clusterStacks) {
    for (const { version, at } of clusterStack.versions) need({ ...identity(clusterStack, version), at })
    const newest = clusterStack.autoSubscribe ? newestStable(offered(clusterStack)) : undefined
    if (newest !== undefined)
      need({ namespace: clusterStack.namespace, name: newest, clusterStack, at: clusterStack.at })
    if (clusterStack.versions.length > 0 || newest !== undefined) continue
    if (clusterStack.autoSubscribe) unserved.push(clusterStack)
    else problems.push(nothingAsked(clusterStack))
  }
  const byCluster = new Map<Cluster, NeededRelease>()
  for (const cluster of clusters) {
    const name = parseClassName(cluster.className, { at: cluster.classAt })
    const clusterStack = clusterStacks.find((candidate) => serves(candidate, cluster, name))
    if (clusterStack === undefined) problems.push(noClusterStack(cluster, name, clusterStacks))
    else byCluster.set(cluster, need({ namespace: clusterStack.namespace, name, clusterStack, at: cluster.classAt }))
  }
  return { needed: [...needed.values()], byCluster, unserved, problems }
}

function identity(clusterStack: ClusterStack, version: string): Omit<NeededRelease, 'at'> {
  const [major = 0, minor = 0] = clusterStack.kubernetesVersion.split('.').map(Number)
  const { provider, stack, namespace } = clusterStack
  return {
    namespace,
    clusterStack,
    name: { provider, stack, kubernetes: { major, minor }, version: parseVersion(version) },
  }
}

function newestStable(names: readonly ReleaseName[]): ReleaseName | undefined {
  const stable = names.filter((name) => name.version.channel === 'stable')
  return stable.reduce<ReleaseName | undefined>(
    (best, name) => (best === undefined || compareVersions(name.version, best.version) > 0 ? name : best),
    undefined,
  )
}

function serves(clusterStack: ClusterStack, cluster: Cluster, name: ReleaseName): boolean {
  return (
    clusterStack.namespace === cluster.classNamespace &&
    clusterStack.provider === name.provider &&
    clusterStack.stack === name.stack &&
    clusterStack.kubernetesVersion === `${name.kubernetes.major}.${name.kubernetes.minor}`
  )
}

function nothingAsked({ namespace, name, at }: ClusterStack): Diagnostic {
  return {
    code: 'CONFIG_CONFLICT',
    severity: 'error',
    message: `ClusterStack ${namespace}/${name} names no version and does not subscribe`,
    at,
    hint: VERSIONS_HINT,
  }
}

const VERSIONS_HINT =
  'List the releases you want under spec.versions; content hashes and other custom versions always need a pin.'

/** The problem of a ClusterStack that subscribes where its sources were asked and offer nothing to it. */
export function nothingOffered(clusterStack: ClusterStack): Diagnostic {
  const { namespace, name, at } = clusterStack
  return {
    code: 'CONFIG_CONFLICT',
    severity: 'error',
    message: `ClusterStack ${namespace}/${name} subscribes, but its source offers no stable release of ${stackWithMinor(clusterStack)}`,
    at,
    hint: VERSIONS_HINT,
  }
}

/** What the tags of a ClusterStack's releases begin with: `docker-scs-1-31`. */
export function stackWithMinor({ provider, stack, kubernetesVersion }: ClusterStack): string {
  return `${provider}-${stack}-${kubernetesVersion.replace('.', '-')}`
}

function noClusterStack(cluster: Cluster, name: ReleaseName, clusterStacks: readonly ClusterStack[]): Diagnostic {
  const isElsewhere = offeredElsewhere(cluster, name, clusterStacks).length > 0
  return {
    code: 'CONFIG_REFERENCE',
    severity: 'error',
    message: `no ClusterStack in namespace "${cluster.classNamespace}" offers class ${cluster.className}`,
    at: isElsewhere ? (cluster.classNamespaceAt ?? cluster.classAt) : cluster.classAt,
    hint: wayToClass(cluster, name, clusterStacks),
  }
}

/** ClusterStacks of other namespaces that offer the class. */
function offeredElsewhere(
  cluster: Cluster,
  name: ReleaseName,
  clusterStacks: readonly ClusterStack[],
): readonly ClusterStack[] {
  return clusterStacks.filter((other) => serves(other, { ...cluster, classNamespace: other.namespace }, name))
}

/** The namespace that offers the class; a class of nearly that name; else what to add. */
function wayToClass(cluster: Cluster, name: ReleaseName, clusterStacks: readonly ClusterStack[]): string {
  const elsewhere = offeredElsewhere(cluster, name, clusterStacks)
  const [place] = elsewhere
  if (place !== undefined) {
    const field = cluster.apiVersion.endsWith('/v1beta2')
      ? `\`classRef.namespace: ${place.namespace}\``
      : `\`classNamespace: ${place.namespace}\``
    const namespaces = [...new Set(elsewhere.map(({ namespace }) => namespace))]
    const offer = `Namespace ${namespaces.join(', ')} offers it`
    return cluster.classNamespaceAt === undefined
      ? `${offer}: add ${field} to spec.topology.`
      : `${offer}. Make both the same: ${field} here, or \`namespace: ${cluster.classNamespace}\` in ${pathOf(place.at.source)}.`
  }
  const here = clusterStacks.filter(({ namespace }) => namespace === cluster.classNamespace)
  const isKnownStack = here.some(({ provider, stack }) => provider === name.provider && stack === name.stack)
  const classes = here.flatMap((other) =>
    other.versions.map(({ version }) => formatClassName(identity(other, version).name)),
  )
  const nearest = isKnownStack ? undefined : nearestName(cluster.className, classes)
  const add = stackToAdd(name)
  if (nearest !== undefined) return `Did you mean ${nearest}? Otherwise ${add}.`
  return `A${add.slice(1)}.`
}

/** What to do where no ClusterStack is about a release; without a capital and a full stop. */
export function stackToAdd({ provider, stack, kubernetes, version }: ReleaseName): string {
  const minor = `${String(kubernetes.major)}.${String(kubernetes.minor)}`
  return `add one to stacks/ with provider ${provider}, name ${stack}, kubernetesVersion "${minor}" and version ${formatVersion(version, 'dot')}`
}
