import { baseName, dirName, joinPath } from '../codec/path.ts'
import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import { type Crypto, FileError, type Files } from '../model/ports.ts'
import { CONTROL_FOLDER, controlPaths } from './control-folder.ts'
import { foldersOf, formatJournal, type Journal, type JournalStep, parseJournal } from './journal.ts'
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
  await files.write(draft, encodeUtf8(formatJournal(journal)), 'durable')
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
  const linked = await foldersBehindLinks(journal, workplace)
  const steps = journal.steps.filter((step) => !linked.has(dirName(step.path)))
  const removals = steps.filter((step) => step.staged === undefined)
  const left = await mapConcurrently(removals, (step) => removeFile(step, workplace))
  for (const folder of foldersOf(removals.map((step) => step.path))) {
    await files.removeEmptyDirectory(joinPath(output, folder))
  }
  const placements = new Map<string, JournalStep[]>()
  for (const step of steps) {
    if (step.staged === undefined) continue
    const folder = dirName(step.path)
    const inFolder = placements.get(folder)
    if (inFolder === undefined) placements.set(folder, [step])
    else inFolder.push(step)
  }
  const kept = await mapConcurrently([...placements], ([folder, inFolder]) => placeFiles(folder, inFolder, workplace))
  const skipped = journal.steps.filter((step) => linked.has(dirName(step.path))).map((step) => step.path)
  return [...skipped, ...[...left, ...kept.flat()].flatMap((path) => path ?? [])]
}

/**
 * True if everything that is still staged is what the journal says. Content is not waited for when it is staged, so
 * after a power failure some of it may be lost; after a kill it never is.
 */
export async function isStagingIntact(journal: Journal, { output, files, crypto }: Workplace): Promise<boolean> {
  const intact = await mapConcurrently(journal.steps, async ({ staged, sha256: expected }) => {
    const current =
      staged === undefined ? undefined : await hashAt(joinPath(output, controlPaths.staging, staged), { files, crypto })
    return current === undefined || current === expected
  })
  return intact.every(Boolean)
}

/** Forgets a journal that was carried out, and everything staged. */
export async function clearControlFolder({ output, files }: Workplace): Promise<void> {
  await files.remove(joinPath(output, controlPaths.journal))
  await clearStaging({ output, files })
}

/** Removes what a run had staged; says whether there was something. */
export async function clearStaging({ output, files }: Pick<Workplace, 'output' | 'files'>): Promise<boolean> {
  const staging = joinPath(output, controlPaths.staging)
  if ((await files.stat(staging))?.type !== 'directory') return false
  const entries = await files.entries(staging)
  await mapConcurrently(entries, (entry) => files.remove(joinPath(staging, entry.name)))
  await files.removeEmptyDirectory(staging)
  return entries.length > 0
}

async function removeFile(step: JournalStep, { output, files, crypto }: Workplace): Promise<string | undefined> {
  const path = joinPath(output, step.path)
  const current = await hashAt(path, { files, crypto })
  if (current === undefined) return undefined
  if (current !== step.was) return step.path
  await files.remove(path)
  return undefined
}

/**
 * Returns the paths that somebody else changed. The folder is listed once: most files are new, and a look for each
 * would cost as much as the move.
 */
async function placeFiles(
  folder: string,
  steps: readonly JournalStep[],
  workplace: Workplace,
): Promise<readonly string[]> {
  const { output, files } = workplace
  await files.makeDirectory(joinPath(output, folder))
  const present = new Set((await files.entries(joinPath(output, folder))).map(({ name }) => name.toLowerCase()))
  const left: string[] = []
  for (const step of steps) {
    const isThere = present.has(baseName(step.path).toLowerCase())
    if ((await placeFile(step, { ...workplace, isThere })) === 'left') left.push(step.path)
  }
  return left
}

async function placeFile(
  step: JournalStep,
  { output, files, crypto, isThere }: Workplace & { readonly isThere: boolean },
): Promise<'done' | 'left'> {
  const staged = joinPath(output, controlPaths.staging, step.staged ?? '')
  const path = joinPath(output, step.path)
  const isStaged = async (): Promise<boolean> => (await files.stat(staged))?.type === 'file'
  const current = isThere ? await hashAt(path, { files, crypto }) : undefined
  if (current === step.sha256) return 'done'
  // what is not staged any more was placed by an earlier try, and changed since
  if (current !== step.was) return (await isStaged()) ? 'left' : 'done'
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
  return stat.type === 'file' ? sha256(await files.read(path), crypto) : ''
}

/**
 * Folders of the journal that can only be reached through a link or a file; a journal may come with a repository from
 * anywhere.
 */
async function foldersBehindLinks(journal: Journal, { output, files }: Workplace): Promise<ReadonlySet<string>> {
  const behind = new Set<string>()
  const shallowFirst = foldersOf(journal.steps.map((step) => step.path)).toReversed()
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
