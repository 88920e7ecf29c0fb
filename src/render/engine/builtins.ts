import { encodeUtf8 } from '../../codec/bytes/utf8.ts'
import { goInt, type Value } from '../../model/value.ts'
import { isEqual, isLess } from './compare.ts'
import { indexValue, lengthOf, sliceValue } from './element.ts'
import { escapeHtml, escapeJs, escapeQuery } from './escape.ts'
import { formatPrint, formatPrintf, formatPrintln } from './format.ts'
import type { FormatOptions } from './format-printer.ts'
import { FunctionError, type CallContext, type FunctionDef } from './function.ts'
import { assumeSet } from './token-assumptions.ts'
import { isEqualWithTokens } from './token-equality.ts'
import { holdsToken, TokenRefusedError } from './token-refused.ts'
import { piecesOf, shapeOf } from './token-shape.ts'
import { isTrue } from './truth.ts'

/** The functions that Go's text/template brings itself (funcs.go). The evaluator short-circuits `and` and `or`. */
export const builtinFunctions: readonly FunctionDef[] = [
  { name: 'and', params: ['any'], variadic: 'any', tokens: 'pass', call: (args) => decide(args, false) },
  { name: 'or', params: ['any'], variadic: 'any', tokens: 'pass', call: (args) => decide(args, true) },
  { name: 'not', params: ['any'], tokens: 'pass', call: isNot },
  { name: 'len', params: ['any'], tokens: 'handle', call: ([value = null]) => goInt(lengthOf(value)) },
  {
    name: 'index',
    params: ['any'],
    variadic: 'any',
    tokens: 'handle',
    call: ([item = null, ...indexes]) => indexValue(item, indexes),
  },
  {
    name: 'slice',
    params: ['any'],
    variadic: 'any',
    tokens: 'handle',
    call: ([item = null, ...indexes]) => sliceValue(item, indexes),
  },
  { name: 'eq', params: ['any'], variadic: 'any', tokens: 'handle', call: equalsAny },
  {
    name: 'ne',
    params: ['any', 'any'],
    tokens: 'handle',
    call: ([a = null, b = null], context) => !equals(a, b, context),
  },
  { name: 'lt', params: ['any', 'any'], tokens: 'refuse', call: ([a = null, b = null]) => isLess(a, b) },
  {
    name: 'le',
    params: ['any', 'any'],
    tokens: 'refuse',
    call: ([a = null, b = null]) => isLess(a, b) || isEqual(a, b),
  },
  {
    name: 'gt',
    params: ['any', 'any'],
    tokens: 'refuse',
    call: ([a = null, b = null]) => !(isLess(a, b) || isEqual(a, b)),
  },
  { name: 'ge', params: ['any', 'any'], tokens: 'refuse', call: ([a = null, b = null]) => !isLess(a, b) },
  {
    name: 'print',
    params: [],
    variadic: 'any',
    tokens: 'pass',
    walksArguments: true,
    call: (args, context) => formatPrint(args, formatOptions(context)),
  },
  {
    name: 'println',
    params: [],
    variadic: 'any',
    tokens: 'pass',
    walksArguments: true,
    call: (args, context) => formatPrintln(args, formatOptions(context)),
  },
  {
    name: 'printf',
    params: ['string'],
    variadic: 'any',
    tokens: 'handle',
    walksArguments: true,
    call: ([format, ...args], context) =>
      formatPrintf(knownFormat(textOf(format), context), args, formatOptions(context)),
  },
  {
    name: 'html',
    params: [],
    variadic: 'any',
    tokens: 'refuse',
    walksArguments: true,
    call: (args, context) => escapeHtml(joined(args, context)),
  },
  {
    name: 'js',
    params: [],
    variadic: 'any',
    tokens: 'refuse',
    walksArguments: true,
    call: (args, context) => escapeJs(joined(args, context)),
  },
  {
    name: 'urlquery',
    params: [],
    variadic: 'any',
    tokens: 'refuse',
    walksArguments: true,
    call: (args, context) => escapeQuery(encodeUtf8(joined(args, context))),
  },
  { name: 'call', params: ['any'], variadic: 'any', tokens: 'pass', call: callValue },
]

function formatOptions(context: CallContext): FormatOptions {
  return {
    charge: context.charge,
    isIntegerToken: (token) => {
      const type = context.tokens.get(token)?.type
      return type === 'port' || type === 'integer'
    },
  }
}

/** @throws TokenRefusedError when a value in the format could be read as a directive */
function knownFormat(format: string, { tokens }: CallContext): string {
  if (!holdsToken(format)) return format
  const isOpen = piecesOf(format).some(({ token }) => {
    const spec = token === undefined ? undefined : tokens.get(token)
    // no endpoint that others can reach has a zone
    return spec !== undefined && spec.type !== 'host' && shapeOf(spec, tokens).characters?.has('%') !== false
  })
  if (isOpen) throw new TokenRefusedError('cannot take a value that is only known later as its format')
  return format
}

function decide(args: readonly Value[], deciding: boolean): Value {
  return args.find((arg) => isTrue(arg) === deciding) ?? args.at(-1) ?? null
}

function isNot([value]: readonly Value[], { tokens, origin }: CallContext): boolean {
  if (tokens.specs.length > 0) assumeSet(value, tokens, origin)
  return !isTrue(value)
}

function textOf(value: Value | undefined): string {
  return typeof value === 'string' ? value : ''
}

/** The text that the escaping functions escape: Sprint, but nil prints as an action prints it. */
function joined(args: readonly Value[], context: CallContext): string {
  return formatPrint(
    args.map((arg) => arg ?? '<no value>'),
    formatOptions(context),
  )
}

function equalsAny([first = null, ...others]: readonly Value[], context: CallContext): boolean {
  if (others.length === 0) throw new FunctionError('missing argument for comparison')
  return others.some((other) => equals(first, other, context))
}

function equals(a: Value, b: Value, context: CallContext): boolean {
  return context.tokens.specs.length === 0 ? isEqual(a, b) : isEqualWithTokens(a, b, context)
}

/** Never reached by a template: see `compile-expression.ts`. */
function callValue(): Value {
  throw new FunctionError('call of nil')
}
