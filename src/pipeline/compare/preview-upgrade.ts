import { joinPath } from '../../codec/path.ts'
import type { FileIds } from '../../diff/plan-reading.ts'
import { clusterAt } from '../../handoff/steps/cluster-at.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import type { Cluster, ClusterStack, FleetRepository } from '../../model/fleet.ts'
import { objectPath } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { formatTag, formatVersion, matchClassName, matchReleaseTag } from '../../model/release-name.ts'
import type { ReleaseName } from '../../model/release.ts'
import { parseTreeFolder } from '../../model/tree-path.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import { selectPart } from '../fleet/fleet-part.ts'
import type { OpenFleet } from '../fleet/open-fleet.ts'
import { openInputs } from '../resolve/open-inputs.ts'
import type { Network } from '../resolve/open-source.ts'
import { selectLocked } from '../resolve/select-locked.ts'
import { selectUnlocked } from '../resolve/select-unlocked.ts'
import { type RenderedOpenTree, renderTree } from './render-tree.ts'

/** Which upgrade is looked at. */
export interface UpgradePreview {
  /** Tags. */
  readonly from: string
  readonly to: string
  /** `name` or `namespace/name`; empty: all clusters of the first release. */
  readonly clusters: readonly string[]
}

interface PreviewContext {
  readonly fleet: OpenFleet
  readonly network: Network
  readonly ports: Ports
  readonly onProgress: OnProgress
  /** True if it is asked where fields come from. */
  readonly isExplained: boolean
}

/**
 * Renders the clusters of one release as they are with it, and as they would be with another: both as if they were new,
 * so that no step of an upgrade is left to come. The fleet does not change.
 * @throws StackmasonError USAGE, and as rendering
 */
export async function previewUpgrade(
  { from, to, clusters: wanted }: UpgradePreview,
  context: PreviewContext,
): Promise<{ readonly before: RenderedOpenTree; readonly after: RenderedOpenTree }> {
  const { repository } = context.fleet
  const [old, now] = [releaseNamed(from, '--from'), releaseNamed(to, '--to')]
  if (old.provider !== now.provider || old.stack !== now.stack)
    throw usage(`--from ${formatTag(old)} and --to ${formatTag(now)} are releases of two stacks`)
  const named = selectPart(repository, { clusters: wanted, stacks: [] }).clusters
  const clusters = wanted.length > 0 ? named : named.filter((cluster) => isAt(cluster, old))
  if (clusters.length === 0)
    throw usage(
      `no cluster of the fleet has the class of ${formatTag(old)}`,
      'Name clusters with --cluster to see them at both releases.',
    )
  const other = clusters.find((cluster) => !isOfStack(cluster, old))
  if (other !== undefined)
    throw usage(`cluster ${objectPath(other)} is of another stack: its class is ${other.className}`)
  const before = await renderAt({ name: old, option: '--from' }, clusters, context)
  const explained = context.isExplained ? before.files : undefined
  return { before, after: await renderAt({ name: now, option: '--to' }, clusters, { ...context, explained }) }
}

/** Reads a tag, or the name of the class of a release. */
function releaseNamed(text: string, option: string): ReleaseName {
  for (const parsed of [matchReleaseTag(text), matchClassName(text)]) if ('value' in parsed) return parsed.value
  const parsed = matchReleaseTag(text)
  throw usage(
    `option ${option} takes a release tag, not ${JSON.stringify(text)}: ${'reason' in parsed ? parsed.reason : ''}`,
  )
}

function isAt(cluster: Cluster, release: ReleaseName): boolean {
  const parsed = matchClassName(cluster.className)
  return 'value' in parsed && formatTag(parsed.value) === formatTag(release)
}

function isOfStack(cluster: Cluster, { provider, stack }: ReleaseName): boolean {
  const parsed = matchClassName(cluster.className)
  return 'value' in parsed && parsed.value.provider === provider && parsed.value.stack === stack
}

/** A release, and the option that names it. */
interface Asked {
  readonly name: ReleaseName
  readonly option: string
}

async function renderAt(
  asked: Asked,
  clusters: readonly Cluster[],
  context: PreviewContext & { readonly explained?: FileIds | undefined },
): Promise<RenderedOpenTree> {
  const { fleet, network, ports, onProgress, explained } = context
  const tag = formatTag(asked.name)
  const moved = await moveTo(asked, { ...fleet.repository, clusters }, context)
  const { output } = moved.fleet
  return renderTree(
    {
      label: tag,
      // where no tree is, every cluster is new
      repository: { ...moved, fleet: { ...moved.fleet, output: joinPath(output, '.stackmason/preview') } },
      revision: { from: 'disk' },
      file: undefined,
      // stacks that clusters do not use stay in the tree, whatever release the clusters are at
      release: tag,
      isWanted: (path) => {
        const folder = parseTreeFolder(path)
        return folder?.kind !== 'stack' || folder.tag === tag
      },
      network,
      hash: 'sha1',
      onProgress,
      explained,
    },
    ports,
  )
}

/** The fleet with its clusters at a release, and ClusterStacks that offer that and nothing else. */
async function moveTo(
  { name, option }: Asked,
  repository: FleetRepository,
  context: PreviewContext,
): Promise<FleetRepository> {
  const stacks = new Map<string, ClusterStack>()
  for (const { classNamespace } of repository.clusters)
    stacks.set(classNamespace, stackFor(name, classNamespace, repository.clusterStacks))
  const clusterStacks = [...stacks.values()]
  try {
    return await moveToOffered(name, { ...repository, clusterStacks }, context)
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    // no file names the release
    const blame = (diagnostic: Diagnostic): Diagnostic => {
      const { at, ...rest } = diagnostic
      return at === undefined || clusterStacks.every((stack) => stack.at !== at)
        ? diagnostic
        : { ...rest, message: `option ${option}: ${rest.message}` }
    }
    throw new StackmasonError(error.diagnostics.map(blame), { cause: error })
  }
}

async function moveToOffered(
  name: ReleaseName,
  repository: FleetRepository,
  { fleet, network, ports }: PreviewContext,
): Promise<FleetRepository> {
  const inputs = await openInputs(repository.fleet, { network }, ports)
  const asked = repository.clusters.map((cluster) => clusterAt(cluster, { name, kubernetesVersion: cluster.version }))
  const selection =
    inputs.lock === undefined
      ? await selectUnlocked(repository, asked, ports)
      : selectLocked(repository, asked, { lock: inputs.lock, context: inputs.context, written: fleet.repository })
  if (selection.problems.length > 0) throw new StackmasonError(selection.problems)
  const [needed] = selection.byCluster.values()
  if (needed === undefined) return repository
  const { release } = await selection.read(needed)
  return { ...repository, clusters: repository.clusters.map((cluster) => clusterAt(cluster, release)) }
}

/**
 * The ClusterStack that serves a release in a namespace, with this one alone; made of another of the stack if there is
 * none.
 */
function stackFor(name: ReleaseName, namespace: string, stacks: readonly ClusterStack[]): ClusterStack {
  const kubernetesVersion = `${String(name.kubernetes.major)}.${String(name.kubernetes.minor)}`
  const ofStack = stacks.filter(
    (one) => one.namespace === namespace && one.provider === name.provider && one.stack === name.stack,
  )
  const found = ofStack.find((one) => one.kubernetesVersion === kubernetesVersion) ?? ofStack[0]
  if (found === undefined)
    throw usage(`no ClusterStack in namespace "${namespace}" is of stack ${name.provider}-${name.stack}`)
  const version = formatVersion(name.version, 'dot')
  return { ...found, kubernetesVersion, versions: [{ version, at: found.at }], autoSubscribe: false }
}

function usage(message: string, hint?: string): StackmasonError {
  return new StackmasonError({ code: 'USAGE', severity: 'error', message, hint })
}
