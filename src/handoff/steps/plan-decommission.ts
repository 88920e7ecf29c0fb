import type { Cluster } from '../../model/fleet.ts'
import { inputPath } from '../../model/input-path.ts'
import type { ClusterStep, CommittedCluster, DecommissionStep, StepPlan } from '../../model/steps.ts'
import { unitWords } from './name-units.ts'
import { type MendedBy, tellGaps } from './tell-gaps.ts'

/** The steps of a decommission in their order. */
const order = ['prepare', 'delete', 'release', 'remove'] as const

type Stage = (typeof order)[number]

/** The last step that each `decommission.step` of options.yaml allows. */
const allowed: Readonly<Record<DecommissionStep, Stage>> = { prepare: 'prepare', delete: 'delete', finish: 'remove' }

/**
 * Plans the steps that delete a cluster: one at a time, none before the one before it is committed, none further than
 * options.yaml allows. The tree keeps what is committed of the cluster, whatever its inputs say by now.
 */
export function planDecommission(
  cluster: Cluster,
  committed: CommittedCluster | undefined,
  {
    advance,
    limit,
    gaps = [],
    mendedBy,
    isUnfinished = false,
  }: {
    readonly advance: boolean
    readonly limit: DecommissionStep
    readonly gaps?: readonly string[]
    readonly mendedBy?: MendedBy
    readonly isUnfinished?: boolean
  },
): StepPlan {
  const common = { cluster: { name: cluster.name, namespace: cluster.namespace } }
  if (committed === undefined) {
    const summary = isUnfinished
      ? 'nothing of it is left in the tree, though its decommission had not ended: CLUSTER_ORPHANED says how to end it. Keep `decommission` in options.yaml until then'
      : `nothing of it is left in the tree; delete the folder ${inputPath(cluster)} ` +
        '(if its Cluster still runs, take `decommission` out of options.yaml first, render and commit: then the GitOps tool has it again)'
    const due: ClusterStep = { action: 'gone', summary, before: [] }
    return { ...common, due, then: [], content: 'none', clusterObject: 'out', classes: [], suspends: 'none' }
  }
  const done = committed.decommission
  const at = done === undefined ? -1 : order.indexOf(done.step)
  const last = order.indexOf(allowed[limit])
  const isWritten = done !== undefined && ((!advance && done.limit === limit) || gaps.length > 0)
  const isWaiting = at >= last || isWritten || isUnconfirmed(order[at + 1], { done, limit })
  const stage = order[isWaiting ? at : at + 1] ?? 'remove'
  const rest = order.slice(order.indexOf(stage) + 1)
  const due = warnAhead(describeStage(stage, cluster, committed), { stage, limit, cluster })
  return {
    ...common,
    due: isWaiting ? { ...due, action: 'wait', before: [...tellGaps(gaps, mendedBy), ...due.before] } : due,
    then: rest.map((next) => describeStage(next, cluster, committed)),
    content: stage === 'remove' ? 'none' : 'committed',
    clusterObject: stage === 'prepare' ? 'held' : 'out',
    ...(stage !== 'remove' && { decommission: { step: stage, limit } }),
    classes: stage === 'remove' || committed.className === undefined ? [] : [committed.className],
    suspends: stage === 'prepare' || stage === 'delete' ? 'addons' : 'none',
    ...(stage !== 'remove' && { mayDelete: stage === 'release' ? 'everything' : 'cluster' }),
  }
}

/** The word that a step waits for, written after the step before was committed: it destroys more. */
const confirming: Readonly<Partial<Record<Stage, DecommissionStep>>> = { delete: 'delete', release: 'finish' }

/**
 * True if options.yaml has allowed the step since before the one that is committed was written: nobody has looked at
 * that one.
 */
function isUnconfirmed(
  next: Stage | undefined,
  { done, limit }: { readonly done: CommittedCluster['decommission']; readonly limit: DecommissionStep },
): boolean {
  return done?.limit === limit && next !== undefined && confirming[next] !== undefined
}

/** The step, with the way on where options.yaml says the next one already. */
function warnAhead(
  due: ClusterStep,
  { stage, limit, cluster }: { readonly stage: Stage; readonly limit: DecommissionStep; readonly cluster: Cluster },
): ClusterStep {
  const next = confirming[order[order.indexOf(stage) + 1] ?? stage]
  if (next === undefined || order.indexOf(allowed[limit]) <= order.indexOf(stage)) return due
  const way =
    `${inputPath(cluster, 'options.yaml')} is ahead: \`step: ${limit}\` confirms nothing that comes after this step. ` +
    `Write \`step: ${stage}\` there, render and commit; when all of this holds, write \`step: ${next}\`.`
  return { ...due, before: [...due.before.slice(0, -1), way] }
}

function describeStage(stage: Stage, cluster: Cluster, committed: CommittedCluster): ClusterStep {
  const { name, namespace } = cluster
  const { className, addons = className } = committed
  const kept = {
    ...(className !== undefined && stage === 'prepare' && { className }),
    ...(addons !== undefined && (stage === 'prepare' || stage === 'delete') && { addons }),
  }
  const texts: Readonly<Record<Stage, Pick<ClusterStep, 'summary' | 'before'>>> = {
    prepare: {
      summary: 'the GitOps tool leaves the addons alone, and the Cluster loses its protection against deletion',
      before: [
        `The GitOps tool has applied this commit: ${unitWords.suspended}, and the Cluster object carries no protection any more.`,
        'In the workload cluster no Service of type LoadBalancer is left, and nothing makes a new one: the cloud provider deletes its load balancers only while the cluster runs.',
        'In the workload cluster no PersistentVolumeClaim and no PersistentVolume is left whose volume must go, and the data that somebody needs is saved elsewhere.',
        `Then write \`step: delete\` under spec.decommission in ${inputPath(cluster, 'options.yaml')}.`,
      ],
    },
    delete: {
      summary: 'the Cluster leaves the tree: the GitOps tool deletes it, and Cluster API its machines',
      before: [
        `Cluster ${namespace}/${name} is gone from the management cluster: Cluster API has deleted every machine.`,
        'The provider shows no server, load balancer, volume or network of the cluster any more.',
        `Then write \`step: finish\` under spec.decommission in ${inputPath(cluster, 'options.yaml')}.`,
      ],
    },
    release: {
      summary: `the addons leave the tree, and ${unitWords.applied} takes along what it still holds when it goes`,
      before: [`The GitOps tool has applied this commit to ${unitWords.applied}.`],
    },
    remove: {
      summary: "the cluster's units leave the tree, and what they still held leaves the management cluster",
      before: [`Then delete the folder ${inputPath(cluster)}.`],
    },
  }
  return { action: stage, ...kept, ...texts[stage] }
}
