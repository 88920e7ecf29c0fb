import type { ErrorMessage } from './error-text.ts'
import { FunctionError } from './function.ts'

/**
 * Thrown by a function of token rule `handle` when it meets a token and would have to know the value behind it. The
 * evaluator reports it as TEMPLATE_TOKEN_REFUSED; the message says what the function needed, in words that follow its
 * name.
 */
export class TokenRefusedError<Text extends string = string> extends FunctionError<Text> {
  constructor(message: ErrorMessage<Text>) {
    super(message)
    this.name = 'TokenRefusedError'
  }
}

/**
 * Returns `text` when it holds no token.
 * @throws TokenRefusedError otherwise; `need` says what for: `cannot pad a value that is only known later`
 */
export function refuseToken<Text extends string>(text: string, need: ErrorMessage<Text>): string {
  if (holdsToken(text)) throw new TokenRefusedError(need)
  return text
}

/** True if `text` holds a token; unlike a search for the mark alone it is not misled by characters beyond U+10FC00. */
export function holdsToken(text: string): boolean {
  return text.includes('\uDBFF') && /\uDBFF[\uE000-\uF8FF]/.test(text)
}
