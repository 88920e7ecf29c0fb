/**
 * A type as the compiler of API servers tells it before anything is evaluated (cel-go, `common/types` and `checker`).
 * Names that begin with `$` are variables, for which a type is found.
 */
export interface StaticType {
  readonly name: string
  /** The element types of lists, maps, optional values and types. */
  readonly of: readonly StaticType[]
  /** Of a structure: its fields. */
  readonly fields?: ReadonlyMap<string, StaticType>
}

const plain = (name: string): StaticType => ({ name, of: [] })

/** Any type: nobody knows it before the value is there. */
export const DYN: StaticType = plain('dyn')
/** The type of true and false. */
export const BOOL: StaticType = plain('bool')
/** The type of 64 bits, with a sign. */
export const INT: StaticType = plain('int')
/** The type of 64 bits without a sign. */
export const UINT: StaticType = plain('uint')
/** The type of numbers with a fraction. */
export const DOUBLE: StaticType = plain('double')
/** The type of texts. */
export const STRING: StaticType = plain('string')
/** The type of bytes. */
export const BYTES: StaticType = plain('bytes')
/** The type of null. */
export const NULL: StaticType = plain('null')
/** The type of points of time. */
export const TIMESTAMP: StaticType = plain('timestamp')
/** The type of spans of time. */
export const DURATION: StaticType = plain('duration')

/** A type by its name. */
export const namedType = (name: string, ...of: readonly StaticType[]): StaticType => ({ name, of })
/** The type of lists. */
export const listOf = (item: StaticType): StaticType => namedType('list', item)
/** The type of maps. */
export const mapOf = (key: StaticType, value: StaticType): StaticType => namedType('map', key, value)
/** The type of values that may be missing. */
export const optionalOf = (value: StaticType): StaticType => namedType('optional_type', value)
/** A type with fields of its own. */
export const structure = (name: string, fields: ReadonlyMap<string, StaticType>): StaticType => ({
  name,
  of: [],
  fields,
})

/** The type as people read it: `list(string)`. */
export function typeText({ name, of }: StaticType): string {
  return of.length === 0 ? name : `${name}(${of.map(typeText).join(', ')})`
}

/** True for two types that are one. */
export function isSameType(one: StaticType, other: StaticType): boolean {
  return (
    one.name === other.name &&
    one.of.length === other.of.length &&
    one.of.every((part, index) => isSameType(part, other.of[index] ?? DYN))
  )
}

const isVariable = ({ name }: StaticType): boolean => name.startsWith('$')
const isDyn = ({ name }: StaticType): boolean => name === 'dyn'
const scalars: ReadonlySet<string> = new Set([
  'bool',
  'int',
  'uint',
  'double',
  'string',
  'bytes',
  'list',
  'map',
  'type',
])

/** Types that were found for variables. */
export class TypeBindings {
  private bound: Map<string, StaticType> = new Map()
  private made = 0

  /** A variable that nothing is found for yet. */
  newVariable(): StaticType {
    return plain(`$${String(this.made++)}`)
  }

  /** True if values of the first types may be where the second are wanted; what variables are is kept then. */
  areAssignable(given: readonly StaticType[], wanted: readonly StaticType[]): boolean {
    if (given.length !== wanted.length) return false
    const before = this.bound
    this.bound = new Map(before)
    if (given.every((type, index) => this.fits(type, wanted[index] ?? DYN))) return true
    this.bound = before
    return false
  }

  /** The same for one type. */
  isAssignable(given: StaticType, wanted: StaticType): boolean {
    return this.areAssignable([given], [wanted])
  }

  /** The type with variables by what was found for them; of others `dyn` where `free` says so. */
  resolved(type: StaticType, free: 'kept' | 'dyn' = 'kept'): StaticType {
    const found = isVariable(type) ? this.bound.get(type.name) : undefined
    if (found !== undefined) return this.resolved(found, free)
    if (isVariable(type)) return free === 'dyn' ? DYN : type
    return type.of.length === 0 ? type : { ...type, of: type.of.map((part) => this.resolved(part, free)) }
  }

  /** The more general of two types of which one is assignable to the other. */
  mostGeneral(one: StaticType, other: StaticType): StaticType {
    return isAsGeneral(one, other) ? one : other
  }

  private fits(one: StaticType, other: StaticType): boolean {
    if (isVariable(other)) {
      const taken = this.substitutes(one, other)
      if (taken !== 'no') return taken === 'yes'
    }
    if (isVariable(one)) return this.substitutes(other, one) === 'yes'
    if (isDyn(one) || isDyn(other)) return true
    if (one.name === 'null') return isNullable(other)
    if (other.name === 'null') return isNullable(one)
    if (one.name !== other.name) return false
    if (one.name === 'type') return true
    return one.of.length === other.of.length && one.of.every((part, index) => this.fits(part, other.of[index] ?? DYN))
  }

  /** Says if a type may stand for a variable; `never` where the variable stands for another already. */
  private substitutes(type: StaticType, variable: StaticType): 'yes' | 'no' | 'never' {
    if (isSameType(type, variable)) return 'yes'
    const known = this.bound.get(variable.name)
    if (known !== undefined) {
      if (isSameType(type, known)) return 'yes'
      if (!this.fits(type, known)) return 'never'
      const general = this.mostGeneral(type, known)
      if (!this.refersTo(general, variable)) this.bound.set(variable.name, general)
      return 'yes'
    }
    if (this.refersTo(type, variable)) return 'no'
    this.bound.set(variable.name, type)
    return 'yes'
  }

  private refersTo(type: StaticType, variable: StaticType): boolean {
    if (isSameType(type, variable)) return true
    if (isVariable(type)) {
      const known = this.bound.get(type.name)
      return known !== undefined && this.refersTo(known, variable)
    }
    return type.of.some((part) => this.refersTo(part, variable))
  }
}

function isNullable({ name }: StaticType): boolean {
  return name === 'null' || !scalars.has(name)
}

function isAsGeneral(one: StaticType, other: StaticType): boolean {
  if (isDyn(one) || isVariable(one)) return true
  if (isDyn(other) || isVariable(other) || one.name !== other.name) return false
  if (one.name === 'type') return true
  return one.of.length === other.of.length && one.of.every((part, index) => isAsGeneral(part, other.of[index] ?? DYN))
}
