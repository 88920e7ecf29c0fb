import { Dict, GoBytes, GoInt, GoObject, type Value } from '../../model/value.ts'

/** A text that can be in a message only if it is a literal in our source. */
export type Constant<Text extends string> = Record<never, never> extends Record<Text, 1> ? never : Text

/** Go's message; a function where it takes long to put together, because few ask for it. */
type GoWords = string | (() => string)

/** A piece of an error: our own words, words of the template, or data, which is never shown as it is. */
type Piece =
  | { readonly kind: 'own' | 'written'; readonly text: string }
  | { readonly kind: 'data'; readonly value: Value; readonly go: GoWords }
  | { readonly kind: 'go'; readonly go: GoWords; readonly shown: ErrorText }

/**
 * The message of an error, in two forms: the one that people see, which never holds data of values, and the one in Go's
 * words, which quotes what Go quotes. Only the functions of this file make one, so that each piece says what it is.
 */
export class ErrorText {
  private readonly pieces: readonly Piece[]

  constructor(pieces: readonly Piece[]) {
    this.pieces = pieces
  }

  static join(texts: readonly ErrorText[]): ErrorText {
    return new ErrorText(texts.flatMap(({ pieces }) => pieces))
  }

  /** For comparison with Go only: may hold secrets. */
  get go(): string {
    return this.pieces.map((piece) => ('go' in piece ? wordsOf(piece.go) : piece.text)).join('')
  }

  /** The text that people may see. */
  shown(site: ErrorSite = anywhere): string {
    return this.pieces
      .map((piece) => {
        switch (piece.kind) {
          case 'own':
            return piece.text
          case 'written':
            return site.isTemplatePublic ? piece.text : '…'
          case 'data':
            return site.isWritten(piece.value) ? wordsOf(piece.go) : describeValue(piece.value)
          case 'go':
            return piece.shown.shown(site)
        }
      })
      .join('')
  }
}

/** The facts about the position of an error that decide what may be shown. */
export interface ErrorSite {
  /** True if the text of the template may be shown: not where `tpl` was given it. */
  readonly isTemplatePublic: boolean
  /** True if the error shows the value in any case, because the template writes it there. */
  readonly isWritten: (value: Value) => boolean
}

const anywhere: ErrorSite = { isTemplatePublic: true, isWritten: () => false }

/** The message of an error: a text of our source, or one of the pieces below. */
export type ErrorMessage<Text extends string> = ErrorText | (Text & Constant<Text>)

/** A message as pieces; a string is one that stands in our source. */
export function toErrorText(message: ErrorText | string): ErrorText {
  return typeof message === 'string' ? ours(message) : message
}

/** Puts a message together: between the pieces stand only words of our source. */
export function say(words: TemplateStringsArray, ...pieces: readonly ErrorText[]): ErrorText {
  return ErrorText.join(words.flatMap((text, index) => [ours(text), ...pieces.slice(index, index + 1)]))
}

/** Names of functions and types, limits, numbers of arguments: what no value can change. */
export function ours(text: string | number): ErrorText {
  return new ErrorText([{ kind: 'own', text: String(text) }])
}

/**
 * The text of a chart's own error (`fail`, `required`): it is shown as it is, because it was written for people; only
 * known secrets are masked in it, where all findings are.
 */
export function spoken(text: string): ErrorText {
  return ours(text)
}

/** Text of the template: names of fields, variables and templates, expressions. */
export function written(text: string): ErrorText {
  return new ErrorText([{ kind: 'written', text }])
}

/** Data: shown by its type and size only, unless the template writes it down at this place. `go` is what Go prints. */
export function ofValue(value: Value, go: GoWords): ErrorText {
  return new ErrorText([{ kind: 'data', value, go }])
}

/** A number out of data. */
export function integer(value: number | bigint): ErrorText {
  return ofValue(new GoInt(BigInt(value)), String(value))
}

/** Go's message, and ours in its place. */
export function inGo<Text extends string>(go: GoWords, shown: ErrorMessage<Text>): ErrorText {
  return new ErrorText([{ kind: 'go', go, shown: toErrorText(shown) }])
}

/** The message of an error of a codec, whose `unquoted` is the same without what it quotes. */
export function withoutQuotes(error: { readonly message: string; readonly unquoted: string }): ErrorText {
  return inGo(error.message, ours(error.unquoted))
}

function wordsOf(go: GoWords): string {
  return typeof go === 'string' ? go : go()
}

/** The type and the size of a value, in words. */
function describeValue(value: Value): string {
  if (value === null) return 'nil'
  if (typeof value === 'string') return value === '' ? 'an empty text' : `a text of ${count(value.length, 'character')}`
  if (typeof value === 'boolean') return 'a boolean'
  if (typeof value === 'number' || value instanceof GoInt) return 'a number'
  if (value instanceof GoBytes) return count(value.bytes.length, 'byte')
  if (Array.isArray(value)) return `a list of ${count(value.length, 'element')}`
  if (value instanceof Dict) return `a map of ${count(value.size, 'key')}`
  return value instanceof GoObject ? `an object of type ${value.goType}` : 'a value'
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`
}
