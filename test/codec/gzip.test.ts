import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gzip } from '../../src/codec/bytes/gzip.ts'

/** Bytes that repeat enough to be packed and too little to be packed by one match. */
function sample(length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  let state = 1
  for (let index = 0; index < length; index++) {
    state = (state * 48271) % 0x7fffffff
    bytes[index] = state % 7 === 0 ? state % 256 : (bytes[index - 40] ?? 0)
  }
  return bytes
}

// the packing itself is pinned: a change of it changes every release, and must be told as such
test.each([
  { length: 0, want: '9ceffb7310338057cfe71a4ae1e2c98d2c485d81cdef906532a801f457a38d64' },
  { length: 1000, want: 'fc1517525d237cf390aac2560fc6da6cc3f712312ca8e357a9c72c7efa61cc4e' },
  { length: 200_000, want: '0645d2f3d5986001beb95bdd0a606ff55472f361e551dc0ef5c6401444c7d22a' },
])('$length bytes are packed the same everywhere', ({ length, want }) => {
  const packed = gzip(sample(length))
  expect(Buffer.compare(gunzipSync(packed), sample(length))).toBe(0)
  expect(createHash('sha256').update(packed).digest('hex')).toBe(want)
})

test('the header holds no time, no name and no system', () => {
  expect([...gzip(sample(10)).subarray(0, 10)]).toEqual([31, 139, 8, 0, 0, 0, 0, 0, 2, 255])
})
