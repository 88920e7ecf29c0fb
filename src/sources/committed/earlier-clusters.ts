import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { type EarlierFile, GitError, type HistoryBounds, shortCommit, type SideLine } from '../../model/git.ts'
import type { ObjectName } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import { marker } from '../../model/step-marks.ts'
import type { CommittedCluster, EarlierCluster } from '../../model/steps.ts'
import { clusterFolder, CLUSTERS, clusterObjectFile, parseTreeFile } from '../../model/tree-path.ts'
import { readCommittedCluster } from './committed-cluster.ts'

/** Says what earlier commits have of a cluster, newest first. */
export type EarlierClusters = (cluster: ObjectName) => readonly EarlierCluster[]

/** How far back a version that went back is looked for. */
export const COMMITS: number = 200

/** Of which clusters earlier states are read, and before which tree. */
export interface EarlierWish {
  /** That of the last commit, or that on disk, which the last commit is before. */
  readonly behind: 'commit' | 'disk'
  /** The last commit, a revision. Default: that of the work tree. */
  readonly base: string | undefined
  /** Undefined: all. */
  readonly only: readonly ObjectName[] | undefined
  /** True if the last commit has a Cluster; asked where the tree is that of the last commit. */
  readonly isThere: (cluster: ObjectName) => boolean
}

/** The states of a cluster, which a merge lacks, on a line through another of its parents. */
export interface BesideCluster {
  /** How many commits come after the merge. */
  readonly turn: number
  /** Newest first, beginning with those before the turn. */
  readonly states: readonly EarlierCluster[]
}

/** Says what lines beside that of the first parents have of a cluster. */
export type ClustersBeside = (cluster: ObjectName) => readonly BesideCluster[]

/** Reads the states of clusters on the lines through other parents of merges. @throws GitError */
export async function readClustersBeside(
  output: string,
  wish: EarlierWish,
  ports: Pick<Ports, 'git'>,
): Promise<ClustersBeside> {
  const lines = await ports.git.sideLines(joinPath(output, CLUSTERS), tellsOfCluster, boundsOf(wish))
  const found: { readonly turn: number; readonly earlier: EarlierClusters }[] = []
  for (const line of lines)
    found.push({ turn: line.turn, earlier: await readEarlierClusters(output, { ...wish, line }, ports) })
  return (cluster) => found.map(({ turn, earlier }) => ({ turn, states: earlier(cluster) }))
}

function boundsOf({ base, only = [{ namespace: '*', name: '*' }] }: EarlierWish): HistoryBounds {
  const revision = base === undefined ? {} : { revision: base }
  return { commits: COMMITS, among: only.flatMap(patternsOf), followsTree: true, ...revision }
}

/** Reads the states of clusters in the commits before the tree. @throws GitError */
export async function readEarlierClusters(
  output: string,
  { line, ...wish }: EarlierWish & { readonly line?: SideLine },
  { git }: Pick<Ports, 'git'>,
): Promise<EarlierClusters> {
  const { behind, base, isThere } = wish
  const folder = joinPath(output, CLUSTERS)
  const earlier = new Map<string, readonly EarlierFile[]>()
  const last = base ?? 'HEAD'
  if (behind === 'disk')
    for (const [path, bytes] of await readLast(folder, base, { git }))
      earlier.set(path, [{ commit: last, age: 0, bytes }])
  const bounds = boundsOf(wish)
  const walked = line === undefined ? { ...bounds, withDropped: true } : { ...bounds, line: line.commits }
  for (const [path, files] of await git.readEarlier(folder, tellsOfCluster, walked)) {
    const named = files.map((file) => ({ ...file, commit: shortCommit(file.commit) }))
    earlier.set(path, [...(earlier.get(path) ?? []), ...named])
  }
  // where it has no Cluster object
  const gone: EarlierFile = { commit: last, age: 0, bytes: undefined }
  return (cluster) => {
    const own = clusterFolder(cluster).slice(CLUSTERS.length + 1)
    const [objects = [], markers = []] = [clusterObjectFile(cluster.name), markerFile(cluster.name)].map((file) =>
      earlier.get(`${own}/${file}`),
    )
    const isNow = behind === 'commit' ? isThere(cluster) : objects[0]?.age === 0
    const states = isNow ? objects : [behind === 'commit' ? { ...gone, isNow: true } : gone, ...objects]
    // one that the merge has is judged by what the line makes of it
    const atTurn = line && states.findLast(({ age }) => age <= line.turn)
    if (line !== undefined && (atTurn === undefined || atTurn.bytes !== undefined)) return []
    return earlierOf(cluster, states, markers)
  }
}

/** Reads the states of clusters in the last commit; where its tree is about to move, by the name of the commit. */
async function readLast(
  folder: string,
  base: string | undefined,
  { git }: Pick<Ports, 'git'>,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = await git.readCommitted(folder, tellsOfCluster, base)
  if (found.size > 0 || base !== undefined) return found
  try {
    return await git.readCommitted(folder, tellsOfCluster, 'HEAD')
  } catch (error) {
    // there is no commit yet
    if (error instanceof GitError && error.reason === 'no-such-ref') return found
    throw error
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
  const read = (file: string, { commit, age, bytes }: EarlierFile): readonly EarlierCluster[] => {
    const committed = bytes === undefined ? undefined : readObject(new Map([[file, decodeUtf8(bytes)]]), cluster)
    // what nobody can read says nothing of a cluster
    return committed === 'unreadable' ? [] : [{ commit, age, committed }]
  }
  const isAllGone =
    objects.every(({ bytes }) => bytes === undefined) && markers.every(({ bytes }) => bytes === undefined)
  // of a cluster that is there the commits before its first one tell that it is new
  if (isAllGone && objects[0]?.age === 0) return []
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
