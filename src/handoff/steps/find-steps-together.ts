import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import type { CommittedCluster } from '../../model/steps.ts'

/** The steps of a decommission that a tree can hold, in their order. */
const stages = ['prepare', 'delete', 'release'] as const

/**
 * The error for a tree that is more than one step away from the tree that it is to replace, so that a GitOps tool gets
 * these steps at once and in no order; undefined when it is not. `revision` is how people named that tree.
 */
export function findStepsTogether(
  cluster: Cluster,
  trees: { readonly before: CommittedCluster | undefined; readonly after: CommittedCluster | undefined },
  revision: string,
): Diagnostic | undefined {
  const { before, after } = trees
  if (before === undefined) return undefined
  const what = upgradeSteps(before, after) ?? decommissionSteps(cluster, before, after)
  return what === undefined ? undefined : stepsTogether(cluster, what, revision)
}

/** The error for two steps that a tree takes at once, `what` they are. */
export function stepsTogether(cluster: Cluster, what: string, revision: string): Diagnostic {
  return {
    code: 'STEPS_TOGETHER',
    severity: 'error',
    message: `compared with ${revision}, the tree of ${cluster.namespace}/${cluster.name} takes two steps at once: ${what}`,
    at: cluster.classAt,
    hint:
      `Write the first step with \`stackmason render --base ${revision}\`, and the next one when that is merged and applied. ` +
      `If ${revision} is only ahead of this branch, bring the branch up to date.`,
  }
}

/** Addons and class may both move, but not in one step. */
function upgradeSteps(before: CommittedCluster, after: CommittedCluster | undefined): string | undefined {
  if (before.object === undefined || after?.object === undefined) return undefined
  if (before.addons === after.addons || before.className === after.className) return undefined
  const [oldAddons = '', newAddons = '', oldClass = '', newClass = ''] = [
    before.addons,
    after.addons,
    before.className,
    after.className,
  ]
  return `addons from ${oldAddons} to ${newAddons}, and the Cluster from ${oldClass} to ${newClass}`
}

function decommissionSteps(
  cluster: Cluster,
  before: CommittedCluster,
  after: CommittedCluster | undefined,
): string | undefined {
  // a cluster that leaves the tree without a decommission loses nothing
  if (cluster.options?.decommission === undefined) return undefined
  const [from, to] = [stageOf(before), after === undefined ? stages.length : stageOf(after)]
  if (to - from < 2) return undefined
  const names = [...stages, 'remove'].slice(from + 1, to + 1)
  return `${names.join(', ')} of its decommission`
}

function stageOf({ decommission }: CommittedCluster): number {
  return decommission === undefined ? -1 : stages.indexOf(decommission.step)
}
