import { ARTIFACTS } from '../model/artifact-unit.ts'
import { CLUSTERS, HANDOFF, OLD_INVENTORY, OWNER_FILE, STACKS } from '../model/tree-path.ts'
import { joinPath } from '../codec/path.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import type { DirectoryEntry, FileType, Ports } from '../model/ports.ts'
import type { Staging } from './apply-plan.ts'
import { checkOwner, findInnerTree } from './check-owner.ts'
import { CONTROL_FOLDER } from './control-folder.ts'
import type { KnownUnit, MakeAgain } from './known-unit.ts'
import { type FolderHashes, holdsList, isSameList, noHashes, SharedLists, withNamesOf } from './folder-hashes.ts'
import type { FolderSteps, TreeSteps } from './folder-steps.ts'
import { type DoubtfulFile, keepUncommitted } from './keep-uncommitted.ts'
import { type KnownDisk, KnownTrees } from './known-trees.ts'
import { mapConcurrently } from './map-concurrently.ts'
import {
  type FileChangeKind,
  type FileStep,
  type FolderPlan,
  handEdited,
  isIgnoredName,
  isObjectFile,
  planFolder,
  type PlanOptions,
} from './plan-folder.ts'
import { planKnownFolder } from './plan-known-folder.ts'
import { planRecord } from './plan-record.ts'
import { type FolderState, isAtOrBelow, listTree, noListing, readFolderState, type TreeListing } from './read-tree.ts'
import { hasHash } from './same-text.ts'
import { type FileContent, fileContent, type FolderContent, type KnownContent, listFolder } from './serialize-folder.ts'
import { formatOwner, type TreeOwner } from './tree-owner.ts'
import { readWritten, type WrittenRecord } from './written-record.ts'

/** The changes that a run would make to the whole tree; with problems it may not be carried out. */
export interface TreePlan {
  readonly steps: TreeSteps
  /** The record of the run, in the control folder; no part of the tree. */
  readonly record: FolderSteps | undefined
  readonly unchanged: number
  readonly problems: readonly Diagnostic[]
}

/** The inputs of a plan besides the tree. */
export interface TreePlanOptions extends Omit<PlanOptions, 'crypto' | 'written'> {
  readonly output: string
  readonly owner: TreeOwner
  readonly allowEmpty: boolean
  readonly known?: KnownDisk | undefined
}

type PlanPorts = Pick<Ports, 'files' | 'crypto' | 'git'>

/** A folder, and what makes it again. */
interface GivenFolder {
  readonly content: FolderContent<KnownContent>
  readonly again: MakeAgain | undefined
}

/** The files that a folder is to have. */
interface WantedFiles {
  readonly files: FolderContent<KnownContent>['files']
  readonly again: MakeAgain | undefined
}

/** The facts about a folder that stay when its files are forgotten. */
interface PlannedFolder {
  readonly objects: number
  /** Names of folders in it that its kustomization.yaml names. */
  readonly includes: readonly string[]
  /** Hashes by file name; equal folders share them. */
  readonly hashes: FolderHashes
}

/**
 * Compares a tree with what lies on disk, folder by folder as they are rendered: what differs is staged at once, and no
 * text is kept. Reads only below the tree's scopes, and never through a link.
 */
export class TreePlanner {
  readonly #options: TreePlanOptions
  readonly #ports: PlanPorts
  readonly #staging: Pick<Staging, 'take' | 'put'> | undefined
  readonly #folders = new Map<string, PlannedFolder>()
  readonly #hashes: SharedLists<string>
  readonly #changes: SharedLists<FileChangeKind>
  /** Folders that name others: what these hold decides what is written. */
  readonly #naming: GivenFolder[] = []
  readonly #conflicts: Diagnostic[] = []
  readonly #problems: Diagnostic[] = []
  readonly #steps = new Map<string, FolderSteps>()
  readonly #doubtful: DoubtfulFile[] = []
  /** How many objects of ours folders have now, of those that have any. */
  readonly #objectsBefore = new Map<string, number>()
  readonly #blocked = new Map<string, Promise<string | undefined>>()
  /** Folders in which all is as it is to be, and whose lines in the record are right. */
  readonly #settled = new Set<string>()
  readonly #trees: KnownTrees
  #written: Promise<WrittenRecord> | undefined
  #unchanged = 0
  #failure: { readonly error: unknown } | undefined

  /** @param staging where new content goes; without one it is only compared */
  constructor(options: TreePlanOptions, ports: PlanPorts, staging?: Pick<Staging, 'take' | 'put'>) {
    this.#options = options
    this.#ports = ports
    this.#staging = staging
    this.#hashes = new SharedLists(ports.crypto)
    this.#changes = new SharedLists(ports.crypto)
    this.#trees = new KnownTrees({
      ...options,
      crypto: ports.crypto,
      written: () => this.#readWritten(),
      isBlocked: async (path) => (await this.#blockedAt(parentOf(path))) !== undefined,
    })
  }

  /**
   * Plans folders of the tree, those of one unit. `again` must be there where a file is known by its hash alone.
   * @throws what {@link end} throws, too: FileError when something cannot be read or staged
   */
  async add(folders: readonly FolderContent<KnownContent>[], again?: MakeAgain): Promise<void> {
    let made: ReturnType<MakeAgain> | undefined
    const once = again === undefined ? undefined : (): ReturnType<MakeAgain> => (made ??= again())
    try {
      const naming = await mapConcurrently(folders, (content) => this.#addOne({ content, again: once }))
      // of a unit all folders are known by now; others wait for those that come
      for (const folder of naming.flatMap((found) => found ?? []))
        if (this.#areKnown(folder.content)) await this.#planListed(folder)
        else this.#naming.push(folder)
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
  }

  /** Plans a unit that an earlier run made: where all of its trees are in place, not even their files are looked at. */
  async addKnown(unit: KnownUnit): Promise<void> {
    try {
      if (!(await this.#isSettled(unit))) return await this.add(unit.folders(), unit.again)
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
    for (const { path, objects, includes, files, objectFiles } of unit.outline) {
      this.#noteFolder(path, { objects, includes, hashes: noHashes })
      this.#unchanged += files
      if (objectFiles > 0) this.#objectsBefore.set(path, objectFiles)
    }
    for (const tree of unit.trees.keys()) this.#settled.add(tree)
  }

  async #isSettled({ trees }: KnownUnit): Promise<boolean> {
    if (trees.size === 0) return false
    for (const [tree, digest] of trees) if ((await this.#trees.digestOf(tree)) !== digest) return false
    return true
  }

  /**
   * Plans what is left when all folders are known. `scopes` are folder prefixes (relative, no trailing slash) that the
   * run speaks for; what lies under them and is not rendered is stale. `''` = all.
   * @throws StackmasonError WRITE_PATH_CONFLICT, every conflict of every folder; FileError when something cannot be
   * read or staged
   */
  async end(scopes: readonly string[]): Promise<TreePlan> {
    const { output, display } = this.#options
    const { files, git } = this.#ports
    if (this.#failure !== undefined) throw this.#failure.error
    for (const folder of this.#naming.splice(0)) await this.#planListed(folder)
    if (this.#conflicts.length > 0)
      throw new StackmasonError(this.#conflicts.toSorted((a, b) => compareBytes(a.file ?? '', b.file ?? '')))
    refuseOutside(this.#folders.keys(), scopes)
    const isThere = (await files.stat(output)) !== undefined
    const isKnown = (path: string): boolean => this.#folders.has(path)
    const whole = await this.#trees.holdingOnly(isKnown)
    const isSettled = (path: string): boolean => this.#settled.has(path) || whole.has(path)
    const listing = isThere ? await listTree({ output, scopes, isKnown, isSettled }, files) : noListing
    const unowned = findInnerTree(listing, display) ?? unownedOutput(listing, this.#options)
    const owner = unowned ?? (await checkOwner(this.#options, files))
    if ('code' in owner) return { steps: new Map(), record: undefined, unchanged: 0, problems: [owner] }
    await this.#planRoot(listing, owner)
    const stale = [...listing.entries].filter(([path]) => isIn(path, scopes) && !this.#folders.has(path))
    await mapConcurrently(stale, ([path, entries]) => this.#compare(path, entries, undefined))
    const edited = await keepUncommitted(output, this.#doubtful, git)
    const problems = [...this.#problems, ...[...edited].map((path) => handEdited(display(path)))]
    if (!this.#options.allowEmpty) problems.push(...this.#findEmptied(scopes))
    const isRecorded = this.#folders.size > 0 && problems.length === 0 && this.#staging !== undefined
    return {
      // an edited file differs, too: a check says so, and a write is refused by its problem
      steps: this.#steps,
      record: isRecorded ? await this.#stageRecord(scopes) : undefined,
      unchanged: this.#unchanged,
      problems: problems.toSorted((a, b) => compareBytes(a.file ?? '', b.file ?? '')),
    }
  }

  /** The output folder always says whose it is, even while nothing is rendered. */
  async #planRoot(listing: TreeListing, owner: TreeOwner): Promise<void> {
    const entries = listing.entries.get('') ?? []
    const isOwned = entries.some(({ name }) => name === OWNER_FILE || name === OLD_INVENTORY)
    if (this.#folders.size === 0 && !isOwned) return
    const files = new Map([[OWNER_FILE, fileContent(formatOwner(owner), this.#ports.crypto)]])
    this.#folders.set('', { objects: 0, includes: [], hashes: await this.#hashesOf('', files) })
    await this.#compare('', entries, { files, again: undefined })
  }

  /** Plans a folder, unless it names others: then it is returned. */
  async #addOne(folder: GivenFolder): Promise<GivenFolder | undefined> {
    const { path, objects, list, problems } = folder.content
    this.#noteFolder(path, { objects, includes: list?.includes ?? [], hashes: noHashes })
    if (problems === undefined && list !== undefined) return folder
    await this.#plan(folder)
    return undefined
  }

  #noteFolder(path: string, folder: PlannedFolder): void {
    if (this.#folders.has(path)) throw new Error(`folder ${path} is rendered twice`)
    this.#folders.set(path, folder)
  }

  #planListed({ content, again }: GivenFolder): Promise<void> {
    return this.#plan({ content: this.#listed(content), again })
  }

  /** True if all folders that a folder includes are known, and what these include. */
  #areKnown({ path, list }: Pick<FolderContent<KnownContent>, 'path' | 'list'>): boolean {
    return (list?.includes ?? []).every((name) => {
      const at = joinPath(path, name)
      const folder = this.#folders.get(at)
      return folder !== undefined && this.#areKnown({ path: at, list: folder })
    })
  }

  /** A folder that includes others, with its kustomization.yaml: these are known. */
  #listed(content: FolderContent<KnownContent>): FolderContent<KnownContent> {
    const { path, list } = content
    if (list === undefined) return content
    return listFolder(content, { ...list, includes: this.#filled({ path, ...list }) }, this.#ports.crypto)
  }

  async #plan({ content, again }: GivenFolder): Promise<void> {
    const { path, files, objects, problems } = content
    if (problems !== undefined) {
      const { display } = this.#options
      this.#conflicts.push(...problems.map((found) => ({ ...found, file: display(found.file ?? path) })))
      return
    }
    const hashes = await this.#hashesOf(path, files)
    this.#folders.set(path, { objects, includes: this.#folders.get(path)?.includes ?? [], hashes })
    const lying = await this.#trees.filesIn(path)
    if (lying !== undefined) {
      await this.#carryOver(path, lying, { files, again })
      return
    }
    const entries = await this.#entriesOf(path)
    if (typeof entries === 'string') this.#problems.push(notAFolder(entries, this.#options))
    else if (await this.#isUnchanged(path, entries, files)) this.#noteUnchanged(path, files)
    else await this.#compare(path, entries, files.size > 0 ? { files, again } : undefined)
  }

  /** Plans a folder of which all is known, and stages what differs. */
  async #carryOver(path: string, lying: FolderHashes, { files, again }: WantedFiles): Promise<void> {
    const wanted = new Map<string, KnownContent>()
    for (const [name, file] of files) {
      const { bytes, sha256 } = file
      const isAtHand = bytes !== undefined || lying.get(name) === sha256
      wanted.set(name, isAtHand ? file : { bytes: await madeAgain(name, { path, sha256, again }), sha256 })
    }
    await this.#take(path, planKnownFolder(lying, wanted))
  }

  /** True if a folder holds just the files that it is to have: then there is nothing to plan, and nothing to read. */
  async #isUnchanged(path: string, entries: readonly DirectoryEntry[], files: WantedFiles['files']): Promise<boolean> {
    const { known, output } = this.#options
    if (known === undefined || files.size === 0) return false
    const present = entries.filter(({ name, type }) => type !== 'directory' && !isIgnoredName(name))
    if (present.length !== files.size || present.some(({ name, type }) => type !== 'file' || !files.has(name)))
      return false
    for (const [name, { sha256 }] of files) if (!(await known.holds(joinPath(output, path, name), sha256))) return false
    return true
  }

  #noteUnchanged(path: string, files: WantedFiles['files']): void {
    this.#unchanged += files.size
    const objects = [...files.keys()].filter(isObjectFile).length
    if (objects > 0) this.#objectsBefore.set(path, objects)
  }

  /** Plans one folder, and stages what differs. */
  async #compare(path: string, entries: readonly DirectoryEntry[], wanted: WantedFiles | undefined): Promise<void> {
    const { output } = this.#options
    const state = await readFolderState(
      { path, entries, expected: wanted?.files },
      { output, files: this.#ports.files },
    )
    const written = await this.#readWritten()
    const options = { ...this.#options, crypto: this.#ports.crypto, written }
    await this.#take(path, planFolder(state, wanted && { files: await this.#complete(state, wanted) }, options))
  }

  async #take(path: string, plan: FolderPlan): Promise<void> {
    this.#problems.push(...plan.problems)
    this.#doubtful.push(...plan.doubtful)
    this.#unchanged += plan.unchanged
    if (plan.objectsBefore > 0) this.#objectsBefore.set(path, plan.objectsBefore)
    if (plan.steps.length > 0) this.#steps.set(path, await this.#stage(path, plan.steps))
  }

  /** The files with their bytes: what has the hash on disk is as it should be, and other files are made again. */
  async #complete(
    { path, bytes: onDisk }: FolderState,
    { files, again }: WantedFiles,
  ): Promise<ReadonlyMap<string, FileContent>> {
    const complete = new Map<string, FileContent>()
    for (const [name, { bytes, sha256 }] of files) {
      const before = bytes ?? onDisk.get(name)
      const isThere = before !== undefined && (before === bytes || hasHash(before, sha256, this.#ports.crypto))
      const made = isThere ? before : await madeAgain(name, { path, sha256, again })
      complete.set(name, { bytes: made, sha256 })
    }
    return complete
  }

  /** Stages what is written, and forgets it. */
  async #stage(path: string, steps: readonly FileStep[]): Promise<FolderSteps> {
    const first = this.#staging?.take(steps.length) ?? 0
    await mapConcurrently([...steps.entries()], async ([index, { content }]) => {
      if (content !== undefined) await this.#staging?.put(first + index, content.bytes)
    })
    const after = new Map(steps.flatMap(({ name, content }) => (content === undefined ? [] : [[name, content.sha256]])))
    const before = new Map(steps.flatMap((step) => (step.before === undefined ? [] : [[step.name, step.before]])))
    const known = this.#folders.get(path)?.hashes ?? noHashes
    const wanted = holdsList(known, after) ? known : after
    const changes = new Map(steps.map(({ name, change }) => [name, change]))
    return {
      path,
      changes: withNamesOf(changes, wanted) ?? this.#changes.share(changes),
      first,
      after: wanted,
      before: before.size === 0 ? noHashes : this.#hashes.share(before),
    }
  }

  /** The record after the run: within its scope, exactly the files that it rendered. */
  async #stageRecord(scopes: readonly string[]): Promise<FolderSteps | undefined> {
    const folders = new Map<string, FolderHashes>()
    for (const [folder, { hashes }] of this.#folders) if (hashes.size > 0) folders.set(folder, hashes)
    const written = await this.#readWritten()
    const isAll = scopes.includes('') && this.#settled.size > 0
    const record = isAll ? written.afterAll(folders, this.#settled) : written.after(scopes, folders)
    const steps = await planRecord(record, this.#options.output, this.#ports)
    return steps.length === 0 ? undefined : this.#stage(CONTROL_FOLDER, steps)
  }

  /** A folder that stays without files must not be named: kustomize refuses one without a kustomization. */
  #filled({ path, includes }: { readonly path: string; readonly includes: readonly string[] }): readonly string[] {
    return includes.filter((name) => {
      const at = joinPath(path, name)
      const folder = this.#folders.get(at)
      return (
        folder === undefined || folder.objects > 0 || this.#filled({ path: at, includes: folder.includes }).length > 0
      )
    })
  }

  /** The hashes of a folder's files: the same list as the record has, or as another folder, where they are equal. */
  async #hashesOf(path: string, files: WantedFiles['files']): Promise<FolderHashes> {
    const hashes = new Map(Array.from(files, ([name, file]) => [name, file.sha256]))
    const before = (await this.#readWritten()).get(path)
    return before !== undefined && isSameList(before, hashes) ? before : this.#hashes.share(hashes)
  }

  #readWritten(): Promise<WrittenRecord> {
    this.#written ??= readWritten(this.#options.output, this.#ports.files, this.#hashes)
    return this.#written
  }

  /** The entries of a folder; where something else is in its way, the path of that. */
  async #entriesOf(path: string): Promise<readonly DirectoryEntry[] | string> {
    const blocked = await this.#blockedAt(parentOf(path))
    if (blocked !== undefined) return blocked
    const type = await this.#typeAt(path)
    if (type === undefined) return []
    return type === 'directory' ? this.#ports.files.entries(joinPath(this.#options.output, path)) : path
  }

  /**
   * The path that is in the way of a folder, or in its place; asked once, since all clusters lie below the same few.
   */
  #blockedAt(path: string): Promise<string | undefined> {
    if (path === '') return Promise.resolve(undefined)
    const known = this.#blocked.get(path) ?? this.#findBlocked(path)
    this.#blocked.set(path, known)
    return known
  }

  async #findBlocked(path: string): Promise<string | undefined> {
    const above = await this.#blockedAt(parentOf(path))
    if (above !== undefined) return above
    const type = await this.#typeAt(path)
    return type === undefined || type === 'directory' ? undefined : path
  }

  async #typeAt(path: string): Promise<FileType | undefined> {
    return (await this.#ports.files.stat(joinPath(this.#options.output, path)))?.type
  }

  /**
   * Folders that lose all objects though they are still rendered, unless there is something in those that they name;
   * and scopes of which nothing is left.
   */
  #findEmptied(all: readonly string[]): readonly Diagnostic[] {
    const { display } = this.#options
    const folders = [...this.#folders]
    const emptied = folders
      .filter(
        ([path, { objects, includes }]) =>
          path !== '' && objects === 0 && includes.length === 0 && this.#objectsBefore.has(path),
      )
      .map(([path]) => path)
    const scopes = all.filter((scope) => {
      const isRendered = folders.some(([path, { objects }]) => objects > 0 && isAtOrBelow(path, scope))
      const isNamed = emptied.some((path) => isAtOrBelow(path, scope))
      return !isRendered && !isNamed && this.#objectsBelow(scope) > 0
    })
    return [...new Set([...emptied, ...scopes])].map((path) => ({
      code: 'WRITE_EMPTY',
      severity: 'error',
      message: `nothing is rendered here, where ${String(this.#objectsBelow(path))} objects were before`,
      file: display(path),
      hint: all.includes('')
        ? 'Check the inputs; pass --allow-empty if it is meant.'
        : 'Check the inputs. If it is meant, run `stackmason render` without --cluster and --stack: that takes it out of the lists above, too.',
    }))
  }

  #objectsBelow(folder: string): number {
    let count = 0
    for (const [path, objects] of this.#objectsBefore) if (isAtOrBelow(path, folder)) count += objects
    return count
  }
}

/** @throws Error where it comes out differently: a defect of whoever took it for known */
async function madeAgain(
  name: string,
  { path, sha256, again }: { readonly path: string; readonly sha256: string; readonly again: MakeAgain | undefined },
): Promise<Uint8Array> {
  const folder = (await again?.())?.find((content) => content.path === path)
  const file = folder?.files.get(name)
  if (file?.sha256 !== sha256) throw new Error(`${path}/${name} is not what it was known to be`)
  return file.bytes
}

function isIn(path: string, scopes: readonly string[]): boolean {
  return scopes.some((scope) => isAtOrBelow(path, scope))
}

/** Refuses files outside of the scope of the run: a defect of ours, never of the input. */
function refuseOutside(folders: Iterable<string>, scopes: readonly string[]): void {
  for (const path of folders)
    if (!isIn(path, scopes)) throw new Error(`folder ${path} lies outside of what the run speaks for`)
}

/** The output folder is ours when it says whose it is, and ours to take when it is empty. */
function unownedOutput(listing: TreeListing, options: TreePlanOptions): Diagnostic | undefined {
  const entries = (listing.entries.get('') ?? []).filter(
    (entry) => entry.name !== CONTROL_FOLDER && !isIgnoredName(entry.name),
  )
  if (entries.some(({ name }) => name === OWNER_FILE || name === OLD_INVENTORY)) return undefined
  const { publishedPath, display } = options
  // forges make branches with a README.md, and nothing of the tree is in its way
  const [first] = publishedPath === '' ? entries.filter(({ name }) => topFolders.has(name.toLowerCase())) : entries
  if (first === undefined) return undefined
  const [folder, field] =
    publishedPath === undefined
      ? ['the output folder', 'spec.output.path']
      : [`"${publishedPath || '.'}" of the branch that takes the tree`, 'spec.publish.path']
  return {
    code: 'WRITE_NOT_OWNED',
    severity: 'error',
    message: `${folder} holds things that stackmason did not write, e.g. ${first.name}, and no ${OWNER_FILE}`,
    file: display(''),
    hint: `Name a folder of its own in ${field}, or bring back ${OWNER_FILE} with git.`,
  }
}

/** What a tree may have in its root beside the file that says whose it is. */
const topFolders: ReadonlySet<string> = new Set([STACKS, CLUSTERS, HANDOFF, ARTIFACTS])

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function notAFolder(path: string, options: TreePlanOptions): Diagnostic {
  const file = options.display(path)
  return {
    code: 'WRITE_NOT_OWNED',
    severity: 'error',
    message: 'a folder is to be written here, and something else is in the way; links are not followed',
    file,
    hint: 'Move it out of the output folder and render again.',
  }
}
