import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Crypto } from '../model/ports.ts'
import { GenerateError } from './generate-error.ts'

/**
 * Patterns by type of password, each letter a class of characters (the Master Password algorithm, as in sprig's
 * crypto.go).
 */
const templates: ReadonlyMap<string, readonly string[]> = new Map([
  ['maximum', ['anoxxxxxxxxxxxxxxxxx', 'axxxxxxxxxxxxxxxxxno']],
  [
    'long',
    (
      'CvcvnoCvcvCvcv CvcvCvcvnoCvcv CvcvCvcvCvcvno CvccnoCvcvCvcv CvccCvcvnoCvcv CvccCvcvCvcvno CvcvnoCvccCvcv ' +
      'CvcvCvccnoCvcv CvcvCvccCvcvno CvcvnoCvcvCvcc CvcvCvcvnoCvcc CvcvCvcvCvccno CvccnoCvccCvcv CvccCvccnoCvcv ' +
      'CvccCvccCvcvno CvcvnoCvccCvcc CvcvCvccnoCvcc CvcvCvccCvccno CvccnoCvcvCvcc CvccCvcvnoCvcc CvccCvcvCvccno'
    ).split(' '),
  ],
  ['medium', ['CvcnoCvc', 'CvcCvcno']],
  ['short', ['Cvcn']],
  ['basic', ['aaanaaan', 'aannaaan', 'aaannaaa']],
  ['pin', ['nnnn']],
])

const vowels = 'AEIOU'
const consonants = 'BCDFGHJKLMNPQRSTVWXYZ'
const letters = vowels + vowels.toLowerCase() + consonants + consonants.toLowerCase()

const characters: ReadonlyMap<string, string> = new Map([
  ['V', vowels],
  ['C', consonants],
  ['v', vowels.toLowerCase()],
  ['c', consonants.toLowerCase()],
  ['A', vowels + consonants],
  ['a', letters],
  ['n', '0123456789'],
  ['o', "@&%?,=[]_:-+*$#!'^~;()/."],
  ['x', `${letters}0123456789!@#$%^&*()`],
])

const seedName = 'com.lyndir.masterpassword'

/** The arguments of {@link derivePassword}. */
export interface PasswordRequest {
  readonly counter: number
  readonly type: string
  readonly password: string
  readonly user: string
  readonly site: string
}

/** The types of passwords that {@link derivePassword} knows. */
export const passwordTypes: ReadonlySet<string> = new Set(templates.keys())

/**
 * sprig's derivePassword: the same password for the same arguments. Takes 32 MiB.
 * @throws GenerateError for a type that it does not know
 */
export function derivePassword(
  { counter, type, password, user, site }: PasswordRequest,
  crypto: Pick<Crypto, 'scrypt' | 'hmacSha256'>,
): string {
  const patterns = templates.get(type)
  if (patterns === undefined)
    throw new GenerateError(`cannot find password template ${type}`, { unquoted: 'cannot find password template' })
  const key = crypto.scrypt({
    password: encodeUtf8(password),
    salt: concatBytes([encodeUtf8(seedName), sized(user)]),
    length: 64,
    cost: 32768,
    blockSize: 8,
    parallelization: 2,
  })
  const seed = crypto.hmacSha256(key, concatBytes([encodeUtf8(seedName), sized(site), uint32(counter)]))
  const pattern = patterns[(seed[0] ?? 0) % patterns.length] ?? ''
  return Array.from(pattern, (letter, index) => {
    const from = characters.get(letter) ?? ''
    return from.charAt((seed[index + 1] ?? 0) % from.length)
  }).join('')
}

function sized(text: string): Uint8Array {
  const bytes = encodeUtf8(text)
  return concatBytes([uint32(bytes.length), bytes])
}

function uint32(value: number): Uint8Array {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}
