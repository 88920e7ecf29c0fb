import { work } from './cel-work.ts'

/** A value of CEL that functions look into; maps and what else there is pass through as {@link Foreign}. */
export type CelData = null | boolean | number | bigint | string | Uint8Array | readonly CelData[] | Opaque | Foreign

/** A value that functions only hand on: a map, an unsigned number, a time. */
export class Foreign {
  readonly type: string
  /** Entries of a map; of all else undefined. */
  readonly size: number | undefined
  /** Of an unsigned number. */
  readonly number: number | bigint | undefined
  readonly isSame: (other: Foreign) => boolean

  constructor(type: string, { size, number, isSame }: Pick<Foreign, 'size' | 'number' | 'isSame'>) {
    this.type = type
    this.size = size
    this.number = number
    this.isSame = isSame
  }
}

/** A value of a type that Kubernetes adds to CEL. Two are equal where type and key are. */
export abstract class Opaque {
  /** The name of the type. */
  abstract readonly type: string
  /** The value in its one written form. */
  abstract readonly key: CelData
}

/** A value that may be missing: `optional.of(x)`, `optional.none()`. */
export class Optional extends Opaque {
  readonly type = 'optional_type'
  /** One value, or none. */
  readonly key: readonly CelData[]

  constructor(key: readonly CelData[]) {
    super()
    this.key = key
  }
}

/** A parameter of a function of CEL: the type of each argument, the receiver of a method first. */
export type CelParameter = 'any' | 'string' | 'int' | 'bool' | 'list' | 'optional' | (new (...args: never[]) => Opaque)

/** A function that Kubernetes adds to CEL. One name may stand for several that take different things. */
export interface CelFunction {
  readonly name: string
  readonly form: 'function' | 'method'
  readonly takes: readonly CelParameter[]
  readonly call: (args: readonly CelData[]) => CelData
}

/** A function such as `quantity(x)`. */
export function celFunction(name: string, takes: readonly CelParameter[], call: CelFunction['call']): CelFunction {
  return { name, form: 'function', takes, call }
}

/** A method such as `x.sum()`; the first of what it takes is the receiver. */
export function celMethod(name: string, takes: readonly CelParameter[], call: CelFunction['call']): CelFunction {
  return { name, form: 'method', takes, call }
}

/** Equality of CEL: of numbers across their types, of all else within its type. */
export function isEqualData(one: CelData, other: CelData): boolean {
  work(1)
  if (one === other) return true
  const [number, otherNumber] = [numberOf(one), numberOf(other)]
  if (number !== undefined && otherNumber !== undefined) return number <= otherNumber && number >= otherNumber
  if (one instanceof Foreign) return other instanceof Foreign && one.isSame(other)
  if (one instanceof Opaque)
    return other instanceof Opaque && one.type === other.type && isEqualData(one.key, other.key)
  if (one instanceof Uint8Array || other instanceof Uint8Array)
    return one instanceof Uint8Array && other instanceof Uint8Array && areEqualBytes(one, other)
  if (!isList(one) || !isList(other)) return false
  return one.length === other.length && one.every((item, index) => isEqualData(item, other[index] ?? null))
}

function numberOf(value: CelData): number | bigint | undefined {
  if (value instanceof Foreign) return value.number
  return typeof value === 'number' || typeof value === 'bigint' ? value : undefined
}

/** True for a list. */
export function isList(value: CelData | undefined): value is readonly CelData[] {
  return Array.isArray(value)
}

function areEqualBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index])
}
