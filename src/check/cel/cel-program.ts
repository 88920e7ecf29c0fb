import {
  celEnv,
  celError,
  type CelFunc,
  celFunc as libraryFunction,
  type CelInput as LibraryInput,
  celList,
  type CelList,
  celMap,
  type CelMap,
  celMethod as libraryMethod,
  CelScalar,
  celType,
  celUint,
  type CelValue,
  isCelError,
  isCelList,
  isCelMap,
  isCelUint,
  listType,
  parse,
  plan,
} from '@bufbuild/cel'
import { strings } from '@bufbuild/cel/ext'
import { type CelMacro, helperNames, macros } from './cel-macros.ts'
import { type CelBudget, celBudget, work, withinWork } from './cel-work.ts'
import { CelFailure } from './cel-failure.ts'
import { type CelData, type CelFunction, type CelParameter, Foreign, isList, Opaque, Optional } from './cel-values.ts'
import { formatFloatG } from '../../codec/json/go-float.ts'
import {
  boolOf,
  doubleOf,
  intOf,
  nanosOf,
  partOfTime,
  timeAfter,
  uintOf,
  withoutZeros,
} from './functions/conversions.ts'
import { compileCel } from './functions/regex-functions.ts'
import { textNames } from './functions/text-functions.ts'
import { kubernetesFunctions } from './kubernetes-functions.ts'
import { optionalNames, withoutOptionalSyntax } from './optional-syntax.ts'
import type { UnknownFields } from './unknown-values.ts'

/** A value that an expression is given: maps are `Map`s, integers bigints. */
export type CelInput = LibraryInput

/** The result of an evaluation. Reasons hold no values. */
export type CelResult =
  | { readonly state: 'value'; readonly value: CelData }
  /** The expression fails, as it would in an API server. */
  | { readonly state: 'failed'; readonly reason: string }
  /** It depends on what only a server knows: the reason says on what. */
  | { readonly state: 'unknown'; readonly reason: string }
  /** It would take too much work. */
  | { readonly state: 'unfinished' }

/** The meaning of a name: a value, or why there is none. `unknown`: only a server knows. */
export type CelLookup = { readonly value: CelInput } | { readonly failed: string } | { readonly unknown: string }

/** An expression that was read. */
export interface CelProgram {
  /** The variables that it reads. */
  readonly variables: ReadonlySet<string>
  readonly evaluate: (bindings: Readonly<Record<string, CelInput>>, budget?: CelBudget) => CelResult
  /** Its value for another expression, whose budget pays for the work. */
  readonly input: (bindings: Readonly<Record<string, CelInput>>) => CelLookup
}

/** An expression, or why it cannot be read here. */
export type CelReading =
  | { readonly program: CelProgram }
  /** `isRefused`: an API server refuses it, too. */
  | { readonly problem: string; readonly isRefused?: true }

/** As long as API servers let a definition or policy be told in one expression, and longer than any that is known. */
const MAX_LENGTH = 32 * 1024

const readings = new Map<string, CelReading>()
const MAX_READINGS = 10_000

/** Reads an expression of CEL as Kubernetes knows it, with variables of these names. */
export function readCel(expression: string, names: readonly string[]): CelReading {
  const reading = readings.get(expression) ?? compile(expression)
  if (readings.size < MAX_READINGS) readings.set(expression, reading)
  if ('problem' in reading) return reading
  const other = [...reading.program.variables].find((name) => !names.includes(name) && !typeNames.has(name))
  return other === undefined
    ? reading
    : { problem: `it names ${other}, which API servers do not know there`, isRefused: true }
}

/** Names of types, and what those of packages begin with. */
const typeNames: ReadonlySet<string> = new Set(
  'int uint double bool string bytes list map null_type type google optional_type net kubernetes'.split(' '),
)

type Expr = ReturnType<typeof parse>['expr']
/** An expression that was read, with macros expanded, and calls in the place of the syntax of optional values. */
export type CelExpr = Expr
type Environment = ReturnType<typeof celEnv>

/** The name that the current evaluation has read and only a server knows. */
let unknown: string | undefined

function compile(expression: string): CelReading {
  if (expression.length > MAX_LENGTH) return { problem: `it is longer than ${String(MAX_LENGTH)} characters` }
  const env = environment()
  const parsed = parseCel(expression)
  if ('problem' in parsed) return parsed
  try {
    const { source } = parsed
    const variables = new Set<string>()
    const whole = rewrite(source, { env, variables })
    const run = plan(env, whole)
    const input = (bindings: Readonly<Record<string, CelInput>>): CelLookup => {
      const outside = unknown
      unknown = undefined
      const result = run(bindings)
      const reason = unknown
      unknown = outside
      if (!isCelError(result)) return { value: result }
      return reason === undefined ? { failed: reasonOf(result, expression) } : { unknown: reason }
    }
    const evaluated = (bindings: Readonly<Record<string, CelInput>>, budget = celBudget()): CelResult =>
      evaluate(() => run(bindings), expression, budget)
    return { program: { variables, evaluate: evaluated, input } }
  } catch (error) {
    if (error instanceof Refused) return { problem: error.message, isRefused: true }
    if (error instanceof OnlyServers) return { problem: error.message }
    if (error instanceof RangeError) return { problem: 'it is nested too deeply' }
    if (error instanceof Error) return { problem: 'it cannot be read as CEL' }
    throw error
  }
}

/** Reads an expression, and no more. */
export function parseCel(
  expression: string,
): { readonly source: Expr } | { readonly problem: string; readonly isRefused?: true } {
  try {
    return { source: parse(withoutOptionalSyntax(expression)).expr }
  } catch (error) {
    if (error instanceof RangeError) return { problem: 'it is nested too deeply' }
    if (error instanceof Error) return { problem: 'it cannot be read as CEL', isRefused: true }
    throw error
  }
}

function evaluate(run: () => ReturnType<ReturnType<typeof plan>>, expression: string, budget: CelBudget): CelResult {
  unknown = undefined
  const { result, isTooMuch } = withinWork(budget, run)
  if (isTooMuch) return { state: 'unfinished' }
  // what else was read does not count where `||` and the like do not need it
  if (!isCelError(result)) return { state: 'value', value: fromLibrary(result) }
  if (unknown !== undefined) return { state: 'unknown', reason: unknown }
  if (result.cause instanceof RangeError) return { state: 'unfinished' }
  return { state: 'failed', reason: reasonOf(result, expression) }
}

/** Words of the library that name types and functions, and never values. */
const harmless = /^found no matching overload| by zero$|^index -?\d+ out of bounds| overflow during |^type mismatch/

function reasonOf(error: Error, expression: string): string {
  if (error.cause instanceof CelFailure) return error.cause.message
  const [, field] = /^field not found: (.*)$/s.exec(error.message) ?? []
  // a key may be a value of the object
  if (field !== undefined) return expression.includes(field) ? `there is no field ${field}` : 'a field is not there'
  return harmless.test(error.message) ? error.message : 'a function fails'
}

let known: Environment | undefined

function environment(): Environment {
  return (known ??= celEnv({
    funcs: [...[...celEnv().funcs].map(corrected), ...strings.filter(({ name }) => !textNames.has(name))]
      .flatMap(metered)
      .concat(ownFunctions(), conversions(), adapted(kubernetesFunctions)),
    re2: { compile: (pattern) => ({ test: (text) => compileCel(pattern).test(text, work) }) },
  }))
}

/** The planned form of `name(...)`, where the library is asked for what it does not export. */
function ask(expression: string, bindings: Readonly<Record<string, CelInput>>): CelValue {
  const env = environment()
  const result = plan(env, parse(expression))(bindings)
  if (isCelError(result)) throw new CelFailure('a value cannot be converted')
  return result
}

/** True if a function takes the text: `of` is a call of it with the text as `x`. */
export function isReadable(of: string, text: string): boolean {
  try {
    withinWork(celBudget(), () => ask(of, { x: text }))
    return true
  } catch (error) {
    if (error instanceof CelFailure) return false
    throw error
  }
}

/** A time of RFC 3339. */
export function timestampOf(text: string): CelInput {
  return ask('timestamp(x)', { x: text })
}

/** A duration as Go writes it. */
export function durationOf(text: string): CelInput {
  return ask('duration(x)', { x: text })
}

/** A map whose values are made when they are asked for. */
export function lazyMap(make: (key: string) => CelLookup | undefined): CelInput {
  return overridden(celMap(new Map<string, CelInput>()), { get: make, has: () => undefined })
}

/** A map of which a server may know more: what depends on that has no value. */
export function partlyKnown(known: ReadonlyMap<string, CelInput>, more: UnknownFields | undefined): CelInput {
  if (more === undefined) return known
  const { values, fields } = more
  const lookup = (reason: string | undefined): CelLookup | undefined =>
    reason === undefined ? undefined : { unknown: reason }
  const map = overridden(celMap(known), {
    get: (key) => lookup(values.get(key) ?? fields.get(key)),
    has: (key) => lookup(fields.get(key)),
  })
  const [reason = ''] = [...values.values(), ...fields.values()]
  const refuse = { value: () => throwing(asError({ unknown: reason })) }
  return Object.defineProperties(map, { entries: refuse, values: refuse, forEach: refuse, [Symbol.iterator]: refuse })
}

/**
 * The map with other answers for some keys. Errors are returned, for the library does not catch those that accesses
 * throw, and `||` would not absorb them.
 */
function overridden(
  map: CelMap,
  answers: Readonly<Record<'get' | 'has', (key: string) => CelLookup | undefined>>,
): CelMap {
  const [get, has] = [map.get.bind(map), map.has.bind(map)]
  const other =
    <Key>(name: 'get' | 'has', otherwise: (key: Key) => unknown) =>
    (key: Key): unknown => {
      const found = typeof key === 'string' ? answers[name](key) : undefined
      if (found === undefined) return otherwise(key)
      return 'value' in found ? celList([found.value]).get(0) : asError(found)
    }
  return Object.defineProperties(map, { get: { value: other('get', get) }, has: { value: other('has', has) } })
}

function asError(found: Exclude<CelLookup, { readonly value: CelInput }>): Error {
  if ('failed' in found) return celError(new CelFailure(found.failed))
  unknown = found.unknown
  return celError(new CelFailure(found.unknown))
}

function throwing(error: Error): never {
  throw error
}

/** An optional value: none for undefined. */
export function optionalOf(value: CelInput | undefined): CelInput {
  return value === undefined ? ask('optional.none()', {}) : ask('optional.of(x)', { x: value })
}

const opaques = new WeakMap<object, Opaque>()
const foreigners = new WeakMap<Foreign, CelValue>()

function fromLibrary(value: CelValue): CelData {
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
  if (isCelList(value)) return itemsOf(value)
  const opaque = opaques.get(value)
  if (opaque !== undefined) return opaque
  const foreign = new Foreign(celType(value).name, {
    size: isCelMap(value) ? value.size : undefined,
    number: numberOf(value),
    isSame: (other) => isEqual(value, foreigners.get(other)),
  })
  foreigners.set(foreign, value)
  return foreign
}

let plainEquality: ReturnType<typeof plan> | undefined

/** Equality of CEL, with its work counted. The library would take what only a server knows for another value. */
function isEqual(one: CelValue, other: CelValue | undefined): boolean {
  if (isCelError(one)) throwing(one)
  if (isCelError(other)) throwing(other)
  work(1)
  if (one === other) return true
  const [number, otherNumber] = [numberOf(one), numberOf(other)]
  if (number !== undefined && otherNumber !== undefined) return number <= otherNumber && number >= otherNumber
  if (typeof one === 'string' && typeof other === 'string') return false
  if (!isObject(one) || !isObject(other)) return false
  if (isCelList(one) && isCelList(other)) {
    if (one.size !== other.size) return false
    for (let index = 0; index < one.size; index++) if (!isEqual(itemAt(one, index), itemAt(other, index))) return false
    return true
  }
  if (isCelMap(one) && isCelMap(other)) {
    if (one.size !== other.size) return false
    for (const [key, value] of one) if (!isEqual(value, other.get(key))) return false
    return true
  }
  plainEquality ??= plan(celEnv(), parse('a == b'))
  return plainEquality({ a: one, b: other }) === true
}

function numberOf(value: CelValue | undefined): number | bigint | undefined {
  if (isCelUint(value)) return value.value
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined
}

function isObject(value: CelValue | undefined): value is CelValue & object {
  return typeof value === 'object' && value !== null
}

function itemAt(list: CelList, index: number): CelValue {
  return list.get(index) ?? null
}

function itemsOf(list: Iterable<CelValue>): readonly CelData[] {
  const items = [...list].map(fromLibrary)
  work(items.length)
  return items
}

function toLibrary(value: CelData): CelInput {
  if (value instanceof Foreign) return foreigners.get(value) ?? null
  if (value instanceof Opaque) {
    // a map that no expression and no object can make: the library compares maps by what they hold
    const made = celMap(new Map([[`@${value.type}`, toLibrary(value.key)]]))
    opaques.set(made, value)
    return made
  }
  return isList(value) ? value.map(toLibrary) : value
}

/** Those of one name become one: the library knows our types for maps only, and tries its own functions first. */
function adapted(functions: readonly CelFunction[]): readonly CelFunc[] {
  const groups = new Map<string, CelFunction[]>()
  for (const each of functions) {
    const key = `${each.form} ${each.name} ${String(each.takes.length)}`
    groups.set(key, [...(groups.get(key) ?? []), each])
  }
  return [...groups.values()].map(adapt)
}

function adapt(overloads: readonly CelFunction[]): CelFunc {
  const { DYN } = CelScalar
  const [{ name, form, takes } = { name: '', form: 'function', takes: [] }] = overloads
  const implement = (values: readonly CelValue[]): CelInput => {
    const given = values.map(fromLibrary)
    for (const text of given) if (typeof text === 'string') work(text.length / 16)
    const fitting = overloads.find((each) => each.takes.every((parameter, index) => fits(given[index], parameter)))
    if (fitting === undefined) throw new CelFailure(`found no matching overload for '${name}'`)
    const result = fitting.call(given)
    work(typeof result === 'string' ? result.length / 16 : isList(result) ? result.length : 1)
    return toLibrary(result)
  }
  const types = takes.map(() => DYN)
  if (form === 'function') return libraryFunction(name, types, DYN, (...args) => implement(args))
  return libraryMethod(name, DYN, types.slice(1), DYN, function (...args) {
    return implement([this, ...args])
  })
}

function fits(value: CelData | undefined, parameter: CelParameter): boolean {
  switch (parameter) {
    case 'any':
      return true
    case 'string':
      return typeof value === 'string'
    case 'int':
      return typeof value === 'bigint'
    case 'bool':
      return typeof value === 'boolean'
    case 'list':
      return Array.isArray(value)
    case 'optional':
      return value instanceof Optional
    default:
      return value instanceof parameter
  }
}

const TIMESTAMP = 'google.protobuf.Timestamp'
const DURATION = 'google.protobuf.Duration'

/** Functions of the library about times, as API servers have them: by the clock of no machine, and without zeros. */
function corrected(func: CelFunc): CelFunc {
  const { name, target, arguments: takes, result } = func
  const type = takes[0]?.name
  if (name === 'string' && (type === TIMESTAMP || type === DURATION))
    return libraryFunction(name, takes, result, (value) => withoutZeros(written(func, value)))
  if (name === 'int' && type === DURATION)
    return libraryFunction(name, takes, result, (value) => {
      const text = ask('string(x)', { x: value })
      return nanosOf(typeof text === 'string' ? text : '')
    })
  if (target?.name !== TIMESTAMP || (name === 'getMilliseconds' && takes.length === 0)) return func
  return libraryMethod(name, target, takes, result, function (...zones) {
    const [zone] = zones
    const seconds = ask('int(x)', { x: this })
    const since = typeof seconds === 'bigint' ? seconds : 0n
    const isWhole = name !== 'getMilliseconds'
    const part = partOfTime(isWhole ? name : 'getSeconds', since, typeof zone === 'string' ? zone : undefined)
    if (part !== undefined && !isWhole) return ask('x.getMilliseconds()', { x: this })
    return part ?? throwing(asError({ unknown: 'it depends on the time zones that the API server knows' }))
  })
}

function written(func: CelFunc, value: CelValue): string {
  const text = func.call(0, undefined, [value])
  return typeof text === 'string' ? text : ''
}

/** Conversions as API servers do them. */
function conversions(): readonly CelFunc[] {
  const { BOOL, DOUBLE, DYN, STRING, INT, UINT } = CelScalar
  return [
    libraryFunction('bool', [STRING], BOOL, boolOf),
    libraryFunction('int', [STRING], INT, intOf),
    libraryFunction('uint', [STRING], UINT, (text) => celUint(uintOf(text))),
    libraryFunction('double', [STRING], DOUBLE, doubleOf),
    libraryFunction('string', [DOUBLE], STRING, formatFloatG),
    libraryFunction('timestamp', [INT], DYN, (seconds) => timestampOf(timeAfter(seconds))),
    libraryFunction('duration', [INT], DYN, () => {
      throw new CelFailure('an integer is no duration')
    }),
  ]
}

/** Functions of the library that look at texts, with that counted. */
function metered(func: CelFunc): readonly CelFunc[] {
  const { name, target, arguments: takes, result } = func
  const isOfTexts = [target, ...takes].some((type) => type === CelScalar.STRING || type === CelScalar.BYTES)
  if (!isOfTexts && name !== 'join') return [func]
  const speed = slow.has(name) ? 1 : 16
  const call = (on: CelValue | undefined, values: readonly CelValue[]): CelInput => {
    measure(on ?? null, speed)
    for (const value of values) measure(value, speed)
    const found = func.call(0, on, [...values])
    if (found === undefined) throw new CelFailure(`found no matching overload for '${name}'`)
    return isCelError(found) ? throwing(found) : found
  }
  if (target === undefined) return [libraryFunction(name, takes, result, (...args) => call(undefined, args))]
  return [
    libraryMethod(name, target, takes, result, function (...args) {
      return call(this, args)
    }),
  ]
}

/** Functions that go through texts character by character. */
const slow: ReadonlySet<string> = new Set(['lowerAscii', 'upperAscii', 'strings.quote', 'format', 'size', 'trim'])

/** Counts what a function looks at, so many characters at once. */
function measure(value: CelValue, speed: number): void {
  if (typeof value === 'string' || value instanceof Uint8Array) work(1 + value.length / speed)
  else if (isCelList(value)) for (const item of value) measure(item, speed)
  else if (isCelMap(value)) for (const [, item] of value) measure(item, speed)
  else work(1)
}

/** The lists that a loop still grows. */
const growing = new WeakMap<object, CelInput[]>()

/** The type of a value that equals none of another type, so that servers do not compare it: a quantity, an address. */
function opaqueType(value: CelValue): string | undefined {
  const found = isObject(value) ? opaques.get(value) : undefined
  return found instanceof Optional ? undefined : found?.type
}

/** Functions that the library lacks or runs without a bound. */
function ownFunctions(): readonly CelFunc[] {
  // not before it is needed: the library is loaded with it
  const { BOOL, DYN, STRING, INT } = CelScalar
  const LIST = listType(DYN)
  return [
    libraryFunction(helperNames.work, [DYN, INT], DYN, (condition, amount) => {
      work(Number(amount))
      return condition
    }),
    // the library makes a list of lists, which takes ever longer to walk
    libraryFunction(helperNames.push, [LIST, LIST], DYN, (list, added) => {
      const items = growing.get(list)
      work(1)
      if (items !== undefined) {
        items.push(...added)
        return list
      }
      const begun: CelInput[] = [...list, ...added]
      const made = celList(begun)
      growing.set(made, begun)
      return made
    }),
    libraryFunction('_==_', [DYN, DYN], BOOL, (one, other) => {
      const type = opaqueType(one)
      if (type !== undefined && type !== opaqueType(other))
        throw new CelFailure("found no matching overload for '_==_'")
      return isEqual(one, other)
    }),
    libraryFunction('_!=_', [DYN, DYN], BOOL, (one, other) => !isEqual(one, other)),
    libraryFunction('@in', [DYN, LIST], BOOL, (wanted, list) => {
      for (const item of list) if (isEqual(item, wanted)) return true
      return false
    }),
    // of other maps the library finds what the key is
    libraryFunction('@in', [DYN, DYN], BOOL, (_, map) => {
      if (!isCelMap(map) || opaques.has(map)) throw new CelFailure("found no matching overload for '@in'")
      return false
    }),
    libraryFunction('_+_', [LIST, LIST], DYN, (one, other) => {
      work(one.size + other.size)
      return [...one, ...other]
    }),
    libraryFunction('_+_', [STRING, STRING], STRING, (one, other) => {
      work((one.length + other.length) / 16)
      return one + other
    }),
    libraryFunction(helperNames.entries, [DYN], DYN, (range) => {
      if (isCelMap(range)) return [...range].map(([key, value]) => [key, value])
      if (isCelList(range)) return [...range].map((value, index) => [BigInt(index), value])
      throw new CelFailure('a loop needs a list or a map')
    }),
    libraryFunction(helperNames.fromPairs, [LIST], DYN, (pairs) => {
      const made = new Map<string | bigint | boolean, CelInput>()
      for (const pair of pairs) {
        if (!isCelList(pair)) continue
        const [key, value] = pair
        if (value === undefined || (typeof key !== 'string' && typeof key !== 'bigint' && typeof key !== 'boolean'))
          continue
        made.set(key, value)
      }
      return celMap(made)
    }),
    libraryMethod(optionalNames.select, DYN, [DYN], DYN, function (key) {
      return toLibrary(optionalAt(this, key))
    }),
    libraryMethod(optionalNames.index, DYN, [DYN], DYN, function (key) {
      return toLibrary(optionalAt(this, key))
    }),
    libraryFunction('flat__', [LIST], DYN, (list) =>
      [...list].flatMap((item): CelInput[] => {
        const found = fromLibrary(item)
        return found instanceof Optional ? found.key.map(toLibrary) : [item]
      }),
    ),
    libraryFunction(optionalNames.item, [DYN], DYN, (item) => item),
    libraryFunction(optionalNames.entry, [DYN], DYN, (key) => key),
    libraryFunction(helperNames.optionalPair, [DYN, DYN], DYN, (key, value) => {
      const found = fromLibrary(value)
      if (!(found instanceof Optional)) throw new CelFailure('the entry is no optional value')
      const [held] = found.key
      return toLibrary(new Optional(held === undefined ? [] : [[fromLibrary(key), held]]))
    }),
  ]
}

function optionalAt(from: CelValue, key: CelValue): Optional {
  const held = fromLibrary(from)
  if (held instanceof Optional) {
    const [value] = held.key
    return value === undefined ? held : optionalIn(value, key)
  }
  return optionalIn(held, key)
}

function optionalIn(held: CelData, key: CelValue): Optional {
  if (isList(held)) {
    const item = typeof key === 'bigint' ? held[Number(key)] : undefined
    return new Optional(item === undefined ? [] : [item])
  }
  const map = held instanceof Foreign ? foreigners.get(held) : undefined
  if (map === undefined || !isCelMap(map)) throw new CelFailure('only maps and lists have fields')
  const value =
    typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean' ? map.get(key) : undefined
  if (isCelError(value)) throwing(value)
  return new Optional(value === undefined ? [] : [fromLibrary(value)])
}

/** Thrown while an expression is read that only API servers can evaluate. */
class OnlyServers extends Error {}

/** Thrown while an expression is read that API servers refuse. */
class Refused extends Error {}

interface Rewriting {
  readonly env: Environment
  readonly variables: Set<string>
}

/** The expression with macros expanded, optional fields followed, and loops metered. */
function rewrite(expr: Expr, to: Rewriting): Expr {
  const { exprKind } = expr
  const deep = (child: Expr | undefined): Expr | undefined => child && rewrite(child, to)
  switch (exprKind.case) {
    case 'identExpr':
      if (exprKind.value.name === 'authorizer') throw new OnlyServers('it asks who may do what (authorizer)')
      to.variables.add(exprKind.value.name)
      return expr
    case 'selectExpr': {
      const { value } = exprKind
      value.operand = deep(value.operand)
      if (value.operand === undefined || !isOptionalChain(value.operand)) return expr
      const selected = template(
        `a__.${optionalNames.select}(b__)`,
        new Map([
          ['a__', value.operand],
          ['b__', text(value.field)],
        ]),
      )
      return value.testOnly ? template('a__.hasValue()', new Map([['a__', selected]])) : selected
    }
    case 'listExpr': {
      const { value } = exprKind
      value.elements = value.elements.map((element) => rewrite(element, to))
      const hasOptional = value.elements.some((element) => isCallOf(element, optionalNames.item))
      return hasOptional ? template('flat__(a__)', new Map([['a__', expr]])) : expr
    }
    case 'structExpr':
      for (const entry of exprKind.value.entries) {
        if (entry.keyKind.case === 'mapKey') entry.keyKind.value = rewrite(entry.keyKind.value, to)
        entry.value = deep(entry.value)
      }
      return withOptionalEntries(expr)
    case 'comprehensionExpr': {
      const { value } = exprKind
      const { accuVar, iterVar } = value
      value.iterRange = deep(value.iterRange)
      value.accuInit = deep(value.accuInit)
      const inside: Rewriting = { env: to.env, variables: new Set() }
      value.loopStep = value.loopStep && grown(rewrite(value.loopStep, inside), accuVar)
      value.result = value.result && rewrite(value.result, inside)
      for (const name of inside.variables) if (name !== accuVar && name !== iterVar) to.variables.add(name)
      const condition = value.loopCondition && rewrite(value.loopCondition, inside)
      const amount = 1 + nodesIn(value.loopStep) + nodesIn(condition)
      value.loopCondition =
        condition && template(`${helperNames.work}(a__, ${String(amount)})`, new Map([['a__', condition]]))
      return expr
    }
    case 'callExpr':
      return rewriteCall(expr, to)
    case 'constExpr':
    case undefined:
      return expr
  }
}

/** A map with entries that may be left out: made of pairs of which some are. */
function withOptionalEntries(expr: Expr): Expr {
  const entries = expr.exprKind.case === 'structExpr' ? expr.exprKind.value.entries : []
  const pairs = entries.map(({ keyKind, value }) => ({
    key: keyKind.case === 'mapKey' ? keyKind.value : undefined,
    value,
  }))
  if (!pairs.some(({ key }) => key !== undefined && isCallOf(key, optionalNames.entry))) return expr
  const parts = pairs.flatMap(({ key, value }): Expr[] => {
    if (key === undefined || value === undefined) return []
    const source = isCallOf(key, optionalNames.entry) ? `${helperNames.optionalPair}(a__, b__)` : '[a__, b__]'
    return [
      template(
        source,
        new Map([
          ['a__', key],
          ['b__', value],
        ]),
      ),
    ]
  })
  const list = template('[]', new Map())
  if (list.exprKind.case === 'listExpr') list.exprKind.value.elements = parts
  return template(`${helperNames.fromPairs}(flat__(a__))`, new Map([['a__', list]]))
}

/** Nodes that are evaluated each time; those of loops within count for themselves. */
function nodesIn(expr: Expr | undefined): number {
  if (expr === undefined) return 0
  const { exprKind } = expr
  const sum = (parts: readonly (Expr | undefined)[]): number => 1 + parts.reduce((all, part) => all + nodesIn(part), 0)
  switch (exprKind.case) {
    case 'selectExpr':
      return sum([exprKind.value.operand])
    case 'callExpr':
      return sum([exprKind.value.target, ...exprKind.value.args])
    case 'listExpr':
      return sum(exprKind.value.elements)
    case 'structExpr':
      return sum(exprKind.value.entries.map(({ value }) => value))
    case 'comprehensionExpr':
      return sum([exprKind.value.iterRange, exprKind.value.accuInit, exprKind.value.result])
    case 'identExpr':
    case 'constExpr':
    case undefined:
      return 1
  }
}

function rewriteCall(expr: Expr, to: Rewriting): Expr {
  const { exprKind } = expr
  if (exprKind.case !== 'callExpr') return expr
  const call = exprKind.value
  const macro = macros.find((candidate) => isCallOfMacro(call, candidate))
  if (macro !== undefined) return rewrite(expand(macro, call), to)
  const on = call.target === undefined ? undefined : nameOf(call.target)
  if (on === 'cel' && call.function === 'bind') throw new Refused('it calls cel.bind, which API servers do not know')
  const qualified = on === undefined ? undefined : `${on}.${call.function}`
  call.args = call.args.map((argument) => rewrite(argument, to))
  if (qualified !== undefined && to.env.funcs.find(qualified) !== undefined) return expr
  call.target = call.target && rewrite(call.target, to)
  const { function: name, args } = call
  const [first, second] = args
  if (name === '_[_]' && first !== undefined && second !== undefined && isOptionalChain(first))
    return template(
      `a__.${optionalNames.index}(b__)`,
      new Map([
        ['a__', first],
        ['b__', second],
      ]),
    )
  if (!/^[_@!-]/.test(name) && to.env.funcs.find(name) === undefined)
    throw new OnlyServers(`it calls ${name}, which is not known here`)
  return expr
}

type Call = Extract<Expr['exprKind'], { readonly case: 'callExpr' }>['value']

function isCallOfMacro({ function: name, target, args }: Call, macro: CelMacro): boolean {
  if (name !== macro.name || args.length !== macro.takes.length || target === undefined) return false
  return macro.takes.every((taken, index) => {
    const argument = args[index]
    return !macro.variables.includes(taken) || (argument !== undefined && nameOf(argument) !== undefined)
  })
}

function expand(macro: CelMacro, { target, args }: Call): Expr {
  const parts = new Map<string, Expr>()
  if (target !== undefined) parts.set('self__', target)
  for (const [index, name] of macro.takes.entries()) {
    const argument = args[index]
    if (argument !== undefined) parts.set(name, argument)
  }
  return template(macro.means, parts)
}

/** An expression with others in the place of names; a name of a variable is exchanged for a name. */
function template(source: string, parts: ReadonlyMap<string, Expr>): Expr {
  return fill(parse(source).expr, parts)
}

function fill(expr: Expr, parts: ReadonlyMap<string, Expr>): Expr {
  const { exprKind } = expr
  const deep = (child: Expr | undefined): Expr | undefined => child && fill(child, parts)
  switch (exprKind.case) {
    case 'identExpr':
      return parts.get(exprKind.value.name) ?? expr
    case 'selectExpr':
      exprKind.value.operand = deep(exprKind.value.operand)
      return expr
    case 'listExpr':
      exprKind.value.elements = exprKind.value.elements.map((element) => fill(element, parts))
      return expr
    case 'callExpr':
      exprKind.value.target = deep(exprKind.value.target)
      exprKind.value.args = exprKind.value.args.map((argument) => fill(argument, parts))
      return expr
    case 'comprehensionExpr': {
      const { value } = exprKind
      const variable = parts.get(value.iterVar)
      value.iterVar = (variable && nameOf(variable)) ?? value.iterVar
      value.iterRange = deep(value.iterRange)
      value.accuInit = deep(value.accuInit)
      value.loopCondition = deep(value.loopCondition)
      value.loopStep = deep(value.loopStep)
      value.result = deep(value.result)
      return expr
    }
    case 'structExpr':
    case 'constExpr':
    case undefined:
      return expr
  }
}

/** The step of a loop that adds to its list: with a list that grows in place. */
function grown(step: Expr, accu: string): Expr {
  const { exprKind } = step
  if (exprKind.case !== 'callExpr') return step
  const call = exprKind.value
  const [first] = call.args
  if (call.function === '_?_:_') call.args = call.args.map((argument) => grown(argument, accu))
  else if (call.function === '_+_' && first !== undefined && nameOf(first) === accu) {
    const added = call.args[1]?.exprKind.case
    if (added === 'listExpr') call.function = helperNames.push
  }
  return step
}

function text(value: string): Expr {
  return parse(JSON.stringify(value)).expr
}

function nameOf({ exprKind }: Expr): string | undefined {
  return exprKind.case === 'identExpr' ? exprKind.value.name : undefined
}

function isCallOf({ exprKind }: Expr, name: string): boolean {
  return exprKind.case === 'callExpr' && exprKind.value.function === name
}

function isOptionalChain(expr: Expr): boolean {
  return isCallOf(expr, optionalNames.select) || isCallOf(expr, optionalNames.index)
}
