import { joinPath } from '../codec/path.ts'
import { FileError } from '../model/ports.ts'
import { carryOut, clearControlFolder, clearStaging, commitJournal, type Workplace } from './carry-out.ts'
import { controlPaths } from './control-folder.ts'
import type { Journal, JournalStep } from './journal.ts'
import { mapConcurrently } from './map-concurrently.ts'
import type { FileStep } from './plan-folder.ts'
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

/**
 * Carries a plan out: all new content is staged, the journal makes it the decision of record, then files are moved into
 * place. A process killed at any point leaves a tree that the next run completes or rolls back. Returns the paths that
 * somebody else changed meanwhile; they are left as they are.
 * @throws ApplyError when a file operation fails; everything done until then was undone if that was possible
 */
export async function applyPlan(
  steps: readonly FileStep[],
  workplace: Workplace,
  confirm: () => Promise<void>,
): Promise<readonly string[]> {
  const journal = await stage(steps, workplace, confirm).catch(async (error: unknown) => {
    throw error instanceof FileError ? await undoStaging(error, workplace) : error
  })
  try {
    const left = await carryOut(journal, workplace)
    await clearControlFolder(workplace)
    return left
  } catch (error) {
    throw error instanceof FileError ? await undo(error, steps, workplace) : error
  }
}

async function stage(steps: readonly FileStep[], workplace: Workplace, confirm: () => Promise<void>): Promise<Journal> {
  const journal: Journal = {
    outcome: 'completed',
    steps: steps.map((step, index) => forwardStep(step, index, workplace)),
  }
  await mapConcurrently([...steps.entries()], async ([index, step]) => {
    if (step.content !== undefined) await stageFile(`new-${String(index)}`, step.content.bytes, workplace)
  })
  await confirm()
  await commitJournal(journal, workplace)
  return journal
}

async function stageFile(name: string, bytes: Uint8Array, { output, files }: Workplace): Promise<void> {
  await files.write(joinPath(output, controlPaths.staging, name), bytes)
}

function forwardStep(step: FileStep, index: number, { crypto }: Workplace): JournalStep {
  return {
    path: step.path,
    ...(step.content === undefined ? {} : { staged: `new-${String(index)}`, sha256: step.content.sha256 }),
    ...(step.before === undefined ? {} : { was: sha256(step.before, crypto) }),
  }
}

async function undoStaging(error: FileError, workplace: Workplace): Promise<ApplyError> {
  try {
    await clearStaging(workplace)
  } catch (failure) {
    if (!(failure instanceof FileError)) throw failure
  }
  return new ApplyError('untouched', error)
}

/** Goes back by a journal of its own, so that a kill while going back is no special case. */
async function undo(error: FileError, steps: readonly FileStep[], workplace: Workplace): Promise<ApplyError> {
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

function backwardStep(step: FileStep, index: number, { crypto }: Workplace): JournalStep {
  return {
    path: step.path,
    ...(step.before === undefined ? {} : { staged: `old-${String(index)}`, sha256: sha256(step.before, crypto) }),
    ...(step.content === undefined ? {} : { was: step.content.sha256 }),
  }
}
