import { encodeUtf8 } from '../codec/bytes/utf8.ts'
import type { Crypto, Random } from '../model/ports.ts'

/** A source of random choices. */
export interface RandomSource {
  readonly bytes: (count: number) => Uint8Array
  /** A number from 0 to `limit` - 1, all of them equally likely. */
  readonly below: (limit: number) => number
}

/** Real random, for secrets. */
export function createRandomSource(random: Pick<Random, 'bytes'>): RandomSource {
  return sourceOf((count) => random.bytes(count))
}

/**
 * Choices that follow from a key: for previews, never for secrets. The stream is SHA-256 of the key's hash and a
 * counter, block after block.
 */
export function createSeededRandom(crypto: Pick<Crypto, 'hash'>, key: string): RandomSource {
  const seed = crypto.hash('sha256', encodeUtf8(key))
  let counter = 0
  let block = new Uint8Array(0)
  let used = 0

  function nextByte(): number {
    if (used === block.length) {
      const input = new Uint8Array(seed.length + 4)
      input.set(seed)
      new DataView(input.buffer).setUint32(seed.length, counter++)
      block = Uint8Array.from(crypto.hash('sha256', input))
      used = 0
    }
    return block[used++] ?? 0
  }

  return sourceOf((count) => Uint8Array.from({ length: count }, nextByte))
}

const bytesOfChoice = 6

function sourceOf(bytes: RandomSource['bytes']): RandomSource {
  return {
    bytes,
    below(limit) {
      const range = 256 ** bytesOfChoice
      // what lies beyond the last whole multiple would favour small numbers
      const top = range - (range % limit)
      for (;;) {
        const value = bytes(bytesOfChoice).reduce((sum, byte) => sum * 256 + byte, 0)
        if (value < top) return value % limit
      }
    },
  }
}
