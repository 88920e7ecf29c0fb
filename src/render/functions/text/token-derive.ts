import { utf8Length } from '../../../codec/bytes/utf8.ts'
import type { TokenTable } from '../../../model/token.ts'
import type { CallContext } from '../../engine/function.ts'
import { holdsToken, TokenRefusedError } from '../../engine/token-refused.ts'
import { lengthOfText, piecesOf, shapeOf } from '../../engine/token-shape.ts'
import { isAscii, sliceBytes } from '../../../codec/bytes/byte-text.ts'
import { isSpaceRune } from '../../../codec/text/go-unicode.ts'
import { deleteSpaces } from './text-layout.ts'

/** A text function by name. */
export interface TextMapping {
  readonly name: string
  readonly apply: (text: string) => string
}

/**
 * Applies a function that maps each character by itself (`lower`): literal text now, tokens later. A token whose value
 * the function cannot change stays what it is.
 */
export function mapCharacters({ name, apply }: TextMapping, text: string, { tokens }: CallContext): string {
  if (!holdsToken(text)) return apply(text)
  return piecesOf(text)
    .map(({ literal, token }) => {
      if (token === undefined) return apply(literal)
      const { characters } = shapeOf(tokens.get(token), tokens)
      const isFixed = characters !== null && [...characters].every((character) => apply(character) === character)
      return isFixed ? token : tokens.add({ kind: 'derived', type: 'string', function: name, input: token })
    })
    .join('')
}

/**
 * Applies a function that looks at words (`title`): to a token that is the whole text later.
 * @throws TokenRefusedError for text with more than one token in it: a derived value must not hide what stands around
 * it
 */
export function mapWhole({ name, apply }: TextMapping, text: string, { tokens }: CallContext): string {
  if (!holdsToken(text)) return apply(text)
  if (text.length !== 2) throw new TokenRefusedError('cannot change the words around a value that is only known later')
  return tokens.add({ kind: 'derived', type: 'string', function: name, input: text })
}

/** goutils.DeleteWhiteSpace. @throws TokenRefusedError when a token may hold white space */
export function deleteSpacesAround(text: string, { tokens }: CallContext): string {
  if (!holdsToken(text)) return deleteSpaces(text)
  return piecesOf(text)
    .map(({ literal, token }) => {
      // beyond ASCII it takes bytes for characters as soon as the text has a space anywhere
      const characters = token === undefined ? null : shapeOf(tokens.get(token), tokens).characters
      const isKnown = token === undefined ? isAscii(literal) : characters !== null && ![...characters].some(isSpaceRune)
      if (!isKnown) throw new TokenRefusedError('cannot take spaces out of a value that is only known later')
      return token ?? deleteSpaces(literal)
    })
    .join('')
}

/**
 * Go's `text[start:end]` for text with tokens: a token is kept or left out as a whole where its length makes that
 * certain, and cut later where the places of the cut in it are certain. `end` may lie beyond the text.
 * @throws TokenRefusedError otherwise
 */
export function sliceAround(
  text: string,
  [start, end]: readonly [start: number, end: number],
  tokens: TokenTable,
): string {
  let least = 0
  let most = 0
  let result = ''
  for (const { literal, token } of piecesOf(text)) {
    const size =
      token === undefined
        ? { least: utf8Length(literal), most: utf8Length(literal) }
        : shapeOf(tokens.get(token), tokens)
    const isInside = least >= start && most + size.most <= end
    const isOutside = most + size.most <= start || least >= end
    if (isInside) result += token ?? literal
    else if (!isOutside) {
      if (least !== most || (token !== undefined && size.least !== size.most)) throw unknownLength()
      const from = Math.max(start - least, 0)
      const to = Math.min(end - least, size.most)
      const part = { kind: 'derived', type: 'string', function: 'substr' } as const
      result +=
        token === undefined
          ? sliceBytes(literal, from, to)
          : tokens.add({ ...part, arguments: [String(from), String(to)], input: token })
    }
    least += size.least
    most += size.most
  }
  return result
}

/** Returns how many bytes `text` has. @throws TokenRefusedError when that depends on a token */
export function requireLength(text: string, tokens: TokenTable): number {
  const { least, most } = lengthOfText(text, tokens)
  if (least !== most) throw unknownLength()
  return least
}

function unknownLength(): TokenRefusedError {
  return new TokenRefusedError('cannot cut a value whose length is only known later')
}
