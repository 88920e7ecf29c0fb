import { encodeUtf8 } from '../../../codec/bytes/utf8.ts'
import type { Crypto } from '../../../model/ports.ts'

/** Random-looking choices that follow from a key: for previews, never for secrets. */
export interface SeededRandom {
  readonly bytes: (count: number) => Uint8Array
  /** A number from 0 to `limit` - 1. */
  readonly below: (limit: number) => number
}

/** Makes the stream of a key: SHA-256 of the key's hash and a counter, block after block. */
export function createSeededRandom(crypto: Pick<Crypto, 'hash'>, key: string): SeededRandom {
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

  return {
    bytes: (count) => Uint8Array.from({ length: count }, nextByte),
    below(limit) {
      const range = 2 ** 48
      // what lies beyond the last whole multiple would favour small numbers
      const top = range - (range % limit)
      for (;;) {
        let value = 0
        for (let index = 0; index < 6; index++) value = value * 256 + nextByte()
        if (value < top) return value % limit
      }
    },
  }
}
