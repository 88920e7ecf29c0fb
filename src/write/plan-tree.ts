import { joinPath } from '../codec/path.ts'
import { encodeUtf8 } from '../codec/utf8.ts'
import { compareBytes } from '../codec/text-order.ts'
import { type Diagnostic, StackmasonError } from '../model/diagnostic.ts'
import type { RenderedFolder, RenderedTree } from '../model/manifest.ts'
import type { Crypto, DirectoryEntry, Files } from '../model/ports.ts'
import { CONTROL_FOLDER } from './control-folder.ts'
import { formatInventory, INVENTORY_FILE } from './inventory.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { type FileStep, type FolderPlan, isIgnoredName, planFolder, type PlanOptions } from './plan-folder.ts'
import { isAtOrBelow, listTree, readFolderState, type TreeListing } from './read-tree.ts'
import { type FolderContent, type KnownFiles, serializeFolder } from './serialize-folder.ts'

/** What a run would do to the whole tree; with problems it may not be carried out. */
export interface TreePlan {
  /** In path order. */
  readonly steps: readonly FileStep[]
  readonly unchanged: number
  readonly problems: readonly Diagnostic[]
}

/** What a plan of the whole tree depends on besides the tree. */
export interface TreePlanOptions extends Omit<PlanOptions, 'crypto'> {
  readonly output: string
  readonly allowEmpty: boolean
}

/**
 * Compares the tree with what lies on disk. Reads only below the tree's scopes, and never through a link.
 * @throws StackmasonError WRITE_PATH_CONFLICT; FileError when something cannot be read
 */
export async function planTree(
  tree: RenderedTree,
  options: TreePlanOptions,
  ports: { readonly files: Files; readonly crypto: Crypto },
): Promise<TreePlan> {
  const contents = serializeTree(tree, options, ports.crypto)
  const isThere = (await ports.files.stat(options.output)) !== undefined
  const listing: TreeListing = isThere ? await listTree(options.output, tree.scopes, ports.files) : new Map([['', []]])
  const unowned = unownedOutput(listing, options)
  if (unowned !== undefined) return { steps: [], unchanged: 0, problems: [unowned] }
  addRootInventory(contents, listing)
  const problems: Diagnostic[] = []
  const plans = new Map<string, FolderPlan>()
  const inScope = [...listing.keys()].filter((path) => tree.scopes.some((scope) => isAtOrBelow(path, scope)))
  const paths = [...new Set([...contents.keys(), ...inScope])].sort(compareBytes)
  await mapConcurrently(paths, async (path) => {
    const content = contents.get(path)
    const entries = listing.get(path)
    const blocked = entries === undefined ? blockedAncestor(path, listing) : undefined
    if (blocked !== undefined) problems.push(notAFolder(blocked, options))
    else plans.set(path, await planOne({ path, entries: entries ?? [], content }, options, ports))
  })
  const ordered = paths.flatMap((path) => plans.get(path) ?? [])
  problems.push(...ordered.flatMap((plan) => plan.problems))
  if (!options.allowEmpty) problems.push(...findEmptied(tree, plans, options))
  return {
    steps: ordered.flatMap((plan) => plan.steps).toSorted((a, b) => compareBytes(a.path, b.path)),
    unchanged: ordered.reduce((sum, plan) => sum + plan.unchanged, 0),
    problems: problems.toSorted((a, b) => compareBytes(a.file ?? '', b.file ?? '')),
  }
}

/** Every conflict of every folder is reported, not just the first. */
function serializeTree(tree: RenderedTree, options: TreePlanOptions, crypto: Crypto): Map<string, FolderContent> {
  const contents = new Map<string, FolderContent>()
  const conflicts: Diagnostic[] = []
  const known: KnownFiles = new WeakMap()
  for (const folder of withoutEmptyIncludes(tree.folders)) {
    if (contents.has(folder.path)) throw new Error(`folder ${folder.path} is rendered twice`)
    if (!tree.scopes.some((scope) => isAtOrBelow(folder.path, scope))) {
      throw new Error(`folder ${folder.path} lies outside of what the run speaks for`)
    }
    try {
      contents.set(folder.path, serializeFolder(folder, crypto, known))
    } catch (error) {
      if (!(error instanceof StackmasonError)) throw error
      conflicts.push(
        ...error.diagnostics.map((found) => ({ ...found, file: options.display(found.file ?? folder.path) })),
      )
    }
  }
  if (conflicts.length > 0) throw new StackmasonError(conflicts)
  return contents
}

/** A folder that stays without files must not be named: kustomize refuses one without a kustomization. */
function withoutEmptyIncludes(folders: readonly RenderedFolder[]): readonly RenderedFolder[] {
  const byPath = new Map(folders.map((folder) => [folder.path, folder]))
  const filled = ({ path, includes = [] }: RenderedFolder): readonly string[] =>
    includes.filter((name) => {
      const folder = byPath.get(joinPath(path, name))
      return folder === undefined || folder.manifests.length > 0 || filled(folder).length > 0
    })
  return folders.map((folder) => (folder.includes === undefined ? folder : { ...folder, includes: filled(folder) }))
}

interface Folder {
  readonly path: string
  readonly entries: readonly DirectoryEntry[]
  readonly content: FolderContent | undefined
}

async function planOne(
  { path, entries, content }: Folder,
  options: TreePlanOptions,
  ports: { readonly files: Files; readonly crypto: Crypto },
): Promise<FolderPlan> {
  const isKept = content !== undefined && (content.files.size > 0 || path === '')
  const folder = { path, entries, ...(content === undefined ? {} : { content }) }
  const state = await readFolderState(folder, { output: options.output, files: ports.files })
  return planFolder(state, isKept ? content : undefined, { ...options, crypto: ports.crypto })
}

/** The output folder is ours when it has an inventory, and ours to take when it is empty. */
function unownedOutput(listing: TreeListing, options: TreePlanOptions): Diagnostic | undefined {
  const entries = (listing.get('') ?? []).filter((entry) => entry.name !== CONTROL_FOLDER && !isIgnoredName(entry.name))
  const [first] = entries
  if (first === undefined || entries.some((entry) => entry.name === INVENTORY_FILE)) return undefined
  const folder = options.display('')
  return {
    code: 'WRITE_NOT_OWNED',
    severity: 'error',
    message: `the output folder holds things that stackmason did not write, e.g. ${first.name}, and has no inventory`,
    file: folder,
    hint: `Name a folder of its own as the output in stackmason.yaml, or bring back ${INVENTORY_FILE} with git.`,
  }
}

/** The output folder itself always has an inventory: it marks the folder as ours, even while nothing is rendered. */
function addRootInventory(contents: Map<string, FolderContent>, listing: TreeListing): void {
  const isUsed = contents.size > 0 || listing.get('')?.some((entry) => entry.name === INVENTORY_FILE) === true
  if (contents.has('') || !isUsed) return
  contents.set('', { path: '', files: new Map(), inventory: encodeUtf8(formatInventory({ files: [] })), objects: 0 })
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

/** Folders that lose all objects though they are still rendered, and scopes of which nothing is left. */
function findEmptied(
  tree: RenderedTree,
  plans: ReadonlyMap<string, FolderPlan>,
  options: TreePlanOptions,
): readonly Diagnostic[] {
  const emptied = tree.folders.filter(
    (folder) => folder.manifests.length === 0 && (plans.get(folder.path)?.objectsBefore ?? 0) > 0,
  )
  const scopes = tree.scopes.filter((scope) => {
    const isRendered = tree.folders.some((folder) => folder.manifests.length > 0 && isAtOrBelow(folder.path, scope))
    const isNamed = emptied.some((folder) => isAtOrBelow(folder.path, scope))
    return !isRendered && !isNamed && objectsBelow(scope, plans) > 0
  })
  return [...new Set([...emptied.map((folder) => folder.path), ...scopes])].map((path) => ({
    code: 'WRITE_EMPTY',
    severity: 'error',
    message: `nothing is rendered here, where ${String(objectsBelow(path, plans))} objects were before`,
    file: options.display(path),
    hint: 'Check the inputs; pass --allow-empty if it is meant.',
  }))
}

function objectsBelow(scope: string, plans: ReadonlyMap<string, FolderPlan>): number {
  let count = 0
  for (const [path, plan] of plans) if (isAtOrBelow(path, scope)) count += plan.objectsBefore
  return count
}
