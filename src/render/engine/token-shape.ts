import { utf8Length } from '../../codec/bytes/utf8.ts'
import { randomAlphabets } from '../../generate/random-text.ts'
import { LONGEST_WORD } from './plain-word.ts'
import { tokenPattern, type GenerateSpec, type TokenSpec, type TokenTable, type TokenType } from '../../model/token.ts'

/** Characters that a value can consist of; null = any. */
export type CharacterSet = ReadonlySet<string> | null

/**
 * The certain facts about a value that is only known later. Where `characters` is a set, all of it is ASCII, so that
 * characters and bytes are the same. No value is empty.
 */
export interface TokenShape {
  readonly characters: CharacterSet
  /** The characters that it can start and end with. */
  readonly edges: CharacterSet
  /** Bytes, at least and at most. */
  readonly least: number
  readonly most: number
}

const digits = '0123456789'
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const alphaNumeric = digits + upper + upper.toLowerCase()
const base64 = `${alphaNumeric}+/=`

function shape(
  characters: string,
  least: number = 1,
  most: number = Number.POSITIVE_INFINITY,
  edges: string = characters,
): TokenShape {
  return { characters: new Set(characters), edges: new Set(edges), least, most }
}

const anything: TokenShape = { characters: null, edges: null, least: 1, most: Number.POSITIVE_INFINITY }

const runtimeShapes: Readonly<Record<TokenType, TokenShape>> = {
  host: shape(`${alphaNumeric}_.:%[]-`),
  port: shape(digits, 1, 5),
  integer: shape(`${digits}-`),
  id: shape(`${alphaNumeric}_.:/-`),
  string: anything,
}

/** A block of PEM without the line feed at its end. */
const pem = shape(`${base64}- \n`, 1, Number.POSITIVE_INFINITY, '-')
/** `$2a$10$` and 53 characters of bcrypt's own base64. */
const bcrypt = shape(`${alphaNumeric}./$`, 60, 60)
const uuid = shape(`${digits}abcdef-`, 36, 36, `${digits}abcdef`)

/** See `plain-word.ts`. */
const word = shape(`${alphaNumeric}._/-`, 1, LONGEST_WORD, alphaNumeric)

/** Returns what is certain about the value behind `spec`. */
export function shapeOf(spec: TokenSpec | undefined, tokens: TokenTable): TokenShape {
  if (spec === undefined) return anything
  if (spec.kind === 'runtime') return runtimeShapes[spec.type]
  if (spec.kind === 'parameter') return word
  return spec.kind === 'generated' ? shapeOfGenerated(spec.generate, spec.part) : shapeOfDerived(spec, tokens)
}

function shapeOfGenerated({ function: name, arguments: args }: GenerateSpec, part: string): TokenShape {
  const count = Number(args[0])
  const alphabet = randomAlphabets.get(name)
  if (alphabet !== undefined) return shape(alphabet, count, count)
  if (part === 'cert' || part === 'key') return pem
  switch (name) {
    case 'randBytes':
      return shape(base64, Math.ceil(count / 3) * 4, Math.ceil(count / 3) * 4)
    case 'uuidv4':
      return uuid
    case 'bcrypt':
    case 'htpasswd':
      return bcrypt
    case 'encryptAES':
      return shape(base64, 4)
    default:
      return anything
  }
}

function shapeOfDerived(spec: Extract<TokenSpec, { kind: 'derived' }>, tokens: TokenTable): TokenShape {
  const { least, most } = lengthOfText(spec.input, tokens)
  switch (spec.function) {
    case 'b64enc':
      return shape(base64, Math.ceil(least / 3) * 4, Math.ceil(most / 3) * 4)
    case 'b32enc':
      return shape(`${upper}234567=`, Math.ceil(least / 5) * 8, Math.ceil(most / 5) * 8)
    case 'lower':
      return mapped(shapeOf(tokens.get(spec.input), tokens), (character) => [character.toLowerCase()])
    case 'upper':
      return mapped(shapeOf(tokens.get(spec.input), tokens), (character) => [character.toUpperCase()])
    case 'title':
    case 'untitle':
    case 'swapcase':
      return mapped(shapeOf(tokens.get(spec.input), tokens), (character) => [
        character.toLowerCase(),
        character.toUpperCase(),
      ])
    case 'substr': {
      const [start = 0, end = 0] = (spec.arguments ?? []).map(Number)
      const { characters } = shapeOf(tokens.get(spec.input), tokens)
      return { characters, edges: characters, least: end - start, most: end - start }
    }
    default:
      return anything
  }
}

function mapped(from: TokenShape, map: (character: string) => readonly string[]): TokenShape {
  const apply = (set: CharacterSet): CharacterSet => (set === null ? null : new Set([...set].flatMap(map)))
  // the case of a character beyond ASCII can have another length
  const isAscii = from.characters !== null
  return {
    characters: apply(from.characters),
    edges: apply(from.edges),
    least: isAscii ? from.least : 1,
    most: isAscii ? from.most : Number.POSITIVE_INFINITY,
  }
}

/** Returns how many bytes `text` has at least and at most once its tokens are known. */
export function lengthOfText(text: string, tokens: TokenTable): Pick<TokenShape, 'least' | 'most'> {
  let least = 0
  let most = 0
  for (const { literal, token } of piecesOf(text)) {
    const length = token === undefined ? undefined : shapeOf(tokens.get(token), tokens)
    least += length?.least ?? utf8Length(literal)
    most += length?.most ?? utf8Length(literal)
  }
  return { least, most }
}

/** A stretch of literal text, or one token. */
export interface TextPiece {
  readonly literal: string
  readonly token?: string
}

/** Takes a text apart into literal texts and tokens, in order; empty literals are left out. */
export function piecesOf(text: string): readonly TextPiece[] {
  const pieces: TextPiece[] = []
  let at = 0
  for (const match of text.matchAll(tokenPattern())) {
    if (match.index > at) pieces.push({ literal: text.slice(at, match.index) })
    pieces.push({ literal: '', token: match[0] })
    at = match.index + match[0].length
  }
  if (at < text.length) pieces.push({ literal: text.slice(at) })
  return pieces
}
