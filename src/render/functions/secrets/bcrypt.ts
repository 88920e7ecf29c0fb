import { encodeBase64 } from '../../../codec/bytes/base64.ts'
import { encodeUtf8 } from '../../../codec/bytes/utf8.ts'

/** Go's default cost: 2^10 rounds. */
const cost = 10
const subkeys = 18
const boxWords = 1024
const bits = (subkeys + boxWords) * 32
const standardAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const bcryptAlphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The state of Blowfish: subkeys, then the four substitution boxes one after the other. */
interface Cipher {
  readonly keys: Int32Array
  readonly boxes: Int32Array
  /** The two halves of the block that is being enciphered. */
  readonly half: Int32Array
}

let fraction: Int32Array | undefined

/** The first binary digits of pi behind the point, which Blowfish starts from; by Machin's formula. */
function fractionOfPi(): Int32Array {
  if (fraction !== undefined) return fraction
  const guard = 64n
  const one = 1n << (BigInt(bits) + guard)
  const arctan = (inverse: bigint): bigint => {
    let power = one / inverse
    let sum = power
    for (let divisor = 3n, sign = -1n; power > 0n; divisor += 2n, sign = -sign) {
      power /= inverse * inverse
      sum += (sign * power) / divisor
    }
    return sum
  }
  const pi = 4n * (4n * arctan(5n) - arctan(239n))
  const hex = ((pi - 3n * one) >> guard).toString(16).padStart(bits / 4, '0')
  fraction = Int32Array.from({ length: bits / 32 }, (_, index) =>
    Number.parseInt(hex.slice(index * 8, index * 8 + 8), 16),
  )
  return fraction
}

function at(words: Int32Array, index: number): number {
  return words[index] ?? 0
}

/** Enciphers the two halves in place: sixteen rounds. */
function encipher({ keys, boxes, half }: Cipher): void {
  let left = at(half, 0)
  let right = at(half, 1)
  for (let round = 0; round < 16; round++) {
    left ^= at(keys, round)
    const mixed =
      (at(boxes, left >>> 24) + at(boxes, 256 + ((left >>> 16) & 255))) ^ at(boxes, 512 + ((left >>> 8) & 255))
    right ^= mixed + at(boxes, 768 + (left & 255))
    const moved = left
    left = right
    right = moved
  }
  half[0] = right ^ at(keys, 17)
  half[1] = left ^ at(keys, 16)
}

/** Returns the bytes as words, again from the start where they end. */
function cyclicWords(bytes: Uint8Array): Int32Array {
  return Int32Array.from({ length: subkeys }, (_, index) =>
    [0, 1, 2, 3].reduce((word, offset) => (word << 8) | (bytes[(index * 4 + offset) % bytes.length] ?? 0), 0),
  )
}

/** Mixes a key, and a salt where there is one, into the state. */
function expandKey(cipher: Cipher, key: Int32Array, salt?: Int32Array): void {
  const { keys, boxes, half } = cipher
  for (let index = 0; index < subkeys; index++) keys[index] = at(keys, index) ^ at(key, index)
  half.fill(0)
  let turn = 0
  for (const words of [keys, boxes]) {
    for (let index = 0; index < words.length; index += 2) {
      if (salt !== undefined) {
        half[0] = at(half, 0) ^ at(salt, turn)
        half[1] = at(half, 1) ^ at(salt, turn + 1)
        turn ^= 2
      }
      encipher(cipher)
      words[index] = at(half, 0)
      words[index + 1] = at(half, 1)
    }
  }
}

/** Returns `$2a$10$…`, the bcrypt hash of a password of at most 72 bytes with a salt of 16, as Go's x/crypto/bcrypt writes it. */
export function hashBcrypt(password: string, salt: Uint8Array): string {
  const key = cyclicWords(Uint8Array.from([...encodeUtf8(password), 0]))
  const saltWords = cyclicWords(salt)
  const pi = fractionOfPi()
  const cipher = { keys: pi.slice(0, subkeys), boxes: pi.slice(subkeys), half: new Int32Array(2) }
  expandKey(cipher, key, saltWords)
  for (let round = 0; round < 2 ** cost; round++) {
    expandKey(cipher, key)
    expandKey(cipher, saltWords)
  }
  const text = new DataView(Uint8Array.from(encodeUtf8('OrpheanBeholderScryDoubt')).buffer)
  for (let block = 0; block < text.byteLength; block += 8) {
    cipher.half[0] = text.getInt32(block)
    cipher.half[1] = text.getInt32(block + 4)
    for (let round = 0; round < 64; round++) encipher(cipher)
    text.setInt32(block, at(cipher.half, 0))
    text.setInt32(block + 4, at(cipher.half, 1))
  }
  return `$2a$${cost}$${encode(salt)}${encode(new Uint8Array(text.buffer, 0, 23))}`
}

function encode(bytes: Uint8Array): string {
  const plain = encodeBase64(bytes).replace(/=+$/, '')
  return Array.from(plain, (digit) => bcryptAlphabet.charAt(standardAlphabet.indexOf(digit))).join('')
}
