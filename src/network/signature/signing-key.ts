import { decodeBase64, encodeBase64 } from '../../codec/bytes/base64.ts'
import { openSecretbox } from '../../codec/bytes/secretbox.ts'
import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { fieldAt, textAt } from '../../model/field.ts'
import type { Crypto } from '../../model/ports.ts'
import type { ParseOutcome } from '../../model/release-name.ts'
import type { Secret } from '../../model/secret.ts'
import type { Dict } from '../../model/value.ts'
import { parseJsonObject } from '../registry/manifest.ts'

/** A private key that signs as cosign does. */
export interface SigningKey {
  /** In PEM. */
  readonly publicKey: string
  /** In base64. */
  readonly sign: (bytes: Uint8Array) => string
}

const LINE = 64
/** Cosign takes 128 MiB (N 65536, r 8, p 1, from version 2). */
const MAX_SCRYPT = 1024 * 1024 * 1024

/**
 * Reads a private key in PEM: of cosign (`cosign generate-key-pair`, encrypted with a password), or PKCS #8. The reason
 * why it cannot be used tells nothing of it.
 */
export function readSigningKey(pem: Secret, password: Secret, crypto: Crypto): ParseOutcome<SigningKey> {
  const [, type = '', body = ''] =
    /-----BEGIN ([A-Z0-9 ]{1,60})-----([^-]{0,20000})-----END \1-----/.exec(pem.reveal()) ?? []
  if (type === '') return { reason: 'it is no private key in PEM' }
  if (type === 'PUBLIC KEY') return { reason: 'it is a public key, and signing takes the private one' }
  if (type === 'ENCRYPTED COSIGN PRIVATE KEY' || type === 'ENCRYPTED SIGSTORE PRIVATE KEY') {
    const opened = decrypt(decodeBase64(body.trim()), password, crypto)
    return 'reason' in opened ? opened : usable(formatPem('PRIVATE KEY', opened.value), crypto)
  }
  if (type === 'PRIVATE KEY' || type === 'EC PRIVATE KEY' || type === 'RSA PRIVATE KEY')
    return usable(pem.reveal(), crypto)
  return { reason: `keys of the kind "${type}" are not supported; \`cosign import-key-pair\` makes one that is` }
}

/** The form of go-tuf, which cosign encrypts keys with: scrypt, then NaCl's secretbox. */
function decrypt(bytes: Uint8Array | undefined, password: Secret, crypto: Crypto): ParseOutcome<Uint8Array> {
  const parsed = bytes === undefined ? { reason: 'its content is not base64' } : parseJsonObject(bytes)
  if ('reason' in parsed) return { reason: 'it is damaged: what is in it is not the JSON of a key of cosign' }
  const key = parsed.value
  if (textAt(key, 'kdf', 'name') !== 'scrypt' || textAt(key, 'cipher', 'name') !== 'nacl/secretbox')
    return { reason: 'it is encrypted in another way than cosign does it' }
  const [cost, blockSize, parallelization] = ['N', 'r', 'p'].map((name) => countAt(key, name))
  const [salt, nonce, ciphertext] = [
    textAt(key, 'kdf', 'salt'),
    textAt(key, 'cipher', 'nonce'),
    textAt(key, 'ciphertext'),
  ].map(decodeBase64)
  const isSound = cost !== undefined && blockSize !== undefined && parallelization !== undefined && isPowerOfTwo(cost)
  if (!isSound || 128 * cost * blockSize * parallelization > MAX_SCRYPT)
    return { reason: 'it is encrypted with parameters that nobody uses' }
  if (salt === undefined || nonce?.length !== 24 || ciphertext === undefined) return { reason: 'it is damaged' }
  const derived = crypto.scrypt({
    password: encodeUtf8(password.reveal()),
    salt,
    length: 32,
    cost,
    blockSize,
    parallelization,
  })
  const plain = openSecretbox(ciphertext, { key: derived, nonce })
  return plain === undefined ? { reason: 'its password is wrong, or it is damaged' } : { value: plain }
}

function countAt(key: Dict, name: string): number | undefined {
  const count = fieldAt(key, 'kdf', 'params', name)
  return typeof count === 'number' && Number.isSafeInteger(count) && count > 0 ? count : undefined
}

function isPowerOfTwo(count: number): boolean {
  return count > 1 && Number.isInteger(Math.log2(count))
}

function usable(pem: string, crypto: Crypto): ParseOutcome<SigningKey> {
  let signer: ReturnType<Crypto['signerOf']>
  try {
    signer = crypto.signerOf(pem, 'random')
  } catch {
    return { reason: 'it is damaged, or of a kind that signs nothing' }
  }
  // all who verify hash with SHA-256
  if (signer.algorithm === 'ecdsa-sha384' || signer.algorithm === 'ecdsa-sha512')
    return { reason: 'it is on another curve than P-256, and Flux does not accept its signatures' }
  return {
    value: {
      publicKey: formatPem('PUBLIC KEY', signer.publicKey),
      sign: (bytes) => encodeBase64(signer.sign(bytes)),
    },
  }
}

function formatPem(type: string, bytes: Uint8Array): string {
  const text = encodeBase64(bytes)
  const lines = Array.from({ length: Math.ceil(text.length / LINE) }, (_, at) => text.slice(at * LINE, (at + 1) * LINE))
  return [`-----BEGIN ${type}-----`, ...lines, `-----END ${type}-----`, ''].join('\n')
}
