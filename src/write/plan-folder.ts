import type { Diagnostic } from '../model/diagnostic.ts'
import type { Crypto } from '../model/ports.ts'
import { INVENTORY_FILE, type InventoryEntry } from './inventory.ts'
import type { FolderState } from './read-tree.ts'
import { hasHash, isSameText } from './same-text.ts'
import type { FolderContent } from './serialize-folder.ts'
import { sha256 } from './sha256.ts'

/** One file to write (`content` is set) or to remove. `path` is relative to the output folder. */
export interface FileStep {
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
  readonly content?: { readonly bytes: Uint8Array; readonly sha256: string }
  /** What lies there now; absent when nothing does. */
  readonly before?: Uint8Array
}

/** What a run would do to one folder. */
export interface FolderPlan {
  readonly steps: readonly FileStep[]
  readonly unchanged: number
  readonly problems: readonly Diagnostic[]
  /** Objects that the folder's inventory lists now. */
  readonly objectsBefore: number
}

/** What a plan of one folder depends on besides the folder. */
export interface PlanOptions {
  readonly crypto: Crypto
  /** Writes over files that were edited by hand. */
  readonly overwriteEdited: boolean
  /** How the user would name a path of the tree. */
  readonly display: (path: string) => string
}

/** Files that git or a desktop puts into folders; they do not make a folder somebody else's. */
const IGNORED: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.gitkeep', '.keep', '.DS_Store'])

/** Whether a name in a folder says nothing about who owns the folder. */
export function isIgnoredName(name: string): boolean {
  return IGNORED.has(name)
}

/**
 * Decides what happens to one folder: its files become exactly `content`, or, when that is absent, the files of its inventory go. Files
 * that no inventory lists are never touched. Nothing is read or written here.
 */
export function planFolder(
  state: FolderState,
  content: Pick<FolderContent, 'files' | 'inventory'> | undefined,
  options: PlanOptions,
): FolderPlan {
  const { inventory } = state
  if (inventory !== undefined && 'damage' in inventory) return refusal(damaged(state, inventory.damage, options))
  const foreign = inventory === undefined && content !== undefined ? foreignFile(state) : undefined
  if (foreign !== undefined) return refusal(notOwnedFolder(state, foreign, options))
  const entries = inventory?.files ?? []
  const context: Context = {
    state,
    options,
    listed: new Map(entries.map((entry) => [entry.path, entry])),
    byLowerCase: new Map(Array.from(state.types.keys(), (name) => [name.toLowerCase(), name])),
  }
  const outcomes = [
    ...Array.from(content?.files ?? [], ([name, file]) =>
      planWrite(context, name, { bytes: file.bytes, sha256: file.entry.sha256 }),
    ),
    ...entries.filter((entry) => content?.files.has(entry.path) !== true).map((entry) => planRemoval(context, entry)),
    planInventory(context, content?.inventory),
  ]
  return {
    steps: outcomes.flatMap((outcome) => outcome.step ?? []),
    unchanged: outcomes.filter((outcome) => outcome.isUnchanged === true).length,
    problems: outcomes.flatMap((outcome) => outcome.problem ?? []),
    objectsBefore: entries.filter((entry) => entry.object !== undefined).length,
  }
}

function refusal(problem: Diagnostic): FolderPlan {
  return { steps: [], unchanged: 0, problems: [problem], objectsBefore: 0 }
}

function foreignFile(state: FolderState): string | undefined {
  for (const [name, type] of state.types) if (type !== 'directory' && !isIgnoredName(name)) return name
  return undefined
}

interface Context {
  readonly state: FolderState
  readonly options: PlanOptions
  readonly listed: ReadonlyMap<string, InventoryEntry>
  /** Names on disk: some file systems keep one file for two spellings. */
  readonly byLowerCase: ReadonlyMap<string, string>
}

/** What was decided for one file; nothing set when there is nothing to do. */
interface Outcome {
  readonly step?: FileStep
  readonly problem?: Diagnostic
  readonly isUnchanged?: true
}

function planWrite(context: Context, name: string, content: FileStep['content'] & object): Outcome {
  const { state, listed, byLowerCase } = context
  const entry = listed.get(name)
  const onDisk = byLowerCase.get(name)
  if (onDisk === undefined) {
    return { step: { path: pathIn(state, name), change: entry === undefined ? 'added' : 'changed', content } }
  }
  const before = state.bytes.get(name)
  if (before === undefined) return { problem: notOwned(context, onDisk) }
  if (isSameText(before, content.bytes)) return { isUnchanged: true }
  if (entry === undefined) return { problem: notOwned(context, name) }
  if (!isReplaceable(context, entry, before)) return { problem: handEdited(context, name) }
  return { step: { path: pathIn(state, name), change: 'changed', content, before } }
}

function planRemoval(context: Context, entry: InventoryEntry): Outcome {
  const { state } = context
  const before = state.bytes.get(entry.path)
  if (before === undefined) return state.types.has(entry.path) ? { problem: notOwned(context, entry.path) } : {}
  if (!isReplaceable(context, entry, before)) return { problem: handEdited(context, entry.path) }
  return { step: { path: pathIn(state, entry.path), change: 'removed', before } }
}

/** The inventory is nobody's to edit: whatever it says is replaced. */
function planInventory(context: Context, bytes: Uint8Array | undefined): Outcome {
  const path = pathIn(context.state, INVENTORY_FILE)
  const before = context.state.bytes.get(INVENTORY_FILE)
  if (bytes === undefined) return before === undefined ? {} : { step: { path, change: 'removed', before } }
  const content = { bytes, sha256: sha256(bytes, context.options.crypto) }
  const inTheWay = before === undefined ? context.byLowerCase.get(INVENTORY_FILE) : undefined
  if (inTheWay !== undefined) return { problem: notOwned(context, inTheWay) }
  if (before === undefined) return { step: { path, change: 'added', content } }
  return isSameText(before, bytes) ? { isUnchanged: true } : { step: { path, change: 'changed', content, before } }
}

function isReplaceable({ options }: Context, entry: InventoryEntry, before: Uint8Array): boolean {
  return options.overwriteEdited || hasHash(before, entry.sha256, options.crypto)
}

function handEdited({ state, options }: Context, name: string): Diagnostic {
  const file = options.display(pathIn(state, name))
  return {
    code: 'WRITE_HAND_EDITED',
    severity: 'error',
    message: 'the file was edited by hand since it was rendered',
    file,
    hint: 'Move the change into values or patches; then restore the file with git, or pass --overwrite-edited to give it up.',
  }
}

function notOwned({ state, options }: Context, name: string): Diagnostic {
  const file = options.display(pathIn(state, name))
  const what = { file: 'a file', directory: 'a folder', link: 'a link', other: 'a special file' }
  return {
    code: 'WRITE_NOT_OWNED',
    severity: 'error',
    message: `${what[state.types.get(name) ?? 'other']} that stackmason did not write is in the way`,
    file,
    hint: 'Move it out of the output folder and render again.',
  }
}

function pathIn(state: FolderState, name: string): string {
  return state.path === '' ? name : `${state.path}/${name}`
}

function damaged(state: FolderState, damage: string, options: PlanOptions): Diagnostic {
  const file = options.display(pathIn(state, INVENTORY_FILE))
  return {
    code: 'WRITE_INVENTORY_DAMAGED',
    severity: 'error',
    message: `the inventory cannot be used: ${damage}`,
    file,
    hint: 'Take one side of the file, e.g. `git checkout --ours <file>` in a merge or `git checkout HEAD -- <file>`, then run `stackmason render`.',
  }
}

function notOwnedFolder(state: FolderState, name: string, options: PlanOptions): Diagnostic {
  const folder = options.display(state.path)
  return {
    code: 'WRITE_NOT_OWNED',
    severity: 'error',
    message: `the folder holds files that stackmason did not write, e.g. ${name}, and has no inventory`,
    file: folder,
    hint:
      state.path === ''
        ? 'Set spec.output in stackmason.yaml to a folder of its own, or move the files away.'
        : 'Move the files away, or bring back the inventory with git, then render again.',
  }
}
