import type { Diagnostic } from './diagnostic.ts'
import type { FileError, FileType } from './ports.ts'

/** Why something could not be read, as the end of a sentence, and what to do about it. */
export interface FileProblem {
  readonly reason: string
  readonly hint: string
}

const KINDS: Readonly<Record<FileType, FileProblem>> = {
  file: { reason: 'it is a file, not a folder', hint: 'Put a folder in its place, or correct the path.' },
  directory: { reason: 'it is a folder, not a file', hint: 'Put a file in its place, or correct the path.' },
  link: { reason: 'it is a link', hint: 'Put the file itself in its place.' },
  pipe: {
    reason: 'it is a named pipe, not a file',
    hint: 'Put a plain file in its place: stackmason does not wait for what may come through a pipe.',
  },
  socket: { reason: 'it is a socket, not a file', hint: 'Put a plain file in its place, or remove it.' },
  device: { reason: 'it is a device, not a file', hint: 'Put a plain file in its place: a device may never end.' },
  other: { reason: 'it is neither a file nor a folder', hint: 'Put a plain file in its place, or remove it.' },
}

/** The problem behind a failed read. */
export function fileProblem(error: FileError): FileProblem {
  const { reason, found } = error
  switch (reason) {
    case 'not-found':
      return found === 'link'
        ? { reason: 'it is a link to something that is not there', hint: 'Correct the link, or remove it.' }
        : (oddName(error) ?? { reason: 'it is not there', hint: 'Check the path, or create it.' })
    case 'not-permitted':
      return { reason: 'permission is denied', hint: 'Check its permissions, and those of the folders above it.' }
    case 'read-only':
      return {
        reason: 'the file system is read-only',
        hint: 'Choose a folder of another one, or mount this one writable.',
      }
    case 'wrong-type':
      return found === undefined
        ? { reason: 'a part of its path is not a folder', hint: 'Correct the path.' }
        : KINDS[found]
    case 'no-space':
      return { reason: 'there is no space left', hint: 'Free some space, then run again.' }
    case 'other':
      return { reason: 'the system refused it', hint: 'Check the disk and how it is mounted, then run again.' }
  }
}

/** The problem behind a failed read of what the system has just listed: it is not there by that name. */
export function listedProblem(error: FileError): FileProblem {
  if (error.reason !== 'not-found' || error.found === 'link') return fileProblem(error)
  return (
    oddName(error) ?? {
      reason: 'it has gone while the folder was read',
      hint: 'Wait until nothing else works on the folder, then run again.',
    }
  )
}

/** The problem of a file that is not found, if its name is the reason: no text names it. */
export function oddName({ reason, path }: FileError): FileProblem | undefined {
  // what a name holds that is no UTF-8 is read as this character
  if (reason !== 'not-found' || !path.includes('\ufffd')) return undefined
  return { reason: 'its name is not UTF-8', hint: 'Rename it, or remove it.' }
}

/** The problem of another kind of file where a file of the fleet is expected. */
export function wrongKind(found: FileType): FileProblem {
  return KINDS[found]
}

/** FILE_UNREADABLE; `what` begins the sentence, such as a path or "the lock". */
export function unreadable(
  error: FileError,
  { what, file }: { readonly what: string; readonly file: string },
): Diagnostic {
  const { reason, hint } = fileProblem(error)
  return { code: 'FILE_UNREADABLE', severity: 'error', message: `${what} cannot be read: ${reason}`, file, hint }
}

/** FILE_OUTSIDE for a link of the fleet; `shown` is its path from the fleet's folder. */
export function outsideFleet(file: string, shown: string): Diagnostic {
  const message = `${shown} leads out of the fleet repository`
  const hint = 'Put a copy of what it leads to in its place.'
  return { code: 'FILE_OUTSIDE', severity: 'error', message, file, hint }
}

/** WRITE_FAILED for a file that was to be written. */
export function unwritable(error: FileError, file: string): Diagnostic {
  const { reason, hint } = fileProblem(error)
  return { code: 'WRITE_FAILED', severity: 'error', message: `${file} cannot be written: ${reason}`, file, hint }
}
