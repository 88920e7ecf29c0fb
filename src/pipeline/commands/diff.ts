import { joinPath } from '../../codec/path.ts'
import type { FileIds } from '../../diff/plan-reading.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { unreadable } from '../../model/file-problem.ts'
import type { Fleet } from '../../model/fleet.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import type { CheckException } from '../../model/check-exception.ts'
import type { VariableRenames } from '../../model/variable-renames.ts'
import { findFleet } from '../../sources/fleet/find-fleet.ts'
import { readFleetFile } from '../../sources/fleet/read-fleet.ts'
import { changedInputs } from '../compare/changed-inputs.ts'
import { compareOpenTrees } from '../compare/compare-open-trees.ts'
import {
  type BlobHash,
  hashOf,
  looksLikeTree,
  openFolder,
  openNamedRevision,
  type OpenTree,
} from '../compare/open-tree.ts'
import { followMove } from '../compare/moved-tree.ts'
import { judgeTreeless } from '../compare/treeless-revision.ts'
import { previewUpgrade, type UpgradePreview } from '../compare/preview-upgrade.ts'
import { type RenderedOpenTree, renderTree } from '../compare/render-tree.ts'
import { distinct } from '../diagnostics.ts'
import type { OnProgress } from '../expand/expand-fleet.ts'
import { findExceptions, type InputState, withExceptions } from '../fleet/find-exceptions.ts'
import { isPublishedElsewhere } from '../fleet/follow-moves.ts'
import { type OpenFleet, openFleet } from '../fleet/open-fleet.ts'
import type { Network } from '../resolve/open-source.ts'

/** A tree to compare. */
export type TreeChoice =
  /** As a commit of the fleet's repository has it. */
  | { readonly kind: 'revision'; readonly revision: string }
  /** On disk, in the fleet's output folder. */
  | { readonly kind: 'disk' }
  /** In another folder, absolute; `written` as the user named it. */
  | { readonly kind: 'folder'; readonly folder: string; readonly written: string }
  /** As `render` would write it now; with `lock` by another lock, absolute. */
  | { readonly kind: 'render'; readonly lock?: string }

/** The options of `stackmason diff`. */
export interface DiffOptions {
  /** Folder to search from, upwards, for stackmason.yaml. */
  readonly start: string
  /** stackmason.yaml or its folder, instead of searching. */
  readonly fleet?: string
  /** Two trees, or an upgrade that is rendered with both releases. */
  readonly compared: { readonly before: TreeChoice; readonly after: TreeChoice } | UpgradePreview
  /** Default: online. */
  readonly network?: Network
  /** True if the places are looked for that fields of a rendered tree come from: some units are rendered again. */
  readonly isExplained?: boolean
}

/** The difference between two trees. */
export interface DiffResult {
  /** In words. */
  readonly before: string
  readonly after: string
  readonly change: TreeChange
  /** True if neither has a file. */
  readonly isTreeless?: boolean
  /**
   * Files that rendering reads and that differ although no object does, by path relative to stackmason.yaml; absent:
   * none, or nobody has looked.
   */
  readonly inputs?: readonly string[] | undefined
  /** Warnings of rendering. */
  readonly findings: readonly Diagnostic[]
}

/**
 * Compares two rendered trees; writes nothing.
 * @throws StackmasonError CONFIG_*, BASE_UNKNOWN, GIT_FAILED, FILE_UNREADABLE, USAGE for a folder that holds no tree,
 * or a commit that holds another fleet's; as rendering
 */
export async function diff(options: DiffOptions, ports: Ports, onProgress: OnProgress): Promise<DiffResult> {
  // first what is asked of all of a commit: what it has below the output folder is then known
  const exceptions = await exceptionsOf(options, ports)
  const trees = await openTrees(options, ports, onProgress)
  const compared = await compareOpenTrees(trees.before, trees.after, trees.renames)
  const explained = options.isExplained === true && 'explain' in trees.after ? trees.after.explain(compared) : compared
  const change = withExceptions(explained, exceptions)
  const isTreeless = trees.before.files.size === 0 && trees.after.files.size === 0
  const findings = distinct(isTreeless ? [] : [...findingsOf(trees.before), ...findingsOf(trees.after)])
  const isSame = change.changes.length === 0 && change.facts.unread.length === 0
  const inputs = isSame ? await inputsOf(options, ports) : []
  return {
    before: trees.before.label,
    after: trees.after.label,
    change,
    isTreeless,
    inputs: inputs.length > 0 ? inputs : undefined,
    findings,
  }
}

/** A committed tree, and what is to be said of it. */
interface NamedTree extends OpenTree {
  readonly findings: readonly Diagnostic[]
}

type AnyTree = OpenTree | NamedTree | RenderedOpenTree

interface BothTrees {
  readonly before: AnyTree
  readonly after: AnyTree
}

interface ComparedTrees extends BothTrees {
  /** Of the fleet; none where two folders are compared. */
  readonly renames: VariableRenames
}

function findingsOf(tree: AnyTree): readonly Diagnostic[] {
  return 'findings' in tree ? tree.findings : []
}

async function openTrees(options: DiffOptions, ports: Ports, onProgress: OnProgress): Promise<ComparedTrees> {
  const { compared, network = 'online', isExplained = false } = options
  if ('from' in compared) {
    const fleet = await openFleet(options, ports)
    const trees = await previewUpgrade(compared, { fleet, network, ports, onProgress, isExplained })
    return { ...trees, renames: fleet.repository.fleet.variableRenames }
  }
  const kinds = [compared.before.kind, compared.after.kind]
  const isAboutFleet = kinds.some((kind) => kind !== 'folder')
  const fleet = kinds.includes('render') ? await openFleet(options, ports) : undefined
  const settings = fleet?.repository.fleet ?? (isAboutFleet ? await settingsOf(options, ports) : undefined)
  const place = settings && {
    fleet: settings,
    file: fleet?.file ?? (await findFleet(options.fleet ?? options.start, ports)),
  }
  const output = settings === undefined ? options.start : joinPath(settings.root, settings.output)
  const trees = await openBoth(compared, { output, place, fleet, network, ports, onProgress, isExplained })
  return { ...trees, renames: settings?.variableRenames ?? new Map() }
}

/** Between commits and what lies on disk; folders have no inputs. */
async function exceptionsOf(options: DiffOptions, ports: Ports): Promise<readonly CheckException[]> {
  const states = statesOf(options)
  if (states === undefined) return []
  const { added } = await findExceptions(await findFleet(options.fleet ?? options.start, ports), states, ports)
  return added
}

/** Lists inputs that differ besides the trees; a tree that is rendered now has none. */
async function inputsOf(options: DiffOptions, ports: Ports): Promise<readonly string[]> {
  const states = statesOf(options)
  if (states === undefined || ('after' in options.compared && options.compared.after.kind === 'render')) return []
  return changedInputs(await settingsOf(options, ports), states, ports)
}

function statesOf({ compared }: DiffOptions): { readonly before: InputState; readonly after: InputState } | undefined {
  if ('from' in compared) return undefined
  const [before, after] = [stateOf(compared.before), stateOf(compared.after)]
  if (before === undefined || after === undefined || (before === 'disk' && after === 'disk')) return undefined
  return { before, after }
}

function stateOf(choice: TreeChoice): InputState | undefined {
  if (choice.kind === 'folder') return undefined
  return choice.kind === 'revision' ? { revision: choice.revision } : 'disk'
}

/** Reads stackmason.yaml alone: a committed tree can be looked at whatever is wrong with the other inputs. */
async function settingsOf({ start, fleet }: DiffOptions, ports: Ports): Promise<Fleet> {
  return readFleetFile(await findFleet(fleet ?? start, ports), ports)
}

interface Opening {
  /** Of the fleet. */
  readonly output: string
  /** Undefined where two folders are compared. */
  readonly place: { readonly fleet: Fleet; readonly file: string } | undefined
  /** Undefined where nothing is rendered. */
  readonly fleet: OpenFleet | undefined
  readonly network: Network
  readonly ports: Ports
  readonly onProgress: OnProgress
  readonly isExplained: boolean
}

/** A commit first: it says by which hash files are named. */
async function openBoth(
  { before, after }: { readonly before: TreeChoice; readonly after: TreeChoice },
  opening: Opening,
): Promise<BothTrees> {
  if (before.kind !== 'revision' && after.kind === 'revision') {
    const opened = await openTree(after, { hash: 'sha1' }, opening)
    return { before: await openTree(before, { hash: hashOf(opened.files) }, opening), after: opened }
  }
  const opened = await openTree(before, { hash: 'sha1' }, opening)
  const others = {
    hash: hashOf(opened.files),
    explained: opening.isExplained ? opened.files : undefined,
    base: after.kind === 'render' ? await baseOf(before, opened, opening) : undefined,
  }
  return { before: opened, after: await openTree(after, others, opening) }
}

/** The commit whose steps a render follows: one with a tree that is published, where the last commit has none. */
async function baseOf(before: TreeChoice, { files }: AnyTree, opening: Opening): Promise<string | undefined> {
  const { place, output, ports } = opening
  if (before.kind !== 'revision' || place === undefined || files.size === 0) return undefined
  return (await isPublishedElsewhere(place.fleet, { output }, ports)) ? before.revision : undefined
}

async function openTree(
  choice: TreeChoice,
  {
    hash,
    explained,
    base,
  }: { readonly hash: BlobHash; readonly explained?: FileIds | undefined; readonly base?: string | undefined },
  opening: Opening,
): Promise<AnyTree> {
  const { output, fleet, network, ports, onProgress } = opening
  switch (choice.kind) {
    case 'revision':
      return openOfFleet(choice.revision, opening)
    case 'disk':
      return openFolder(output, { label: 'files on disk', hash, ports })
    case 'folder':
      if (!(await looksLikeTree(choice.folder, ports))) throw noTree(choice.written)
      return openFolder(choice.folder, { label: choice.written, hash, ports })
    case 'render': {
      if (fleet === undefined) throw new Error('a fleet is read before it is rendered')
      const { lock } = choice
      if (lock !== undefined) await requireLock(lock, ports)
      const isWanted = (): boolean => true
      const label = lock === undefined ? 'render' : 'render with the other lock'
      const { repository, file } = fleet
      return renderTree(
        {
          label,
          repository,
          revision: { from: 'commit', base },
          file,
          isWanted,
          lock,
          network,
          hash,
          onProgress,
          explained,
        },
        ports,
      )
    }
  }
}

async function openOfFleet(revision: string, { output, place, ports }: Opening): Promise<AnyTree> {
  const opened = await openNamedRevision(output, revision, ports)
  if (place === undefined) return opened
  const tree = await followMove(opened, { ...place, revision }, ports)
  return tree.files.size > 0 ? tree : { ...tree, findings: await judgeTreeless({ ...place, revision }, ports) }
}

/** A fleet may have no lock of its own, but one that is named must be there. */
async function requireLock(file: string, { files }: Ports): Promise<void> {
  if ((await files.stat(file)) !== undefined) return
  throw new StackmasonError(unreadable(new FileError('not-found', file), { what: 'the lock of --lock', file }))
}

function noTree(written: string): StackmasonError {
  return new StackmasonError({
    code: 'USAGE',
    severity: 'error',
    message: `${JSON.stringify(written)} holds no rendered tree: neither clusters nor stacks nor handoff`,
    hint: 'Name the output folder itself, such as ./rendered; a name without ./ is a revision of git.',
  })
}
