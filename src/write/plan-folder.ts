import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Diagnostic } from '../model/diagnostic.ts'
import type { Crypto, FileParts, FileType } from '../model/ports.ts'
import { KUSTOMIZATION_FILE, OLD_INVENTORY, OWNER_FILE } from '../model/tree-path.ts'
import { findOwnership, type FolderOwnership } from './folder-ownership.ts'
import type { DoubtfulFile } from './keep-uncommitted.ts'
import { pathIn } from './path-order.ts'
import type { FolderState } from './read-tree.ts'
import { hasHash, isSameText } from './same-text.ts'
import type { FileContent, FolderContent } from './serialize-folder.ts'
import { sha256 } from './sha256.ts'
import type { WrittenRecord } from './written-record.ts'

/** One file of a folder to write, or without `content` to remove. */
export interface FileStep {
  readonly name: string
  readonly change: FileChangeKind
  readonly content?: { readonly bytes: FileParts; readonly sha256: string }
  /** sha256 of what lies there now; absent if there is no file. */
  readonly before?: string
}

/** How a file of the tree differs. */
export type FileChangeKind = 'added' | 'changed' | 'removed'

/** The changes that a run would make to one folder. */
export interface FolderPlan {
  readonly steps: readonly FileStep[]
  /**
   * Files that no record shows to be as stackmason wrote them: unless git has what they hold, they were edited by hand.
   */
  readonly doubtful: readonly DoubtfulFile[]
  readonly unchanged: number
  readonly problems: readonly Diagnostic[]
  /** Objects of ours that the folder has now. */
  readonly objectsBefore: number
}

/** The inputs of a folder's plan besides the folder. */
export interface PlanOptions {
  readonly crypto: Crypto
  /** Writes over files that were edited by hand. */
  readonly overwriteEdited: boolean
  readonly written: Pick<WrittenRecord, 'get'>
  /** How the user would name a path of the tree. */
  readonly display: (path: string) => string
  /**
   * The place of the tree in the branch that takes it, where that is apart from the fleet's files. '' is its root,
   * which the tree shares with files of others. Absent: in the fleet's own work tree.
   */
  readonly publishedPath?: string | undefined
}

/** Files that git or a desktop puts into folders; they do not make a folder somebody else's. */
const IGNORED: ReadonlySet<string> = new Set(['.gitignore', '.gitattributes', '.gitkeep', '.keep', '.DS_Store'])

/** True if a name in a folder says nothing about who owns the folder. */
export function isIgnoredName(name: string): boolean {
  return IGNORED.has(name)
}

/**
 * Decides what happens to one folder: its files become exactly `content`, or, when that is absent, our files go. Files
 * of others are never touched. Nothing is read or written here.
 */
export function planFolder(
  state: FolderState,
  content: Pick<FolderContent, 'files'> | undefined,
  options: PlanOptions,
): FolderPlan {
  const ownership = findOwnership(state, options.written)
  const isShared = state.path === '' && options.publishedPath === ''
  const foreign = ownership.isOurs || isShared || content === undefined ? undefined : foreignFile(state)
  if (foreign !== undefined) return refusal(notOwnedFolder(state, foreign, options))
  const context: Context = {
    state,
    options,
    ownership,
    byLowerCase: new Map(Array.from(state.types.keys(), (name) => [name.toLowerCase(), name])),
  }
  const stale = [...ownership.names.keys()].filter((name) => content?.files.has(name) !== true)
  const outcomes = [
    ...Array.from(content?.files ?? [], ([name, file]) => planWrite(context, name, file)),
    ...stale.map((name) => planRemoval(context, name)),
  ]
  return {
    steps: outcomes.flatMap((outcome) => outcome.step ?? []),
    doubtful: outcomes.flatMap((outcome) => outcome.doubtful ?? []),
    unchanged: outcomes.filter((outcome) => outcome.isUnchanged === true).length,
    problems: outcomes.flatMap((outcome) => outcome.problem ?? []),
    objectsBefore: [...ownership.names.keys()].filter((name) => isObjectFile(name) && state.types.has(name)).length,
  }
}

/** True for the name of a file that holds an object. */
export function isObjectFile(name: string): boolean {
  return name !== KUSTOMIZATION_FILE && name !== OWNER_FILE && name !== OLD_INVENTORY
}

function refusal(problem: Diagnostic): FolderPlan {
  return { steps: [], doubtful: [], unchanged: 0, problems: [problem], objectsBefore: 0 }
}

function foreignFile(state: FolderState): string | undefined {
  for (const [name, type] of state.types) if (type !== 'directory' && !isIgnoredName(name)) return name
  return undefined
}

interface Context {
  readonly state: FolderState
  readonly options: PlanOptions
  readonly ownership: FolderOwnership
  /** Names on disk: some file systems keep one file for two spellings. */
  readonly byLowerCase: ReadonlyMap<string, string>
}

/** The decision about one file; nothing set when there is nothing to do. */
interface Outcome {
  readonly step?: FileStep
  readonly doubtful?: DoubtfulFile | undefined
  readonly problem?: Diagnostic
  readonly isUnchanged?: true
}

function planWrite(context: Context, name: string, content: FileContent): Outcome {
  const { state, ownership, byLowerCase } = context
  const onDisk = byLowerCase.get(name)
  const isKnown = ownership.names.has(name)
  if (onDisk === undefined) return { step: { name, change: isKnown ? 'changed' : 'added', content } }
  const before = state.bytes.get(name)
  if (before === undefined) return { problem: notOwned(context, onDisk) }
  if (isSameText(before, content.bytes)) return { isUnchanged: true }
  if (!isKnown) return { problem: notOwned(context, name) }
  // whoever takes a tree over writes two lines into the file that says whose it is
  const losesNothing = name === OWNER_FILE && isPartOf(before, content.bytes)
  return {
    step: { name, change: 'changed', content, before: sha256(before, context.options.crypto) },
    doubtful: losesNothing ? undefined : doubtIn(context, name, before),
  }
}

function planRemoval(context: Context, name: string): Outcome {
  const { state, ownership, options } = context
  const before = state.bytes.get(name)
  const isListed = ownership.names.get(name) === 'listed'
  if (before === undefined) return state.types.has(name) && !isListed ? { problem: notOwned(context, name) } : {}
  if (isListed) return options.overwriteEdited ? {} : { doubtful: { path: pathIn(state.path, name), bytes: before } }
  return {
    step: { name, change: 'removed', before: sha256(before, options.crypto) },
    doubtful: doubtIn(context, name, before),
  }
}

/** True if each line of one text is in the other. */
function isPartOf(part: Uint8Array, whole: Uint8Array): boolean {
  const lines = new Set(decodeUtf8(whole).split('\n'))
  return decodeUtf8(part)
    .split(/\r?\n/)
    .every((line) => line === '' || lines.has(line))
}

/** An old inventory is nobody's to edit: whatever it says is removed. */
function doubtIn({ state, options, ownership }: Context, name: string, before: Uint8Array): DoubtfulFile | undefined {
  if (options.overwriteEdited || name === OLD_INVENTORY) return undefined
  const isAsWritten = ownership.hashes.get(name)?.some((hash) => hasHash(before, hash, options.crypto)) === true
  return isAsWritten ? undefined : { path: pathIn(state.path, name), bytes: before }
}

/** The problem with a file that somebody edited. */
export function handEdited(file: string): Diagnostic {
  return {
    code: 'WRITE_HAND_EDITED',
    severity: 'error',
    message: 'the file was edited by hand since it was rendered',
    file,
    hint: 'Move the change into values or patches; then restore the file with git, or pass --overwrite-edited to give it up.',
  }
}

function notOwned({ state, options }: Context, name: string): Diagnostic {
  const file = options.display(pathIn(state.path, name))
  const what: Readonly<Record<FileType, string>> = {
    file: 'a file',
    directory: 'a folder',
    link: 'a link',
    pipe: 'a named pipe',
    socket: 'a socket',
    device: 'a device',
    other: 'a special file',
  }
  return {
    code: 'WRITE_NOT_OWNED',
    severity: 'error',
    message: `${what[state.types.get(name) ?? 'other']} that stackmason did not write is in the way`,
    file,
    hint: 'Move it out of the output folder and render again.',
  }
}

function notOwnedFolder(state: FolderState, name: string, options: PlanOptions): Diagnostic {
  const folder = options.display(state.path)
  return {
    code: 'WRITE_NOT_OWNED',
    severity: 'error',
    message: `the folder holds files that stackmason did not write, e.g. ${name}, and none that it did`,
    file: folder,
    hint:
      state.path === ''
        ? 'Set spec.output.path in stackmason.yaml to a folder of its own, or move the files away.'
        : 'Move the files away, then render again.',
  }
}
