import { type Leaving, findLeaving, nameWaiting } from '../../handoff/argocd/find-leaving.ts'
import { deletionMarks } from '../../handoff/committed-units.ts'
import type { Unit } from '../../model/handoff.ts'
import { objectKey } from '../../model/manifest.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import { inClusterTree, KUSTOMIZATION_FILE, parseTreeFolder } from '../../model/tree-path.ts'
import { layoutFolder } from '../../write/layout-folder.ts'
import type { ClusterSummary, ExpandedCluster } from './expanded-unit.ts'
import type { GatherRun } from './gather-clusters.ts'

/** A cluster under Argo CD of which committed files go: something may leave that is not simply pruned. */
export interface Leaver {
  readonly cluster: ObjectName
  /** Of its summary. */
  readonly index: number
  /** Keys of the objects that it has now. */
  readonly objects: ReadonlySet<string>
  readonly units: readonly Unit[]
  /** The committed files that go, by their path in the cluster's folder. */
  readonly files: ReadonlySet<string>
}

/**
 * The cluster, if committed files of its addons go. A file is named after kind and name, so the file of an object that
 * leaves goes, too, unless another namespace has the like.
 */
export function leaverOf(
  cluster: ObjectName,
  { expanded, index }: { readonly expanded: ExpandedCluster; readonly index: number },
  { fleet, tree, ports }: Pick<GatherRun, 'fleet' | 'tree' | 'ports'>,
): readonly Leaver[] {
  if (fleet.handoff?.tool !== 'argocd' || tree === undefined || expanded.isKept || expanded.units.length === 0)
    return []
  const paths = new Set<string>()
  const objects = new Set<string>()
  for (const { path, manifests } of expanded.folders) {
    const folder = parseTreeFolder(path)
    if (folder?.kind !== 'cluster' && folder?.kind !== 'addons') continue
    for (const { fileName } of layoutFolder(path, manifests, ports.crypto))
      paths.add(inClusterTree(`${path}/${fileName}`))
    for (const manifest of manifests) objects.add(objectKey(manifest))
  }
  const files = tree.addonFiles(cluster).filter((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    return (!paths.has(path) || name.startsWith('persistentvolumeclaim-')) && name !== KUSTOMIZATION_FILE
  })
  return files.length === 0 ? [] : [{ cluster, index, objects, units: expanded.units, files: new Set(files) }]
}

/**
 * Finds what leaves the addons of clusters and is not simply pruned, and what to add to the summaries of those
 * clusters. Only files that go are read, since most commits take out few.
 * @throws StackmasonError OBJECT_INVALID for a committed file that holds no object
 */
export async function findLeavers(
  leavers: readonly Leaver[],
  { fleet: { handoff }, tree }: Pick<GatherRun, 'fleet' | 'tree'>,
): Promise<ReadonlyMap<number, (summary: ClusterSummary) => ClusterSummary>> {
  if (handoff?.tool !== 'argocd' || tree === undefined) return new Map()
  const files = new Map(leavers.map((leaver) => [objectPath(leaver.cluster), leaver.files]))
  const known = await tree.addons(
    leavers.map(({ cluster }) => cluster),
    { marks: deletionMarks.argocd, isWanted: (cluster, path) => files.get(cluster)?.has(path) === true },
  )
  return new Map(
    leavers.flatMap(({ cluster, index, objects, units }) => {
      const committed = known.get(objectPath(cluster))
      if (committed === undefined) return []
      const leaving = findLeaving({ cluster, committed, objects, units }, handoff.namespace)
      return [[index, (summary: ClusterSummary) => withLeaving(summary, leaving, handoff.namespace)] as const]
    }),
  )
}

function withLeaving(summary: ClusterSummary, leaving: Leaving, namespace: string): ClusterSummary {
  return {
    ...summary,
    findings: { ...summary.findings, leaving: leaving.findings },
    steps: nameWaiting(summary.steps, leaving, namespace),
  }
}
