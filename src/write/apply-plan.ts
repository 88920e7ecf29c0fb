import { joinPath } from '../codec/path.ts'
import { FileError, type FileParts } from '../model/ports.ts'
import { carryOut, clearJournal, clearKept, clearStaging, commitJournal, type Workplace } from './carry-out.ts'
import { controlPaths } from './control-folder.ts'
import type { FolderSteps } from './folder-steps.ts'
import type { Journal, JournalStep } from './journal.ts'
import { pathIn } from './path-order.ts'

/** The state after a plan whose writing failed. */
export class ApplyError extends Error {
  /**
   * `untouched`: the tree is as before the run. `pending`: the next run ends what this one began. `done`: only tidying
   * up failed.
   */
  readonly state: 'untouched' | 'pending' | 'done'
  override readonly cause: FileError

  constructor(state: ApplyError['state'], cause: FileError) {
    super(cause.message, { cause })
    this.name = 'ApplyError'
    this.state = state
    this.cause = cause
  }
}

/** Puts contents into the staging folder, under the numbers of the steps of a run. */
export class Staging {
  readonly #workplace: Pick<Workplace, 'output' | 'files'>
  #count = 0

  constructor(workplace: Pick<Workplace, 'output' | 'files'>) {
    this.#workplace = workplace
  }

  /** Numbers for the steps of one folder; the first of them is returned. */
  take(count: number): number {
    this.#count += count
    return this.#count - count
  }

  /** Stages the content of one step. */
  async put(step: number, content: FileParts): Promise<void> {
    const { output, files } = this.#workplace
    await files.write(joinPath(output, controlPaths.staging, newName(step)), content)
  }
}

/**
 * Carries a plan out whose new content is staged: the journal makes it the decision of record, then files are moved
 * into place, and what lay there is kept until then. A process killed at any point leaves a tree that the next run
 * completes or rolls back. Returns the paths that somebody else changed meanwhile; they are left as they are.
 * @throws ApplyError when a file operation fails; everything done until then was undone if that was possible
 */
export async function applyPlan(
  folders: readonly FolderSteps[],
  workplace: Workplace,
  confirm: () => Promise<void>,
): Promise<readonly string[]> {
  const journal = journalOf('completed', folders, forwardStep)
  try {
    await confirm()
    await commitJournal(journal, workplace)
  } catch (error) {
    throw error instanceof FileError ? await undoStaging(error, workplace) : error
  }
  let left: readonly string[]
  try {
    left = await carryOut(journal, workplace)
    await clearJournal(workplace)
  } catch (error) {
    throw error instanceof FileError ? await undo(error, folders, workplace) : error
  }
  try {
    await clearKept(workplace)
    return left
  } catch (error) {
    throw error instanceof FileError ? new ApplyError('done', error) : error
  }
}

const newName = (step: number): string => `new-${String(step)}`
const keptName = (step: number): string => `kept-${String(step)}`

/** One file of a plan. */
interface PlannedFile {
  readonly path: string
  readonly step: number
  /** sha256 of what lies there, and of what comes; undefined for nothing. */
  readonly before: string | undefined
  readonly after: string | undefined
}

function journalOf(
  outcome: Journal['outcome'],
  folders: readonly FolderSteps[],
  stepOf: (file: PlannedFile) => JournalStep,
): Journal {
  const byPath = new Map(folders.map((folder) => [folder.path === '' ? '.' : folder.path, folder]))
  const stepsIn = (path: string): readonly JournalStep[] => {
    const folder = byPath.get(path)
    return folder === undefined ? [] : filesOf(folder).map(stepOf)
  }
  return { outcome, folders: [...byPath.keys()], stepsIn }
}

function filesOf({ path, changes, first, before, after }: FolderSteps): readonly PlannedFile[] {
  // lists that take little room take long to say one of their values
  const [old, wanted] = [new Map(before), new Map(after)]
  return Array.from(changes, ([name, change], index) => ({
    path: pathIn(path, name),
    step: first + index,
    before: old.get(name),
    after: change === 'removed' ? undefined : wanted.get(name),
  }))
}

/** Plans one step: the file that lay there is kept during the run, so that it can go back. */
function forwardStep({ path, step, before, after }: PlannedFile): JournalStep {
  return {
    path,
    ...(after !== undefined && { staged: newName(step), sha256: after }),
    ...(before !== undefined && { was: before, keep: keptName(step) }),
  }
}

/** Drops what is staged; the tree is as before the run. */
async function undoStaging(error: FileError, workplace: Pick<Workplace, 'output' | 'files'>): Promise<ApplyError> {
  try {
    await clearStaging(workplace)
  } catch (failure) {
    if (!(failure instanceof FileError)) throw failure
  }
  return new ApplyError('untouched', error)
}

/**
 * Goes back by a journal of its own, so that a kill while going back is no special case. A file that was not kept yet
 * is as it was.
 */
async function undo(error: FileError, folders: readonly FolderSteps[], workplace: Workplace): Promise<ApplyError> {
  try {
    const journal = journalOf('rolled-back', folders, backwardStep)
    await commitJournal(journal, workplace)
    await carryOut(journal, workplace)
    await clearJournal(workplace)
    await clearKept(workplace)
    return new ApplyError('untouched', error)
  } catch (failure) {
    if (!(failure instanceof FileError)) throw failure
    return new ApplyError('pending', error)
  }
}

function backwardStep({ path, step, before, after }: PlannedFile): JournalStep {
  return {
    path,
    ...(before !== undefined && { staged: keptName(step), sha256: before }),
    ...(after !== undefined && { was: after }),
  }
}
