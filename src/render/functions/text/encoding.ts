import { decodeUtf8, encodeUtf8 } from '../../../codec/bytes/utf8.ts'
import type { Value } from '../../../model/value.ts'
import type { CallContext, FunctionDef } from '../../engine/function.ts'
import { holdsToken, TokenRefusedError } from '../../engine/token-refused.ts'
import { textArgument } from '../arguments.ts'
import { decodeBase, encodeBase, type BaseEncoding } from '../../../codec/bytes/base-encoding.ts'

/** Text that holds a token is encoded later: the result is a token that says so. */
function encode(name: string, encoding: BaseEncoding): FunctionDef {
  return {
    name,
    params: ['string'],
    tokens: 'handle',
    call(args, context) {
      const text = textArgument(args, 0)
      if (holdsToken(text)) return context.tokens.add({ kind: 'derived', type: 'string', function: name, input: text })
      context.charge(text.length * 2)
      return encodeBase(encodeUtf8(text), encoding)
    },
  }
}

/**
 * Decodes; Go's error message is the result of text that is not valid. A token of the encoding gives back what went in.
 */
function decode(name: string, encoding: BaseEncoding, encoder: string): FunctionDef {
  return {
    name,
    params: ['string'],
    tokens: 'handle',
    call(args, context) {
      const text = textArgument(args, 0)
      if (holdsToken(text)) return originalOf(text, encoder, context)
      const decoded = decodeBase(text, encoding)
      return typeof decoded === 'string' ? decoded : decodeUtf8(decoded)
    },
  }
}

function originalOf(text: string, encoder: string, context: CallContext): Value {
  const spec = text.length === 2 ? context.tokens.get(text) : undefined
  if (spec?.kind === 'derived' && spec.function === encoder) return spec.input
  throw new TokenRefusedError('cannot decode a value that is only known later')
}

/** sprig's base64 and base32 functions. */
export const encodingFunctions: readonly FunctionDef[] = [
  encode('b64enc', 'base64'),
  decode('b64dec', 'base64', 'b64enc'),
  encode('b32enc', 'base32'),
  decode('b32dec', 'base32', 'b32enc'),
]
