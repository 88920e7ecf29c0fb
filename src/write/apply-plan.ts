import { joinPath } from '../codec/path.ts'
import { FileError } from '../model/ports.ts'
import { carryOut, clearControlFolder, clearStaging, commitJournal, type Workplace } from './carry-out.ts'
import { controlPaths } from './control-folder.ts'
import type { Journal, JournalStep } from './journal.ts'
import { mapConcurrently } from './map-concurrently.ts'
import { sha256 } from './sha256.ts'

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

/** One file to write (`staged` is set) or to remove. `path` is relative to the output folder. */
export interface StagedStep {
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
  /** Number of the new content in the staging folder; undefined when it is removed, or only compared. */
  readonly staged: number | undefined
  /** sha256 of the new content. */
  readonly sha256: string | undefined
  /** What lies there now; undefined when nothing does. */
  readonly before: Uint8Array | undefined
}

/** Puts contents into the staging folder, and numbers them. */
export class Staging {
  readonly #workplace: Pick<Workplace, 'output' | 'files'>
  #count = 0

  constructor(workplace: Pick<Workplace, 'output' | 'files'>) {
    this.#workplace = workplace
  }

  async put(bytes: Uint8Array): Promise<number> {
    const staged = this.#count++
    await stageFile(`new-${String(staged)}`, bytes, this.#workplace)
    return staged
  }
}

/**
 * Carries a plan out whose new content is staged: the journal makes it the decision of record, then files are moved
 * into place. A process killed at any point leaves a tree that the next run completes or rolls back. Returns the paths
 * that somebody else changed meanwhile; they are left as they are.
 * @throws ApplyError when a file operation fails; everything done until then was undone if that was possible
 */
export async function applyPlan(
  steps: readonly StagedStep[],
  workplace: Workplace,
  confirm: () => Promise<void>,
): Promise<readonly string[]> {
  const journal: Journal = { outcome: 'completed', steps: steps.map((step) => forwardStep(step, workplace)) }
  try {
    await confirm()
    await commitJournal(journal, workplace)
  } catch (error) {
    throw error instanceof FileError ? await undoStaging(error, workplace) : error
  }
  try {
    const left = await carryOut(journal, workplace)
    await clearControlFolder(workplace)
    return left
  } catch (error) {
    throw error instanceof FileError ? await undo(error, steps, workplace) : error
  }
}

async function stageFile(
  name: string,
  bytes: Uint8Array,
  { output, files }: Pick<Workplace, 'output' | 'files'>,
): Promise<void> {
  await files.write(joinPath(output, controlPaths.staging, name), bytes)
}

function forwardStep({ path, staged, sha256: hash, before }: StagedStep, { crypto }: Workplace): JournalStep {
  return {
    path,
    ...(staged !== undefined && hash !== undefined && { staged: `new-${String(staged)}`, sha256: hash }),
    ...(before !== undefined && { was: sha256(before, crypto) }),
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

/** Goes back by a journal of its own, so that a kill while going back is no special case. */
async function undo(error: FileError, steps: readonly StagedStep[], workplace: Workplace): Promise<ApplyError> {
  try {
    await mapConcurrently([...steps.entries()], async ([index, step]) => {
      if (step.before !== undefined) await stageFile(`old-${String(index)}`, step.before, workplace)
    })
    const journal: Journal = {
      outcome: 'rolled-back',
      steps: steps.map((step, index) => backwardStep(step, index, workplace)),
    }
    await commitJournal(journal, workplace)
    await carryOut(journal, workplace)
    await clearControlFolder(workplace)
    return new ApplyError('untouched', error)
  } catch (failure) {
    if (!(failure instanceof FileError)) throw failure
    return new ApplyError('pending', error)
  }
}

function backwardStep(step: StagedStep, index: number, { crypto }: Workplace): JournalStep {
  return {
    path: step.path,
    ...(step.before === undefined ? {} : { staged: `old-${String(index)}`, sha256: sha256(step.before, crypto) }),
    ...(step.sha256 === undefined ? {} : { was: step.sha256 }),
  }
}
