import { dictAt, fieldAt, type PathStep, textAt } from './field.ts'
import type { Value } from './value.ts'

/** The field that SOPS adds to a file that it encrypts: it says who can decrypt it, and goes when somebody does. */
export const SOPS = 'sops'

/** True for an object with the fields that SOPS adds to every file that it encrypts. */
export function isEncrypted(object: Value): boolean {
  return dictAt(object, SOPS) !== undefined && textAt(object, SOPS, 'mac') !== ''
}

/** True for a value that SOPS has encrypted: what it is nobody knows before it is decrypted. */
export function isEncryptedText(value: Value | undefined): boolean {
  return typeof value === 'string' && value.startsWith('ENC[')
}

/** True if a field of an encrypted object goes, or is another one, before the object is applied. */
export function isBeforeDecryption(object: Value, path: readonly PathStep[]): boolean {
  return path[0] === SOPS || isEncryptedText(fieldAt(object, ...path))
}
