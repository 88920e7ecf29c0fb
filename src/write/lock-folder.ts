import { joinPath } from '../codec/path.ts'
import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import { StackmasonError } from '../model/diagnostic.ts'
import { FileError, type Files, type Process, type ProcessIdentity } from '../model/ports.ts'
import { CONTROL_FOLDER, controlPaths, IGNORE_ALL } from './control-folder.ts'
import { formatHolder, parseHolder } from './lock-holder.ts'

/** A held lock. */
export interface FolderLock {
  /** @throws StackmasonError WRITE_BUSY when another run took the lock for stale and holds it now */
  readonly confirm: () => Promise<void>
  /** Gives the lock up and removes the control folder if nothing else is in it. */
  readonly release: () => Promise<void>
}

type LockPorts = { readonly files: Files; readonly process: Process }

const ATTEMPTS = 5

/**
 * Locks the output folder for this process. A lock is taken over only when its holder has ended for certain;
 * docs/decisions/0028 says how that is known.
 * @throws StackmasonError WRITE_BUSY while another run holds it, or may hold it
 */
export async function lockFolder(output: string, ports: LockPorts): Promise<FolderLock> {
  const { files, process } = ports
  const path = joinPath(output, controlPaths.lock)
  const own = formatHolder(process.identity())
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (await tryCreate(output, own, files)) return holdLock(output, own, ports)
    const holder = await readLock(path, files)
    if (holder !== undefined) await refuseUnlessEnded(holder, output, ports)
    // Read twice: whoever else found it stale may have replaced it by a lock of its own.
    if ((await readLock(path, files)) === holder) await files.remove(path)
  }
  throw busy(path)
}

/**
 * Looks at the lock of a folder without taking it.
 * @throws StackmasonError WRITE_BUSY while a run holds it, or may hold it
 */
export async function refuseWhileLocked(output: string, ports: LockPorts): Promise<void> {
  const path = joinPath(output, controlPaths.lock)
  const holder = await readLock(path, ports.files)
  if (holder !== undefined) await refuseUnlessEnded(holder, output, ports)
}

async function refuseUnlessEnded(text: string, output: string, { process }: LockPorts): Promise<void> {
  const path = joinPath(output, controlPaths.lock)
  const holder = parseHolder(text)
  if (holder === 'foreign') throw undecided(path)
  const state = await process.stateOf(holder, joinPath(output, controlPaths.sign))
  if (state === 'running') throw busy(path, holder)
  if (state === 'unknown') throw undecided(path, holder)
}

async function holdLock(output: string, own: string, { files, process }: LockPorts): Promise<FolderLock> {
  const path = joinPath(output, controlPaths.lock)
  const signPath = joinPath(output, controlPaths.sign)
  // a killed holder leaves its own
  await files.remove(signPath)
  await removeDrafts(output, files)
  const sign = await process.giveSign(signPath)
  return {
    confirm: async () => {
      const found = await readLock(path, files)
      if (found === own) return
      const holder = found === undefined ? undefined : parseHolder(found)
      throw busy(path, typeof holder === 'object' ? holder : undefined)
    },
    release: async () => {
      await sign?.end()
      if ((await readLock(path, files)) !== own) return
      await files.remove(path)
      await leaveControlFolder(output, files)
    },
  }
}

/** A run that is killed while it makes its lock leaves a draft; whose draft goes while it is made tries again. */
async function removeDrafts(output: string, files: Files): Promise<void> {
  const folder = joinPath(output, CONTROL_FOLDER)
  const made = [controlPaths.lock, controlPaths.ignore].map((path) => `${joinPath(output, path)}.`)
  for (const { name } of await files.entries(folder)) {
    const path = joinPath(folder, name)
    if (made.some((draft) => path.startsWith(draft))) await files.remove(path)
  }
}

/** Nothing is to stay where nothing was written. */
async function leaveControlFolder(output: string, files: Files): Promise<void> {
  const folder = joinPath(output, CONTROL_FOLDER)
  const ignore = joinPath(output, controlPaths.ignore)
  const names = (await files.entries(folder)).map(({ name }) => joinPath(folder, name))
  if (names.length === 1 && names[0] === ignore) await files.remove(ignore)
  await files.removeEmptyDirectory(folder)
}

/** The control folder may vanish between making and using it, when another run ends just then. */
async function tryCreate(output: string, own: string, files: Files): Promise<boolean> {
  await files.makeDirectory(joinPath(output, CONTROL_FOLDER))
  try {
    // before anything else: what is staged here must not be committed in between
    const ignore = joinPath(output, controlPaths.ignore)
    if ((await files.stat(ignore)) === undefined) await files.createExclusive(ignore, encodeUtf8(IGNORE_ALL))
    return await files.createExclusive(joinPath(output, controlPaths.lock), encodeUtf8(own))
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not-found') return false
    throw error
  }
}

async function readLock(path: string, files: Files): Promise<string | undefined> {
  const stat = await files.stat(path)
  if (stat === undefined) return undefined
  // a folder or a pipe: nobody's lock that this version knows
  if (stat.type !== 'file') return ''
  try {
    return decodeUtf8(await files.read(path))
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not-found') return undefined
    throw error
  }
}

function busy(path: string, holder?: ProcessIdentity): StackmasonError {
  const who = holder === undefined ? 'Another run' : `Another run (${nameOf(holder)})`
  return new StackmasonError({
    code: 'WRITE_BUSY',
    severity: 'error',
    message: `${who} is writing to this folder`,
    file: path,
    hint: 'Wait for it to end, then run again. If it hangs, end that process: its lock is taken over.',
  })
}

function undecided(path: string, holder?: ProcessIdentity): StackmasonError {
  const who = holder === undefined ? 'a run that this version cannot name' : nameOf(holder)
  return new StackmasonError({
    code: 'WRITE_BUSY',
    severity: 'error',
    message: `The folder is locked by ${who}, and nothing here tells whether that still runs: it belongs to another machine, an earlier start of this one, or another container`,
    file: path,
    hint: 'While that run goes on, wait for it to end. When you know that it has ended, remove this file and run again: what it left half-written is then completed or rolled back.',
  })
}

function nameOf({ process, host }: ProcessIdentity): string {
  return `process ${String(process)} on ${host}`
}
