import {
  isEscapedByte,
  isLetterRune,
  isNumberRune,
  isPunctRune,
  isSpaceRune,
  isUpperRune,
  lowerRune,
} from '../../../codec/text/go-unicode.ts'
import { runesOf, upperRune } from '../../../codec/text/go-unicode.ts'

function isConnector(rune: string): boolean {
  return rune === '-' || rune === '_' || isSpaceRune(rune)
}

/**
 * `some_words` to `SomeWords` (xstrings.ToPascalCase): leading and doubled connectors stay, a run of capitals becomes
 * one word. Of a text of connectors alone the last one comes twice, as in the original.
 */
export function toPascalCase(text: string): string {
  const runes = runesOf(text)
  const first = runes.findIndex((rune) => !isConnector(rune))
  if (first === -1) return runes.join('') + (runes.at(-1) ?? '')
  let result = runes.slice(0, first).join('')
  let current = upperRune(runes[first] ?? '')
  let isShouting = isUpperRune(runes[first] ?? '')
  for (const rune of runes.slice(first + 1)) {
    const previous = current
    current = rune
    if (!isConnector(previous)) {
      isShouting &&= isUpperRune(rune)
      if (isShouting) current = lowerRune(rune)
      result += previous
    } else if (isConnector(rune)) result += previous
    else {
      isShouting = isUpperRune(rune)
      current = upperRune(rune)
    }
  }
  return result + current
}

type WordType = 'number' | 'upper' | 'alphabet' | 'connector' | 'punct' | 'other' | 'invalid'

interface Word {
  readonly type: WordType
  /** Characters as they stand in the text: invalid bytes still escaped. */
  readonly characters: readonly string[]
}

const noWord: Word = { type: 'invalid', characters: [] }

/**
 * `HTTPServer` to `http_server` or `http-server` (xstrings.ToSnakeCase and ToKebabCase): connectors become `connector`,
 * words are told apart by case, and a number belongs to the letters before it, or with lower case letters after it
 * stands for itself.
 */
export function toConnectedCase(text: string, connector: '_' | '-'): string {
  const words = splitWords(Array.from(text))
  let result = ''
  let at = 0
  const current = (): Word => words[at] ?? noWord
  function emit(word: Word): void {
    result += formatWord(word, connector)
  }
  /** Writes letters and numbers that stick to the number before them, then the connector to what follows. */
  function emitNumberTail(): void {
    for (; current().type === 'alphabet' || current().type === 'number'; at++) emit(current())
    if (startsWord(current())) result += connector
  }
  while (at < words.length - 1) {
    const word = current()
    emit(word)
    at++
    if (word.type === 'connector' || word.type === 'punct') continue
    if (word.type === 'number') emitNumberTail()
    else if (current().type !== 'number') {
      if (current().type === 'invalid' || startsWord(current())) result += connector
    } else if (at < words.length - 1) {
      const number = current()
      at++
      if (current().type === 'alphabet') {
        result += connector
        emit(number)
        emitNumberTail()
      } else {
        emit(number)
        if (current().type === 'invalid' || startsWord(current())) result += connector
      }
    }
  }
  return result + formatWord(current(), connector)
}

function startsWord(word: Word): boolean {
  return word.type !== 'invalid' && word.type !== 'punct' && word.type !== 'connector'
}

function formatWord(word: Word, connector: string): string {
  if (word.type !== 'upper' && word.type !== 'connector') return word.characters.join('')
  return runesOf(word.characters.join(''))
    .map((rune) => (isConnector(rune) ? connector : isUpperRune(rune) ? lowerRune(rune) : rune))
    .join('')
}

function splitWords(characters: readonly string[]): readonly Word[] {
  const words: Word[] = []
  for (let at = 0; at < characters.length;) {
    const [type, end] = nextWord(characters, at)
    words.push({ type, characters: characters.slice(at, end) })
    at = end
  }
  return words
}

/** The next valid character at or after `at` and where it ends; after the last one `previous` stands in for it. */
function nextRune(characters: readonly string[], at: number, previous: string): readonly [rune: string, end: number] {
  let end = at
  while (end < characters.length) {
    const character = characters[end++] ?? ''
    if (!isEscapedByte(character) && character !== '\uFFFD') return [character, end]
  }
  return [previous, end]
}

function nextWord(characters: readonly string[], start: number): readonly [type: WordType, end: number] {
  const [first, end] = nextRune(characters, start, '\uFFFD')
  if (first === '\uFFFD') return ['invalid', end]
  const type = wordType(first)
  if (type === 'upper') return ['upper', endOfCapitalized(characters, end, first)]
  return [type, endOfRun(characters, { at: end, previous: first, holds: runTests[type] })]
}

function wordType(rune: string): WordType {
  if (isConnector(rune)) return 'connector'
  if (isPunctRune(rune)) return 'punct'
  if (isUpperRune(rune)) return 'upper'
  if (isAlphabet(rune)) return 'alphabet'
  return isNumberRune(rune) ? 'number' : 'other'
}

const runTests: Readonly<Record<Exclude<WordType, 'upper'>, (rune: string) => boolean>> = {
  connector: isConnector,
  punct: isPunctRune,
  alphabet: isLowerAlphabet,
  number: isNumberRune,
  other: (rune) => !isConnector(rune) && !isAlphabet(rune) && !isNumberRune(rune) && !isPunctRune(rune),
  invalid: () => false,
}

interface Run {
  readonly at: number
  readonly previous: string
  readonly holds: (rune: string) => boolean
}

function endOfRun(characters: readonly string[], { at, previous, holds }: Run): number {
  let end = at
  let rune = previous
  while (end < characters.length) {
    const [next, after] = nextRune(characters, end, rune)
    if (!holds(next)) break
    rune = next
    end = after
  }
  return end
}

/** Of `HTTPStatus` the word is `HTTP`, of `Status` all of it. */
function endOfCapitalized(characters: readonly string[], start: number, first: string): number {
  if (start >= characters.length) return start
  const [second, afterSecond] = nextRune(characters, start, first)
  if (!isUpperRune(second)) {
    return isAlphabet(second)
      ? endOfRun(characters, { at: afterSecond, previous: second, holds: isLowerAlphabet })
      : start
  }
  let beforeLast = start
  let end = afterSecond
  let rune = second
  while (end < characters.length) {
    const [next, after] = nextRune(characters, end, rune)
    rune = next
    if (!isUpperRune(next)) break
    beforeLast = end
    end = after
  }
  return end < characters.length && isAlphabet(rune) ? beforeLast : end
}

function isLowerAlphabet(rune: string): boolean {
  return isAlphabet(rune) && !isUpperRune(rune)
}

/** A letter that is not an ideograph. */
function isAlphabet(rune: string): boolean {
  if (!isLetterRune(rune)) return false
  const code = rune.codePointAt(0) ?? 0
  const isIdeograph =
    (code >= 0x3400 && code <= 0x4d85) || (code >= 0x4e00 && code <= 0x9fcc) || (code >= 0x20000 && code <= 0x2b81d)
  return !isIdeograph
}
