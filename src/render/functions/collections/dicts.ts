import { compareBytes } from '../../../codec/text/text-order.ts'
import { Dict, goTypeOf, typedList, type Value } from '../../../model/value.ts'
import { FunctionError, type CallContext, type FunctionDef } from '../../engine/function.ts'
import { refuseToken } from '../../engine/token-refused.ts'
import { anyArgument, dictArgument, textArgument } from '../arguments.ts'
import { copyDeep } from './copy-deep.ts'
import { mergeDict, type MergeMode } from './merge-dicts.ts'
import { textOf } from '../text/text-of.ts'
import { isTypedNil, nilDict } from '../go/typed-nil.ts'
import { ours, say } from '../../engine/error-text.ts'

const plainType = 'map[string]interface {}'

/**
 * Maps of a named type (`.Values`) that went through a function whose Go result is a plain map. Go hands out the same
 * map under the other type; here the one object counts as both from then on.
 */
const plainToo = new WeakSet<Dict>()

function asPlain(map: Dict | null): Value {
  if (map === null) return nilDict()
  if (map.goType !== plainType) plainToo.add(map)
  return map
}

function key(text: string): string {
  return refuseToken(text, 'cannot use a value that is only known later as a key')
}

function keyArgument(args: readonly Value[], index: number): string {
  return key(textArgument(args, index))
}

function makeDict(args: readonly Value[], context: CallContext): Value {
  const map = new Dict()
  for (let at = 0; at < args.length; at += 2) {
    map.set(key(textOf(anyArgument(args, at), context)), at + 1 < args.length ? anyArgument(args, at + 1) : '')
  }
  return map
}

function set(args: readonly Value[]): Value {
  const map = dictArgument(args, 0)
  if (map === null || isTypedNil(map)) throw new FunctionError('assignment to entry in nil map')
  map.set(keyArgument(args, 1), anyArgument(args, 2))
  return asPlain(map)
}

function unset(args: readonly Value[]): Value {
  const map = dictArgument(args, 0)
  map?.delete(keyArgument(args, 1))
  return asPlain(map)
}

function pluck(args: readonly Value[]): Value {
  const name = keyArgument(args, 0)
  const found: Value[] = []
  for (let at = 1; at < args.length; at++) {
    const value = dictArgument(args, at)?.get(name)
    if (value !== undefined) found.push(value)
  }
  return found
}

/** The keys in byte order; Go's order is random. */
function sortedKeys(map: Dict | null): readonly string[] {
  return map === null ? [] : [...map.keys()].sort(compareBytes)
}

function keys(args: readonly Value[], context: CallContext): Value {
  const found = args.flatMap((_, at) => sortedKeys(dictArgument(args, at)))
  context.charge(found.length)
  return typedList('string', found)
}

function values(args: readonly Value[], context: CallContext): Value {
  const map = dictArgument(args, 0)
  context.charge(map?.size ?? 0)
  return sortedKeys(map).map((name) => map?.get(name) ?? null)
}

function pick(args: readonly Value[], context: CallContext): Value {
  const map = dictArgument(args, 0)
  context.charge(args.length)
  const picked = new Dict()
  for (let at = 1; at < args.length; at++) {
    const name = keyArgument(args, at)
    const value = map?.get(name)
    if (value !== undefined) picked.set(name, value)
  }
  return picked
}

function omit(args: readonly Value[], context: CallContext): Value {
  const map = dictArgument(args, 0)
  context.charge(map?.size ?? 0)
  const rest = new Dict(map ?? [])
  for (let at = 1; at < args.length; at++) rest.delete(keyArgument(args, at))
  return rest
}

function merge(args: readonly Value[], context: CallContext, mode: MergeMode): Value {
  const given = dictArgument(args, 0)
  let target = given === null || isTypedNil(given) ? null : given
  for (let at = 1; at < args.length; at++) {
    const source = dictArgument(args, at)
    if (source === null || isTypedNil(source)) continue
    target ??= new Dict()
    mergeDict(target, source, { mode, context })
  }
  return asPlain(target)
}

function deepCopy(args: readonly Value[], context: CallContext): Value {
  const value = anyArgument(args, 0)
  if (value === null) throw new FunctionError('reflect: call of reflect.Value.Type on zero Value')
  return copyDeep(value, context)
}

function asMap(value: Value): Dict {
  if (value instanceof Dict && (value.goType === plainType || plainToo.has(value))) return value
  throw conversionError(value, plainType)
}

function conversionError(value: Value, wanted: string): FunctionError {
  const actual = value === null ? 'nil' : goTypeOf(value)
  return new FunctionError(say`interface conversion: interface {} is ${ours(actual)}, not ${ours(wanted)}`)
}

function dig(args: readonly Value[]): Value {
  if (args.length < 3) throw new FunctionError('dig needs at least three arguments')
  let map = asMap(anyArgument(args, args.length - 1))
  const path = args.slice(0, -2).map((name) => {
    if (typeof name !== 'string') throw conversionError(name, 'string')
    return key(name)
  })
  for (const [at, name] of path.entries()) {
    const step = map.get(name)
    if (step === undefined) break
    if (at === path.length - 1) return step
    map = asMap(step)
  }
  return anyArgument(args, args.length - 2)
}

/** sprig's dictionary functions (dict.go). */
export const dictFunctions: readonly FunctionDef[] = [
  { name: 'dict', params: [], variadic: 'any', tokens: 'handle', call: makeDict },
  {
    name: 'get',
    params: ['map', 'string'],
    tokens: 'handle',
    call: (args) => {
      const value = dictArgument(args, 0)?.get(keyArgument(args, 1))
      return value === undefined ? '' : value
    },
  },
  { name: 'set', params: ['map', 'string', 'any'], tokens: 'handle', call: set },
  { name: 'unset', params: ['map', 'string'], tokens: 'handle', call: unset },
  {
    name: 'hasKey',
    params: ['map', 'string'],
    tokens: 'handle',
    call: (args) => dictArgument(args, 0)?.has(keyArgument(args, 1)) ?? false,
  },
  { name: 'pluck', params: ['string'], variadic: 'map', tokens: 'handle', call: pluck },
  { name: 'keys', params: [], variadic: 'map', tokens: 'pass', call: keys },
  { name: 'values', params: ['map'], tokens: 'pass', call: values },
  { name: 'pick', params: ['map'], variadic: 'string', tokens: 'handle', call: pick },
  { name: 'omit', params: ['map'], variadic: 'string', tokens: 'handle', call: omit },
  ...['merge', 'mustMerge'].map((name): FunctionDef => ({
    name,
    params: ['map'],
    variadic: 'map',
    tokens: 'pass',
    call: (args, context) => merge(args, context, 'keep'),
  })),
  ...['mergeOverwrite', 'mustMergeOverwrite'].map((name): FunctionDef => ({
    name,
    params: ['map'],
    variadic: 'map',
    tokens: 'pass',
    call: (args, context) => merge(args, context, 'overwrite'),
  })),
  ...['deepCopy', 'mustDeepCopy'].map((name): FunctionDef => ({
    name,
    params: ['any'],
    tokens: 'pass',
    call: deepCopy,
  })),
  { name: 'dig', params: [], variadic: 'any', tokens: 'handle', call: dig },
]
