import { goKindOf, goTypeOf, type Value } from '../../model/value.ts'
import { FunctionError, type FunctionDef } from '../engine/function.ts'
import { anyArgument, boolArgument, textArgument } from './arguments.ts'
import { deepEqual } from './deep-equal.ts'
import { isEmpty } from './emptiness.ts'
import { textOf } from './text-of.ts'

function isNotEmpty(value: Value): boolean {
  return !isEmpty(value)
}

function defaultTo(args: readonly Value[]): Value {
  const given = anyArgument(args, 1)
  return isEmpty(given) ? anyArgument(args, 0) : given
}

function typeIsLike(args: readonly Value[]): Value {
  const type = goTypeOf(anyArgument(args, 1))
  const wanted = textArgument(args, 0)
  return type === wanted || type === `*${wanted}`
}

/** sprig's functions about defaults and types (defaults.go, reflect.go, flow control). A token is text and never empty. */
export const typeFunctions: readonly FunctionDef[] = [
  { name: 'default', params: ['any'], variadic: 'any', tokens: 'pass', call: defaultTo },
  { name: 'empty', params: ['any'], tokens: 'pass', call: (args) => isEmpty(anyArgument(args, 0)) },
  { name: 'coalesce', params: [], variadic: 'any', tokens: 'pass', call: (args) => args.find(isNotEmpty) ?? null },
  { name: 'all', params: [], variadic: 'any', tokens: 'pass', call: (args) => args.every(isNotEmpty) },
  { name: 'any', params: [], variadic: 'any', tokens: 'pass', call: (args) => args.some(isNotEmpty) },
  {
    name: 'ternary',
    params: ['any', 'any', 'bool'],
    tokens: 'pass',
    call: (args) => anyArgument(args, boolArgument(args, 2) ? 0 : 1),
  },
  { name: 'typeOf', params: ['any'], tokens: 'pass', call: (args) => goTypeOf(anyArgument(args, 0)) },
  {
    name: 'typeIs',
    params: ['string', 'any'],
    tokens: 'pass',
    call: (args) => textArgument(args, 0) === goTypeOf(anyArgument(args, 1)),
  },
  { name: 'typeIsLike', params: ['string', 'any'], tokens: 'pass', call: typeIsLike },
  { name: 'kindOf', params: ['any'], tokens: 'pass', call: (args) => goKindOf(anyArgument(args, 0)) },
  {
    name: 'kindIs',
    params: ['string', 'any'],
    tokens: 'pass',
    call: (args) => textArgument(args, 0) === goKindOf(anyArgument(args, 1)),
  },
  {
    name: 'deepEqual',
    params: ['any', 'any'],
    tokens: 'handle',
    call: (args, context) => deepEqual(anyArgument(args, 0), anyArgument(args, 1), context),
  },
  { name: 'toString', params: ['any'], tokens: 'pass', call: (args, context) => textOf(anyArgument(args, 0), context) },
]

/** sprig's `fail`; charts get Helm's own from the engine. */
export const failFunction: FunctionDef = {
  name: 'fail',
  params: ['string'],
  tokens: 'pass',
  call(args) {
    throw new FunctionError(textArgument(args, 0))
  },
}
