import { describe, expect, test } from 'vitest'
import { hashBcrypt } from '../../src/generate/bcrypt.ts'

const alphabet = './ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

function saltOf(encoded: string): Uint8Array {
  const bits = Array.from(encoded, (digit) => alphabet.indexOf(digit).toString(2).padStart(6, '0')).join('')
  return Uint8Array.from({ length: 16 }, (_, index) => Number.parseInt(bits.slice(index * 8, index * 8 + 8), 2))
}

describe('bcrypt', () => {
  // test vectors of jBCrypt
  test.each([
    ['', '$2a$10$k1wbIrmNyFAPwPVPSVa/zecw2BCEnBwVS2GbrmgzxFUOqW9dk4TCW'],
    ['a', '$2a$10$k87L/MF28Q673VKh8/cPi.SUl7MU/rWuSiIDDFayrKk/1tBsSQu4u'],
    ['abc', '$2a$10$WvvTPHKwdBJ3uk0Z37EMR.hLA2W6N9AEBhEgrAOljy2Ae5MtaSIUi'],
    ['abcdefghijklmnopqrstuvwxyz', '$2a$10$fVH8e28OQRj9tqiDXs1e1uxpsjN0c7II7YPKXua2NAKYvM6iQk7dq'],
    ['~!@#$%^&*()      ~!@#$%^&*()PNBFRD', '$2a$10$LgfYWkbzEvQ4JakH7rOvHe0y8pHKF9OaFgwUZ2q7W2FFZmZzJYlfS'],
  ])('of %j', (password, want) => {
    expect(hashBcrypt(password, saltOf(want.slice(7, 29)))).toBe(want)
  })

  test('reads all of 72 bytes, and refuses more', () => {
    const [longest, other] = [`${'é'.repeat(35)}ab`, `${'é'.repeat(35)}ac`].map((text) =>
      hashBcrypt(text, new Uint8Array(16)),
    )
    expect(longest).not.toBe(other)
    expect(() => hashBcrypt(`${'é'.repeat(36)}a`, new Uint8Array(16))).toThrow(
      'bcrypt: password length exceeds 72 bytes',
    )
  })

  test('takes a zero byte for part of the password', () => {
    const salt = new Uint8Array(16)
    expect(hashBcrypt('a\0b', salt)).not.toBe(hashBcrypt('a', salt))
  })

  test('refuses bytes that are not text', () => {
    expect(() => hashBcrypt('a\udcff', new Uint8Array(16))).toThrow('bcrypt: the password is not UTF-8')
  })
})
