import { joinPath } from '../../codec/path.ts'
import { type Diagnostic, StackmasonError } from '../../model/diagnostic.ts'
import { unwritable } from '../../model/file-problem.ts'
import { FileError, type Ports } from '../../model/ports.ts'

/**
 * Writes files that are not there yet, by path relative to the folder.
 * @throws StackmasonError INIT_FILE_EXISTS for every file in the way (nothing is written then), WRITE_FAILED
 */
export async function writeNewFiles(
  {
    folder,
    contents,
    isDry,
  }: { readonly folder: string; readonly contents: ReadonlyMap<string, Uint8Array>; readonly isDry: boolean },
  { files }: Pick<Ports, 'files'>,
): Promise<void> {
  const inTheWay: Diagnostic[] = []
  for (const path of contents.keys()) {
    const file = joinPath(folder, path)
    if ((await files.stat(file)) !== undefined)
      inTheWay.push({ code: 'INIT_FILE_EXISTS', severity: 'error', message: 'the file is there already', file })
  }
  if (inTheWay.length > 0) throw new StackmasonError(inTheWay)
  if (isDry) return
  for (const [path, bytes] of contents) {
    const file = joinPath(folder, path)
    try {
      await files.write(file, bytes)
    } catch (cause) {
      if (!(cause instanceof FileError)) throw cause
      throw new StackmasonError(unwritable(cause, file), { cause })
    }
  }
}
