import { Dict, typedList, type Value } from '../../../model/value.ts'
import type { CallContext, FunctionDef } from '../../engine/function.ts'
import { intArgument, textArgument } from '../arguments.ts'
import { nilList } from '../go/typed-nil.ts'
import { refuseUnknownSearch } from './token-text.ts'

/** Go's strings.SplitN; undefined is its nil slice. Tokens are refused where a part could begin inside one. */
function splitText(
  text: string,
  separator: string,
  options: { readonly limit: number; readonly context: CallContext },
): readonly string[] | undefined {
  const { limit, context } = options
  if (limit === 0) return undefined
  refuseUnknownSearch(separator, text, context.tokens)
  const all = separator === '' ? Array.from(text) : text.split(separator)
  context.charge(all.length)
  if (limit < 0 || all.length <= limit) return all
  return [...all.slice(0, limit - 1), all.slice(limit - 1).join(separator)]
}

/** sprig gives parts as a map of `_0`, `_1`, … */
function numbered(parts: readonly string[] | undefined): Value {
  const map = new Dict()
  map.goType = 'map[string]string'
  parts?.forEach((part, index) => map.set(`_${index}`, part))
  return map
}

/** sprig's functions that split text at a separator. */
export const splitFunctions: readonly FunctionDef[] = [
  {
    name: 'split',
    params: ['string', 'string'],
    tokens: 'handle',
    call: (args, context) => numbered(splitText(textArgument(args, 1), textArgument(args, 0), { limit: -1, context })),
  },
  {
    name: 'splitn',
    params: ['string', 'int', 'string'],
    tokens: 'handle',
    call: (args, context) =>
      numbered(splitText(textArgument(args, 2), textArgument(args, 0), { limit: intArgument(args, 1), context })),
  },
  {
    name: 'splitList',
    params: ['string', 'string'],
    tokens: 'handle',
    call: (args, context) => {
      const parts = splitText(textArgument(args, 1), textArgument(args, 0), { limit: -1, context })
      return parts === undefined ? nilList('string') : typedList('string', [...parts])
    },
  },
]
