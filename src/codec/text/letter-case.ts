import { isAscii } from '../bytes/byte-text.ts'
import { isDigitRune, isLetterRune, isLowerRune, isSpaceRune, isTitleRune, isUpperRune } from './go-unicode.ts'
import { lowerRune, mapRunes, runesOf, titleRune, upperRune } from './go-unicode.ts'

/** Go's strings.ToUpper. */
export function toUpper(text: string): string {
  return isAscii(text) ? text.toUpperCase() : mapRunes(text, upperRune)
}

/** Go's strings.ToLower. */
export function toLower(text: string): string {
  return isAscii(text) ? text.toLowerCase() : mapRunes(text, lowerRune)
}

/** Go's strings.Title: a character after a separator becomes title case. */
export function toTitle(text: string): string {
  let previous = ' '
  return mapRunes(text, (rune) => {
    const result = isSeparator(previous) ? titleRune(rune) : rune
    previous = rune
    return result
  })
}

function isSeparator(rune: string): boolean {
  const code = rune.codePointAt(0) ?? 0
  if (code < 0x80) return !/\w/.test(rune)
  return !isLetterRune(rune) && !isDigitRune(rune) && isSpaceRune(rune)
}

/** The first character of every word in lower case (goutils.Uncapitalize). */
export function uncapitalize(text: string): string {
  let isNext = true
  return runesOf(text)
    .map((rune) => {
      if (isSpaceRune(rune)) isNext = true
      else if (isNext) {
        isNext = false
        return lowerRune(rune)
      }
      return rune
    })
    .join('')
}

/** Upper and lower case exchanged; a lower case letter after a space becomes title case (goutils.SwapCase). */
export function swapCase(text: string): string {
  let isAfterSpace = true
  return runesOf(text)
    .map((rune) => {
      if (isUpperRune(rune) || isTitleRune(rune)) {
        isAfterSpace = false
        return lowerRune(rune)
      }
      if (!isLowerRune(rune)) {
        isAfterSpace = isSpaceRune(rune)
        return rune
      }
      const result = isAfterSpace ? titleRune(rune) : upperRune(rune)
      isAfterSpace = false
      return result
    })
    .join('')
}
