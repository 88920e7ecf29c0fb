import { joinPath } from '../codec/path.ts'
import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import { StackmasonError } from '../model/diagnostic.ts'
import { FileError, type Files, type Process } from '../model/ports.ts'
import { CONTROL_FOLDER, controlPaths } from './control-folder.ts'

/** A held lock. */
export interface FolderLock {
  /** @throws StackmasonError WRITE_BUSY when another run took the lock for stale and holds it now */
  readonly confirm: () => Promise<void>
  /** Gives the lock up and removes the control folder if nothing else is in it. */
  readonly release: () => Promise<void>
}

const ATTEMPTS = 5

/**
 * Locks the output folder for this process. A lock of a process that no longer runs is taken over; so is one of this
 * very process number, which can only be left from an earlier container: calls within one process must not overlap.
 * @throws StackmasonError WRITE_BUSY while another process holds it
 */
export async function lockFolder(
  output: string,
  ports: { readonly files: Files; readonly process: Process },
): Promise<FolderLock> {
  const { files, process } = ports
  const path = joinPath(output, controlPaths.lock)
  const own = `${JSON.stringify({ process: process.id })}\n`
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await tryCreate(output, own, files)) {
      return { confirm: () => confirm(path, own, files), release: () => release(output, own, files) }
    }
    const holder = await readLock(path, files)
    const id = holder === undefined ? undefined : holderOf(holder)
    if (id !== undefined && id !== process.id && process.isRunning(id)) throw busy(path, id)
    // Read twice: whoever else found it stale may have replaced it by a lock of its own.
    if ((await readLock(path, files)) === holder) await files.remove(path)
  }
  throw busy(path, undefined)
}

/** The control folder may vanish between making and using it, when another run ends just then. */
async function tryCreate(output: string, own: string, files: Files): Promise<boolean> {
  await files.makeDirectory(joinPath(output, CONTROL_FOLDER))
  try {
    return await files.createExclusive(joinPath(output, controlPaths.lock), encodeUtf8(own))
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not-found') return false
    throw error
  }
}

async function readLock(path: string, files: Files): Promise<string | undefined> {
  if ((await files.stat(path)) === undefined) return undefined
  try {
    return decodeUtf8(await files.read(path))
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not-found') return undefined
    throw error
  }
}

/** The process number in a lock; undefined when its writer was killed before it had written it. */
export function holderOf(text: string): number | undefined {
  const digits = /^\{"process":(\d+)\}\n$/.exec(text)?.[1]
  return digits === undefined ? undefined : Number(digits)
}

async function confirm(path: string, own: string, files: Files): Promise<void> {
  const found = await readLock(path, files)
  if (found !== own) throw busy(path, found === undefined ? undefined : holderOf(found))
}

async function release(output: string, own: string, files: Files): Promise<void> {
  const path = joinPath(output, controlPaths.lock)
  if ((await readLock(path, files)) !== own) return
  await files.remove(path)
  await files.removeEmptyDirectory(joinPath(output, CONTROL_FOLDER))
}

/** The error for a folder that another run holds. */
export function busy(path: string, id: number | undefined): StackmasonError {
  const who = id === undefined ? 'Another run' : `Another run (process ${String(id)})`
  return new StackmasonError({
    code: 'WRITE_BUSY',
    severity: 'error',
    message: `${who} is writing to this folder`,
    file: path,
    hint: 'Wait for it to end; if none is running, remove this lock file.',
  })
}
