import { deriveValue } from '../../generate/derived-values.ts'
import type { Crypto } from '../../model/ports.ts'
import { rootTokens, type TokenTable } from '../../model/token.ts'
import { isPlainCode } from '../engine/plain-word.ts'
import { piecesOf } from '../engine/token-shape.ts'
import { holdsToken } from '../engine/token-refused.ts'

/** A text in which parameters stand for values: literal text, the number of a parameter, or a function of such text. */
export type ParameterText = readonly (string | number | DerivedText)[]

interface DerivedText {
  readonly function: string
  readonly arguments: readonly string[]
  readonly input: ParameterText
}

/** Thrown where a result cannot hold for other values. */
export class NotParametricError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotParametricError'
  }
}

/**
 * The text with its parameters; undefined when it holds none.
 * @throws NotParametricError for one that also holds what is known later
 */
export function compileText(text: string, tokens: TokenTable): ParameterText | undefined {
  if (!holdsToken(text)) return undefined
  const kinds = rootTokens(text, tokens).map((token) => tokens.get(token)?.kind)
  if (!kinds.includes('parameter')) return undefined
  if (kinds.some((kind) => kind !== 'parameter')) throw new NotParametricError('a text that is also known later')
  return compilePieces(text, tokens)
}

function compilePieces(text: string, tokens: TokenTable): ParameterText {
  return piecesOf(text).map(({ literal, token }) => {
    const spec = token === undefined ? undefined : tokens.get(token)
    if (spec?.kind === 'parameter') return spec.index
    if (spec?.kind !== 'derived') return literal
    return { function: spec.function, arguments: spec.arguments ?? [], input: compilePieces(spec.input, tokens) }
  })
}

/** Thrown for values with which a text does not stay what it was in the render with parameters. */
export class OtherTextError extends NotParametricError {
  constructor() {
    super('a function that gives no plain word')
    this.name = 'OtherTextError'
  }
}

/**
 * Writes texts with the values of their parameters.
 * @throws OtherTextError for what a function makes of them when it is no plain word
 */
export type WriteText = (text: ParameterText) => string

/** Makes a {@link WriteText}. */
export function createWriter(values: readonly string[], crypto: Pick<Crypto, 'hash'>): WriteText {
  const write: WriteText = (text) => {
    let written = ''
    for (const piece of text) {
      if (typeof piece === 'string') written += piece
      else written += typeof piece === 'number' ? (values[piece] ?? '') : derive(piece)
    }
    return written
  }
  const derive = ({ function: name, arguments: further, input }: DerivedText): string => {
    const made = deriveValue(name, [...further, write(input)], crypto)
    if (!isPlainCode(made)) throw new OtherTextError()
    return made
  }
  return write
}
