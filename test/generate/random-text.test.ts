import { describe, expect, test } from 'vitest'
import { createRandomSource, createSeededRandom, type RandomSource } from '../../src/generate/random-source.ts'
import { drawText, drawUuid, randomAlphabets } from '../../src/generate/random-text.ts'
import { nodeCrypto } from '../../src/system/node-crypto.ts'
import { createNodePorts } from '../../src/system/node-ports.ts'

const fresh = createRandomSource(createNodePorts().random)

/** How far counts lie from equal ones: its mean is the number of classes less one. */
function chiSquare(counts: readonly number[]): number {
  const expected = counts.reduce((sum, count) => sum + count, 0) / counts.length
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
}

/** Eight standard deviations above the mean. */
function bounded(classes: number): number {
  return classes - 1 + 8 * Math.sqrt(2 * (classes - 1))
}

describe('random text', () => {
  const alphabets = [...randomAlphabets].map(([name, alphabet]) => ({ name, alphabet }))

  test.each(alphabets)('$name has every character of its alphabet equally often', ({ alphabet }) => {
    const count = alphabet.length * 200
    for (const random of [fresh, createSeededRandom(nodeCrypto, 'seed')]) {
      const text = drawText(alphabet, count, random)
      expect(text).toHaveLength(count)
      const counts = new Map(Array.from(alphabet, (character) => [character, 0]))
      for (const character of text) counts.set(character, (counts.get(character) ?? Number.NaN) + 1)
      expect(counts.size).toBe(alphabet.length)
      expect(chiSquare([...counts.values()])).toBeLessThan(bounded(alphabet.length))
    }
  })

  test.each(alphabets)('$name: two calls differ', ({ alphabet }) => {
    expect(drawText(alphabet, 32, fresh)).not.toBe(drawText(alphabet, 32, fresh))
  })

  test('the alphabets are those of sprig', () => {
    expect(Object.fromEntries(randomAlphabets)).toEqual({
      randAlphaNum: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
      randAlpha: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
      randNumeric: '0123456789',
      randAscii: String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 32 + index)),
    })
  })
})

describe('a choice', () => {
  /** Gives these bytes, one after the other. */
  function scripted(...bytes: readonly number[]): RandomSource {
    let at = 0
    return createRandomSource({ bytes: (count) => Uint8Array.from(bytes.slice(at, (at += count))) })
  }

  test('is drawn again where a rest would favour small numbers', () => {
    const most = [255, 255, 255, 255, 255, 255]
    // 2^48 - 1 is 5 more than a multiple of ten
    expect(scripted(...most, 0, 0, 0, 0, 0, 13).below(10)).toBe(3)
    expect(scripted(...most.slice(1), 249).below(10)).toBe(9)
    expect(scripted(...most).below(2)).toBe(1)
  })
})

describe('UUIDs (RFC 9562)', () => {
  test('have version and variant in place, and all other bits as drawn', () => {
    const draw = (byte: number): string =>
      drawUuid({ bytes: (count) => new Uint8Array(count).fill(byte), below: () => 0 })
    expect(draw(0)).toBe('00000000-0000-4000-8000-000000000000')
    expect(draw(255)).toBe('ffffffff-ffff-4fff-bfff-ffffffffffff')
  })

  test('differ', () => {
    expect(new Set(Array.from({ length: 1000 }, () => drawUuid(fresh))).size).toBe(1000)
  })
})
