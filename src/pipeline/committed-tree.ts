import { joinPath } from '../codec/path.ts'
import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { StackmasonError } from '../model/diagnostic.ts'
import { GitError } from '../model/git.ts'
import { FileError, type Ports } from '../model/ports.ts'
import { refuseConflicts } from './refuse-conflicts.ts'
import { readEarlierClusters, type EarlierClusters } from './earlier-clusters.ts'

/** Texts of files by path relative to some folder. */
export type Texts = ReadonlyMap<string, string>

/** Which tree counts as the one that the engine may have applied. */
export interface TreePlace {
  /** `disk` for what asks whether the tree itself is right. */
  readonly from: 'commit' | 'disk'
  /** Revision of the commit; the last one by default. With `disk`: the tree that the one on disk is to replace. */
  readonly base?: string
}

/** The output tree as the engine may have applied it. */
export interface CommittedTree {
  /** Whether it comes from a commit, so that the next step may follow it; else it is the tree on disk. */
  readonly isCommit: boolean
  /** The files of each cluster's folder `cluster/`, by `namespace/name` and then by their own name. */
  readonly clusters: ReadonlyMap<string, Texts>
  /** How the addons of each cluster lie in folders, by `namespace/name`. */
  readonly addons: ReadonlyMap<string, AddonOutline>
  /** The files of the addons of some clusters, by `namespace/name` and then by their path relative to the cluster's folder. */
  readonly addonFiles: (
    clusters: { readonly has: (cluster: string) => boolean },
    /** Whether a file is wanted, by the same names; default: all. */
    isWanted?: (cluster: string, path: string) => boolean,
  ) => Promise<ReadonlyMap<string, Texts>>
  /** Everything below a folder of the output. */
  readonly below: (folder: string) => Promise<Texts>
  /** The same of content that stays as it is committed. Where the tree is that on disk, that of the commit counts if there is one: an edit is none. */
  readonly keptBelow: (folder: string) => Promise<Texts>
  /** What the commits before this tree have of its clusters; nothing when `base` says what the GitOps tool has. */
  readonly earlier: () => Promise<EarlierClusters>
  /** Whether `earlier` leaves nothing out but what lies too far back to count. */
  readonly hasWholeHistory: () => Promise<boolean>
}

/** The folders of a cluster's addons, relative to its own; and the files that say which of them are one unit, by path relative to it. */
export interface AddonOutline {
  readonly folders: ReadonlySet<string>
  readonly indexes: Texts
}

const INDEX = 'kustomization.yaml'

/** A file of a cluster's addons, seen from the folder of all clusters: cluster, path, folder, name. */
const ADDON_FILE = /^([^/]+\/[^/]+)\/((addons(?:-own)?(?:\/[^/]+)?)\/([^/]+\.yaml))$/

/** A file of a cluster's folder `cluster/`, seen from the folder of all clusters. */
const CLUSTER_FILE = /^([^/]+\/[^/]+)\/cluster\/([^/]+\.yaml)$/

/**
 * Opens the tree of the last commit, or, where there is none or `from` says so, that on disk. A commit that is named counts also when it holds nothing.
 * @throws StackmasonError BASE_UNKNOWN, GIT_FAILED, CONFIG_SYNTAX for every file of a Cluster that a merge left with conflict markers
 */
export async function openCommittedTree(output: string, place: TreePlace, ports: Ports): Promise<CommittedTree> {
  const { from, base } = place
  const outlines = new Map<string, { readonly folders: Set<string>; readonly indexes: Map<string, string> }>()
  const outlineOf = (cluster: string): { readonly folders: Set<string>; readonly indexes: Map<string, string> } => {
    const outline = outlines.get(cluster) ?? { folders: new Set<string>(), indexes: new Map<string, string>() }
    outlines.set(cluster, outline)
    return outline
  }
  const isWanted = (path: string): boolean => {
    const [, cluster, , parent = '', name = ''] = ADDON_FILE.exec(path) ?? []
    if (cluster === undefined) return CLUSTER_FILE.test(path)
    if (name === INDEX) return !parent.includes('/')
    if (!name.startsWith('.')) outlineOf(cluster).folders.add(parent)
    return false
  }
  const folder = joinPath(output, 'clusters')
  const readCommit = async (
    path: string,
    want: (name: string) => boolean,
  ): Promise<ReadonlyMap<string, Uint8Array>> => {
    try {
      return await ports.git.readCommitted(path, want, base)
    } catch (error) {
      throw error instanceof GitError ? gitProblem(error, output) : error
    }
  }
  const committed = from === 'disk' ? new Map<string, Uint8Array>() : await readCommit(folder, isWanted)
  const isCommit =
    [...committed.keys()].some((path) => CLUSTER_FILE.test(path)) || (from === 'commit' && base !== undefined)
  if (!isCommit) outlines.clear()
  const files = isCommit ? texts(committed) : await readDisk(folder, isWanted, ports)
  refuseConflicts(new Map([...files].filter(([path]) => CLUSTER_FILE.test(path))), { folder, isCommit })
  const clusters = new Map<string, Map<string, string>>()
  for (const [path, text] of files) {
    const [, place, inCluster = ''] = ADDON_FILE.exec(path) ?? []
    if (place !== undefined) {
      outlineOf(place).indexes.set(inCluster, text)
      continue
    }
    const [, key = '', name = ''] = CLUSTER_FILE.exec(path) ?? []
    const own = clusters.get(key) ?? new Map<string, string>()
    clusters.set(key, own.set(name, text))
  }
  const below = async (path: string): Promise<Texts> => {
    const inOutput = joinPath(output, path)
    return isCommit ? texts(await readCommit(inOutput, () => true)) : readDisk(inOutput, () => true, ports)
  }
  return {
    isCommit,
    clusters,
    earlier: async () => {
      if (base !== undefined || (from === 'commit' && !isCommit)) return new Map()
      try {
        return await readEarlierClusters(output, from, ports)
      } catch (error) {
        throw error instanceof GitError ? gitProblem(error, output) : error
      }
    },
    hasWholeHistory: async () => {
      if (base !== undefined || (from === 'commit' && !isCommit)) return false
      try {
        return await ports.git.hasWholeHistory(output)
      } catch (error) {
        throw error instanceof GitError ? gitProblem(error, output) : error
      }
    },
    addons: outlines,
    addonFiles: async (wanted, want = () => true) => {
      const isOfThem = (path: string): boolean => {
        const [, cluster = '', inCluster = ''] = ADDON_FILE.exec(path) ?? []
        return wanted.has(cluster) && want(cluster, inCluster)
      }
      const found = isCommit ? texts(await readCommit(folder, isOfThem)) : await readDisk(folder, isOfThem, ports)
      const byCluster = new Map<string, Map<string, string>>()
      for (const [path, text] of found) {
        const [, cluster = '', inCluster = ''] = ADDON_FILE.exec(path) ?? []
        byCluster.set(cluster, (byCluster.get(cluster) ?? new Map<string, string>()).set(inCluster, text))
      }
      return byCluster
    },
    below,
    keptBelow: async (path) => {
      if (isCommit) return below(path)
      try {
        const kept = texts(await ports.git.readCommitted(joinPath(output, path), () => true, base))
        return kept.size === 0 ? await below(path) : kept
      } catch (error) {
        // a check needs no git
        if (error instanceof GitError) return below(path)
        throw error
      }
    },
  }
}

function gitProblem(error: GitError, output: string): StackmasonError {
  const about = { severity: 'error', file: output } as const
  if (error.reason === 'no-such-ref')
    return new StackmasonError({ code: 'BASE_UNKNOWN', ...about, message: error.message }, { cause: error })
  const message = `the committed tree cannot be read: ${error.message}`
  return new StackmasonError({ code: 'GIT_FAILED', ...about, message, hint: hintOf(error) }, { cause: error })
}

function hintOf({ reason, message }: GitError): string {
  if (reason === 'not-installed') return 'Install git: the last commit tells which step of an upgrade is due.'
  // git's own advice, which it prints on lines of their own
  const owned = /dubious ownership in repository at '([^']+)'/.exec(message)?.[1]
  if (owned !== undefined)
    return `Render as the owner of the repository, or trust it: git config --global --add safe.directory ${owned}`
  return 'Run `git status` there and mend what it says; the last commit tells which step of an upgrade is due.'
}

function texts(files: ReadonlyMap<string, Uint8Array>): Texts {
  // equal files of many clusters are one blob
  const known = new Map<Uint8Array, string>()
  return new Map(
    [...files].map(([path, bytes]) => {
      const text = known.get(bytes) ?? decodeUtf8(bytes)
      known.set(bytes, text)
      return [path, text]
    }),
  )
}

async function readDisk(root: string, isWanted: (path: string) => boolean, ports: Ports): Promise<Texts> {
  const found = new Map<string, string>()
  const walk = async (below: string): Promise<void> => {
    for (const { name, type } of await entriesOf(joinPath(root, below), ports)) {
      const path = below === '' ? name : `${below}/${name}`
      if (type === 'directory') await walk(path)
      else if (type === 'file' && isWanted(path))
        found.set(path, decodeUtf8(await ports.files.read(joinPath(root, path))))
    }
  }
  await walk('')
  return found
}

async function entriesOf(folder: string, { files }: Ports): ReturnType<Ports['files']['entries']> {
  try {
    return await files.entries(folder)
  } catch (error) {
    if (error instanceof FileError && (error.reason === 'not-found' || error.reason === 'wrong-type')) return []
    throw error
  }
}
