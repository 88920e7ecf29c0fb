import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { BranchLine, LineCommit } from '../../model/git-writer.ts'
import type { ObjectName } from '../../model/object-name.ts'
import type { Ports } from '../../model/ports.ts'
import type { CommittedCluster } from '../../model/steps.ts'
import { clusterFolder, clusterObjectFile } from '../../model/tree-path.ts'
import { readCommittedCluster } from '../../sources/committed/committed-cluster.ts'
import { askingGit } from './publish-problem.ts'

/** As far back as it is looked for the commit that brought a state. */
const COMMITS = 200

/** A branch that holds a rendered tree. */
export interface TreeBranch {
  /** The root of the repository that has its commits; absolute. */
  readonly repository: string
  /** Of that repository, for messages. */
  readonly url: string
  /** Where the branch is. */
  readonly commit: string
  /** The folder of the tree, from the root. */
  readonly path: string
}

/** The states of clusters in the commits of a branch. */
export class BranchHistory {
  readonly #branch: TreeBranch
  readonly #ports: Pick<Ports, 'git' | 'gitWriter'>
  #line: Promise<BranchLine> | undefined

  constructor(branch: TreeBranch, ports: Pick<Ports, 'git' | 'gitWriter'>) {
    this.#branch = branch
    this.#ports = ports
  }

  /**
   * The newest commits of the branch, one after the other, in which a cluster is as `isIt` says; newest first, so the
   * last one brought it. `current` is what the tree of the branch has now.
   */
  async commitsWith(
    cluster: ObjectName,
    current: CommittedCluster | undefined,
    isIt: (committed: CommittedCluster | undefined) => boolean,
  ): Promise<readonly LineCommit[]> {
    const { commits, changes } = await this.#read()
    const file = clusterObjectFile(cluster.name)
    const own = changes.get(this.#pathOf(`${clusterFolder(cluster)}/${file}`)) ?? []
    const blobs = await this.#blobs(
      own.flatMap(({ before, after }) => [before, after].filter((id) => id !== undefined)),
    )
    const stateOf = (object: string | undefined): CommittedCluster | undefined => {
      const bytes = object === undefined ? undefined : blobs.get(object)
      return bytes === undefined ? undefined : readState(cluster, new Map([[file, decodeUtf8(bytes)]]))
    }
    const [newest] = own
    // the tree may be that of an older commit: then the branch has gone on since
    let [state, from, start] = [newest === undefined ? current : stateOf(newest.after), 0, -1]
    for (const { index, before } of own) {
      if (isIt(state) && start === -1) start = from
      if (!isIt(state) && start !== -1) return commits.slice(start, from)
      ;[state, from] = [stateOf(before), index + 1]
    }
    if (!isIt(state)) return start === -1 ? [] : commits.slice(start, from)
    return commits.slice(start === -1 ? from : start)
  }

  #pathOf(path: string): string {
    return this.#branch.path === '' ? path : `${this.#branch.path}/${path}`
  }

  #read(): Promise<BranchLine> {
    const { repository, url, commit, path } = this.#branch
    const folder = path === '' ? '' : `${path.replaceAll(/[\\*?[\]]/g, '\\$&')}/`
    const among = [`${folder}${clusterFolder({ namespace: '*', name: '*' })}/${clusterObjectFile('*')}`]
    this.#line ??= askingGit(url, () =>
      this.#ports.gitWriter.branchLine(repository, { to: commit, limit: COMMITS, among }),
    )
    return this.#line
  }

  #blobs(ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
    const { repository, url } = this.#branch
    return askingGit(url, () => this.#ports.git.readBlobs(repository, [...new Set(ids)]))
  }
}

/** The state of a cluster; undefined where its files cannot be read. */
function readState(cluster: ObjectName, files: ReadonlyMap<string, string>): CommittedCluster | undefined {
  try {
    return readCommittedCluster(files, cluster)
  } catch (error) {
    if (error instanceof StackmasonError) return undefined
    throw error
  }
}
