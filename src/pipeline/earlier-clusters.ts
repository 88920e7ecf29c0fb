import { joinPath } from '../codec/path.ts'
import { decodeUtf8 } from '../codec/utf8.ts'
import { StackmasonError } from '../model/diagnostic.ts'
import type { Ports } from '../model/ports.ts'
import type { CommittedCluster } from '../model/steps.ts'
import type { EarlierCluster } from '../handoff/steps/find-lowered-version.ts'
import { readCommittedCluster } from '../handoff/steps/read-committed-cluster.ts'

/** What earlier commits have of each cluster, by `namespace/name`, newest first. */
export type EarlierClusters = ReadonlyMap<string, readonly EarlierCluster[]>

/** How far back a version that went back is looked for. */
const COMMITS = 200

/** Digits of a commit's id that people are given. */
const SHORT = 12

/** The file of a Cluster object, seen from the folder of all clusters. */
const CLUSTER_OBJECT = /^([^/]+)\/([^/]+)\/cluster\/(cluster-[^/]+\.yaml)$/

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
  const isWanted = (path: string): boolean => CLUSTER_OBJECT.test(path)
  const found = new Map<string, EarlierCluster[]>()
  const add = (path: string, commit: string, bytes: Uint8Array | undefined): void => {
    const [, namespace = '', name = '', file = ''] = CLUSTER_OBJECT.exec(path) ?? []
    // another Cluster beside it, of another namespace for instance
    if (file !== `cluster-${name}.yaml`) return
    const key = `${namespace}/${name}`
    const earlier = found.get(key) ?? []
    const committed =
      bytes === undefined ? undefined : readObject(new Map([[file, decodeUtf8(bytes)]]), { namespace, name })
    // what nobody can read says nothing of a version
    if (committed !== 'unreadable') found.set(key, [...earlier, { commit, committed }])
  }
  if (behind === 'disk') for (const [path, bytes] of await git.readCommitted(folder, isWanted)) add(path, 'HEAD', bytes)
  for (const [path, files] of await git.readEarlier(folder, isWanted, COMMITS))
    for (const { commit, bytes } of files) add(path, commit.slice(0, SHORT), bytes)
  return found
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
