import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import {
  isDigitRune,
  isLetterRune,
  isLowerRune,
  isNumberRune,
  isPunctRune,
  isSpaceRune,
  isTitleRune,
  isUpperRune,
  lowerRune,
  titleRune,
  upperRune,
} from '../../../src/codec/text/go-unicode.ts'

const properties = [
  isUpperRune,
  isLowerRune,
  isTitleRune,
  isPunctRune,
  isNumberRune,
  isLetterRune,
  isSpaceRune,
  isDigitRune,
]

// the digest of the same lines written by a Go program (Unicode 15.0); properties outside of planes 0 and 1 are letters
// alone
it('knows case and properties of every character of planes 0 and 1 as Go does, whatever Unicode this Node has', () => {
  const hash = createHash('sha256')
  for (let code = 0; code < 0x20000; code++) {
    if (code >= 0xd800 && code <= 0xdfff) continue
    const rune = String.fromCodePoint(code)
    const found = properties.reduce((bits, holds, index) => bits + (holds(rune) ? 2 ** index : 0), 0)
    const mapped = [upperRune(rune), lowerRune(rune), titleRune(rune)].map((text) => text.codePointAt(0) ?? 0)
    if (found === 0 && mapped.every((other) => other === code)) continue
    hash.update(`${[code, ...mapped].map((each) => each.toString(16)).join(' ')} ${found}\n`)
  }
  expect(hash.digest('hex')).toBe('d606a7bd902b707fd718d69c8cdfc0bb13b19b854f2a2a41ad87672c9a90083e')
})
