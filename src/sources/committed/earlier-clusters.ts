import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { type EarlierFile, shortCommit } from '../../model/git.ts'
import type { ObjectName } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { marker } from '../../model/step-marks.ts'
import type { CommittedCluster, EarlierCluster } from '../../model/steps.ts'
import { clusterFolder, CLUSTERS, clusterObjectFile, parseTreeFile } from '../../model/tree-path.ts'
import { readCommittedCluster } from './committed-cluster.ts'

/** Says what earlier commits have of a cluster, newest first. */
export type EarlierClusters = (cluster: ObjectName) => readonly EarlierCluster[]

/** How far back a version that went back is looked for. */
const COMMITS = 200

/** Of which clusters earlier states are read, and before which tree. */
export interface EarlierWish {
  /** That of the last commit, or that on disk, which the last commit is before. */
  readonly behind: 'commit' | 'disk'
  /** Undefined: all. */
  readonly only: readonly ObjectName[] | undefined
}

/** Reads the states of clusters in the commits before the tree. @throws GitError */
export async function readEarlierClusters(
  output: string,
  { behind, only = [{ namespace: '*', name: '*' }] }: EarlierWish,
  { git }: Pick<Ports, 'git'>,
): Promise<EarlierClusters> {
  const folder = joinPath(output, CLUSTERS)
  const earlier = new Map<string, readonly EarlierFile[]>()
  if (behind === 'disk')
    for (const [path, bytes] of await git.readCommitted(folder, tellsOfCluster))
      earlier.set(path, [{ commit: 'HEAD', age: 0, bytes }])
  const among = only.flatMap(patternsOf)
  for (const [path, files] of await git.readEarlier(folder, tellsOfCluster, {
    commits: COMMITS,
    among,
    withDropped: true,
  })) {
    const named = files.map((file) => ({ ...file, commit: shortCommit(file.commit) }))
    earlier.set(path, [...(earlier.get(path) ?? []), ...named])
  }
  return (cluster) => {
    const own = clusterFolder(cluster).slice(CLUSTERS.length + 1)
    const [objects = [], markers = []] = [clusterObjectFile(cluster.name), markerFile(cluster.name)].map((file) =>
      earlier.get(`${own}/${file}`),
    )
    return earlierOf(cluster, objects, markers)
  }
}

/** The files that may tell of a cluster, for {@link tellsOfCluster}. */
function patternsOf(cluster: ObjectName): readonly string[] {
  const folder = clusterFolder(cluster).slice(CLUSTERS.length + 1)
  return ['cluster', 'configmap'].map((kind) => `${folder}/${kind}-*.yaml`)
}

/**
 * True if a file, by its path below the folder of all clusters, is that of a Cluster object, or of what a decommission
 * puts in its place.
 */
function tellsOfCluster(path: string): boolean {
  const { folder, file } = parseTreeFile(`${CLUSTERS}/${path}`) ?? {}
  return folder?.kind === 'cluster' && (file === clusterObjectFile(folder.name) || file === markerFile(folder.name))
}

function markerFile(cluster: string): string {
  return `configmap-${marker.nameOf(cluster)}.yaml`
}

/** A marker says something only of a commit that has no Cluster object: it comes and goes with that. */
function earlierOf(
  cluster: ObjectName,
  objects: readonly EarlierFile[],
  markers: readonly EarlierFile[],
): readonly EarlierCluster[] {
  const isOutNow = markers[0]?.commit === 'HEAD' && objects[0]?.commit !== 'HEAD'
  const files = isOutNow ? [{ commit: 'HEAD', age: 0, bytes: undefined }, ...objects] : objects
  return files.flatMap(({ commit, bytes, isDropped }) => {
    const content = bytes ?? markers.find((other) => other.commit === commit)?.bytes
    // to lose the end of a cluster, or its absence, lowers nothing
    if (isDropped === true && content === undefined) return []
    const name = bytes === undefined ? markerFile(cluster.name) : clusterObjectFile(cluster.name)
    const committed = content === undefined ? undefined : readObject(new Map([[name, decodeUtf8(content)]]), cluster)
    // what nobody can read says nothing of a cluster
    return committed === 'unreadable' ? [] : [{ commit, committed }]
  })
}

function readObject(
  files: ReadonlyMap<string, string>,
  cluster: ObjectName,
): CommittedCluster | undefined | 'unreadable' {
  try {
    return readCommittedCluster(files, cluster)
  } catch (error) {
    if (error instanceof StackmasonError) return 'unreadable'
    throw error
  }
}
