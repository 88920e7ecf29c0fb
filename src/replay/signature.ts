import { SIGNATURE_LENGTH } from '../model/ports.ts'

/** The bits of a mode that say what a file is, and two of their values (POSIX, sys/stat.h). */
const [KIND, LINK, FOLDER] = [0o170000, 0o120000, 0o040000]

/** The type of a file by the mode in its signature. */
export function kindOf([mode = 0]: Float64Array): 'link' | 'folder' | 'other' {
  if ((mode & KIND) === LINK) return 'link'
  return (mode & KIND) === FOLDER ? 'folder' : 'other'
}

/**
 * Milliseconds in which a file system's clock may stand still or differ from ours; FAT counts in steps of two seconds.
 */
const TICK = 2000

/**
 * True if something may have changed since the signature was made, and changed nothing of it: it was made at `started`
 * or later.
 */
export function isYoung(signature: Float64Array, started: number): boolean {
  const [, , written = 0, changed = 0] = signature
  return Math.max(written, changed) >= started - TICK
}

/** The signature at an index of many that stand one after the other; the same numbers, not a copy of them. */
export function signatureAt({ signatures }: { readonly signatures: Float64Array }, index: number): Float64Array {
  return signatures.subarray(index * SIGNATURE_LENGTH, (index + 1) * SIGNATURE_LENGTH)
}
