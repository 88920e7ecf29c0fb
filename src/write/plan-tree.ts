import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { dirName, joinPath } from '../codec/path.ts'
import { compareBytes } from '../codec/text/text-order.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { DirectoryEntry, Files, Ports, Crypto } from '../model/ports.ts'
import { checkOwner, findInnerTree } from './check-owner.ts'
import { CONTROL_FOLDER, controlPaths } from './control-folder.ts'
import { keepUncommitted } from './keep-uncommitted.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { OLD_INVENTORY } from './old-inventory.ts'
import {
  type FileStep,
  type FolderPlan,
  handEdited,
  isIgnoredName,
  planFolder,
  type PlanOptions,
} from './plan-folder.ts'
import { planRecord } from './plan-record.ts'
import { isAtOrBelow, listTree, readFolderState, type TreeListing } from './read-tree.ts'
import { fileContent, type FolderContent } from './serialize-folder.ts'
import type { FolderFacts, TreeContents } from './tree-contents.ts'
import { formatOwner, OWNER_FILE, type TreeOwner } from './tree-owner.ts'
import { parseWrittenFiles, type WrittenFiles } from './written-files.ts'

/** The changes that a run would make to the whole tree; with problems it may not be carried out. */
export interface TreePlan {
  /** In path order. */
  readonly steps: readonly FileStep[]
  /** The record of the run, in the control folder; no part of the tree. */
  readonly record: readonly FileStep[]
  readonly unchanged: number
  readonly problems: readonly Diagnostic[]
}

/** A tree as it is to be written. */
export interface WrittenTree {
  readonly contents: TreeContents
  /**
   * Folder prefixes (relative, no trailing slash) that the run speaks for; what lies under them and is not rendered is
   * stale. `''` = all.
   */
  readonly scopes: readonly string[]
}

/** The inputs of a plan besides the tree. */
export interface TreePlanOptions extends Omit<PlanOptions, 'crypto' | 'written'> {
  readonly output: string
  readonly owner: TreeOwner
  readonly allowEmpty: boolean
}

/**
 * Compares the tree with what lies on disk. Reads only below the tree's scopes, and never through a link.
 * @throws StackmasonError WRITE_PATH_CONFLICT; FileError when something cannot be read
 */
export async function planTree(tree: WrittenTree, options: TreePlanOptions, ports: PlanPorts): Promise<TreePlan> {
  const { contents, facts } = tree.contents.all(options.display)
  refuseOutside(facts, tree)
  const isThere = (await ports.files.stat(options.output)) !== undefined
  const listing: TreeListing = isThere ? await listTree(options.output, tree.scopes, ports.files) : new Map([['', []]])
  const unowned = findInnerTree(listing, options.display) ?? unownedOutput(listing, options)
  const owner = unowned ?? (await checkOwner(options, ports.files))
  if ('code' in owner) return { steps: [], record: [], unchanged: 0, problems: [owner] }
  addOwner(contents, { listing, owner, crypto: ports.crypto })
  const written = await readWritten(options.output, ports.files)
  const problems: Diagnostic[] = []
  const plans = new Map<string, FolderPlan>()
  const inScope = [...listing.keys()].filter((path) => isInScope(path, tree))
  const paths = [...new Set([...contents.keys(), ...inScope])].sort(compareBytes)
  await mapConcurrently(paths, async (path) => {
    const content = contents.get(path)
    const entries = listing.get(path)
    const blocked = entries === undefined ? blockedAncestor(path, listing) : undefined
    if (blocked !== undefined) problems.push(notAFolder(blocked, options))
    else plans.set(path, await planOne({ path, entries: entries ?? [], content }, { ...options, written }, ports))
  })
  const ordered = paths.flatMap((path) => plans.get(path) ?? [])
  problems.push(...ordered.flatMap((plan) => plan.problems))
  const doubtful = ordered.flatMap((plan) => plan.doubtful)
  const edited = await keepUncommitted(options.output, doubtful, ports.git)
  problems.push(...[...edited].map((path) => handEdited(options.display(path))))
  if (!options.allowEmpty) problems.push(...findEmptied({ facts, scopes: tree.scopes }, plans, options))
  // an edited file differs, too: a check says so, and a write is refused by its problem
  const steps = ordered.flatMap((plan) => plan.steps)
  return {
    steps: steps.toSorted((a, b) => compareBytes(a.path, b.path)),
    record: contents.size === 0 ? [] : await planRecord(recordOf(contents, written, tree), options.output, ports),
    unchanged: ordered.reduce((sum, plan) => sum + plan.unchanged, 0),
    problems: problems.toSorted((a, b) => compareBytes(a.file ?? '', b.file ?? '')),
  }
}

type PlanPorts = Pick<Ports, 'files' | 'crypto' | 'git'>

function isInScope(path: string, tree: WrittenTree): boolean {
  return tree.scopes.some((scope) => isAtOrBelow(path, scope))
}

async function readWritten(output: string, files: Files): Promise<WrittenFiles> {
  const path = joinPath(output, controlPaths.written)
  return (await files.stat(path))?.type === 'file' ? parseWrittenFiles(decodeUtf8(await files.read(path))) : new Map()
}

/** The record after the run: within its scope, exactly the files that it rendered. */
function recordOf(
  contents: ReadonlyMap<string, FolderContent>,
  written: WrittenFiles,
  tree: WrittenTree,
): WrittenFiles {
  const record = new Map([...written].filter(([path]) => !isInScope(dirName(path), tree)))
  for (const [folder, { files }] of contents) {
    for (const [name, { sha256 }] of files) record.set(folder === '' ? name : `${folder}/${name}`, sha256)
  }
  return record
}

/** Refuses files outside of the scope of the run: a defect of ours, never of the input. */
function refuseOutside(facts: readonly FolderFacts[], tree: WrittenTree): void {
  const outside = facts.find(({ path }) => !isInScope(path, tree))
  if (outside !== undefined) throw new Error(`folder ${outside.path} lies outside of what the run speaks for`)
}

interface Folder {
  readonly path: string
  readonly entries: readonly DirectoryEntry[]
  readonly content: FolderContent | undefined
}

async function planOne(
  { path, entries, content }: Folder,
  options: TreePlanOptions & Pick<PlanOptions, 'written'>,
  { files, crypto }: PlanPorts,
): Promise<FolderPlan> {
  const isKept = content !== undefined && content.files.size > 0
  const state = await readFolderState({ path, entries }, { output: options.output, files })
  return planFolder(state, isKept ? content : undefined, { ...options, crypto })
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

interface OwnedOutput {
  readonly listing: TreeListing
  readonly owner: TreeOwner
  readonly crypto: Crypto
}

/** The output folder always says whose it is, even while nothing is rendered. */
function addOwner(contents: Map<string, FolderContent>, { listing, owner, crypto }: OwnedOutput): void {
  const names = (listing.get('') ?? []).map(({ name }) => name)
  if (contents.size === 0 && !names.includes(OWNER_FILE) && !names.includes(OLD_INVENTORY)) return
  const files = new Map(contents.get('')?.files)
  contents.set('', { path: '', files: files.set(OWNER_FILE, fileContent(formatOwner(owner), crypto)) })
}

/** The nearest thing on the way to a missing folder that is not a folder. */
function blockedAncestor(path: string, listing: TreeListing): string | undefined {
  for (let at = path; at !== ''; at = parentOf(at)) {
    const name = at.slice(at.lastIndexOf('/') + 1)
    const entry = listing.get(parentOf(at))?.find((candidate) => candidate.name === name)
    if (entry !== undefined) return entry.type === 'directory' ? undefined : at
  }
  return undefined
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

/**
 * Folders that lose all objects though they are still rendered, unless there is something in those that they name; and
 * scopes of which nothing is left.
 */
function findEmptied(
  { facts, scopes: all }: { readonly facts: readonly FolderFacts[]; readonly scopes: readonly string[] },
  plans: ReadonlyMap<string, FolderPlan>,
  options: TreePlanOptions,
): readonly Diagnostic[] {
  const emptied = facts.filter(
    ({ path, manifests, includes }) =>
      manifests === 0 && includes.length === 0 && (plans.get(path)?.objectsBefore ?? 0) > 0,
  )
  const scopes = all.filter((scope) => {
    const isRendered = facts.some((folder) => folder.manifests > 0 && isAtOrBelow(folder.path, scope))
    const isNamed = emptied.some((folder) => isAtOrBelow(folder.path, scope))
    return !isRendered && !isNamed && objectsBelow(scope, plans) > 0
  })
  return [...new Set([...emptied.map((folder) => folder.path), ...scopes])].map((path) => ({
    code: 'WRITE_EMPTY',
    severity: 'error',
    message: `nothing is rendered here, where ${String(objectsBelow(path, plans))} objects were before`,
    file: options.display(path),
    hint: 'Check the inputs; if this is intended, pass --allow-empty.',
  }))
}

function objectsBelow(folder: string, plans: ReadonlyMap<string, FolderPlan>): number {
  let count = 0
  for (const [path, plan] of plans) if (isAtOrBelow(path, folder)) count += plan.objectsBefore
  return count
}
