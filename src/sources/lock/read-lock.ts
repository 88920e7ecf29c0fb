import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Lock } from '../../model/lock.ts'
import { FileError, type FileErrorReason, type Ports } from '../../model/ports.ts'
import { parseLock } from './parse-lock.ts'

const MAX_BYTES = 16 * 1024 * 1024

const REASONS: Readonly<Record<FileErrorReason, string>> = {
  'not-found': 'it is not there any more',
  'not-permitted': 'permission is denied',
  'wrong-type': 'it is not of the right type',
  'no-space': 'there is no space left',
  other: 'reading failed',
}

/**
 * Reads stackmason.lock (`file` absolute); undefined when there is none.
 * @throws StackmasonError LOCK_INVALID with every problem at its place, FILE_UNREADABLE
 */
export async function readLock(file: string, { files }: Pick<Ports, 'files'>): Promise<Lock | undefined> {
  try {
    const stat = await files.stat(file)
    if (stat === undefined) return undefined
    if (stat.type !== 'file') throw invalid(file, 'the lock is not a plain file')
    if (stat.size > MAX_BYTES) throw invalid(file, 'the lock is larger than 16 MiB')
    return parseLock({ name: file, text: decodeUtf8(await files.read(file)).replace(/^\uFEFF/, '') })
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause
    if (cause.reason === 'not-found') return undefined
    const message = `the lock cannot be read: ${REASONS[cause.reason]}`
    throw new StackmasonError({ code: 'FILE_UNREADABLE', severity: 'error', message, file }, { cause })
  }
}

function invalid(file: string, message: string): StackmasonError {
  return new StackmasonError({ code: 'LOCK_INVALID', severity: 'error', message, file })
}
