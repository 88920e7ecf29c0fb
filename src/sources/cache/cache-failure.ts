import { StackmasonError } from '../../model/diagnostic.ts'
import { fileProblem } from '../../model/file-problem.ts'
import { FileError, type FileErrorReason } from '../../model/ports.ts'

const REASONS: Readonly<Record<FileErrorReason, string>> = {
  'not-found': 'it is not there any more',
  'not-permitted': 'permission is denied',
  'read-only': 'the file system is read-only',
  'wrong-type': 'a file is where a folder should be, or the other way round',
  'no-space': 'no space is left',
  other: 'the system refused it',
}

const HINTS: Readonly<Partial<Record<FileErrorReason, string>>> = {
  'no-space': 'Free some space, with `stackmason cache prune` for one, or choose another folder with STACKMASON_CACHE.',
  'not-found': 'Create it, correct the link that leads there, or choose another folder with STACKMASON_CACHE.',
  'wrong-type': 'Move what is there out of the way, or choose another folder with STACKMASON_CACHE.',
  'read-only': 'Choose a folder that can be written with STACKMASON_CACHE.',
}

function reasonOf(error: FileError): string {
  const isKnown = error.found === 'link' || (error.reason === 'wrong-type' && error.found !== undefined)
  return isKnown ? fileProblem(error).reason : REASONS[error.reason]
}

/** Runs `work`; a file that fails is CACHE_FAILED. `what` says what was done, as in `the cache could not be <what>`. */
export async function asCacheFailure<Result>(what: 'read' | 'written', work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    throw new StackmasonError(
      {
        code: 'CACHE_FAILED',
        severity: 'error',
        message: `the cache could not be ${what}: ${reasonOf(error)}`,
        file: error.path,
        hint:
          HINTS[error.reason] ?? 'Check the permissions of the folder, or choose another one with STACKMASON_CACHE.',
      },
      { cause: error },
    )
  }
}

/**
 * Runs what the cache can do without, such as noting a use in a folder that may not be written; says whether it was
 * done.
 */
export async function ifPossible(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work()
    return true
  } catch (error) {
    if (!(error instanceof FileError)) throw error
    return false
  }
}
