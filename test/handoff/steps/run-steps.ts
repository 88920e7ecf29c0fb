import { clusterAt } from '../../../src/handoff/steps/cluster-at.ts'
import { holdBack } from '../../../src/handoff/steps/hold-back.ts'
import { planSteps } from '../../../src/handoff/steps/plan-steps.ts'
import type { Cluster } from '../../../src/model/fleet.ts'
import { parseClassName } from '../../../src/model/release-name.ts'
import type { CommittedCluster, StepPlan } from '../../../src/model/steps.ts'
import { readCommittedCluster } from '../../../src/sources/committed/committed-cluster.ts'
import { keepFolders } from '../../../src/sources/committed/committed-folders.ts'
import { classOf, filesOf, renderSample, versionOf } from './sample-cluster.ts'

/** Files of the tree by path. */
export type Tree = ReadonlyMap<string, string>

/** Releases on offer where a test says nothing else. */
export const offered: readonly string[] = ['1-32-v1', '1-32-v2', '1-33-v1', '1-33-v3', '1-34-v1']

/** What the tree says of team-a/web. */
export function committedIn(tree: Tree): CommittedCluster | undefined {
  const folder = 'clusters/team-a/web/cluster/'
  const files = [...tree].filter(([path]) => path.startsWith(folder))
  return readCommittedCluster(new Map(files.map(([path, text]) => [path.slice(folder.length), text])), {
    name: 'web',
    namespace: 'team-a',
  })
}

/** The plan of one run, and the tree that it writes. */
export function renderStep(
  cluster: Cluster,
  tree: Tree,
  options: { readonly advance: boolean; readonly offered?: readonly string[]; readonly isLocked?: boolean } = {
    advance: true,
  },
): { readonly plan: StepPlan; readonly tree: Tree } {
  const committed = committedIn(tree)
  const names = (options.offered ?? offered).map((short) => parseClassName(classOf(short)))
  const plan = planSteps(cluster, committed, { ...options, offered: names })
  const base = 'clusters/team-a/web'
  const kept = new Map([...tree].map(([path, text]) => [path.slice(base.length + 1), text]))
  const folders = plan.content === 'committed' ? keepFolders(base, kept) : renderAt(cluster, plan)
  return { plan, tree: filesOf(holdBack(folders, plan, committed)) }
}

function renderAt(cluster: Cluster, { due }: StepPlan): ReturnType<typeof renderSample> {
  const addons = due.addons ?? cluster.className
  const kubernetesVersion =
    addons === cluster.className ? cluster.version : versionOf(addons.slice('docker-scs-'.length))
  return renderSample(clusterAt(cluster, { name: parseClassName(addons), kubernetesVersion }), addons)
}

/** What the tree holds: `<class of the Cluster>@<its version> addons <their release>`. */
export function stateIn(tree: Tree): string {
  const committed = committedIn(tree)
  if (committed === undefined) return tree.size === 0 ? 'nothing' : `rest: ${[...tree.keys()].join(' ')}`
  const addons = /release: (\S+)/.exec(tree.get('clusters/team-a/web/addons/01-cni/configmap-cni.yaml') ?? '')?.[1]
  const cluster =
    committed.object === undefined ? 'no Cluster' : `${committed.className ?? ''}@${committed.version ?? ''}`
  return `${cluster} addons ${addons ?? 'none'}`.replaceAll('docker-scs-', '')
}
