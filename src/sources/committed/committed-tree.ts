import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { joinPath } from '../../codec/path.ts'
import { shellWord } from '../../codec/text/shell-word.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { GitError, type GitHistory, shortCommit } from '../../model/git.ts'
import type { CommittedAddons, CommittedStack, DeletionMarks, StoredDefinitions } from '../../model/handoff.ts'
import type { Manifest, RenderedFolder } from '../../model/manifest.ts'
import { type ObjectName, objectPath, parseObjectPath } from '../../model/object-name.ts'
import { matchReleaseTag } from '../../model/release-name.ts'
import { renderFrom } from '../../model/render-from.ts'
import type { CommittedCluster, LostCluster } from '../../model/steps.ts'
import {
  CLUSTERS,
  clusterObjectFile,
  clusterTree,
  handoffFolder,
  inClusterTree,
  KUSTOMIZATION_FILE,
  parseTreeFile,
  parseTreeFolder,
  stackFolder,
  STACKS,
  HANDOFF,
  HANDOFF_STACKS,
} from '../../model/tree-path.ts'
import { ClusterPaths } from './cluster-paths.ts'
import { committedUnits, readCommittedAddons } from './committed-addons.ts'
import { readCommittedCluster } from './committed-cluster.ts'
import { type CommittedContent, keepFolders, keepKustomizations, keepTexts } from './committed-folders.ts'
import {
  type ClustersBeside,
  type EarlierClusters,
  type EarlierWish,
  readClustersBeside,
  readEarlierClusters,
} from './earlier-clusters.ts'
import { breaksOf, type CommittedFiles, findBroken, findLeft } from './find-broken.ts'
import { createReachFinder, type ReachFinder } from './find-unreached.ts'
import { findWhole, statesOf } from './find-whole.ts'
import { refuseConflicts } from './refuse-conflicts.ts'
import { restoreCommand } from './restore-command.ts'
import { createDefinitionReader, isDefinitionFile, migratedDefinitions } from './stored-definitions.ts'
import {
  gitProblem,
  type IsWanted,
  readCommit,
  readDisk,
  readDiskFile,
  type Texts,
  type TreePorts,
  type TreeRevision,
} from './tree-files.ts'

/** How far back what is gone is looked for, in commits. */
const EARLIER_COMMITS = 200

/** Clusters whose folders are read one by one; for more all are listed at once. Each takes runs of git. */
const FEW_CLUSTERS = 4

/** The command that brings the commits that a shallow clone lacks. */
export const UNSHALLOW = '`git fetch --unshallow`'

/** The parts of a cluster's addons to read. */
export interface AddonsWish {
  /** How objects say what their GitOps tool may do with them. */
  readonly marks: DeletionMarks
  /** True if a file is wanted, by the cluster's key (see `objectPath`) and the path in its folder; default: all. */
  readonly isWanted?: (cluster: string, path: string) => boolean
}

/** Which tree is opened, and how much of it. */
export interface TreeSelection extends TreeRevision {
  /** The clusters that are asked for: of others nothing need be known. Absent: all. */
  readonly only?: readonly ObjectName[] | undefined
}

/** The content of a cluster in a tree, or the path of a file in the output that holds no object. */
export type HeldContent = CommittedContent | { readonly unreadable: string }

/** Why a step of a cluster may not be applied: a clause, and the file or folder that it is about. */
export interface StepGap {
  /** Relative to the output folder. */
  readonly path: string
  readonly reason: string
}

/** A stack before a run. */
export interface StackBefore {
  /** Undefined if it was not there. */
  readonly folder: RenderedFolder | undefined
  /** `history`: files of it may have been in commits that a shallow clone lacks. */
  readonly lacks: 'nothing' | 'history'
}

/**
 * How the addons of a cluster lie in folders, and the files that say which folders are one unit; paths are relative to
 * the cluster's own.
 */
interface AddonOutline {
  readonly folders: ReadonlySet<string>
  /** Of objects. */
  readonly files: readonly string[]
  readonly indexes: ReadonlyMap<string, string>
}

/**
 * The output tree as a GitOps tool may have applied it, read from a commit or from disk. What is asked of it is read
 * and parsed then.
 * @throws StackmasonError OBJECT_INVALID from whatever reads a file that holds no object
 */
export class CommittedTree {
  /** True if it comes from a commit, so that the next step may follow it; else it is the tree on disk. */
  readonly isCommit: boolean
  readonly #output: string
  readonly #revision: TreeRevision
  readonly #only: readonly ObjectName[] | undefined
  readonly #ports: TreePorts
  /** The files of each cluster's folder `cluster/`, by the cluster's key and then by their own name. */
  readonly #clusterFiles = new Map<string, Map<string, string>>()
  readonly #readDefinition = createDefinitionReader()
  readonly #parsedClusters = new Map<string, CommittedCluster | undefined>()
  /** Paths of files in the folders of clusters, by the cluster's key and then relative to its folder. */
  readonly #paths: ClusterPaths
  /** Indexes of addons, by the cluster's key. */
  readonly #indexes = new Map<string, Map<string, string>>()
  /** Those that were asked for. */
  readonly #outlines = new Map<string, AddonOutline | undefined>()
  readonly #names = new Map<string, string>()
  /** Folders of clusters, seen from the cluster's own: true for those that hold addons. */
  readonly #addonFolders = new Map<string, boolean>()
  #handoffFiles: Promise<Texts> | undefined
  #stackFiles: Promise<ReadonlyMap<string, Texts>> | undefined
  #reachFinder: Promise<ReachFinder> | undefined
  #history: Promise<GitHistory> | undefined
  #pastHistory: Promise<GitHistory> | undefined

  /** For {@link openCommittedTree}. */
  constructor(
    isCommit: boolean,
    output: string,
    {
      revision,
      only,
      paths,
      ports,
    }: {
      readonly revision: TreeRevision
      readonly only: readonly ObjectName[] | undefined
      readonly paths: ClusterPaths
      readonly ports: TreePorts
    },
  ) {
    this.#paths = paths
    this.#only = only
    this.isCommit = isCommit
    this.#output = output
    this.#revision = revision
    this.#ports = ports
  }

  /** Opens the tree; see {@link openCommittedTree}. */
  static async open(
    output: string,
    { revision, only }: { readonly revision: TreeRevision; readonly only: readonly ObjectName[] | undefined },
    ports: TreePorts,
  ): Promise<CommittedTree> {
    const { from, base } = revision
    const read = async (of: 'commit' | 'disk'): Promise<{ readonly texts: Texts; readonly paths: ClusterPaths }> => {
      const texts = new Map<string, string>()
      const paths = new ClusterPaths()
      for (const below of only?.map((name) => `${objectPath(name)}/`) ?? ['']) {
        const isWanted = (own: string): boolean => {
          const path = below + own
          paths.note(path)
          return isShallow(path) && (isClusterFile(path) || isAddonsIndex(path))
        }
        const folder = { output, folder: below === '' ? CLUSTERS : `${CLUSTERS}/${below.slice(0, -1)}` }
        const found = await (of === 'disk'
          ? readDisk(folder, isWanted, ports)
          : readCommit(folder, isWanted, { base, ports }))
        for (const [path, text] of found) texts.set(below + path, text)
      }
      return { texts, paths }
    }
    const committed = from === 'disk' ? undefined : await read('commit')
    const hasClusters = [...(committed?.texts.keys() ?? [])].some(isClusterFile)
    // whether a commit holds a tree at all, only all of it shows
    if (only !== undefined && from === 'commit' && base === undefined && !hasClusters)
      return CommittedTree.open(output, { revision, only: undefined }, ports)
    const isCommit = hasClusters || (from === 'commit' && base !== undefined)
    const { texts, paths } = isCommit && committed !== undefined ? committed : await read('disk')
    refuseConflicts(new Map([...texts].filter(([path]) => isClusterFile(path))), { output, isCommit })
    const tree = new CommittedTree(isCommit, output, { revision, only, paths, ports })
    for (const [path, text] of texts) tree.#note(path, text)
    return tree
  }

  /**
   * Every cluster, as far as it was opened, that the tree has a Cluster of, or what a decommission put in its place.
   */
  get clusters(): readonly ObjectName[] {
    return [...this.#clusterFiles.keys()].map(parseObjectPath)
  }

  /** The state of a cluster in the tree; undefined if the tree does not have it. */
  cluster(name: ObjectName): CommittedCluster | undefined {
    const key = objectPath(name)
    if (!this.#parsedClusters.has(key)) {
      const files = this.#clusterFiles.get(key)
      this.#parsedClusters.set(key, files && this.#placed(() => readCommittedCluster(files, name)))
    }
    return this.#parsedClusters.get(key)
  }

  /** True if an object of this kind and the cluster's own name lies beside its Cluster. */
  hasBeside(name: ObjectName, kind: string): boolean {
    return this.#clusterFiles.get(objectPath(name))?.has(`${kind.toLowerCase()}-${name.name}.yaml`) === true
  }

  /** Names of the StorageMigrations of addons that lie beside a Cluster. */
  migrations(name: ObjectName): readonly string[] {
    const definitions = migratedDefinitions(this.#clusterFiles.get(objectPath(name)) ?? new Map(), name.name)
    return [...definitions].map((definition) => `${name.name}.${definition}`)
  }

  /** The states of clusters in the commits before this tree; none if `base` says what the GitOps tool has. */
  async earlier(): Promise<EarlierClusters> {
    return this.#hasHistory ? this.past() : () => []
  }

  /** The same, also where `base` says what the GitOps tool has: those before it. None for one that nobody committed. */
  async past(): Promise<EarlierClusters> {
    return this.#isUncommitted ? () => [] : this.#asking(readEarlierClusters(this.#output, this.#wish, this.#ports))
  }

  /** The same on lines beside that of {@link past}, of clusters that it lacks. */
  async beside(): Promise<ClustersBeside> {
    return this.#isUncommitted ? () => [] : this.#asking(readClustersBeside(this.#output, this.#wish, this.#ports))
  }

  get #isUncommitted(): boolean {
    return this.#revision.from === 'commit' && !this.isCommit && this.#clusterFiles.size > 0
  }

  get #wish(): EarlierWish {
    const { from, base } = this.#revision
    const isThere = (name: ObjectName): boolean =>
      this.#clusterFiles.get(objectPath(name))?.has(clusterObjectFile(name.name)) === true
    return { behind: from, base, only: this.#only, isThere }
  }

  /** The commit that has a cluster which this tree has lost; undefined if it ended by a decommission, or never was. */
  async findLost(name: ObjectName): Promise<LostCluster | undefined> {
    const last = (await this.earlier())(name).find(({ committed }) => committed !== undefined)
    if (last?.committed?.object === undefined || last.committed.decommission !== undefined) return undefined
    const folders = [clusterTree(name), handoffFolder(name.namespace, name.name)]
    const { commit } = last
    const restored = { output: this.#output, folders, commit }
    return { commit, restore: await this.#asking(restoreCommand(restored, this.#ports)) }
  }

  /** The commits that `earlier` looks through: `none` if `base` says what the GitOps tool has. */
  async history(): Promise<GitHistory> {
    if (!this.#hasHistory) return 'none'
    this.#history ??= this.#asking(this.#ports.git.history(this.#output))
    return this.#history
  }

  /** The commits that `past` looks through. Of the line of a base, half of what is looked through counts as whole. */
  async pastHistory(): Promise<GitHistory> {
    const { base } = this.#revision
    if (base === undefined) return this.history()
    // CI brings so many commits of a branch, and a base may lie some way back on it
    const line = { revision: base, commits: EARLIER_COMMITS / 2 }
    this.#pastHistory ??= this.#asking(this.#ports.git.history(this.#output, line))
    return this.#pastHistory
  }

  /** The unit of each folder of a cluster's addons, by the folder's path. */
  addonUnits(name: ObjectName): CommittedAddons['units'] {
    const outline = this.#outline(objectPath(name))
    return outline === undefined
      ? new Map<string, string>()
      : this.#placed(() => committedUnits(clusterTree(name), outline.folders, outline.indexes))
  }

  /** The files of a cluster's addons that hold objects, by their path in the cluster's folder. */
  addonFiles(name: ObjectName): readonly string[] {
    return this.#outline(objectPath(name))?.files ?? []
  }

  /** The addons of these clusters in the tree, by the cluster's key; clusters without a wanted file are left out. */
  async addons(
    clusters: Iterable<ObjectName>,
    { marks, isWanted = () => true }: AddonsWish,
  ): Promise<ReadonlyMap<string, CommittedAddons>> {
    const names = new Map([...clusters].map((name) => [objectPath(name), name]))
    if (names.size === 0) return new Map()
    const found = await this.#readClusters(names.values(), (path) => {
      const place = addonPlace(path)
      return place !== undefined && names.has(place.cluster) && isWanted(place.cluster, place.path)
    })
    const byCluster = new Map<string, Map<string, string>>()
    for (const [path, text] of found) {
      const { cluster = '', path: inCluster = '' } = addonPlace(path) ?? {}
      const files = byCluster.get(cluster) ?? new Map(this.#indexes.get(cluster))
      byCluster.set(cluster, files.set(inCluster, text))
    }
    return new Map(
      [...byCluster].map(([key, files]) => [
        key,
        this.#placed(() => readCommittedAddons(clusterTree(parseObjectPath(key)), files, marks)),
      ]),
    )
  }

  /**
   * The definitions of these clusters in the tree, by the cluster's key. A file that holds none tells nothing.
   */
  async storedDefinitions(clusters: Iterable<ObjectName>): Promise<ReadonlyMap<string, StoredDefinitions>> {
    const found = new Map<string, StoredDefinitions>()
    const places = new Map<string, Map<string, string>>()
    const note = (text: string, versions: Map<string, string> | undefined): void => {
      const definition = this.#readDefinition(text)
      if (definition !== undefined) versions?.set(...definition)
    }
    for (const name of clusters) {
      const key = objectPath(name)
      const files = this.#clusterFiles.get(key) ?? new Map<string, string>()
      const [addons, beside] = [new Map<string, string>(), new Map<string, string>()]
      for (const [file, text] of files) if (isDefinitionFile(file)) note(text, beside)
      for (const path of this.addonFiles(name)) if (isDefinitionFile(path)) places.set(`${key}/${path}`, addons)
      found.set(key, { addons, beside, migrated: migratedDefinitions(files, name.name) })
    }
    if (places.size === 0) return found
    if (this.isCommit) {
      const texts = await this.#readClusters(clusters, (path) => places.has(path))
      for (const [path, text] of texts) note(text, places.get(path))
    } else {
      // one by one: they are large, and equal files on disk are no one text
      for (const [path, versions] of places)
        note(await readDiskFile(joinPath(this.#output, CLUSTERS, path), this.#ports), versions)
    }
    return found
  }

  /** The folders of a cluster as this tree has them. */
  async content(name: ObjectName): Promise<CommittedContent> {
    const base = clusterTree(name)
    const files = await this.#read(base)
    const handoff = handoffFolder(name.namespace, name.name)
    const objects = keepTexts(handoff, await this.#read(handoff))
    const content = this.#placed(() => contentOf(base, files))
    return { ...content, texts: new Map([...content.texts, ...objects]) }
  }

  /** The same, or a file of them that holds no object: nobody can tell then. */
  async heldContent(name: ObjectName): Promise<HeldContent> {
    const base = clusterTree(name)
    const files = await this.#read(base)
    try {
      return contentOf(base, files)
    } catch (error) {
      const [found] = error instanceof StackmasonError ? error.diagnostics : []
      if (found?.code !== 'OBJECT_INVALID' || found.file === undefined) throw error
      return { unreadable: found.file }
    }
  }

  /**
   * Refuses a cluster whose folders stay as they are committed, or are said to be gone, and do not fit together as they
   * are: see {@link findBroken}.
   * @throws StackmasonError COMMITTED_TREE_BROKEN
   */
  async refuseBroken(name: ObjectName): Promise<void> {
    const isThere = this.cluster(name) !== undefined
    const files = await this.#filesOf(name, (folder) => this.#read(folder))
    const { display } = files
    const breaks = this.#placed(() => (isThere ? findBroken : findLeft)(clusterTree(name), files))
    if (breaks.length === 0) return
    const hint = await this.#wayBack(name)
    throw new StackmasonError(
      breaks.map(({ path, reason }): Diagnostic => ({
        code: 'COMMITTED_TREE_BROKEN',
        severity: 'error',
        message: isThere
          ? `${objectPath(name)} stays as it is committed, but ${reason}`
          : `${objectPath(name)} is not committed whole: ${reason}`,
        file: display(path),
        hint,
      })),
    )
  }

  /** Where what the tree has of a cluster does not fit together, or what else keeps its GitOps tool from it. */
  async gaps(name: ObjectName): Promise<readonly StepGap[]> {
    const files = await this.#filesOf(name, (folder) => this.#read(folder))
    const own = handoffFolder(name.namespace, name.name)
    if (files.handoff.size === 0) return [{ path: own, reason: `nothing is in ${files.display(own)}` }]
    const broken = this.#placed(() => findBroken(clusterTree(name), files))
    const breaks = broken.length > 0 ? broken : (await this.#reach()).folder(own)
    return breaks.map(({ path, reason }) => ({ path, reason: `${files.display(path)}: ${reason}` }))
  }

  /** The gaps that keep the GitOps tool from a stack: its folder is not there whole, or nothing applies it. */
  async stackGaps(namespace: string, tag: string): Promise<readonly StepGap[]> {
    const path = stackFolder(namespace, tag)
    const display = (file: string): string => joinPath(this.#output, file)
    const files = (await this.#stacks()).get(path)
    if (files === undefined) return [{ path, reason: `nothing is in ${display(path)}` }]
    const placed = new Map([...files].map(([name, text]) => [`${path}/${name}`, text]))
    const broken = this.#placed(() => breaksOf(placed, display))
    const breaks = broken.length > 0 ? broken : (await this.#reach()).target(path, handoffFolder(namespace))
    return breaks.map((one) => ({ path: one.path, reason: `${display(one.path)}: ${one.reason}` }))
  }

  /** The GitOps tool's objects for a cluster. */
  async handoff({ namespace, name }: ObjectName): Promise<readonly Manifest[]> {
    return this.#objects(handoffFolder(namespace, name), (folder) => this.#read(folder))
  }

  /** The GitOps tool's objects for the stacks of a namespace, and for what else is of no cluster. */
  async stackHandoff(namespace: string): Promise<readonly Manifest[]> {
    const isOfStacks = (path: string): boolean => !path.includes('/') || path.startsWith(`${HANDOFF_STACKS}/`)
    return this.#objects(handoffFolder(namespace), (folder) => this.#read(folder, isOfStacks))
  }

  /** The stacks that the tree has. */
  async stacks(): Promise<readonly CommittedStack[]> {
    return [...(await this.#stacks()).keys()].flatMap((path) => {
      const place = parseTreeFolder(path)
      const matched = place?.kind === 'stack' ? matchReleaseTag(place.tag) : undefined
      if (place === undefined || matched === undefined || !('value' in matched)) return []
      return [{ namespace: place.namespace, release: { name: matched.value } }]
    })
  }

  /** The folder of a stack; undefined when the tree has none. */
  async stack(namespace: string, tag: string): Promise<RenderedFolder | undefined> {
    const path = stackFolder(namespace, tag)
    const files = (await this.#stacks()).get(path)
    const folder = files && this.#placed(() => keepFolders(path, files)[0])
    return folder && { ...folder, ...(files !== undefined && { committed: files }) }
  }

  /**
   * Refuses a stack whose folder stays as it is committed, and does not fit together as it is: what is left out would
   * leave the class of running clusters.
   * @throws StackmasonError COMMITTED_TREE_BROKEN, OBJECT_INVALID
   */
  async refuseBrokenStack(namespace: string, tag: string): Promise<void> {
    const path = stackFolder(namespace, tag)
    const placed = (files: Texts): Texts => new Map([...files].map(([name, text]) => [`${path}/${name}`, text]))
    const display = (file: string): string => joinPath(this.#output, file)
    const files = (await this.#stacks()).get(path)
    const breaks =
      files === undefined
        ? [{ path, reason: 'this folder is gone' }]
        : this.#placed(() => breaksOf(placed(files), display))
    if (breaks.length === 0) return
    const isOf = (file: string): boolean => file.startsWith(`${path}/`)
    const last = await this.#asking(this.#ports.git.readCommitted(this.#output, isOf))
    const earlier = await this.#asking(this.#ports.git.readEarlier(this.#output, isOf, { commits: EARLIER_COMMITS }))
    const whole = statesOf(last, earlier).find(
      ({ files: texts }, index) => index > 0 && texts.size > 0 && isWhole(texts, display),
    )
    if (files === undefined && whole === undefined) return
    throw new StackmasonError(
      breaks.map((one): Diagnostic => ({
        code: 'COMMITTED_TREE_BROKEN',
        severity: 'error',
        message: `no source has release ${tag} any more, so its class in namespace ${namespace} stays as it is committed, but ${one.reason}`,
        file: display(one.path),
        about: { release: tag },
        hint:
          whole === undefined
            ? 'Bring the release back to its source, or restore the folder as it was rendered, commit that, and render again.'
            : `Run \`git restore --source=${shortCommit(whole.commit)} --staged --worktree -- ${shellWord(display(path))}\`, where the class last was whole, commit that, and render again.`,
      })),
    )
  }

  /**
   * The folder of a stack before this run, as the commit has it, also where this is the tree on disk. A file of
   * `wanted` that the commit lacks is taken from the last one that had it: the GitOps tool may have left its object.
   */
  async stackBefore(namespace: string, tag: string, wanted: ReadonlySet<string>): Promise<StackBefore | undefined> {
    const path = stackFolder(namespace, tag)
    try {
      const isKnown = this.isCommit || this.#revision.from === 'commit'
      const files = new Map(isKnown ? (await this.#stacks()).get(path) : await this.#readCommit(path, () => true))
      const lacks = (file: string): boolean => wanted.has(file) && !files.has(file)
      if (this.#revision.base === undefined && [...wanted].some(lacks)) {
        const folder = joinPath(this.#output, path)
        const earlier = await this.#asking(this.#ports.git.readEarlier(folder, lacks, { commits: EARLIER_COMMITS }))
        for (const [file, states] of earlier) {
          const bytes = states.find((state) => state.bytes !== undefined)?.bytes
          if (bytes !== undefined) files.set(file, decodeUtf8(bytes))
        }
      }
      const isKnownWhole =
        this.#revision.base !== undefined ||
        ![...wanted].some(lacks) ||
        (await this.#asking(this.#ports.git.history(this.#output))) !== 'shallow'
      const [folder] = this.#placed(() => keepFolders(path, files))
      return { folder, lacks: isKnownWhole ? 'nothing' : 'history' }
    } catch (error) {
      // a check needs no git
      if (this.#revision.from === 'disk' && error instanceof StackmasonError && error.cause instanceof GitError)
        return undefined
      throw error
    }
  }

  async #filesOf(name: ObjectName, read: (folder: string) => Promise<Texts>): Promise<CommittedFiles> {
    const below = async (folder: string): Promise<Texts> =>
      new Map([...(await read(folder))].map(([path, text]) => [`${folder}/${path}`, text]))
    return {
      content: await below(clusterTree(name)),
      handoff: await below(handoffFolder(name.namespace, name.name)),
      display: (path) => joinPath(this.#output, path),
    }
  }

  /** How the folders of a cluster that do not fit together get whole again, in one step. */
  async #wayBack(name: ObjectName): Promise<string> {
    const folders = [clusterTree(name), handoffFolder(name.namespace, name.name)]
    const isOf = (path: string): boolean => folders.some((folder) => path.startsWith(`${folder}/`))
    const last = await this.#asking(this.#ports.git.readCommitted(this.#output, isOf))
    const earlier = await this.#asking(this.#ports.git.readEarlier(this.#output, isOf, { commits: EARLIER_COMMITS }))
    const isLast = this.isCommit && this.#revision.base === undefined
    const { whole, before } = findWhole(name, statesOf(last, earlier), { isLast })
    if (whole !== undefined) {
      const files = [...last.keys(), ...whole.files.keys()]
      const restored = folders
        .filter((folder) => files.some((path) => path.startsWith(`${folder}/`)))
        .map((folder) => shellWord(joinPath(this.#output, folder)))
      return `Run \`git restore --source=${shortCommit(whole.commit)} --staged --worktree -- ${restored.join(' ')}\`, where the cluster last was whole, commit that, and render again.`
    }
    if (before !== undefined)
      return (
        `No commit has it whole since a decommission took its Cluster out. Run ${renderFrom(shortCommit(before.commit), name)}, ` +
        'which takes the Cluster out once more, and commit what it writes. The Cluster itself must not come back.'
      )
    const isShallow = (await this.#asking(this.#ports.git.history(this.#output))) === 'shallow'
    return isShallow
      ? `Fetch the earlier commits, which this shallow clone lacks (${UNSHALLOW}), and render again: then this names the one that has it whole.`
      : 'Restore it as it was rendered, commit that, and render again.'
  }

  get #hasHistory(): boolean {
    const { from, base } = this.#revision
    return base === undefined && (from === 'disk' || this.isCommit || this.#clusterFiles.size === 0)
  }

  async #asking<Result>(git: Promise<Result>): Promise<Result> {
    try {
      return await git
    } catch (error) {
      throw error instanceof GitError ? gitProblem(error, this.#output) : error
    }
  }

  /** Runs a reader; its findings name the file where people find it. */
  #placed<Result>(read: () => Result): Result {
    try {
      return read()
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      throw new StackmasonError(
        error.diagnostics.map((found) =>
          found.code === 'OBJECT_INVALID' && found.file !== undefined
            ? { ...found, file: joinPath(this.#output, found.file) }
            : found,
        ),
        { cause: error },
      )
    }
  }

  async #objects(folder: string, read: (folder: string) => Promise<Texts>): Promise<readonly Manifest[]> {
    const files = await read(folder)
    return this.#placed(() => keepFolders(folder, files)).flatMap(({ manifests }) => manifests)
  }

  /** All of them at once: most have few, and it takes runs of git. */
  async #stacks(): Promise<ReadonlyMap<string, Texts>> {
    this.#stackFiles ??= this.#read(STACKS).then((files) => {
      const byFolder = new Map<string, Map<string, string>>()
      for (const [path, text] of files) {
        const slash = path.lastIndexOf('/')
        const folder = `${STACKS}/${path.slice(0, slash)}`
        byFolder.set(folder, (byFolder.get(folder) ?? new Map<string, string>()).set(path.slice(slash + 1), text))
      }
      return byFolder
    })
    return this.#stackFiles
  }

  async #reach(): Promise<ReachFinder> {
    this.#reachFinder ??= this.#read(HANDOFF).then((files) =>
      createReachFinder(new Map([...files].map(([path, text]) => [`${HANDOFF}/${path}`, text])), (path) =>
        joinPath(this.#output, path),
      ),
    )
    return this.#reachFinder
  }

  /**
   * Files of these clusters, by their path below the folder of all: each by itself only where the tree is opened so.
   */
  async #readClusters(clusters: Iterable<ObjectName>, isWanted: IsWanted): Promise<Texts> {
    if (this.#only === undefined) return this.#read(CLUSTERS, isWanted)
    const found = new Map<string, string>()
    for (const name of clusters) {
      const below = `${objectPath(name)}/`
      for (const [path, text] of await this.#read(clusterTree(name), (own) => isWanted(below + own)))
        found.set(below + path, text)
    }
    return found
  }

  async #read(folder: string, isWanted: IsWanted = () => true): Promise<Texts> {
    const place = { output: this.#output, folder }
    if (!this.isCommit) return readDisk(place, isWanted, this.#ports)
    return this.#readCommit(folder, isWanted)
  }

  async #readCommit(folder: string, isWanted: IsWanted): Promise<Texts> {
    const commit = { base: this.#revision.base, ports: this.#ports }
    if (folder !== HANDOFF && !folder.startsWith(`${HANDOFF}/`))
      return readCommit({ output: this.#output, folder }, isWanted, commit)
    // small files, which most clusters are asked for: all of them at once, as it takes runs of git
    this.#handoffFiles ??= readCommit({ output: this.#output, folder: HANDOFF }, () => true, commit)
    if (folder === HANDOFF) return this.#handoffFiles
    const start = folder.length - HANDOFF.length
    const below = `${folder.slice(HANDOFF.length + 1)}/`
    const files = [...(await this.#handoffFiles)].filter(([path]) => path.startsWith(below))
    return new Map(files.map(([path, text]) => [path.slice(start), text] as const).filter(([path]) => isWanted(path)))
  }

  /** How the addons of a cluster lie; undefined if it has none. */
  #outline(cluster: string): AddonOutline | undefined {
    if (this.#outlines.has(cluster)) return this.#outlines.get(cluster)
    const indexes = this.#indexes.get(cluster) ?? new Map<string, string>()
    const folders = new Set<string>()
    const files: string[] = []
    for (const path of this.#paths.of(cluster)) {
      const slash = path.lastIndexOf('/')
      const file = path.slice(slash + 1)
      if (!file.endsWith('.yaml') || file === KUSTOMIZATION_FILE || file.startsWith('.')) continue
      const folder = path.slice(0, Math.max(0, slash))
      // most clusters have the same folders
      const isOfAddons = this.#addonFolders.get(folder) ?? addonPlace(`${cluster}/${path}`) !== undefined
      this.#addonFolders.set(folder, isOfAddons)
      if (!isOfAddons) continue
      folders.add(this.#named(folder))
      files.push(path)
    }
    const outline = files.length === 0 && indexes.size === 0 ? undefined : { folders, files, indexes }
    this.#outlines.set(cluster, outline)
    return outline
  }

  /** The same text for equal names: most clusters have the same addons, in files of the same names. */
  #named(name: string): string {
    const known = this.#names.get(name)
    if (known === undefined) this.#names.set(name, name)
    return known ?? name
  }

  #note(path: string, text: string): void {
    const place = addonPlace(path)
    if (place !== undefined) {
      const indexes = this.#indexes.get(place.cluster) ?? new Map<string, string>()
      this.#indexes.set(place.cluster, indexes.set(place.path, text))
      return
    }
    const { folder, file = '' } = fileOf(path) ?? {}
    if (folder?.kind !== 'cluster') return
    const key = objectPath(folder)
    this.#clusterFiles.set(key, (this.#clusterFiles.get(key) ?? new Map<string, string>()).set(file, text))
  }
}

/**
 * Opens the tree of the last commit, or, where there is none or `from` says so, that on disk. A commit that is named
 * counts also when it holds nothing.
 * @throws StackmasonError BASE_UNKNOWN, GIT_FAILED, CONFIG_SYNTAX for every file of a Cluster that a merge left with
 * conflict markers
 */
export async function openCommittedTree(
  output: string,
  { only, ...revision }: TreeSelection,
  ports: TreePorts,
): Promise<CommittedTree> {
  const isFew = only !== undefined && only.length > 0 && only.length <= FEW_CLUSTERS
  return CommittedTree.open(output, { revision, only: isFew ? only : undefined }, ports)
}

/** True if the files of a folder fit together. */
function isWhole(files: Texts, display: (path: string) => string): boolean {
  try {
    return breaksOf(files, display).length === 0
  } catch (error) {
    if (error instanceof StackmasonError) return false
    throw error
  }
}

function contentOf(base: string, files: Texts): CommittedContent {
  return {
    folders: keepFolders(base, files),
    kustomizations: keepKustomizations(base, files),
    texts: keepTexts(base, files),
  }
}

/** True if a path may be that of a file in a folder of a cluster, and none below: most lie in folders of addons. */
function isShallow(path: string): boolean {
  const third = path.indexOf('/', path.indexOf('/', path.indexOf('/') + 1) + 1)
  return third !== -1 && !path.includes('/', third + 1)
}

/** A file of the tree by its path relative to the folder of all clusters. */
function fileOf(path: string): ReturnType<typeof parseTreeFile> {
  return path.endsWith('.yaml') ? parseTreeFile(`${CLUSTERS}/${path}`) : undefined
}

function isClusterFile(path: string): boolean {
  return fileOf(path)?.folder.kind === 'cluster'
}

/** A file that says which folders of addons are one unit. */
function isAddonsIndex(path: string): boolean {
  const { folder, file } = fileOf(path) ?? {}
  return folder?.kind === 'addons' && folder.addon === undefined && file === KUSTOMIZATION_FILE
}

/** A file of a cluster's addons: the cluster's key, its path in the cluster's folder, and its name. */
function addonPlace(
  path: string,
): { readonly cluster: string; readonly path: string; readonly file: string } | undefined {
  const { folder, file = '' } = fileOf(path) ?? {}
  if (folder?.kind !== 'addons') return undefined
  return { cluster: objectPath(folder), path: inClusterTree(`${CLUSTERS}/${path}`), file }
}
