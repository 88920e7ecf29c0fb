import { decodeBase } from '../codec/bytes/base-encoding.ts'
import { encodeBase64 } from '../codec/bytes/base64.ts'
import { decodeUtf8, encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Crypto } from '../model/ports.ts'
import { GenerateError } from './generate-error.ts'

const block = 16

/** The parameters of sprig's encryptAES and decryptAES; `vector` has 16 bytes. */
interface Encryption {
  readonly crypto: Pick<Crypto, 'encryptAesCbc'>
  readonly vector: Uint8Array
}

/** sprig's key: the password's first 32 bytes, zeros where it has fewer. */
function keyOf(password: string): Uint8Array {
  const key = new Uint8Array(32)
  key.set(encodeUtf8(password).subarray(0, key.length))
  return key
}

/** sprig's encryptAES with a given initialization vector: what {@link decryptText} reads. */
export function encryptText(password: string, text: string, { crypto, vector }: Encryption): string {
  const plain = encodeUtf8(text)
  const padding = block - (plain.length % block)
  const padded = new Uint8Array(plain.length + padding).fill(padding)
  padded.set(plain)
  const encrypted = crypto.encryptAesCbc({ key: keyOf(password), vector }, padded)
  const whole = new Uint8Array(block + encrypted.length)
  whole.set(vector)
  whole.set(encrypted, block)
  return encodeBase64(whole)
}

/**
 * sprig's decryptAES: base64 of an initialization vector and AES-256 in CBC mode.
 * @throws GenerateError in the words of Go's run time for what is no such text
 */
export function decryptText(password: string, text: string, crypto: Pick<Crypto, 'decryptAesCbc'>): string {
  if (text === '') return ''
  const bytes = decodeBase(text, 'base64')
  if (typeof bytes === 'string') throw new GenerateError(bytes)
  if (bytes.length < block) {
    const capacity = Math.floor(text.length / 4) * 3
    throw new GenerateError(`runtime error: slice bounds out of range [:${block}] with capacity ${capacity}`, {
      unquoted: 'the text is too short to be an encrypted one',
    })
  }
  if (bytes.length % block !== 0) throw new GenerateError('crypto/cipher: input not full blocks')
  if (bytes.length === block) throw new GenerateError('runtime error: index out of range [-1]')
  const key = { key: keyOf(password), vector: bytes.subarray(0, block) }
  const plain = crypto.decryptAesCbc(key, bytes.subarray(block))
  const length = plain.length - (plain.at(-1) ?? 0)
  if (length < 0)
    throw new GenerateError(`runtime error: slice bounds out of range [:${length}]`, {
      unquoted: 'the text was not encrypted with this password',
    })
  return decodeUtf8(plain.subarray(0, length))
}
