import { decodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Lock } from '../../model/lock.ts'
import { unreadable } from '../../model/file-problem.ts'
import { FileError, type Ports } from '../../model/ports.ts'
import { parseLock } from './parse-lock.ts'

const MAX_BYTES = 16 * 1024 * 1024

/**
 * Reads stackmason.lock (`file` absolute); undefined when there is none.
 * @throws StackmasonError LOCK_INVALID with every problem at its place, FILE_UNREADABLE
 */
export async function readLock(file: string, { files }: Pick<Ports, 'files'>): Promise<Lock | undefined> {
  try {
    const stat = await files.stat(file)
    if (stat === undefined) return undefined
    if (stat.type !== 'file') throw new FileError('wrong-type', file, { found: stat.type })
    if (stat.size > MAX_BYTES) throw invalid(file, 'the lock is larger than 16 MiB')
    return parseLock({ name: file, text: decodeUtf8(await files.read(file)).replace(/^\uFEFF/, '') })
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause
    if (cause.reason === 'not-found') return undefined
    throw new StackmasonError(unreadable(cause, { what: 'the lock', file }), { cause })
  }
}

function invalid(file: string, message: string): StackmasonError {
  return new StackmasonError({ code: 'LOCK_INVALID', severity: 'error', message, file })
}
