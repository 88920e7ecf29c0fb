import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import { unwritable } from '../../model/file-problem.ts'
import { FileError, type Ports } from '../../model/ports.ts'

type FilePort = Pick<Ports, 'files'>

/**
 * Writes a report into a file, in place of what it held.
 * @throws StackmasonError WRITE_FAILED
 */
export async function writeReport(file: string, parts: Iterable<string>, { files }: FilePort): Promise<void> {
  await writeAll(file, [...parts].map(encodeUtf8), { files })
}

/**
 * Writes a report behind what a file holds.
 * @throws StackmasonError WRITE_FAILED
 */
export async function addToReport(file: string, parts: Iterable<string>, { files }: FilePort): Promise<void> {
  const before = (await files.stat(file)) === undefined ? [] : [await files.read(file)]
  await writeAll(file, [...before, ...[...parts].map(encodeUtf8)], { files })
}

async function writeAll(file: string, parts: readonly Uint8Array[], { files }: FilePort): Promise<void> {
  try {
    await files.write(file, parts)
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause
    throw new StackmasonError(unwritable(cause, file), { cause })
  }
}
