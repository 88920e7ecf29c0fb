import { goKindOf, goTypeOf, type Value } from '../../model/value.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../engine/function.ts'
import { assumeSet } from '../engine/token-assumptions.ts'
import { anyArgument, boolArgument, textArgument } from './arguments.ts'
import { deepEqual } from './go/deep-equal.ts'
import { isEmpty } from './collections/emptiness.ts'
import { textOf } from './text/text-of.ts'
import { textToken } from './token-integer.ts'
import { spoken } from '../engine/error-text.ts'

/** True if a value is empty; what that takes for granted about a value that is only known later is recorded. */
function decideEmpty(value: Value, { tokens, origin }: CallContext): boolean {
  if (tokens.specs.length > 0) assumeSet(value, tokens, origin)
  return isEmpty(value)
}

function defaultTo(args: readonly Value[], context: CallContext): Value {
  const given = anyArgument(args, 1)
  return decideEmpty(given, context) ? anyArgument(args, 0) : given
}

/** A number that is only known later is text to us, and a number to the template. */
function shownType(value: Value, { tokens }: CallContext): string | undefined {
  const spec = typeof value === 'string' && value.length === 2 ? tokens.get(value) : undefined
  if (spec?.kind !== 'runtime' || spec.form === 'text') return undefined
  return spec.type === 'port' || spec.type === 'integer' ? 'float64' : undefined
}

function typeOf(value: Value, context: CallContext): string {
  return shownType(value, context) ?? goTypeOf(value)
}

function kindOf(value: Value, context: CallContext): string {
  return shownType(value, context) ?? goKindOf(value)
}

function typeIsLike(args: readonly Value[], context: CallContext): Value {
  const type = typeOf(anyArgument(args, 1), context)
  const wanted = textArgument(args, 0)
  return type === wanted || type === `*${wanted}`
}

/**
 * sprig's functions about defaults and types (defaults.go, reflect.go, flow control). A token is text and never empty.
 */
export const typeFunctions: readonly FunctionDef[] = [
  { name: 'default', params: ['any'], variadic: 'any', tokens: 'pass', call: defaultTo },
  {
    name: 'empty',
    params: ['any'],
    tokens: 'pass',
    call: (args, context) => decideEmpty(anyArgument(args, 0), context),
  },
  {
    name: 'coalesce',
    params: [],
    variadic: 'any',
    tokens: 'pass',
    call: (args, context) => args.find((arg) => !decideEmpty(arg, context)) ?? null,
  },
  {
    name: 'all',
    params: [],
    variadic: 'any',
    tokens: 'pass',
    call: (args, context) => args.every((arg) => !decideEmpty(arg, context)),
  },
  {
    name: 'any',
    params: [],
    variadic: 'any',
    tokens: 'pass',
    call: (args, context) => args.some((arg) => !decideEmpty(arg, context)),
  },
  {
    name: 'ternary',
    params: ['any', 'any', 'bool'],
    tokens: 'pass',
    call: (args) => anyArgument(args, boolArgument(args, 2) ? 0 : 1),
  },
  { name: 'typeOf', params: ['any'], tokens: 'pass', call: (args, context) => typeOf(anyArgument(args, 0), context) },
  {
    name: 'typeIs',
    params: ['string', 'any'],
    tokens: 'pass',
    call: (args, context) => textArgument(args, 0) === typeOf(anyArgument(args, 1), context),
  },
  { name: 'typeIsLike', params: ['string', 'any'], tokens: 'pass', call: typeIsLike },
  { name: 'kindOf', params: ['any'], tokens: 'pass', call: (args, context) => kindOf(anyArgument(args, 0), context) },
  {
    name: 'kindIs',
    params: ['string', 'any'],
    tokens: 'pass',
    call: (args, context) => textArgument(args, 0) === kindOf(anyArgument(args, 1), context),
  },
  {
    name: 'deepEqual',
    params: ['any', 'any'],
    tokens: 'handle',
    call: (args, context) => deepEqual(anyArgument(args, 0), anyArgument(args, 1), context),
  },
  {
    name: 'toString',
    params: ['any'],
    tokens: 'pass',
    call: (args, context) => textToken(textOf(anyArgument(args, 0), context), context),
  },
]

/** sprig's `fail`; charts get Helm's own from the engine. */
export const failFunction: FunctionDef = {
  name: 'fail',
  params: ['string'],
  tokens: 'pass',
  call(args) {
    throw new FunctionError(spoken(textArgument(args, 0)))
  },
}
