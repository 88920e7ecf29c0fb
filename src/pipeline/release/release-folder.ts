import { formatHex } from '../../codec/bytes/hex.ts'
import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { sameFiles } from '../../build/plan-versions.ts'
import type { ChartFile } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { fileProblem, unreadable } from '../../model/file-problem.ts'
import { FileError, type Files, type Ports } from '../../model/ports.ts'

/** Milliseconds. */
const STALE = 60 * 60 * 1000

/** How a release folder compares with what was built. */
export type FolderState = 'absent' | 'same' | 'other'

/** Compares what lies in a folder with the files of a release. @throws StackmasonError FILE_UNREADABLE */
export async function compareFolder(folder: string, assets: readonly ChartFile[], files: Files): Promise<FolderState> {
  if ((await files.stat(folder)) === undefined) return 'absent'
  try {
    const entries = await files.entries(folder)
    if (entries.some(({ type }) => type !== 'file') || entries.length !== assets.length) return 'other'
    const found: ChartFile[] = []
    for (const { name } of entries) found.push({ path: name, bytes: await files.read(joinPath(folder, name)) })
    return sameFiles(found, assets) ? 'same' : 'other'
  } catch (error) {
    if (error instanceof FileError && error.reason === 'wrong-type') return 'other'
    throw failure(error, 'FILE_UNREADABLE')
  }
}

/**
 * Writes a release folder: all of it beside its place first, under a name that no other process takes, so that a run
 * that is killed leaves no half release. What stood there goes with `overwrite`; without it, what another run has put
 * there meanwhile stays. Gives what lies there then: `other` if it is not what was built.
 * @throws StackmasonError WRITE_FAILED, FILE_UNREADABLE
 */
export async function writeReleaseFolder(
  folder: string,
  assets: readonly ChartFile[],
  { overwrite, ports }: { readonly overwrite: boolean; readonly ports: Pick<Ports, 'files' | 'random' | 'clock'> },
): Promise<'same' | 'other'> {
  const { files, random } = ports
  const staging = `${folder}.part-${formatHex(random.bytes(8))}`
  try {
    await removeStale(folder, ports)
    for (const { path, bytes } of assets) await files.write(joinPath(staging, path), bytes)
    if (overwrite) await removeFolder(folder, files)
    await files.rename(staging, folder)
  } catch (error) {
    await removeFolder(staging, files).catch(() => undefined)
    // another run was faster: a folder is not moved over one that holds something
    const state = error instanceof FileError ? await compareFolder(folder, assets, files) : 'absent'
    if (state === 'absent' || (state === 'other' && !(await isRelease(folder, files))))
      throw failure(error, 'WRITE_FAILED')
    return state
  }
  return (await compareFolder(folder, assets, files)) === 'same' ? 'same' : 'other'
}

/** True for a folder that holds something. */
async function isRelease(folder: string, files: Files): Promise<boolean> {
  if ((await files.stat(folder))?.type !== 'directory') return false
  return (await files.entries(folder)).length > 0
}

/** Folders that killed runs have left; no run writes for as long as an hour. */
async function removeStale(folder: string, { files, clock }: Pick<Ports, 'files' | 'clock'>): Promise<void> {
  const parent = dirName(folder)
  if ((await files.stat(parent)) === undefined) return
  const prefix = `${baseName(folder)}.part`
  for (const { name } of await files.entries(parent)) {
    if (name !== prefix && !name.startsWith(`${prefix}-`)) continue
    const path = joinPath(parent, name)
    const stat = await files.stat(path)
    if (stat !== undefined && clock.now() - stat.modified > STALE) await removeFolder(path, files)
  }
}

async function removeFolder(folder: string, files: Files): Promise<void> {
  const stat = await files.stat(folder)
  if (stat === undefined) return
  if (stat.type !== 'directory') {
    await files.remove(folder)
    return
  }
  for (const { name } of await files.entries(folder)) await removeFolder(joinPath(folder, name), files)
  await files.removeEmptyDirectory(folder)
}

function failure(error: unknown, code: 'FILE_UNREADABLE' | 'WRITE_FAILED'): unknown {
  if (!(error instanceof FileError)) return error
  if (code === 'FILE_UNREADABLE') return new StackmasonError(unreadable(error, { what: 'the file', file: error.path }))
  const message = `the release could not be written: ${fileProblem(error).reason}`
  return new StackmasonError({ code, severity: 'error', message, file: error.path }, { cause: error })
}
