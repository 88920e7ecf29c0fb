import { formatHex } from '../../codec/bytes/hex.ts'
import { baseName, dirName, joinPath } from '../../codec/path.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { StackmasonError } from '../../model/diagnostic.ts'
import type { Lock } from '../../model/lock.ts'
import { FileError, type FileErrorReason, type Files, type Ports } from '../../model/ports.ts'
import { formatLock } from './format-lock.ts'

type LockPorts = Pick<Ports, 'files' | 'process' | 'random'>

const REASONS: Readonly<Record<FileErrorReason, string>> = {
  'not-found': 'its folder is not there',
  'not-permitted': 'permission is denied',
  'read-only': 'the file system is read-only',
  'wrong-type': 'something else is in its place',
  'no-space': 'no space is left',
  other: 'the system refused it',
}

/**
 * Writes stackmason.lock (`file` absolute), whole or not at all, also when the process is killed or the power fails. A
 * file that says the same already is not touched.
 * @throws StackmasonError WRITE_FAILED, the file being as before
 */
export async function writeLock(file: string, lock: Lock, ports: LockPorts): Promise<'written' | 'unchanged'> {
  const bytes = encodeUtf8(formatLock(lock))
  const { files, process, random } = ports
  try {
    if (await isEqual(file, bytes, files)) return 'unchanged'
    await sweep(file, ports)
    const suffix = formatHex(random.bytes(6))
    const temporary = joinPath(dirName(file), `.${baseName(file)}.${String(process.id)}-${suffix}`)
    await replace(file, { temporary, bytes }, files)
    return 'written'
  } catch (cause) {
    if (!(cause instanceof FileError)) throw cause
    const message = `the lock could not be written: ${REASONS[cause.reason]}; it is as it was`
    throw new StackmasonError({ code: 'WRITE_FAILED', severity: 'error', message, file }, { cause })
  }
}

async function isEqual(file: string, bytes: Uint8Array, files: Files): Promise<boolean> {
  const stat = await files.stat(file)
  if (stat?.type !== 'file' || stat.size !== bytes.length) return false
  const there = await files.read(file)
  return there.length === bytes.length && there.every((byte, index) => byte === bytes[index])
}

/** Removes what killed writers left. */
async function sweep(file: string, { files, process }: LockPorts): Promise<void> {
  const prefix = `.${baseName(file)}.`
  for (const { name, type } of await files.entries(dirName(file))) {
    const writer = name.startsWith(prefix) ? /^(\d+)-[0-9a-f]{12}$/.exec(name.slice(prefix.length))?.[1] : undefined
    if (type !== 'file' || writer === undefined || process.isRunning(Number(writer))) continue
    await files.remove(joinPath(dirName(file), name))
  }
}

async function replace(
  file: string,
  { temporary, bytes }: { readonly temporary: string; readonly bytes: Uint8Array },
  files: Files,
): Promise<void> {
  try {
    await files.write(temporary, bytes, 'durable')
    await files.rename(temporary, file)
  } catch (error) {
    await files.remove(temporary).catch((failed: unknown) => {
      if (!(failed instanceof FileError)) throw failed
    })
    throw error
  }
}
