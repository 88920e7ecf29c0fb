import type { Crypto } from '../../../model/ports.ts'

const blockSize = 64

/** HMAC-SHA-256 (RFC 2104). */
export function hmacSha256(crypto: Crypto, key: Uint8Array, message: Uint8Array): Uint8Array {
  const short = key.length > blockSize ? crypto.hash('sha256', key) : key
  const padded = new Uint8Array(blockSize)
  padded.set(short)
  const inner = crypto.hash('sha256', concatBytes([padded.map((byte) => byte ^ 0x36), message]))
  return crypto.hash('sha256', concatBytes([padded.map((byte) => byte ^ 0x5c), inner]))
}

/** Returns the pieces as one array. */
export function concatBytes(pieces: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** PBKDF2-HMAC-SHA-256 with one iteration, which is all that scrypt asks for (RFC 8018). */
function stretch(crypto: Crypto, { password, salt, length }: Stretch): Uint8Array {
  const pieces: Uint8Array[] = []
  for (let index = 1; (index - 1) * 32 < length; index++) {
    const number = new Uint8Array(4)
    new DataView(number.buffer).setUint32(0, index)
    pieces.push(hmacSha256(crypto, password, concatBytes([salt, number])))
  }
  return concatBytes(pieces).slice(0, length)
}

interface Stretch {
  readonly password: Uint8Array
  readonly salt: Uint8Array
  readonly length: number
}

/** What scrypt is asked for (RFC 7914): cost N, block size r, parallelization p. */
export interface ScryptOptions extends Stretch {
  readonly cost: number
  readonly blocks: number
  readonly parallel: number
}

/** scrypt (RFC 7914); takes 128 * cost * blocks bytes of memory. */
export function scrypt(crypto: Crypto, { password, salt, length, cost, blocks, parallel }: ScryptOptions): Uint8Array {
  const size = 128 * blocks
  const bytes = stretch(crypto, { password, salt, length: size * parallel })
  const view = new DataView(bytes.buffer)
  const words = Int32Array.from({ length: bytes.length / 4 }, (_, index) => view.getInt32(index * 4, true))
  for (let lane = 0; lane < parallel; lane++)
    mixMemory(words.subarray((lane * size) / 4, ((lane + 1) * size) / 4), cost)
  words.forEach((word, index) => view.setInt32(index * 4, word, true))
  return stretch(crypto, { password, salt: bytes, length })
}

/** Reads a word; every offset here lies inside. */
function at(words: Int32Array, index: number): number {
  return words[index] ?? 0
}

function mixMemory(words: Int32Array, cost: number): void {
  const length = words.length
  const memory = new Int32Array(length * cost)
  const scratch: Scratch = { state: new Int32Array(16), mixed: new Int32Array(length) }
  for (let round = 0; round < cost; round++) {
    memory.set(words, round * length)
    mixBlocks(words, scratch)
  }
  for (let round = 0; round < cost; round++) {
    // the cost is a power of two
    const from = (at(words, length - 16) & (cost - 1)) * length
    for (let index = 0; index < length; index++) words[index] = at(words, index) ^ at(memory, from + index)
    mixBlocks(words, scratch)
  }
}

/** Room that every round uses again. */
interface Scratch {
  readonly state: Int32Array
  readonly mixed: Int32Array
}

/** scryptBlockMix: even blocks first, then odd ones. */
function mixBlocks(words: Int32Array, { state, mixed }: Scratch): void {
  const half = words.length / 2
  state.set(words.subarray(words.length - 16))
  for (let start = 0; start < words.length; start += 16) {
    mixSalsa({ state, from: words, start, to: mixed, end: (start >> 5) * 16 + (start & 16 ? half : 0) })
  }
  words.set(mixed)
}

/** A block is read from `from` at `start`; the result goes into `state` and into `to` at `end`. */
interface SalsaStep {
  readonly state: Int32Array
  readonly from: Int32Array
  readonly start: number
  readonly to: Int32Array
  readonly end: number
}

/** Salsa20/8 of the state and a block. Written out, because derivePassword runs it two million times. */
function mixSalsa({ state, from, start, to, end }: SalsaStep): void {
  const s0 = at(state, 0) ^ at(from, start + 0)
  const s1 = at(state, 1) ^ at(from, start + 1)
  const s2 = at(state, 2) ^ at(from, start + 2)
  const s3 = at(state, 3) ^ at(from, start + 3)
  const s4 = at(state, 4) ^ at(from, start + 4)
  const s5 = at(state, 5) ^ at(from, start + 5)
  const s6 = at(state, 6) ^ at(from, start + 6)
  const s7 = at(state, 7) ^ at(from, start + 7)
  const s8 = at(state, 8) ^ at(from, start + 8)
  const s9 = at(state, 9) ^ at(from, start + 9)
  const s10 = at(state, 10) ^ at(from, start + 10)
  const s11 = at(state, 11) ^ at(from, start + 11)
  const s12 = at(state, 12) ^ at(from, start + 12)
  const s13 = at(state, 13) ^ at(from, start + 13)
  const s14 = at(state, 14) ^ at(from, start + 14)
  const s15 = at(state, 15) ^ at(from, start + 15)
  let x0 = s0
  let x1 = s1
  let x2 = s2
  let x3 = s3
  let x4 = s4
  let x5 = s5
  let x6 = s6
  let x7 = s7
  let x8 = s8
  let x9 = s9
  let x10 = s10
  let x11 = s11
  let x12 = s12
  let x13 = s13
  let x14 = s14
  let x15 = s15
  let sum = 0
  for (let round = 0; round < 4; round++) {
    sum = (x0 + x12) | 0
    x4 ^= (sum << 7) | (sum >>> 25)
    sum = (x4 + x0) | 0
    x8 ^= (sum << 9) | (sum >>> 23)
    sum = (x8 + x4) | 0
    x12 ^= (sum << 13) | (sum >>> 19)
    sum = (x12 + x8) | 0
    x0 ^= (sum << 18) | (sum >>> 14)
    sum = (x5 + x1) | 0
    x9 ^= (sum << 7) | (sum >>> 25)
    sum = (x9 + x5) | 0
    x13 ^= (sum << 9) | (sum >>> 23)
    sum = (x13 + x9) | 0
    x1 ^= (sum << 13) | (sum >>> 19)
    sum = (x1 + x13) | 0
    x5 ^= (sum << 18) | (sum >>> 14)
    sum = (x10 + x6) | 0
    x14 ^= (sum << 7) | (sum >>> 25)
    sum = (x14 + x10) | 0
    x2 ^= (sum << 9) | (sum >>> 23)
    sum = (x2 + x14) | 0
    x6 ^= (sum << 13) | (sum >>> 19)
    sum = (x6 + x2) | 0
    x10 ^= (sum << 18) | (sum >>> 14)
    sum = (x15 + x11) | 0
    x3 ^= (sum << 7) | (sum >>> 25)
    sum = (x3 + x15) | 0
    x7 ^= (sum << 9) | (sum >>> 23)
    sum = (x7 + x3) | 0
    x11 ^= (sum << 13) | (sum >>> 19)
    sum = (x11 + x7) | 0
    x15 ^= (sum << 18) | (sum >>> 14)
    sum = (x0 + x3) | 0
    x1 ^= (sum << 7) | (sum >>> 25)
    sum = (x1 + x0) | 0
    x2 ^= (sum << 9) | (sum >>> 23)
    sum = (x2 + x1) | 0
    x3 ^= (sum << 13) | (sum >>> 19)
    sum = (x3 + x2) | 0
    x0 ^= (sum << 18) | (sum >>> 14)
    sum = (x5 + x4) | 0
    x6 ^= (sum << 7) | (sum >>> 25)
    sum = (x6 + x5) | 0
    x7 ^= (sum << 9) | (sum >>> 23)
    sum = (x7 + x6) | 0
    x4 ^= (sum << 13) | (sum >>> 19)
    sum = (x4 + x7) | 0
    x5 ^= (sum << 18) | (sum >>> 14)
    sum = (x10 + x9) | 0
    x11 ^= (sum << 7) | (sum >>> 25)
    sum = (x11 + x10) | 0
    x8 ^= (sum << 9) | (sum >>> 23)
    sum = (x8 + x11) | 0
    x9 ^= (sum << 13) | (sum >>> 19)
    sum = (x9 + x8) | 0
    x10 ^= (sum << 18) | (sum >>> 14)
    sum = (x15 + x14) | 0
    x12 ^= (sum << 7) | (sum >>> 25)
    sum = (x12 + x15) | 0
    x13 ^= (sum << 9) | (sum >>> 23)
    sum = (x13 + x12) | 0
    x14 ^= (sum << 13) | (sum >>> 19)
    sum = (x14 + x13) | 0
    x15 ^= (sum << 18) | (sum >>> 14)
  }
  state[0] = to[end + 0] = (s0 + x0) | 0
  state[1] = to[end + 1] = (s1 + x1) | 0
  state[2] = to[end + 2] = (s2 + x2) | 0
  state[3] = to[end + 3] = (s3 + x3) | 0
  state[4] = to[end + 4] = (s4 + x4) | 0
  state[5] = to[end + 5] = (s5 + x5) | 0
  state[6] = to[end + 6] = (s6 + x6) | 0
  state[7] = to[end + 7] = (s7 + x7) | 0
  state[8] = to[end + 8] = (s8 + x8) | 0
  state[9] = to[end + 9] = (s9 + x9) | 0
  state[10] = to[end + 10] = (s10 + x10) | 0
  state[11] = to[end + 11] = (s11 + x11) | 0
  state[12] = to[end + 12] = (s12 + x12) | 0
  state[13] = to[end + 13] = (s13 + x13) | 0
  state[14] = to[end + 14] = (s14 + x14) | 0
  state[15] = to[end + 15] = (s15 + x15) | 0
}
