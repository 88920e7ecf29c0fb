import { randomBytes } from 'node:crypto'
import { constants, copyFile, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { GitError } from '../model/git.ts'

/** Killed runs leave their folder behind; no operation lasts as long as this. Milliseconds. */
const STALE = 60 * 60 * 1000

/** The context of a fetch. */
interface Store {
  /** The bare repository that others read while this one writes. */
  readonly folder: string
  /** Fetches into a new bare repository at the path, and gives the commit. */
  readonly fetch: (scratch: string) => Promise<string>
  /** True if the repository has the commit with all its files. */
  readonly hasCommit: (repository: string, commit: string) => Promise<boolean>
  /** True if the content of a file there was found damaged: nothing that lies there is kept. */
  readonly isDamaged: boolean
}

/**
 * Fetches into a repository of its own, and moves what came into the shared one when it is complete: the first as a
 * whole, later ones pack by pack, which git names by content. So no process ever sees half a fetch, none waits for
 * another, and a killed one leaves a folder that a later one clears away. A shared repository that does not have the
 * commit after that is damaged, and is replaced.
 */
export async function fetchIntoStore({ folder, fetch, hasCommit, isDamaged }: Store): Promise<string> {
  const scratch = `${folder}.new-${randomBytes(8).toString('hex')}`
  try {
    await mkdir(dirname(folder), { recursive: true })
    await refuseLink(dirname(folder))
    await removeStale(folder)
    const commit = await fetch(scratch)
    if (await moveWhole(scratch, folder)) return commit
    if (!isDamaged && (await oddPathIn(folder)) === undefined) {
      await copyPacks(scratch, folder)
      if (await hasCommit(folder, commit)) return commit
    }
    await rename(folder, `${scratch}-damaged`).catch(unlessCode('ENOENT'))
    if (!(await moveWhole(scratch, folder))) await copyPacks(scratch, folder)
    return commit
  } catch (error) {
    if (error instanceof GitError) throw error
    const reason = error instanceof Error ? error.message : String(error)
    throw new GitError('not-kept', `the repository cannot be kept: ${reason}`, { cause: error })
  } finally {
    await remove(scratch)
    await remove(`${scratch}-damaged`)
  }
}

/**
 * The path of something in a repository that is neither a folder nor a plain file, or of the repository if it is no
 * folder itself; git would wait for a pipe, and follow a link. Undefined where all is plain, or nothing is there.
 */
export async function oddPathIn(folder: string): Promise<string | undefined> {
  // of what cannot be looked at, git tells why
  const found = await lstat(folder).catch(() => undefined)
  if (found === undefined) return undefined
  if (!found.isDirectory()) return folder
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.isFile()) continue
    const path = join(folder, entry.name)
    const odd = entry.isDirectory() ? await oddPathIn(path) : path
    if (odd !== undefined) return odd
  }
  return undefined
}

/** Nothing behind a link is the cache's, so nothing may be put there, or go. */
async function refuseLink(folder: string): Promise<void> {
  if ((await lstat(folder)).isSymbolicLink()) throw new Error(`${folder} is a link; remove it`)
}

/** Bytes of all files below the folder; 0 for what is not there (any more). */
export async function sizeOf(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  const sizes = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined)
      return found?.size ?? 0
    })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** A folder cannot be moved over one that holds something. */
async function moveWhole(scratch: string, folder: string): Promise<boolean> {
  return (await rename(scratch, folder).then(() => '', unlessCode('ENOTEMPTY', 'EEXIST', 'EPERM', 'ENOTDIR'))) === ''
}

/** The index comes last: git knows a pack by it. Each file appears whole. */
async function copyPacks(scratch: string, folder: string): Promise<void> {
  const from = join(scratch, 'objects', 'pack')
  const to = join(folder, 'objects', 'pack')
  const names = (await readdir(from)).filter((name) => /^pack-[0-9a-f]+\.(?:pack|rev|idx)$/.test(name))
  const inOrder = [...names.filter((name) => !name.endsWith('.idx')), ...names.filter((name) => name.endsWith('.idx'))]
  for (const name of inOrder) {
    const whole = join(from, `copy-${name}`)
    await copyFile(join(from, name), whole, constants.COPYFILE_FICLONE)
    // a damaged repository may lack the folder, and is found out afterwards
    await rename(whole, join(to, name)).catch(unlessCode('ENOENT', 'ENOTDIR'))
  }
}

async function removeStale(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.new-`
  for (const name of await readdir(dirname(folder))) {
    if (!name.startsWith(prefix)) continue
    const path = join(dirname(folder), name)
    const found = await lstat(path).catch(() => undefined)
    if (found !== undefined && Date.now() - found.mtimeMs > STALE) await remove(path)
  }
}

/** Removes a path; one that cannot be removed now is stale later. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
}

/** Makes a rejection handler that returns the error's code when it is one of `codes` and throws anything else on. */
function unlessCode(...codes: readonly string[]): (error: unknown) => string {
  return (error) => {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
    if (codes.includes(code)) return code
    throw error
  }
}
