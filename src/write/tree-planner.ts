import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { dirName, joinPath } from '../codec/path.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import type { RenderedFolder } from '../model/manifest.ts'
import type { DirectoryEntry, Files, FileType, Ports } from '../model/ports.ts'
import type { StagedStep, Staging } from './apply-plan.ts'
import { checkOwner, findInnerTree } from './check-owner.ts'
import { CONTROL_FOLDER, controlPaths } from './control-folder.ts'
import { type DoubtfulFile, keepUncommitted } from './keep-uncommitted.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { OLD_INVENTORY } from './old-inventory.ts'
import { type FileStep, handEdited, isIgnoredName, planFolder, type PlanOptions } from './plan-folder.ts'
import { planRecord } from './plan-record.ts'
import { isAtOrBelow, listTree, readFolderState, type TreeListing } from './read-tree.ts'
import { fileContent, type FolderContent, type KnownFiles, serializeFolder } from './serialize-folder.ts'
import { sha256 } from './sha256.ts'
import { formatOwner, OWNER_FILE, type TreeOwner } from './tree-owner.ts'
import { parseWrittenFiles, type WrittenFiles } from './written-files.ts'

/** The changes that a run would make to the whole tree; with problems it may not be carried out. */
export interface TreePlan {
  /** In path order. */
  readonly steps: readonly StagedStep[]
  /** The record of the run, in the control folder; no part of the tree. */
  readonly record: readonly StagedStep[]
  readonly unchanged: number
  readonly problems: readonly Diagnostic[]
}

/** The inputs of a plan besides the tree. */
export interface TreePlanOptions extends Omit<PlanOptions, 'crypto' | 'written'> {
  readonly output: string
  readonly owner: TreeOwner
  readonly allowEmpty: boolean
}

type PlanPorts = Pick<Ports, 'files' | 'crypto' | 'git'>

/** The facts about a folder that stay when its files are forgotten. */
interface PlannedFolder {
  readonly manifests: number
  /** Names of folders in it that its kustomization.yaml names. */
  readonly includes: readonly string[]
  /** Hashes by file name; equal folders share them. */
  readonly hashes: ReadonlyMap<string, string>
}

/**
 * Compares a tree with what lies on disk, folder by folder as they are rendered: what differs is staged at once, and no
 * text is kept. Reads only below the tree's scopes, and never through a link.
 */
export class TreePlanner {
  readonly #options: TreePlanOptions
  readonly #ports: PlanPorts
  readonly #staging: Pick<Staging, 'put'> | undefined
  readonly #known: KnownFiles = new WeakMap()
  readonly #folders = new Map<string, PlannedFolder>()
  readonly #hashes = new Map<string, ReadonlyMap<string, string>>()
  /** Folders that name others: what these hold decides what is written. */
  readonly #naming: RenderedFolder[] = []
  readonly #conflicts: Diagnostic[] = []
  readonly #problems: Diagnostic[] = []
  readonly #steps: StagedStep[] = []
  readonly #doubtful: DoubtfulFile[] = []
  /** How many objects of ours folders have now, of those that have any. */
  readonly #objectsBefore = new Map<string, number>()
  readonly #blocked = new Map<string, Promise<string | undefined>>()
  #written: Promise<WrittenFiles> | undefined
  #unchanged = 0
  #failure: { readonly error: unknown } | undefined

  /** @param staging where new content goes; without one it is only compared */
  constructor(options: TreePlanOptions, ports: PlanPorts, staging?: Pick<Staging, 'put'>) {
    this.#options = options
    this.#ports = ports
    this.#staging = staging
  }

  /** Plans folders of the tree. @throws what {@link end} throws, too: FileError when something cannot be read or staged */
  async add(folders: readonly RenderedFolder[]): Promise<void> {
    try {
      await mapConcurrently(folders, (folder) => this.#addOne(folder))
    } catch (error) {
      this.#failure ??= { error }
      throw error
    }
  }

  /**
   * Plans what is left when all folders are known. `scopes` are folder prefixes (relative, no trailing slash) that the
   * run speaks for; what lies under them and is not rendered is stale. `''` = all.
   * @throws StackmasonError WRITE_PATH_CONFLICT, every conflict of every folder; FileError when something cannot be read or staged
   */
  async end(scopes: readonly string[]): Promise<TreePlan> {
    const { output, display } = this.#options
    const { files, crypto, git } = this.#ports
    if (this.#failure !== undefined) throw this.#failure.error
    for (const folder of this.#naming.splice(0)) await this.#plan({ ...folder, includes: this.#filled(folder) })
    if (this.#conflicts.length > 0)
      throw new StackmasonError(this.#conflicts.toSorted((a, b) => compareBytes(a.file ?? '', b.file ?? '')))
    refuseOutside(this.#folders.keys(), scopes)
    const isThere = (await files.stat(output)) !== undefined
    const listing: TreeListing = isThere ? await listTree(output, scopes, files) : new Map([['', []]])
    const unowned = findInnerTree(listing, display) ?? unownedOutput(listing, this.#options)
    const owner = unowned ?? (await checkOwner(this.#options, files))
    if ('code' in owner) return { steps: [], record: [], unchanged: 0, problems: [owner] }
    await this.#planRoot(listing, owner)
    const stale = [...listing.keys()].filter((path) => isIn(path, scopes) && !this.#folders.has(path))
    await mapConcurrently(stale, (path) => this.#compare(path, listing.get(path) ?? [], undefined))
    const edited = await keepUncommitted(output, this.#doubtful, git)
    const problems = [...this.#problems, ...[...edited].map((path) => handEdited(display(path)))]
    if (!this.#options.allowEmpty) problems.push(...this.#findEmptied(scopes))
    const record =
      this.#folders.size === 0
        ? []
        : await planRecord(this.#record(await this.#readWritten(), scopes), output, { files, crypto })
    return {
      // an edited file differs, too: a check says so, and a write is refused by its problem
      steps: this.#steps.toSorted((a, b) => compareBytes(a.path, b.path)),
      record: problems.length > 0 ? [] : await this.#stage(record),
      unchanged: this.#unchanged,
      problems: problems.toSorted((a, b) => compareBytes(a.file ?? '', b.file ?? '')),
    }
  }

  /** The output folder always says whose it is, even while nothing is rendered. */
  async #planRoot(listing: TreeListing, owner: TreeOwner): Promise<void> {
    const entries = listing.get('') ?? []
    const isOwned = entries.some(({ name }) => name === OWNER_FILE || name === OLD_INVENTORY)
    if (this.#folders.size === 0 && !isOwned) return
    const files = new Map([[OWNER_FILE, fileContent(formatOwner(owner), this.#ports.crypto)]])
    this.#folders.set('', { manifests: 0, includes: [], hashes: this.#shared(files) })
    await this.#compare('', entries, files)
  }

  async #addOne(folder: RenderedFolder): Promise<void> {
    const { path, manifests, includes = [] } = folder
    if (this.#folders.has(path)) throw new Error(`folder ${path} is rendered twice`)
    this.#folders.set(path, { manifests: manifests.length, includes, hashes: NO_HASHES })
    if (includes.length > 0) this.#naming.push(folder)
    else await this.#plan(folder)
  }

  async #plan(folder: RenderedFolder): Promise<void> {
    const { path, manifests, includes = [] } = folder
    let content: FolderContent
    try {
      content = serializeFolder(folder, this.#ports.crypto, this.#known)
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      const { display } = this.#options
      this.#conflicts.push(...error.diagnostics.map((found) => ({ ...found, file: display(found.file ?? path) })))
      return
    }
    this.#folders.set(path, { manifests: manifests.length, includes, hashes: this.#shared(content.files) })
    const entries = await this.#entriesOf(path)
    if (typeof entries === 'string') this.#problems.push(notAFolder(entries, this.#options))
    else await this.#compare(path, entries, content.files.size > 0 ? content.files : undefined)
  }

  /** Plans one folder, and stages what differs. */
  async #compare(
    path: string,
    entries: readonly DirectoryEntry[],
    files: FolderContent['files'] | undefined,
  ): Promise<void> {
    const state = await readFolderState({ path, entries }, { output: this.#options.output, files: this.#ports.files })
    const written = await this.#readWritten()
    const options = { ...this.#options, crypto: this.#ports.crypto, written }
    const plan = planFolder(state, files && { files }, options)
    this.#problems.push(...plan.problems)
    this.#doubtful.push(...plan.doubtful)
    this.#unchanged += plan.unchanged
    if (plan.objectsBefore > 0) this.#objectsBefore.set(path, plan.objectsBefore)
    this.#steps.push(...(await this.#stage(plan.steps)))
  }

  /** Each field is written out: V8 gives each object that is spread a shape of its own, and there is one for each file. */
  async #stage(steps: readonly FileStep[]): Promise<readonly StagedStep[]> {
    return mapConcurrently(steps, async ({ path, change, before, content }): Promise<StagedStep> => {
      const staged = content === undefined ? undefined : await this.#staging?.put(content.bytes)
      return { path, change, staged, sha256: content?.sha256, before }
    })
  }

  /** A folder that stays without files must not be named: kustomize refuses one without a kustomization. */
  #filled({ path, includes = [] }: Pick<RenderedFolder, 'path' | 'includes'>): readonly string[] {
    return includes.filter((name) => {
      const at = joinPath(path, name)
      const folder = this.#folders.get(at)
      return (
        folder === undefined || folder.manifests > 0 || this.#filled({ path: at, includes: folder.includes }).length > 0
      )
    })
  }

  /** The hashes of files; those of a folder that is equal to another, if there is one. */
  #shared(files: FolderContent['files']): ReadonlyMap<string, string> {
    const key = sha256(Array.from(files, ([name, file]) => `${name} ${file.sha256}\n`).join(''), this.#ports.crypto)
    const known = this.#hashes.get(key) ?? new Map(Array.from(files, ([name, file]) => [name, file.sha256]))
    this.#hashes.set(key, known)
    return known
  }

  #readWritten(): Promise<WrittenFiles> {
    this.#written ??= readWritten(this.#options.output, this.#ports.files)
    return this.#written
  }

  /** The record after the run: within its scope, exactly the files that it rendered. */
  #record(written: WrittenFiles, scopes: readonly string[]): WrittenFiles {
    const record = new Map([...written].filter(([path]) => !isIn(dirName(path), scopes)))
    for (const [folder, { hashes }] of this.#folders)
      for (const [name, hash] of hashes) record.set(folder === '' ? name : `${folder}/${name}`, hash)
    return record
  }

  /** What lies in a folder; where something else is in its way, the path of that. */
  async #entriesOf(path: string): Promise<readonly DirectoryEntry[] | string> {
    const blocked = await this.#blockedAt(parentOf(path))
    if (blocked !== undefined) return blocked
    const type = await this.#typeAt(path)
    if (type === undefined) return []
    return type === 'directory' ? this.#ports.files.entries(joinPath(this.#options.output, path)) : path
  }

  /** What on the way to a folder, or in its place, is something else; asked once, since all clusters lie below the same few. */
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
        ([path, { manifests, includes }]) =>
          path !== '' && manifests === 0 && includes.length === 0 && this.#objectsBefore.has(path),
      )
      .map(([path]) => path)
    const scopes = all.filter((scope) => {
      const isRendered = folders.some(([path, { manifests }]) => manifests > 0 && isAtOrBelow(path, scope))
      const isNamed = emptied.some((path) => isAtOrBelow(path, scope))
      return !isRendered && !isNamed && this.#objectsBelow(scope) > 0
    })
    return [...new Set([...emptied, ...scopes])].map((path) => ({
      code: 'WRITE_EMPTY',
      severity: 'error',
      message: `nothing is rendered here, where ${String(this.#objectsBelow(path))} objects were before`,
      file: display(path),
      hint: 'Check the inputs; pass --allow-empty if it is meant.',
    }))
  }

  #objectsBelow(folder: string): number {
    let count = 0
    for (const [path, objects] of this.#objectsBefore) if (isAtOrBelow(path, folder)) count += objects
    return count
  }
}

const NO_HASHES: ReadonlyMap<string, string> = new Map()

function isIn(path: string, scopes: readonly string[]): boolean {
  return scopes.some((scope) => isAtOrBelow(path, scope))
}

/** Refuses files outside of the scope of the run: a defect of ours, never of the input. */
function refuseOutside(folders: Iterable<string>, scopes: readonly string[]): void {
  for (const path of folders)
    if (!isIn(path, scopes)) throw new Error(`folder ${path} lies outside of what the run speaks for`)
}

async function readWritten(output: string, files: Files): Promise<WrittenFiles> {
  const path = joinPath(output, controlPaths.written)
  return (await files.stat(path))?.type === 'file' ? parseWrittenFiles(decodeUtf8(await files.read(path))) : new Map()
}

/** The output folder is ours when it says whose it is, and ours to take when it is empty. */
function unownedOutput(listing: TreeListing, options: TreePlanOptions): Diagnostic | undefined {
  const entries = (listing.get('') ?? []).filter((entry) => entry.name !== CONTROL_FOLDER && !isIgnoredName(entry.name))
  const [first] = entries
  if (first === undefined || entries.some(({ name }) => name === OWNER_FILE || name === OLD_INVENTORY)) return undefined
  const folder = options.display('')
  return {
    code: 'WRITE_NOT_OWNED',
    severity: 'error',
    message: `the output folder holds things that stackmason did not write, e.g. ${first.name}, and no ${OWNER_FILE}`,
    file: folder,
    hint: `Name a folder of its own in spec.output.path, or bring back ${OWNER_FILE} with git.`,
  }
}

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
