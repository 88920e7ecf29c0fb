import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Crypto } from '../../model/ports.ts'
import type { GenerateSpec, TokenOrigin, TokenTable } from '../../model/token.ts'
import type { ParamType, Value } from '../../model/value.ts'
import { toErrorText, type ErrorMessage, type ErrorText } from './error-text.ts'

/**
 * The treatment of text that holds tokens (values only known later) by a function:
 * - `pass`: treats text as opaque, so a token comes out as it went in (`include`, `indent`, `quote`, `default`, `dict`)
 * - `handle`: looks for tokens itself (`eq` decides by type, `b64enc` derives a new token)
 * - `refuse`: would have to know the value (`len`, `trunc`, `regexMatch`); the evaluator raises TEMPLATE_TOKEN_REFUSED
 */
export type TokenRule = 'pass' | 'handle' | 'refuse'

/** A template function: data in a table, found by name. */
export interface FunctionDef {
  readonly name: string
  /** Types of the fixed parameters; the evaluator checks arguments by Go's rules before the call. */
  readonly params: readonly ParamType[]
  /** Type of further arguments; absent = none allowed. */
  readonly variadic?: ParamType
  readonly tokens: TokenRule
  /**
   * True if the function walks its arguments to their leaves (`toYaml`, `deepCopy`, `print`). The evaluator then counts
   * them first: a few shared maps can stand for more leaves than memory holds.
   */
  readonly walksArguments?: boolean
  /** @throws FunctionError for a failure that Go's function would return as an error */
  readonly call: (args: readonly Value[], context: CallContext) => Value
}

/** The table that a render uses. */
export type FunctionTable = ReadonlyMap<string, FunctionDef>

/**
 * The mode of generators of random text: give tokens for what is generated later, or draw previews that follow from a
 * seed.
 */
export type Generation = 'token' | { readonly seed: string }

/** A finding of a function. */
export interface FunctionFinding extends Pick<Diagnostic, 'code' | 'severity' | 'hint'> {
  readonly message: ErrorText
}

/**
 * The services of the running evaluation for a function. Nothing else reaches it: no clock, random, file or network.
 */
export interface CallContext {
  readonly crypto: Crypto
  readonly tokens: TokenTable
  /**
   * Counts work against the limits; call with the number of bytes or elements about to be built.
   * @throws StackmasonError
   */
  readonly charge: (amount: number) => void
  /**
   * Counts work on what is read, not built; call while it is done, with a number of characters.
   * @throws StackmasonError
   */
  readonly look: (amount: number) => void
  /** Identity of this call for deferred generation: template, line and how often that line ran. */
  readonly identity: () => string
  /** The seed of previews; undefined when the render defers. */
  readonly seed: string | undefined
  /** Returns the token for `part` (`cert`, `key`, `value`) of what is generated later. */
  readonly generate: (spec: GenerateSpec, part: string) => string
  /** The calling action and the templates that led there. */
  readonly origin: () => TokenOrigin
  /** Adds a finding at the calling action, or at the one that `origin` names. */
  readonly report: (finding: FunctionFinding, origin?: TokenOrigin) => void
}

/**
 * A failure inside a function; the evaluator adds position, action text and call chain. Its message shows no data: see
 * {@link ErrorText}.
 */
export class FunctionError<Text extends string = string> extends Error {
  readonly text: ErrorText

  constructor(message: ErrorMessage<Text>, options?: ErrorOptions) {
    const text = toErrorText(message)
    super(text.shown(), options)
    this.name = 'FunctionError'
    this.text = text
  }
}
