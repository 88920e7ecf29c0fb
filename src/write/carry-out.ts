import { baseName, dirName, joinPath } from '../codec/path.ts'
import { decodeUtf8 } from '../codec/bytes/utf8.ts'
import { type Crypto, FileError, type Files } from '../model/ports.ts'
import { CONTROL_FOLDER, controlPaths } from './control-folder.ts'
import { foldersOf, formatJournal, type Journal, type JournalStep, parseJournal, stagedPath } from './journal.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { sha256 } from './sha256.ts'

/** Where a journal is carried out, and with what. */
export interface Workplace {
  /** Absolute. */
  readonly output: string
  readonly files: Files
  readonly crypto: Crypto
}

/**
 * Makes the journal the decision of record, in one atomic step; from here on the run is carried out, by whoever finds
 * the journal.
 */
export async function commitJournal(journal: Journal, { output, files }: Workplace): Promise<void> {
  const draft = joinPath(output, controlPaths.staging, 'journal.json')
  await files.write(draft, formatJournal(journal), 'durable')
  await files.rename(draft, joinPath(output, controlPaths.journal))
}

/** The journal that an interrupted run left; `'damaged'` when it cannot be followed, undefined when there is none. */
export async function readJournal({ output, files }: Workplace): Promise<Journal | 'damaged' | undefined> {
  const path = joinPath(output, controlPaths.journal)
  if ((await files.stat(path))?.type !== 'file') return undefined
  return parseJournal(decodeUtf8(await files.read(path))) ?? 'damaged'
}

/**
 * Brings the tree to the state that the journal names, from any state between the one before and that one. Can be
 * repeated. Returns the paths that somebody else changed meanwhile; they are left as they are.
 */
export async function carryOut(journal: Journal, workplace: Workplace): Promise<readonly string[]> {
  const { output, files } = workplace
  const { stepsIn } = journal
  const linked = await foldersBehindLinks(journal, workplace)
  const folders = journal.folders.filter((folder) => !linked.has(folder))
  const losing = folders.filter((folder) => stepsIn(folder).some(isRemoval))
  const left = await mapConcurrently(losing, (folder) => removeFiles(stepsIn(folder).filter(isRemoval), workplace))
  for (const folder of foldersOf(losing)) await files.removeEmptyDirectory(joinPath(output, folder))
  const kept = await mapConcurrently(folders, (folder) =>
    putFiles(
      folder,
      stepsIn(folder).filter((step) => !isRemoval(step)),
      workplace,
    ),
  )
  const skipped = journal.folders.filter((folder) => linked.has(folder)).flatMap(stepsIn)
  return [...skipped.map(({ path }) => path), ...left.flat(), ...kept.flat()]
}

function isRemoval({ staged }: JournalStep): boolean {
  return staged === undefined
}

/**
 * True if everything that is still staged is what the journal says. Content is not waited for when it is staged, so
 * after a power failure some of it may be lost; after a kill it never is.
 */
export async function isStagingIntact(journal: Journal, { output, files, crypto }: Workplace): Promise<boolean> {
  const intact = await mapConcurrently(journal.folders.flatMap(journal.stepsIn), async (step) => {
    const { staged, sha256: expected } = step
    const current =
      staged === undefined ? undefined : await hashAt(joinPath(output, stagedPath(staged)), { files, crypto })
    return current === undefined || current === expected
  })
  return intact.every(Boolean)
}

/** Forgets a journal that was carried out, and everything staged. */
export async function clearJournal({ output, files }: Workplace): Promise<void> {
  await files.remove(joinPath(output, controlPaths.journal))
  await clearStaging({ output, files })
}

/** Removes what a run had staged; says whether there was something. */
export function clearStaging({ output, files }: Pick<Workplace, 'output' | 'files'>): Promise<boolean> {
  return clearFolder(joinPath(output, controlPaths.staging), files)
}

/** Removes what a run had kept to be able to go back. */
export async function clearKept({ output, files }: Pick<Workplace, 'output' | 'files'>): Promise<void> {
  await clearFolder(joinPath(output, controlPaths.kept), files)
}

async function clearFolder(folder: string, files: Files): Promise<boolean> {
  if ((await files.stat(folder))?.type !== 'directory') return false
  const entries = await files.entries(folder)
  await mapConcurrently(entries, (entry) => files.remove(joinPath(folder, entry.name)))
  await files.removeEmptyDirectory(folder)
  return entries.length > 0
}

/** Returns the paths that somebody else changed. */
async function removeFiles(
  steps: readonly JournalStep[],
  { output, files, crypto }: Workplace,
): Promise<readonly string[]> {
  const left: string[] = []
  for (const { path, was, keep } of steps) {
    const absolute = joinPath(output, path)
    const current = await hashAt(absolute, { files, crypto })
    if (current === undefined) continue
    if (current !== was) left.push(path)
    else if (keep === undefined) await files.remove(absolute)
    else {
      await files.makeDirectory(joinPath(output, controlPaths.kept))
      await files.rename(absolute, joinPath(output, stagedPath(keep)))
    }
  }
  return left
}

/**
 * Returns the paths that somebody else changed. The folder is listed once: most files are new, and a look for each
 * would cost as much as the move.
 */
async function putFiles(
  folder: string,
  steps: readonly JournalStep[],
  workplace: Workplace,
): Promise<readonly string[]> {
  const { output, files } = workplace
  if (steps.length === 0) return []
  await files.makeDirectory(joinPath(output, folder))
  const present = new Set((await files.entries(joinPath(output, folder))).map(({ name }) => name.toLowerCase()))
  const left: string[] = []
  for (const step of steps) {
    const isThere = present.has(baseName(step.path).toLowerCase())
    if ((await putFile(step, { ...workplace, isThere })) === 'left') left.push(step.path)
  }
  return left
}

async function putFile(
  step: JournalStep,
  { output, files, crypto, isThere }: Workplace & { readonly isThere: boolean },
): Promise<'done' | 'left'> {
  const staged = joinPath(output, stagedPath(step.staged ?? ''))
  const path = joinPath(output, step.path)
  const isStaged = async (): Promise<boolean> => (await files.stat(staged))?.type === 'file'
  const current = isThere ? await hashAt(path, { files, crypto }) : undefined
  if (current === step.sha256) return 'done'
  // what is not staged any more was put there by an earlier try, and changed since
  if (current !== step.was) return (await isStaged()) ? 'left' : 'done'
  if (current !== undefined && step.keep !== undefined) await files.keep(path, joinPath(output, stagedPath(step.keep)))
  try {
    await files.rename(staged, path)
  } catch (error) {
    if (!(error instanceof FileError) || error.reason !== 'not-found' || (await isStaged())) throw error
  }
  return 'done'
}

/** The hash of the file at `path`; undefined when nothing is there, `''` for anything but a file. */
async function hashAt(
  path: string,
  { files, crypto }: Pick<Workplace, 'files' | 'crypto'>,
): Promise<string | undefined> {
  const stat = await files.stat(path)
  if (stat === undefined) return undefined
  return stat.type === 'file' ? sha256(await files.read(path, 'record'), crypto) : ''
}

/**
 * Folders of the journal that can only be reached through a link or a file; a journal may come with a repository from
 * anywhere.
 */
async function foldersBehindLinks(journal: Journal, { output, files }: Workplace): Promise<ReadonlySet<string>> {
  const behind = new Set<string>()
  const shallowFirst = foldersOf(journal.folders).toReversed()
  for (const folder of shallowFirst) {
    const stat = behind.has(dirName(folder)) ? undefined : await files.stat(joinPath(output, folder))
    if (behind.has(dirName(folder)) || (stat !== undefined && stat.type !== 'directory')) behind.add(folder)
  }
  return behind
}

/** True if an interrupted run left a journal, or staged files without one. */
export async function findInterruption({ output, files }: Pick<Workplace, 'output' | 'files'>): Promise<boolean> {
  if ((await files.stat(joinPath(output, CONTROL_FOLDER)))?.type !== 'directory') return false
  if ((await files.stat(joinPath(output, controlPaths.journal))) !== undefined) return true
  const staging = joinPath(output, controlPaths.staging)
  return (await files.stat(staging))?.type === 'directory' && (await files.entries(staging)).length > 0
}
