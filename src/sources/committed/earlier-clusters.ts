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
  /** True if the last commit has a Cluster; asked where the tree is that of the last commit. */
  readonly isThere: (cluster: ObjectName) => boolean
}

/** Reads the states of clusters in the commits before the tree. @throws GitError */
export async function readEarlierClusters(
  output: string,
  { behind, only = [{ namespace: '*', name: '*' }], isThere }: EarlierWish,
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
    if (behind === 'commit')
      return earlierOf(cluster, isThere(cluster) ? objects : [{ ...GONE, isNow: true }, ...objects], markers)
    return earlierOf(cluster, objects[0]?.commit === 'HEAD' ? objects : [GONE, ...objects], markers)
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

/** The last commit, where it has no Cluster object. */
const GONE: EarlierFile = { commit: 'HEAD', age: 0, bytes: undefined }

/** The Cluster object of a commit, or its absence. */
interface ObjectState extends EarlierFile {
  /** True: it is the tree itself, not one before it. */
  readonly isNow?: boolean
}

/**
 * A marker says something only of commits that have no Cluster object. While there is none it may change, and go.
 */
function earlierOf(
  cluster: ObjectName,
  objects: readonly ObjectState[],
  markers: readonly EarlierFile[],
): readonly EarlierCluster[] {
  const read = (file: string, { commit, bytes }: EarlierFile): readonly EarlierCluster[] => {
    const committed = bytes === undefined ? undefined : readObject(new Map([[file, decodeUtf8(bytes)]]), cluster)
    // what nobody can read says nothing of a cluster
    return committed === 'unreadable' ? [] : [{ commit, committed }]
  }
  const isAllGone =
    objects.every(({ bytes }) => bytes === undefined) && markers.every(({ bytes }) => bytes === undefined)
  if (isAllGone) return []
  return objects.flatMap((state, index) => {
    if (state.bytes !== undefined) return read(clusterObjectFile(cluster.name), state)
    const isOf = ({ commit }: EarlierFile): boolean => commit === state.commit
    const marker = markers.find(isOf)
    // to lose the end of a cluster, or its absence, lowers nothing
    const isLeftOut = state.isNow === true || (state.isDropped === true && marker?.bytes === undefined)
    const own = isLeftOut ? [] : [marker ?? state]
    const since = objects.slice(index + 1).find(({ isDropped }) => isDropped !== true)?.age ?? Number.POSITIVE_INFINITY
    const before = markers.filter(
      (other) =>
        other.bytes !== undefined &&
        other.isDropped !== true &&
        !isOf(other) &&
        other.age > state.age &&
        other.age < since,
    )
    return [...own, ...(state.isDropped === true ? [] : before)].flatMap((one) => read(markerFile(cluster.name), one))
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
