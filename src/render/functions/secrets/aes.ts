import { encodeBase64 } from '../../../codec/bytes/base64.ts'
import { decodeUtf8, encodeUtf8 } from '../../../codec/bytes/utf8.ts'
import { FunctionError } from '../../engine/function.ts'
import { decodeBase } from '../../../codec/bytes/base-encoding.ts'

const block = 16
const rounds = 14

/** Multiplication by x in the field of 256 elements that AES works in (FIPS 197, 4.2). */
function double(value: number): number {
  return ((value << 1) ^ (value & 0x80 ? 0x11b : 0)) & 0xff
}

function multiply(a: number, b: number): number {
  let product = 0
  for (let factor = b, power = a; factor > 0; factor >>= 1, power = double(power)) {
    if (factor & 1) product ^= power
  }
  return product
}

interface Boxes {
  readonly forward: Uint8Array
  readonly inverse: Uint8Array
}

let boxes: Boxes | undefined

/** The substitution boxes, from their definition (FIPS 197, 5.1.1). */
function substitutionBoxes(): Boxes {
  if (boxes !== undefined) return boxes
  const forward = new Uint8Array(256)
  const inverse = new Uint8Array(256)
  // p runs through all elements as powers of 3, q through their inverses
  let p = 1
  let q = 1
  do {
    p ^= double(p)
    q ^= q << 1
    q ^= q << 2
    q ^= q << 4
    q &= 0xff
    if (q & 0x80) q ^= 0x09
    const value = (q ^ rotate(q, 1) ^ rotate(q, 2) ^ rotate(q, 3) ^ rotate(q, 4) ^ 0x63) & 0xff
    forward[p] = value
    inverse[value] = p
  } while (p !== 1)
  forward[0] = 0x63
  inverse[0x63] = 0
  boxes = { forward, inverse }
  return boxes
}

function rotate(value: number, bits: number): number {
  return ((value << bits) | (value >> (8 - bits))) & 0xff
}

/** The round keys of a key of 32 bytes (FIPS 197, 5.2). */
function expandKey(key: Uint8Array): Uint8Array {
  const { forward } = substitutionBoxes()
  const words = new Uint8Array(block * (rounds + 1))
  words.set(key)
  let constant = 1
  for (let at = 32; at < words.length; at += 4) {
    let word = [...words.subarray(at - 4, at)]
    if (at % 32 === 0) {
      word = [...word.slice(1), ...word.slice(0, 1)].map((byte) => forward[byte] ?? 0)
      word[0] = (word[0] ?? 0) ^ constant
      constant = double(constant)
    } else if (at % 32 === 16) word = word.map((byte) => forward[byte] ?? 0)
    word.forEach((byte, index) => (words[at + index] = (words[at + index - 32] ?? 0) ^ byte))
  }
  return words
}

/** Deciphers one block in place (FIPS 197, 5.3). */
function decryptBlock(state: Uint8Array, keys: Uint8Array): void {
  const { inverse } = substitutionBoxes()
  addRoundKey(state, keys, rounds)
  for (let round = rounds - 1; round >= 0; round--) {
    const before = state.slice()
    // row r of the column-wise state moves right by r
    for (let at = 0; at < block; at++) state[(at + 4 * (at % 4)) % block] = inverse[before[at] ?? 0] ?? 0
    addRoundKey(state, keys, round)
    if (round > 0) mixColumns(state, unmix)
  }
}

function addRoundKey(state: Uint8Array, keys: Uint8Array, round: number): void {
  for (let at = 0; at < block; at++) state[at] = (state[at] ?? 0) ^ (keys[round * block + at] ?? 0)
}

const mix = [2, 3, 1, 1]
const unmix = [14, 11, 13, 9]

function mixColumns(state: Uint8Array, factors: readonly number[]): void {
  for (let column = 0; column < block; column += 4) {
    const before = state.slice(column, column + 4)
    for (let row = 0; row < 4; row++) {
      let sum = 0
      before.forEach((byte, index) => (sum ^= multiply(byte, factors[(index - row + 4) % 4] ?? 0)))
      state[column + row] = sum
    }
  }
}

/**
 * sprig's decryptAES: base64 of an initialization vector and AES-256 in CBC mode, the password's first 32 bytes as key.
 * @throws FunctionError in the words of Go's run time for what is no such text
 */
export function decryptAesText(password: string, text: string): string {
  if (text === '') return ''
  const key = new Uint8Array(32)
  key.set(encodeUtf8(password).subarray(0, 32))
  const bytes = decodeBase(text, 'base64')
  if (typeof bytes === 'string') throw new FunctionError(bytes)
  if (bytes.length < block) {
    const capacity = Math.floor(text.length / 4) * 3
    throw new FunctionError(`runtime error: slice bounds out of range [:${block}] with capacity ${capacity}`)
  }
  if (bytes.length % block !== 0) throw new FunctionError('crypto/cipher: input not full blocks')
  if (bytes.length === block) throw new FunctionError('runtime error: index out of range [-1]')
  const plain = decryptBlocks(bytes, expandKey(key))
  const length = plain.length - (plain.at(-1) ?? 0)
  if (length < 0) throw new FunctionError(`runtime error: slice bounds out of range [:${length}]`)
  return decodeUtf8(plain.subarray(0, length))
}

function decryptBlocks(bytes: Uint8Array, keys: Uint8Array): Uint8Array {
  const plain = new Uint8Array(bytes.length - block)
  for (let at = block; at < bytes.length; at += block) {
    const state = bytes.slice(at, at + block)
    decryptBlock(state, keys)
    for (let index = 0; index < block; index++) state[index] = (state[index] ?? 0) ^ (bytes[at - block + index] ?? 0)
    plain.set(state, at - block)
  }
  return plain
}

/** Enciphers one block in place (FIPS 197, 5.1). */
function encryptBlock(state: Uint8Array, keys: Uint8Array): void {
  const { forward } = substitutionBoxes()
  addRoundKey(state, keys, 0)
  for (let round = 1; round <= rounds; round++) {
    const before = state.slice()
    // row r of the column-wise state moves left by r
    for (let at = 0; at < block; at++) state[at] = forward[before[(at + 4 * (at % 4)) % block] ?? 0] ?? 0
    if (round < rounds) mixColumns(state, mix)
    addRoundKey(state, keys, round)
  }
}

/** sprig's encryptAES with a given initialization vector of 16 bytes: what {@link decryptAesText} reads. */
export function encryptAesText(password: string, text: string, vector: Uint8Array): string {
  const key = new Uint8Array(32)
  key.set(encodeUtf8(password).subarray(0, 32))
  const keys = expandKey(key)
  const plain = encodeUtf8(text)
  const padding = block - (plain.length % block)
  const bytes = new Uint8Array(block + plain.length + padding).fill(padding)
  bytes.set(vector)
  bytes.set(plain, block)
  for (let at = block; at < bytes.length; at += block) {
    const state = bytes.slice(at, at + block)
    for (let index = 0; index < block; index++) state[index] = (state[index] ?? 0) ^ (bytes[at - block + index] ?? 0)
    encryptBlock(state, keys)
    bytes.set(state, at)
  }
  return encodeBase64(bytes)
}
