import { joinPath } from '../../codec/path.ts'
import { sameFiles } from '../../build/plan-versions.ts'
import type { ChartFile } from '../../model/chart.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { fileProblem, unreadable } from '../../model/file-problem.ts'
import { FileError, type Files } from '../../model/ports.ts'

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
 * Writes a release folder: all of it beside its place first, so that a run that is killed leaves no half release. What
 * stood there goes.
 * @throws StackmasonError WRITE_FAILED
 */
export async function writeReleaseFolder(folder: string, assets: readonly ChartFile[], files: Files): Promise<void> {
  const staging = `${folder}.part`
  try {
    await removeFolder(staging, files)
    for (const { path, bytes } of assets) await files.write(joinPath(staging, path), bytes)
    await removeFolder(folder, files)
    await files.rename(staging, folder)
  } catch (error) {
    throw failure(error, 'WRITE_FAILED')
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
