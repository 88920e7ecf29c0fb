import { clusterSubject, StackmasonError, type Diagnostic, withSubject } from '../../model/diagnostic.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { HandoffCluster, Unit, UnitGate, UnitStack } from '../../model/handoff.ts'
import type { RenderedFolder } from '../../model/manifest.ts'
import { formatTag } from '../../model/release-name.ts'
import { planAddons, type PlannedAddons } from './plan-addons.ts'
import { unitName } from './unit-name.ts'

/** The units of a tree, and the folders that they need beside those that were rendered. */
export interface PlannedUnits {
  readonly units: readonly Unit[]
  /**
   * `clusters/<namespace>/<cluster>/addons` and `…/addons-own`, which include the folders of addons that are one unit,
   * and folders of units that hold a note only.
   */
  readonly folders: readonly RenderedFolder[]
  /** Conditions that nothing waits for. */
  readonly findings: readonly Diagnostic[]
}

/** The inputs of units besides the tree. */
export interface UnitOptions {
  /** Who applies them; without one nothing waits for conditions. */
  readonly tool: GitopsTool | undefined
}

/** Name of the unit that holds a stack. */
function stackUnitName(tag: string): string {
  return unitName('stack', tag)
}

/**
 * Plans the units of the design page: per namespace and release a stack, per cluster the Cluster with its binding, and
 * its addons. A cluster waits for its stack, and for its node images where they lie elsewhere; addons wait for nothing
 * but the kubeconfig Secret, which their tool retries, and for the conditions of their stages.
 * @throws StackmasonError RELEASE_STAGE_NOT_EXPRESSED with every condition that the tool cannot wait for
 */
export function planUnits(
  stacks: readonly UnitStack[],
  clusters: readonly HandoffCluster[],
  { tool }: UnitOptions,
): PlannedUnits {
  const planned = clusters.map((cluster) => planCluster(cluster, tool))
  const findings = planned.flatMap((part, index) => {
    const { cluster, release } = clusters[index] ?? {}
    const about = cluster && release && { ...clusterSubject(cluster), release: formatTag(release.name) }
    return part.findings.map((finding) => withSubject(finding, about ?? {}))
  })
  const problems = findings.filter(({ severity }) => severity === 'error')
  if (problems.length > 0) throw new StackmasonError(problems)
  return {
    units: [...stacks.map(planStack), ...planned.flatMap(({ units }) => units)],
    folders: planned.flatMap(({ folders }) => folders),
    findings,
  }
}

function planStack({ namespace, release, folder, imagesFrom = [], waitsFor = [] }: UnitStack): Unit {
  const tag = formatTag(release.name)
  return {
    kind: 'stack',
    name: stackUnitName(tag),
    namespace,
    path: folder.path,
    manifests: folder.manifests,
    target: 'management',
    gate: gateOf(folder),
    dependsOn: [...new Set([...imagesFrom.map(stackUnitName), ...waitsFor])].map((unit) => ({ unit })),
    release: tag,
    isSuspended: false,
  }
}

/** A stack with node images or their gate is there when they are; others when their objects are. */
function gateOf({ manifests }: RenderedFolder): UnitGate {
  const hasImages = manifests.some(({ kind }) => kind === 'NodeImageGate' || kind === 'Image')
  return hasImages ? 'images' : 'objects'
}

function planCluster(input: HandoffCluster, tool: UnitOptions['tool']): PlannedAddons {
  const { cluster, release, stackNamespace, clusterFolder, addons, imagesFrom = [] } = input
  const { name, namespace } = cluster
  const identity = { namespace, cluster: { name, namespace }, release: formatTag(release.name), isSuspended: false }
  const stack = stackUnitName(identity.release)
  const clusterUnit: Unit = {
    ...identity,
    kind: 'cluster',
    name: unitName(name),
    path: clusterFolder.path,
    manifests: clusterFolder.manifests,
    target: 'management',
    gate: 'bootstrap',
    dependsOn: [
      stackNamespace === namespace ? { unit: stack } : { unit: stack, namespace: stackNamespace },
      ...imagesFrom.map((tag) => ({ unit: stackUnitName(tag) })),
    ],
  }
  if (addons.length === 0 && input.arrangement === undefined) return { units: [clusterUnit], folders: [], findings: [] }
  const planned = planAddons(input, identity, tool)
  return { ...planned, units: [clusterUnit, ...planned.units] }
}
