import { type Leaving, findLeaving, type LeftUnit, nameWaiting } from '../../handoff/units/find-leaving.ts'
import { deletionMarks } from '../../handoff/committed-units.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { GitopsTool } from '../../model/gitops-tool.ts'
import type { CommittedAddons } from '../../model/handoff.ts'
import { objectKey, type RenderedFolder } from '../../model/manifest.ts'
import { type ObjectName, objectPath } from '../../model/object-name.ts'
import { inClusterTree, KUSTOMIZATION_FILE, parseTreeFolder } from '../../model/tree-path.ts'
import type { ClusterSummary, ExpandedCluster } from './expanded-unit.ts'
import type { GatherRun } from './gather-clusters.ts'

/** The facts about a cluster that is handed over when committed files of it go. */
export interface LeavingFacts {
  /** Keys of the objects that it has now. */
  readonly objects: readonly string[]
  /** Their files, by their path in the cluster's folder. */
  readonly paths: readonly string[]
  readonly units: readonly LeftUnit[]
}

/** A cluster that is handed over of which committed files go: something may leave that is not simply pruned. */
export interface Leaver extends Pick<LeavingFacts, 'units'> {
  readonly cluster: ObjectName
  /** Of its summary. */
  readonly index: number
  /** Keys of the objects that it has now. */
  readonly objects: ReadonlySet<string>
  /** The committed files that go, by their path in the cluster's folder. */
  readonly files: ReadonlySet<string>
}

/**
 * The facts about a cluster that is not kept as it is; undefined where nothing is asked. `namesOf` gives the names of
 * the files of a folder.
 */
export function leavingFacts(
  { folders, units, isKept }: ExpandedCluster,
  tool: GitopsTool | undefined,
  namesOf: (folder: RenderedFolder) => Iterable<string>,
): LeavingFacts | undefined {
  if (tool === undefined || isKept || units.length === 0) return undefined
  const own = folders.filter(({ path }) => {
    const folder = parseTreeFolder(path)
    return folder?.kind === 'cluster' || folder?.kind === 'addons'
  })
  return {
    objects: own.flatMap(({ manifests }) => manifests.map(objectKey)),
    paths: own.flatMap((folder) => Array.from(namesOf(folder), (name) => inClusterTree(`${folder.path}/${name}`))),
    units: units.map(({ name, namespace, cluster, release, path }) => ({
      name,
      namespace,
      release,
      path,
      ...(cluster !== undefined && { cluster: { namespace: cluster.namespace, name: cluster.name } }),
    })),
  }
}

/**
 * The cluster, if committed files of its addons go. A file is named after kind and name, so the file of an object that
 * leaves goes, too, unless another namespace has the like.
 */
export function leaverOf(
  cluster: ObjectName,
  { facts, index }: { readonly facts: LeavingFacts | undefined; readonly index: number },
  { tree }: Pick<GatherRun, 'tree'>,
): readonly Leaver[] {
  if (tree === undefined || facts === undefined) return []
  const paths = new Set(facts.paths)
  const files = tree.addonFiles(cluster).filter((path) => {
    const name = path.slice(path.lastIndexOf('/') + 1)
    return (!paths.has(path) || name.startsWith('persistentvolumeclaim-')) && name !== KUSTOMIZATION_FILE
  })
  return files.length === 0
    ? []
    : [{ cluster, index, objects: new Set(facts.objects), units: facts.units, files: new Set(files) }]
}

/**
 * Finds what leaves the addons of clusters and is not simply pruned, and what to add to the summaries of those
 * clusters. Only files that go are read, since most commits take out few.
 * @throws StackmasonError OBJECT_INVALID for a committed file that holds no object, with Argo CD
 */
export async function findLeavers(
  leavers: readonly Leaver[],
  { fleet: { handoff }, tree }: Pick<GatherRun, 'fleet' | 'tree'>,
): Promise<ReadonlyMap<number, (summary: ClusterSummary) => ClusterSummary>> {
  if (handoff === undefined || tree === undefined) return new Map()
  const by = { tool: handoff.tool, namespace: handoff.tool === 'argocd' ? handoff.namespace : '' }
  const files = new Map(leavers.map((leaver) => [objectPath(leaver.cluster), leaver.files]))
  const marks = deletionMarks[handoff.tool]
  const read = (clusters: readonly ObjectName[]): Promise<CommittedByCluster> =>
    tree.addons(clusters, { marks, isWanted: (cluster, path) => files.get(cluster)?.has(path) === true })
  const clusters = leavers.map(({ cluster }) => cluster)
  // with Flux nothing waits for what leaves: a file that nobody can read stops no run
  const known = handoff.tool === 'flux' ? await readEach(clusters, read) : await read(clusters)
  return new Map(
    leavers.flatMap(({ cluster, index, objects, units }) => {
      const committed = known.get(objectPath(cluster))
      if (committed === undefined) return []
      const leaving = findLeaving({ cluster, committed, objects, units }, by)
      return [[index, (summary: ClusterSummary) => withLeaving(summary, leaving, by.namespace)] as const]
    }),
  )
}

type CommittedByCluster = ReadonlyMap<string, CommittedAddons>

/** Reads clusters together, or, where one of them cannot be read, each by itself and without that one. */
async function readEach(
  clusters: readonly ObjectName[],
  read: (clusters: readonly ObjectName[]) => Promise<CommittedByCluster>,
): Promise<CommittedByCluster> {
  try {
    return await read(clusters)
  } catch (error) {
    if (!(error instanceof StackmasonError)) throw error
    if (clusters.length <= 1) return new Map()
    const all: (readonly [string, CommittedAddons])[] = []
    for (const cluster of clusters) all.push(...(await readEach([cluster], read)))
    return new Map(all)
  }
}

function withLeaving(summary: ClusterSummary, leaving: Leaving, namespace: string): ClusterSummary {
  return {
    ...summary,
    findings: { ...summary.findings, leaving: leaving.findings },
    steps: nameWaiting(summary.steps, leaving, namespace),
  }
}
