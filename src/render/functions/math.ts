import { goInt, goInt64, typedList, type Value } from '../../model/value.ts'
import { formatValue } from '../engine/format.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../engine/function.ts'
import { anyArgument, bigArgument, floatArgument, intArgument } from './arguments.ts'
import { castFloat, castInt, castIntSlim } from './go/cast.ts'
import {
  addDecimals,
  divideDecimals,
  fromDecimal,
  multiplyDecimals,
  subtractDecimals,
  toDecimal,
  type Decimal,
} from './go/decimal.ts'
import { parseGoInt } from './go/go-numbers.ts'
import { plainText } from './text/text-of.ts'
import { integerToken } from './token-integer.ts'
import { intList } from './go/go-list.ts'

type CastInt = (value: Value) => bigint

/** Folds int64 arithmetic over the arguments; wraps at every step as Go does. */
function foldInts(args: readonly Value[], cast: CastInt, step: (a: bigint, b: bigint) => bigint): Value {
  const [first = 0n, ...others] = args.map(cast)
  return goInt64(others.reduce((a, b) => BigInt.asIntN(64, step(a, b)), first))
}

function refuseZero(divisor: bigint): bigint {
  if (divisor === 0n) throw new FunctionError('runtime error: integer divide by zero')
  return divisor
}

/** The integer functions, which differ between sprig and slim-sprig in how they read their arguments. */
function integerFunctions(cast: CastInt): readonly FunctionDef[] {
  const fold = (step: (a: bigint, b: bigint) => bigint) => (args: readonly Value[]) => foldInts(args, cast, step)
  const maximum = fold((a, b) => (b > a ? b : a))
  return [
    {
      name: 'int',
      params: ['any'],
      tokens: 'handle',
      call: (args, context) => integerToken(anyArgument(args, 0), context) ?? goInt(cast(anyArgument(args, 0))),
    },
    {
      name: 'int64',
      params: ['any'],
      tokens: 'handle',
      call: (args, context) => integerToken(anyArgument(args, 0), context) ?? goInt64(cast(anyArgument(args, 0))),
    },
    { name: 'add1', params: ['any'], tokens: 'refuse', call: (args) => goInt64(cast(anyArgument(args, 0)) + 1n) },
    { name: 'add', params: [], variadic: 'any', tokens: 'refuse', call: fold((a, b) => a + b) },
    { name: 'sub', params: ['any', 'any'], tokens: 'refuse', call: fold((a, b) => a - b) },
    { name: 'div', params: ['any', 'any'], tokens: 'refuse', call: fold((a, b) => a / refuseZero(b)) },
    { name: 'mod', params: ['any', 'any'], tokens: 'refuse', call: fold((a, b) => a % refuseZero(b)) },
    { name: 'mul', params: ['any'], variadic: 'any', tokens: 'refuse', call: fold((a, b) => a * b) },
    { name: 'max', params: ['any'], variadic: 'any', tokens: 'refuse', call: maximum },
    { name: 'biggest', params: ['any'], variadic: 'any', tokens: 'refuse', call: maximum },
    { name: 'min', params: ['any'], variadic: 'any', tokens: 'refuse', call: fold((a, b) => (b < a ? b : a)) },
  ]
}

type DecimalStep = (a: Decimal, b: Decimal) => Decimal

function foldDecimals(first: Value, others: readonly Value[], step: DecimalStep): number {
  const start = toDecimal(castFloat(first))
  return fromDecimal(others.reduce<Decimal>((result, other) => step(result, toDecimal(castFloat(other))), start))
}

function decimalFunction(name: string, step: DecimalStep): FunctionDef {
  return {
    name,
    params: ['any'],
    variadic: 'any',
    tokens: 'refuse',
    call: (args) => foldDecimals(anyArgument(args, 0), args.slice(1), step),
  }
}

/** Go's math.Max, where an infinity beats NaN. */
function maxFloat(a: number, b: number): number {
  return a === Infinity || b === Infinity ? Infinity : Math.max(a, b)
}

/** Go's math.Min, where an infinity beats NaN. */
function minFloat(a: number, b: number): number {
  return a === -Infinity || b === -Infinity ? -Infinity : Math.min(a, b)
}

/** Ten to an integer power with the rounding of Go's math.Pow, which multiplies mantissa and exponent apart. */
function powerOfTen(power: number): number {
  let mantissa = 1
  let exponent = 0
  let square = 0.625
  let squareExponent = 4
  for (let bits = BigInt(Math.min(Math.abs(power), 1e6)); bits !== 0n; bits >>= 1n) {
    if (bits % 2n === 1n) {
      mantissa *= square
      exponent += squareExponent
    }
    square *= square
    squareExponent *= 2
    if (square < 0.5) {
      square *= 2
      squareExponent--
    }
  }
  const [value, shift] = power < 0 ? [1 / mantissa, -exponent] : [mantissa, exponent]
  // in two steps: the power of two alone may be out of range where the product is not
  const half = Math.trunc(shift / 2)
  return value * 2 ** half * 2 ** (shift - half)
}

/** sprig's round: away from zero only for positive numbers, as in the original. */
function round(args: readonly Value[]): Value {
  const power = powerOfTen(intArgument(args, 1))
  const scaled = power * castFloat(anyArgument(args, 0))
  const roundOn = args.length > 2 ? floatArgument(args, 2) : 0.5
  const fraction = Number.isFinite(scaled) ? scaled - Math.trunc(scaled) : Number.NaN
  return (fraction >= roundOn ? Math.ceil(scaled) : Math.floor(scaled)) / power
}

function toOctal(args: readonly Value[], context: CallContext): Value {
  const { value, problem } = parseGoInt(plainText(anyArgument(args, 0), context), 8)
  return goInt64(problem === undefined ? value : 0n)
}

interface Steps {
  readonly start: bigint
  readonly stop: bigint
  readonly step: bigint
}

/** The length of sprig's untilStep. */
function countSteps({ start, stop, step }: Steps): number {
  const distance = stop - start
  const isForward = distance >= 0n
  if (isForward ? step <= 0n : step >= 0n) return 0
  const size = step < 0n ? -step : step
  return Number(((isForward ? distance : -distance) + size - 1n) / size)
}

function listSteps(steps: Steps, context: CallContext): readonly Value[] {
  const count = countSteps(steps)
  context.charge(count)
  return intList(steps.start, steps.step, count)
}

function until(args: readonly Value[], context: CallContext): Value {
  const stop = bigArgument(args, 0)
  return typedList('int', [...listSteps({ start: 0n, stop, step: stop < 0n ? -1n : 1n }, context)])
}

function untilStep(args: readonly Value[], context: CallContext): Value {
  const steps = { start: bigArgument(args, 0), stop: bigArgument(args, 1), step: bigArgument(args, 2) }
  return typedList('int', [...listSteps(steps, context)])
}

function sequence(args: readonly Value[], context: CallContext): Value {
  if (args.length === 0 || args.length > 3) return ''
  const first = args.length === 1 ? 1n : bigArgument(args, 0)
  const last = bigArgument(args, args.length - 1)
  const direction = last < first ? -1n : 1n
  const step = args.length === 3 ? bigArgument(args, 1) : direction
  if (args.length === 3 && direction < 0n && step > 0n) return ''
  return listSteps({ start: first, stop: last + direction, step }, context)
    .map((value) => formatValue(value))
    .join(' ')
}

/** The functions that sprig and slim-sprig share. */
const commonFunctions: readonly FunctionDef[] = [
  { name: 'float64', params: ['any'], tokens: 'refuse', call: (args) => castFloat(anyArgument(args, 0)) },
  { name: 'toDecimal', params: ['any'], tokens: 'refuse', call: toOctal },
  {
    name: 'maxf',
    params: ['any'],
    variadic: 'any',
    tokens: 'refuse',
    call: (args) => args.map(castFloat).reduce(maxFloat),
  },
  {
    name: 'minf',
    params: ['any'],
    variadic: 'any',
    tokens: 'refuse',
    call: (args) => args.map(castFloat).reduce(minFloat),
  },
  { name: 'ceil', params: ['any'], tokens: 'refuse', call: (args) => Math.ceil(castFloat(anyArgument(args, 0))) },
  { name: 'floor', params: ['any'], tokens: 'refuse', call: (args) => Math.floor(castFloat(anyArgument(args, 0))) },
  { name: 'round', params: ['any', 'int'], variadic: 'float64', tokens: 'refuse', call: round },
  { name: 'until', params: ['int'], tokens: 'pass', call: until },
  { name: 'untilStep', params: ['int', 'int', 'int'], tokens: 'pass', call: untilStep },
  { name: 'seq', params: [], variadic: 'int', tokens: 'pass', call: sequence },
]

/** sprig's number functions (numeric.go, spf13/cast and shopspring/decimal behind them). */
export const mathFunctions: readonly FunctionDef[] = [
  ...integerFunctions(castInt),
  ...commonFunctions,
  {
    name: 'addf',
    params: [],
    variadic: 'any',
    tokens: 'refuse',
    call: (args) => foldDecimals(0, args, addDecimals),
  },
  { name: 'add1f', params: ['any'], tokens: 'refuse', call: (args) => foldDecimals(1, args, addDecimals) },
  decimalFunction('subf', subtractDecimals),
  decimalFunction('mulf', multiplyDecimals),
  decimalFunction('divf', divideDecimals),
]

/** slim-sprig's number functions: no decimals, and text is read as plain decimal. */
export const slimMathFunctions: readonly FunctionDef[] = [...integerFunctions(castIntSlim), ...commonFunctions]
