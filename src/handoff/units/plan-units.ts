import { baseName } from '../../codec/path.ts'
import type { HandedCluster, HandedStack, Unit, UnitGate } from '../../model/handoff.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'

/** The units of a tree, and the folders that they need beside those that were rendered. */
export interface PlannedUnits {
  readonly units: readonly Unit[]
  /** `clusters/<namespace>/<cluster>/addons`, which includes the addons in stage order. */
  readonly folders: readonly RenderedFolder[]
}

/** Name of the unit that holds a stack. */
export function stackUnitName(tag: string): string {
  return `stack-${tag}`
}

/**
 * Plans the units of the design page: per namespace and release a stack, per cluster the Cluster with its binding, and its addons. A cluster waits for its
 * stack; addons wait for nothing but the kubeconfig Secret, which their engine retries.
 */
export function planUnits(stacks: readonly HandedStack[], clusters: readonly HandedCluster[]): PlannedUnits {
  const planned = clusters.map(planCluster)
  return {
    units: [...stacks.map(planStack), ...planned.flatMap(({ units }) => units)],
    folders: planned.flatMap(({ folders }) => folders),
  }
}

function planStack({ namespace, release, folder }: HandedStack): Unit {
  const tag = formatTag(release.name)
  return {
    kind: 'stack',
    name: stackUnitName(tag),
    namespace,
    path: folder.path,
    manifests: folder.manifests,
    target: 'management',
    gate: gateOf(folder),
    dependsOn: [],
    release: tag,
    isSuspended: false,
  }
}

/** A stack with node images or their gate is there when they are; others when their objects are. */
function gateOf({ manifests }: RenderedFolder): UnitGate {
  const hasImages = manifests.some(({ kind }) => kind === 'NodeImageGate' || kind === 'Image')
  return hasImages ? 'images' : 'objects'
}

function planCluster(handed: HandedCluster): PlannedUnits {
  const { cluster, release, stackNamespace, clusterFolder, addons, hasRuntimeValues } = handed
  const tag = formatTag(release.name)
  const { name, namespace } = cluster
  const path = clusterFolder.path.slice(0, clusterFolder.path.lastIndexOf('/'))
  const common = { namespace, cluster: { name, namespace }, release: tag, isSuspended: false } as const
  const stack = stackUnitName(tag)
  const clusterUnit: Unit = {
    ...common,
    kind: 'cluster',
    name,
    path: clusterFolder.path,
    manifests: clusterFolder.manifests,
    target: 'management',
    gate: 'bootstrap',
    dependsOn: [stackNamespace === namespace ? { unit: stack } : { unit: stack, namespace: stackNamespace }],
  }
  if (addons.length === 0) return { units: [clusterUnit], folders: [] }
  const addonsFolder: RenderedFolder = {
    path: `${path}/addons`,
    manifests: [],
    includes: addons.map((folder) => baseName(folder.path)),
  }
  const addonsUnit: Unit = {
    ...common,
    kind: 'addons',
    name: `${name}-addons`,
    path: addonsFolder.path,
    manifests: addons.flatMap((folder) => folder.manifests),
    target: 'workload',
    gate: 'none',
    dependsOn: [],
    ...(hasRuntimeValues ? { runtimeValues: name } : {}),
  }
  return { units: [clusterUnit, addonsUnit], folders: [addonsFolder] }
}
