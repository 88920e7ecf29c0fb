/**
 * The values a Go template works on, as JavaScript values. Chosen so that the common case is a primitive:
 *
 * | Go                               | here                                             |
 * | -------------------------------- | ------------------------------------------------ |
 * | nil, missing                     | `null`                                           |
 * | bool                             | `boolean`                                        |
 * | float64 (every number of values) | `number`                                         |
 * | int, int64, int32, uint8 …       | {@link GoInt}                                    |
 * | string                           | `string`: see below                              |
 * | []byte                           | {@link GoBytes}                                  |
 * | []interface {}, []string         | `Value[]`, element type by {@link elementType}   |
 * | map[string]interface {}          | {@link Dict}, never a plain object               |
 * | structs, pointers with methods   | {@link GoObject}                                 |
 *
 * Go strings are bytes. A string here is the UTF-16 form of the bytes; a byte that is not valid UTF-8 is the lone low
 * surrogate U+DC00 + byte (as Python's surrogateescape), so it survives a round trip. A value that is only known later
 * (a token) is two code units inside a string: the lone high surrogate U+DBFF and a private-use character; see
 * `token.ts`.
 */
export type Value = null | boolean | number | string | GoInt | GoBytes | Value[] | Dict | GoObject

/** Go's integer kinds as `%T` prints them. */
export type IntKind = 'int' | 'int8' | 'int16' | 'int32' | 'int64' | 'uint' | 'uint8' | 'uint16' | 'uint32' | 'uint64'

/** A Go integer with its type; immutable. */
export class GoInt {
  readonly value: bigint
  readonly kind: IntKind

  /** @param value must already fit `kind`; see goInt and goInt64 for arithmetic that may overflow */
  constructor(value: bigint, kind: IntKind = 'int') {
    this.value = value
    this.kind = kind
  }
}

const smallInts: readonly GoInt[] = Array.from({ length: 257 }, (_, i) => new GoInt(BigInt(i)))

/** Returns Go's `int` for a JavaScript integer or bigint, wrapped to 64 bits. */
export function goInt(value: number | bigint): GoInt {
  if (typeof value === 'number' && value >= 0 && value <= 256) return smallInts[value] ?? new GoInt(BigInt(value))
  return wrapInt(BigInt(value), 'int')
}

/** Returns Go's `int64`, wrapped to 64 bits. */
export function goInt64(value: number | bigint): GoInt {
  return wrapInt(BigInt(value), 'int64')
}

const intBits: Readonly<Record<IntKind, number>> = {
  int: 64,
  int8: 8,
  int16: 16,
  int32: 32,
  int64: 64,
  uint: 64,
  uint8: 8,
  uint16: 16,
  uint32: 32,
  uint64: 64,
}

/** Wraps `value` to the width of `kind`, as Go's integer arithmetic does. */
function wrapInt(value: bigint, kind: IntKind): GoInt {
  const bits = intBits[kind]
  return new GoInt(kind.startsWith('u') ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value), kind)
}

/** Go's []byte. */
export class GoBytes {
  readonly bytes: Uint8Array

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }
}

/**
 * Go's map[string]interface {}: mutable, shared by reference, no order of its own (ranges sort by key; see `codec`).
 * Keys such as `__proto__` are ordinary keys because this is a Map. `goType` is what `%T` prints.
 */
export class Dict extends Map<string, Value> {
  goType = 'map[string]interface {}'

  /**
   * The element type as `%T` prints it; subclasses for named map types with other elements than `interface {}` override
   * it.
   */
  get elementType(): string {
    return this.goType.startsWith('map[string]') ? this.goType.slice('map[string]'.length) : 'interface {}'
  }

  /** The value of a missing key in a template: the zero value of the element type, null for `interface {}`. */
  zero(): Value {
    return this.goType === 'map[string]interface {}' ? null : zeroOf(this.elementType)
  }

  /**
   * The method of that name if the map's Go type has methods (`common.Values`); templates look here before they look
   * for a key.
   */
  method(_name: string): GoMethod | undefined {
    return undefined
  }
}

function zeroOf(type: string): Value {
  switch (type) {
    case 'string':
      return ''
    case 'bool':
      return false
    case 'float64':
      return 0
    case 'int':
    case 'int64':
      return new GoInt(0n, type)
    case '[]uint8':
      return new GoBytes(new Uint8Array())
    default:
      return null
  }
}

/** Makes a Dict from entries. */
export function dict(entries: Iterable<readonly [string, Value]> = []): Dict {
  const result = new Dict()
  for (const [key, value] of entries) result.set(key, value)
  return result
}

const elementTypes = new WeakMap<readonly Value[], string>()

/** Marks `list` as a Go slice of `type` (`string`, `int`) instead of `interface {}`; returns it. */
export function typedList(type: string, list: Value[]): Value[] {
  elementTypes.set(list, type)
  return list
}

/** The element type of a list as `%T` prints it after `[]`. */
export function elementType(list: readonly Value[]): string {
  return elementTypes.get(list) ?? 'interface {}'
}

/** How `print` must treat an object, and what `kindOf` says. */
export type ObjectKind = 'struct' | 'ptr' | 'map' | 'func' | 'slice'

/**
 * A Go value with fields and methods that templates can reach (`.Files`, `.Capabilities`, a semver version, a time).
 * Subclasses live in `render`; every member a template may see is returned by `field` or `method`, nothing else is
 * reachable.
 */
export abstract class GoObject {
  /** The output of `%T`, e.g. `*semver.Version`. */
  abstract readonly goType: string
  abstract readonly kind: ObjectKind
  /** The field of that name, or undefined when the type has none (which is an error in a template). */
  abstract field(name: string): Value | undefined
  /** The method of that name, or undefined. */
  method(_name: string): GoMethod | undefined {
    return undefined
  }
  /** The output of `print` and `%v`. */
  abstract toText(): string
  /** The output of a template action; differs for a struct that prints itself only through a pointer. */
  toDisplay(): string {
    return this.toText()
  }
  /** The copy that a function receives; differs where {@link toDisplay} does. */
  copied(): GoObject {
    return this
  }
  /** Go's `==` with another object: two structs are equal where their fields are, two pointers where they are one. */
  isSame(other: GoObject): boolean {
    return this === other
  }
  /** The value that JSON and YAML encoders see. */
  toValue(): Value {
    return this.toText()
  }
}

/** A method bound to its object. `params` are checked like a function's. */
export interface GoMethod {
  readonly params: readonly ParamType[]
  readonly variadic?: ParamType
  readonly call: (args: readonly Value[]) => Value
}

/** Go parameter types that a function can ask for; the evaluator checks and converts arguments by Go's rules. */
export type ParamType =
  'any' | 'string' | 'bool' | 'int' | 'int64' | 'float64' | 'list' | 'strings' | 'map' | 'bytes' | 'time' | 'object'

/** `%T` of any value. */
export function goTypeOf(value: Value): string {
  if (value === null) return '<nil>'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'float64'
  if (typeof value === 'string') return 'string'
  if (value instanceof GoInt) return value.kind
  if (value instanceof GoBytes) return '[]uint8'
  if (Array.isArray(value)) return `[]${elementType(value)}`
  return value.goType
}

/** `reflect.Kind` of any value, as sprig's `kindOf` prints it. */
export function goKindOf(value: Value): string {
  if (value === null) return 'invalid'
  if (typeof value === 'boolean') return 'bool'
  if (typeof value === 'number') return 'float64'
  if (typeof value === 'string') return 'string'
  if (value instanceof GoInt) return value.kind
  if (value instanceof GoBytes || Array.isArray(value)) return 'slice'
  if (value instanceof Dict) return 'map'
  return value.kind
}
