import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import type { CommittedCluster, DecommissionStep } from '../../model/steps.ts'

/** The steps of a decommission that a tree can hold, in their order. */
const stages = ['prepare', 'delete', 'release'] as const

/** The words of options.yaml for the steps that can come first of two. */
const asked: readonly DecommissionStep[] = ['prepare', 'delete', 'finish']

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
  const what = upgradeSteps(before, after)
  return what === undefined
    ? decommissionStepsTogether(cluster, { before, after }, revision)
    : stepsTogether(cluster, what, revision)
}

/** The error for two steps that a tree takes at once, `what` they are. */
export function stepsTogether(cluster: Cluster, what: string, revision: string): Diagnostic {
  return {
    ...describeSteps(cluster, what, revision),
    at: cluster.classAt,
    hint:
      `Write the first step with \`stackmason render --base ${revision}\`, and the next one when that is merged and applied. ` +
      `If ${revision} is only ahead of this branch, bring the branch up to date.`,
  }
}

function describeSteps({ namespace, name }: Cluster, what: string, revision: string) {
  return {
    code: 'STEPS_TOGETHER',
    severity: 'error',
    message: `compared with ${revision}, the tree of ${namespace}/${name} takes two steps at once: ${what}`,
  } as const
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

/** Points to options.yaml: `decommission.step` is what its owner moves on. */
function decommissionStepsTogether(
  cluster: Cluster,
  { before, after }: { readonly before: CommittedCluster; readonly after: CommittedCluster | undefined },
  revision: string,
): Diagnostic | undefined {
  const decommission = cluster.options?.decommission
  // a cluster that leaves the tree without a decommission loses nothing
  if (decommission === undefined) return undefined
  const [from, to] = [stageOf(before), after === undefined ? stages.length : stageOf(after)]
  if (to - from < 2) return undefined
  const names = [...stages, 'remove'].slice(from + 1, to + 1)
  const first = asked[from + 1] ?? 'finish'
  return {
    ...describeSteps(cluster, `${names.join(', ')} of its decommission`, revision),
    at: decommission.at,
    hint:
      `Write \`step: ${first}\` under spec.decommission in ${inputPath(cluster, 'options.yaml')}, ` +
      `run \`stackmason render --base ${revision}\` and commit what it writes. The next step follows when that is merged and applied.`,
  }
}

function stageOf({ decommission }: CommittedCluster): number {
  return decommission === undefined ? -1 : stages.indexOf(decommission.step)
}
