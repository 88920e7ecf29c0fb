import { elementType, goKindOf, typedList, type Value } from '../../../model/value.ts'
import { compareBytes } from '../../../codec/text/text-order.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../../engine/function.ts'
import { assumeSet } from '../../engine/token-assumptions.ts'
import { holdsToken, TokenRefusedError } from '../../engine/token-refused.ts'
import { anyArgument, intArgument, textArgument } from '../arguments.ts'
import { castInt } from '../go/cast.ts'
import { createElementSet, isElement } from './element-set.ts'
import { isEmpty } from './emptiness.ts'
import { nilDereference, requireElements, sliceElements } from '../go/go-list.ts'
import { textOf } from '../text/text-of.ts'
import { nilList } from '../go/typed-nil.ts'
import { ours, say } from '../../engine/error-text.ts'

/** An element takes the memory of eight characters. */
function chargeElements(context: CallContext, count: number): void {
  context.charge(count * 8)
}

function append(args: readonly Value[], context: CallContext): Value {
  const items = requireElements(anyArgument(args, 0), 'Cannot push on type')
  chargeElements(context, items.length + 1)
  return [...items, anyArgument(args, 1)]
}

function prepend(args: readonly Value[], context: CallContext): Value {
  const items = requireElements(anyArgument(args, 0), 'Cannot prepend on type')
  chargeElements(context, items.length + 1)
  return [anyArgument(args, 1), ...items]
}

function concat(args: readonly Value[], context: CallContext): Value {
  const lists = args.map((list) => {
    if (list === null) throw new FunctionError(nilDereference)
    const items = sliceElements(list)
    if (items === undefined) throw new FunctionError(say`Cannot concat type ${ours(goKindOf(list))} as list`)
    return items
  })
  const length = lists.reduce((sum, list) => sum + list.length, 0)
  chargeElements(context, length)
  const none: Value[] = []
  return length === 0 ? nilList() : none.concat(...lists)
}

function rest(args: readonly Value[]): Value {
  const items = requireElements(anyArgument(args, 0), 'Cannot find rest on type')
  return items.length === 0 ? nilList() : items.slice(1)
}

function initial(args: readonly Value[]): Value {
  const items = requireElements(anyArgument(args, 0), 'Cannot find initial on type')
  return items.length === 0 ? nilList() : items.slice(0, -1)
}

function uniq(args: readonly Value[], context: CallContext): Value {
  const found = createElementSet(context)
  return requireElements(anyArgument(args, 0), 'Cannot find uniq on type').filter((item) => found.add(item))
}

function without(args: readonly Value[], context: CallContext): Value {
  const items = requireElements(anyArgument(args, 0), 'Cannot find without on type')
  const omitted = createElementSet(context)
  for (const value of args.slice(1)) omitted.add(value)
  return items.filter((item) => !omitted.has(item))
}

function has(args: readonly Value[], context: CallContext): Value {
  const list = anyArgument(args, 1)
  return list !== null && isElement(requireElements(list, 'Cannot find has on type'), anyArgument(args, 0), context)
}

function slice(args: readonly Value[]): Value {
  const list = anyArgument(args, 0)
  const items = requireElements(list, 'list should be type of slice or array but')
  if (items.length === 0) return null
  const start = args.length > 1 ? Number(castInt(anyArgument(args, 1))) : 0
  const end = args.length > 2 ? Number(castInt(anyArgument(args, 2))) : items.length
  if (start < 0 || end < start || end > items.length) {
    throw new FunctionError('reflect.Value.Slice: slice index out of bounds')
  }
  return Array.isArray(list) ? typedList(elementType(list), items.slice(start, end)) : items.slice(start, end)
}

function chunk(args: readonly Value[], context: CallContext): Value {
  const size = intArgument(args, 0)
  const items = requireElements(anyArgument(args, 1), 'Cannot chunk type')
  // a negative size cuts nothing off but a single element
  if (size < -1 && items.length === 1) return typedList('[]interface {}', [[...items]])
  const count = Math.floor((items.length - 1) / size) + 1
  // Go makes slices of these lengths, and a negative or infinite one fails
  if (!(count >= 0 && Number.isFinite(count)) || (count > 0 && size <= 0)) {
    throw new FunctionError('runtime error: makeslice: len out of range')
  }
  context.charge(items.length + count)
  const chunks = Array.from({ length: count }, (_, index): Value => items.slice(index * size, (index + 1) * size))
  return typedList('[]interface {}', chunks)
}

/** sprig's strslice: the texts of the elements that are not nil. A []string is given back as it is. */
function toStrings(value: Value, context: CallContext): Value[] {
  if (Array.isArray(value) && elementType(value) === 'string') return value
  if (value === null) return typedList('string', [])
  const items = sliceElements(value)
  if (items === undefined) return typedList('string', [textOf(value, context)])
  return typedList(
    'string',
    items.filter((item) => item !== null).map((item) => textOf(item, context)),
  )
}

function join(args: readonly Value[], context: CallContext): Value {
  const separator = textArgument(args, 0)
  const text = toStrings(anyArgument(args, 1), context)
    .map((each) => textOf(each, context))
    .join(separator)
  context.charge(text.length)
  return text
}

/** Sorts by bytes; a []string is sorted in its place, as in sprig. */
function sortAlpha(args: readonly Value[], context: CallContext): Value {
  const list = anyArgument(args, 0)
  if (sliceElements(list) === undefined) return typedList('string', [textOf(list, context)])
  const texts = toStrings(list, context)
  context.charge(texts.length)
  if (texts.length > 1 && texts.some((text) => typeof text === 'string' && holdsToken(text))) {
    throw new TokenRefusedError('cannot sort a value that is only known later')
  }
  return texts.sort((a, b) => compareBytes(textOf(a, context), textOf(b, context)))
}

function compact(args: readonly Value[], { tokens, origin }: CallContext): Value {
  const items = requireElements(anyArgument(args, 0), 'Cannot compact on type')
  if (tokens.specs.length > 0) for (const item of items) assumeSet(item, tokens, origin)
  return items.filter((item) => !isEmpty(item))
}

/** sprig's list functions whose `must` form differs in the source only: a panic there reads like an error here. */
const listFunctionsWithMust: readonly FunctionDef[] = [
  { name: 'append', params: ['any', 'any'], tokens: 'pass', call: append },
  { name: 'push', params: ['any', 'any'], tokens: 'pass', call: append },
  { name: 'prepend', params: ['any', 'any'], tokens: 'pass', call: prepend },
  {
    name: 'first',
    params: ['any'],
    tokens: 'pass',
    call: (args) => requireElements(anyArgument(args, 0), 'Cannot find first on type')[0] ?? null,
  },
  {
    name: 'last',
    params: ['any'],
    tokens: 'pass',
    call: (args) => requireElements(anyArgument(args, 0), 'Cannot find last on type').at(-1) ?? null,
  },
  { name: 'rest', params: ['any'], tokens: 'pass', call: rest },
  { name: 'initial', params: ['any'], tokens: 'pass', call: initial },
  {
    name: 'reverse',
    params: ['any'],
    tokens: 'pass',
    call: (args) => [...requireElements(anyArgument(args, 0), 'Cannot find reverse on type')].reverse(),
  },
  {
    name: 'compact',
    params: ['any'],
    tokens: 'pass',
    call: compact,
  },
  { name: 'uniq', params: ['any'], tokens: 'handle', call: uniq },
  { name: 'without', params: ['any'], variadic: 'any', tokens: 'handle', call: without },
  { name: 'has', params: ['any', 'any'], tokens: 'handle', call: has },
  { name: 'slice', params: ['any'], variadic: 'any', tokens: 'pass', call: slice },
  { name: 'chunk', params: ['int', 'any'], tokens: 'pass', call: chunk },
]

function mustForm(definition: FunctionDef): FunctionDef {
  return { ...definition, name: `must${definition.name.charAt(0).toUpperCase()}${definition.name.slice(1)}` }
}

/** sprig's list functions (list.go, and those of strings.go that take or give lists). */
export const listFunctions: readonly FunctionDef[] = [
  { name: 'list', params: [], variadic: 'any', tokens: 'pass', call: (args) => [...args] },
  { name: 'tuple', params: [], variadic: 'any', tokens: 'pass', call: (args) => [...args] },
  ...listFunctionsWithMust,
  ...listFunctionsWithMust.map(mustForm),
  { name: 'concat', params: [], variadic: 'any', tokens: 'pass', call: concat },
  { name: 'join', params: ['string', 'any'], tokens: 'pass', call: join },
  {
    name: 'toStrings',
    params: ['any'],
    tokens: 'pass',
    call: (args, context) => toStrings(anyArgument(args, 0), context),
  },
  { name: 'sortAlpha', params: ['any'], tokens: 'handle', call: sortAlpha },
]
