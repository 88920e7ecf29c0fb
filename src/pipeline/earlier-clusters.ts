import { joinPath } from '../codec/path.ts'
import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { StackmasonError } from '../model/diagnostic.ts'
import type { EarlierFile } from '../model/git.ts'
import type { Ports } from '../model/ports.ts'
import type { CommittedCluster } from '../model/steps.ts'
import type { EarlierCluster } from '../handoff/steps/find-lowered-version.ts'
import { readCommittedCluster } from '../handoff/steps/read-committed-cluster.ts'
import { marker } from '../handoff/steps/step-marks.ts'

/** What earlier commits have of each cluster, by `namespace/name`, newest first. */
export type EarlierClusters = ReadonlyMap<string, readonly EarlierCluster[]>

/** How far back a version that went back is looked for. */
const COMMITS = 200

/** Digits of a commit's id that people are given. */
const SHORT = 12

/** The file of a Cluster object, or of what a decommission puts in its place, seen from the folder of all clusters. */
const CLUSTER_OBJECT = /^([^/]+)\/([^/]+)\/cluster\/((?:cluster|configmap)-[^/]+\.yaml)$/

/**
 * What the commits before the tree have of its clusters. `behind` says which tree: that of the last commit, or that on disk, which the last commit is before.
 * @throws GitError
 */
export async function readEarlierClusters(
  output: string,
  behind: 'commit' | 'disk',
  { git }: Pick<Ports, 'git'>,
): Promise<EarlierClusters> {
  const folder = joinPath(output, 'clusters')
  const isWanted = (path: string): boolean => {
    const { name, file } = placeOf(path)
    return file === objectFile(name) || file === markerFile(name)
  }
  const earlier = new Map<string, readonly EarlierFile[]>()
  if (behind === 'disk')
    for (const [path, bytes] of await git.readCommitted(folder, isWanted))
      earlier.set(path, [{ commit: 'HEAD', bytes }])
  for (const [path, files] of await git.readEarlier(folder, isWanted, COMMITS)) {
    const named = files.map((file) => ({ ...file, commit: file.commit.slice(0, SHORT) }))
    earlier.set(path, [...(earlier.get(path) ?? []), ...named])
  }
  const found = new Map<string, readonly EarlierCluster[]>()
  for (const path of earlier.keys()) {
    const cluster = placeOf(path)
    const key = `${cluster.namespace}/${cluster.name}`
    if (found.has(key)) continue
    const [objects, markers] = [objectFile(cluster.name), markerFile(cluster.name)].map(
      (file) => earlier.get(`${key}/cluster/${file}`) ?? [],
    )
    found.set(key, earlierOf(cluster, objects ?? [], markers ?? []))
  }
  return found
}

interface Place {
  readonly namespace: string
  readonly name: string
  readonly file: string
}

function placeOf(path: string): Place {
  const [, namespace = '', name = '', file = ''] = CLUSTER_OBJECT.exec(path) ?? []
  return { namespace, name, file }
}

function objectFile(cluster: string): string {
  return `cluster-${cluster}.yaml`
}

function markerFile(cluster: string): string {
  return `configmap-${marker.nameOf(cluster)}.yaml`
}

/** A marker says something only of a commit that has no Cluster object: it comes and goes with that. */
function earlierOf(
  cluster: Place,
  objects: readonly EarlierFile[],
  markers: readonly EarlierFile[],
): readonly EarlierCluster[] {
  const isOutNow = markers[0]?.commit === 'HEAD' && objects[0]?.commit !== 'HEAD'
  const files = isOutNow ? [{ commit: 'HEAD', bytes: undefined }, ...objects] : objects
  return files.flatMap(({ commit, bytes }) => {
    const told = bytes ?? markers.find((other) => other.commit === commit)?.bytes
    const name = bytes === undefined ? markerFile(cluster.name) : objectFile(cluster.name)
    const committed = told === undefined ? undefined : readObject(new Map([[name, decodeUtf8(told)]]), cluster)
    // what nobody can read says nothing of a cluster
    return committed === 'unreadable' ? [] : [{ commit, committed }]
  })
}

function readObject(
  files: ReadonlyMap<string, string>,
  cluster: { readonly namespace: string; readonly name: string },
): CommittedCluster | undefined | 'unreadable' {
  try {
    return readCommittedCluster(files, cluster)
  } catch (error) {
    if (error instanceof StackmasonError) return 'unreadable'
    throw error
  }
}
