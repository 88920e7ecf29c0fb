import { encodeBase64, hashSync } from 'bcryptjs'
import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import { GenerateError } from './generate-error.ts'

/** Go's default cost: 2^10 rounds. */
const cost = '10'
const saltBytes = 16

/** bcrypt reads no more of a password. */
export const maxBcryptBytes = 72

/**
 * Returns `$2a$10$…`, the bcrypt hash of a password with a salt of 16 bytes, as Go's x/crypto/bcrypt writes it.
 * @throws GenerateError for a password of more than 72 bytes, in Go's words, and for one that is not UTF-8
 */
export function hashBcrypt(password: string, salt: Uint8Array): string {
  const bytes = encodeUtf8(password)
  if (bytes.length > maxBcryptBytes) throw new GenerateError(`bcrypt: password length exceeds ${maxBcryptBytes} bytes`)
  // the library takes text alone, and would hash other bytes than those that a login sends
  if (/\p{Surrogate}/u.test(password)) throw new GenerateError('bcrypt: the password is not UTF-8')
  return hashSync(password, `$2a$${cost}$${encodeBase64(salt, saltBytes)}`)
}
