import type { Crypto } from '../../model/ports.ts'

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
  const words = Uint32Array.from({ length: bytes.length / 4 }, (_, index) => view.getUint32(index * 4, true))
  for (let at = 0; at < parallel; at++) mixMemory(words.subarray((at * size) / 4, ((at + 1) * size) / 4), cost)
  words.forEach((word, index) => view.setUint32(index * 4, word, true))
  return stretch(crypto, { password, salt: bytes, length })
}

function mixMemory(words: Uint32Array, cost: number): void {
  const length = words.length
  const memory = new Uint32Array(length * cost)
  for (let at = 0; at < cost; at++) {
    memory.set(words, at * length)
    mixBlocks(words)
  }
  for (let at = 0; at < cost; at++) {
    const from = ((words[length - 16] ?? 0) % cost) * length
    for (let index = 0; index < length; index++) words[index] = (words[index] ?? 0) ^ (memory[from + index] ?? 0)
    mixBlocks(words)
  }
}

/** scryptBlockMix: even blocks first, then odd ones. */
function mixBlocks(words: Uint32Array): void {
  const count = words.length / 16
  const state = words.slice(words.length - 16)
  const mixed = new Uint32Array(words.length)
  for (let at = 0; at < count; at++) {
    for (let index = 0; index < 16; index++) state[index] = (state[index] ?? 0) ^ (words[at * 16 + index] ?? 0)
    salsa(state)
    mixed.set(state, 16 * ((at >> 1) + (at % 2 === 1 ? count / 2 : 0)))
  }
  words.set(mixed)
}

/** Salsa20/8 in place. Written out, because derivePassword runs it two million times. */
function salsa(state: Uint32Array): void {
  let x0 = state[0] ?? 0
  let x1 = state[1] ?? 0
  let x2 = state[2] ?? 0
  let x3 = state[3] ?? 0
  let x4 = state[4] ?? 0
  let x5 = state[5] ?? 0
  let x6 = state[6] ?? 0
  let x7 = state[7] ?? 0
  let x8 = state[8] ?? 0
  let x9 = state[9] ?? 0
  let x10 = state[10] ?? 0
  let x11 = state[11] ?? 0
  let x12 = state[12] ?? 0
  let x13 = state[13] ?? 0
  let x14 = state[14] ?? 0
  let x15 = state[15] ?? 0
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
  state[0] = (state[0] ?? 0) + x0
  state[1] = (state[1] ?? 0) + x1
  state[2] = (state[2] ?? 0) + x2
  state[3] = (state[3] ?? 0) + x3
  state[4] = (state[4] ?? 0) + x4
  state[5] = (state[5] ?? 0) + x5
  state[6] = (state[6] ?? 0) + x6
  state[7] = (state[7] ?? 0) + x7
  state[8] = (state[8] ?? 0) + x8
  state[9] = (state[9] ?? 0) + x9
  state[10] = (state[10] ?? 0) + x10
  state[11] = (state[11] ?? 0) + x11
  state[12] = (state[12] ?? 0) + x12
  state[13] = (state[13] ?? 0) + x13
  state[14] = (state[14] ?? 0) + x14
  state[15] = (state[15] ?? 0) + x15
}
