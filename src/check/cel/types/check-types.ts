import { nearestName } from '../../../model/nearest-name.ts'
import { type CelExpr, isReadable, parseCel } from '../cel-program.ts'
import { optionalNames } from '../optional-syntax.ts'
import { celSignatures, type Signature } from './signatures.ts'
import {
  BOOL,
  BYTES,
  DOUBLE,
  DYN,
  INT,
  isSameType,
  listOf,
  mapOf,
  namedType,
  NULL,
  optionalOf,
  type StaticType,
  STRING,
  TypeBindings,
  typeText,
  UINT,
} from './static-type.ts'

/** Names with their types; some have dots in them (`authorizer.requestResource`). */
export type TypedNames = ReadonlyMap<string, StaticType>

/** The type of an expression, or why API servers refuse it before they evaluate it. */
export type TypeReading = { readonly type: StaticType } | TypeProblem

/** Why an expression is refused, and what to write. */
export interface TypeProblem {
  readonly problem: string
  readonly hint?: string | undefined
}

/** Expressions that were read: definitions repeat theirs in each version. */
const parsedOnce = new Map<string, ReturnType<typeof parseCel>>()
const MOST_PARSED = 10_000

/**
 * Finds the type of an expression as the compiler of API servers does (cel-go, `checker`), with all its rules:
 * functions and fields are known, and taken with arguments of their types, items of a list are of one type.
 */
export function typeOfCel(expression: string, names: TypedNames): TypeReading {
  const parsed = parsedOnce.get(expression) ?? parseCel(expression)
  if (parsedOnce.size < MOST_PARSED) parsedOnce.set(expression, parsed)
  // the one is refused elsewhere, the other is not known to be
  if ('problem' in parsed) return parsed.isRefused === true ? { problem: parsed.problem } : { type: DYN }
  try {
    return { type: new Checker(names).typeOf(parsed.source) }
  } catch (error) {
    if (error instanceof Refused) return { problem: error.message, hint: error.hint }
    if (error instanceof RangeError) return { type: DYN }
    throw error
  }
}

/** Why the type of an expression is none of those that are wanted; undefined where it is. */
export function wrongType(type: StaticType, ...wanted: readonly StaticType[]): TypeProblem | undefined {
  if (wanted.some((one) => isSameType(one, type))) return undefined
  const words = wanted.map(typeText).join(' or ')
  if (type.name !== 'dyn') return { problem: `it gives ${typeText(type)}, and API servers take ${words} alone` }
  const how = wanted.some(({ name }) => name === 'bool') ? 'compare it, as in `== true`' : 'write `string(…)` around it'
  return {
    problem: `its type is not known (dyn), and API servers take ${words} alone`,
    hint: `Say what it is: ${how}.`,
  }
}

/** Thrown where an expression has no type. */
class Refused extends Error {
  readonly hint: string | undefined

  constructor(message: string, hint?: string) {
    super(message)
    this.hint = hint
  }
}

const refuse = (message: string, near?: string): never => {
  throw new Refused(message, near === undefined ? undefined : `Did you mean ${near}?`)
}

type Call = Extract<CelExpr['exprKind'], { readonly case: 'callExpr' }>['value']
type Select = Extract<CelExpr['exprKind'], { readonly case: 'selectExpr' }>['value']
type Loop = Extract<CelExpr['exprKind'], { readonly case: 'comprehensionExpr' }>['value']
type Struct = Extract<CelExpr['exprKind'], { readonly case: 'structExpr' }>['value']

/** Names of types, which are values. */
const typeNames: TypedNames = new Map(
  'bool bytes double int list map null_type string type uint optional_type google.protobuf.Timestamp google.protobuf.Duration net.IP net.CIDR kubernetes.Quantity kubernetes.URL kubernetes.NamedFormat kubernetes.Semver'
    .split(' ')
    .map((name) => [name, namedType('type', namedType(name))]),
)

/** Conversions that servers do before anything is evaluated, where they are given a text. */
const CONVERSIONS: ReadonlySet<string> = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint'])

const symbols: Readonly<Record<string, string>> = { '!_': '!', '-_': '-', '@in': 'in', '_?_:_': '?:', '_[_]': '[]' }
const shownName = (name: string): string => symbols[name] ?? name.replace(/^_(.*)_$/, '$1')

class Checker {
  private names: TypedNames
  private readonly bindings = new TypeBindings()

  constructor(names: TypedNames) {
    this.names = names
  }

  typeOf(expr: CelExpr): StaticType {
    return this.bindings.resolved(this.check(expr), 'dyn')
  }

  private check(expr: CelExpr | undefined): StaticType {
    const kind = expr?.exprKind
    switch (kind?.case) {
      case 'constExpr':
        return constants[kind.value.constantKind.case ?? ''] ?? DYN
      case 'identExpr':
        return this.lookup(kind.value.name) ?? this.undeclared(kind.value.name)
      case 'selectExpr':
        return this.select(kind.value, expr)
      case 'callExpr':
        return this.call(kind.value)
      case 'listExpr':
        return listOf(
          this.joined(
            kind.value.elements.map((item) => this.item(item)),
            'a list',
          ),
        )
      case 'structExpr':
        return this.map(kind.value)
      case 'comprehensionExpr':
        return this.loop(kind.value)
      case undefined:
        return DYN
    }
  }

  private lookup(name: string): StaticType | undefined {
    return this.names.get(name) ?? typeNames.get(name)
  }

  private undeclared(name: string): StaticType {
    return refuse(`it names ${name}, which API servers do not know there`, nearestName(name, [...this.names.keys()]))
  }

  private select({ operand, field, testOnly }: Select, expr: CelExpr | undefined): StaticType {
    const qualified = expr && qualifiedName(expr)
    const known = qualified === undefined ? undefined : this.lookup(qualified)
    if (known !== undefined) return known
    const type = this.field(operand, field)
    return testOnly ? BOOL : type
  }

  private field(operand: CelExpr | undefined, field: string): StaticType {
    const found = this.bindings.resolved(this.check(operand))
    const [inner = DYN] = found.of
    const isOptional = found.name === 'optional_type'
    const type = this.fieldOf(isOptional ? inner : found, field)
    return this.bindings.resolved(isOptional ? optionalOf(type) : type)
  }

  private fieldOf(type: StaticType, field: string): StaticType {
    if (type.name === 'map') return type.of[1] ?? DYN
    if (type.fields !== undefined) {
      const found = type.fields.get(field)
      if (found !== undefined) return found
      const says =
        type.name === 'variables' ? `variables.${field} is not declared` : `there is no ${type.name}.${field}`
      return refuse(says, nearestName(field, [...type.fields.keys()]))
    }
    if (type.name.startsWith('$')) this.bindings.isAssignable(DYN, type)
    else if (type.name !== 'dyn') refuse(`it reads the field ${field} of ${typeText(type)}, which has no fields`)
    return DYN
  }

  /** An item of a list that may be left out, or any other. */
  private item(expr: CelExpr): StaticType {
    const { exprKind } = expr
    if (exprKind.case !== 'callExpr' || exprKind.value.function !== optionalNames.item) return this.check(expr)
    return this.unwrapped(exprKind.value.args[0])
  }

  private unwrapped(expr: CelExpr | undefined): StaticType {
    const found = this.bindings.resolved(this.check(expr))
    if (found.name === 'optional_type') return found.of[0] ?? DYN
    return found.name === 'dyn' ? found : refuse(`a ? wants an optional value, and ${typeText(found)} is none`)
  }

  private map({ entries, messageName }: Struct): StaticType {
    if (messageName !== '') return DYN
    const pairs = entries.map(({ keyKind, value }) => {
      const key = keyKind.case === 'mapKey' ? keyKind.value : undefined
      const optional = key === undefined ? undefined : argumentOf(key, optionalNames.entry)
      return optional === undefined
        ? { key: this.check(key), value: this.check(value) }
        : { key: this.check(optional), value: this.unwrapped(value) }
    })
    const keys = pairs.map(({ key }) => key)
    return mapOf(
      this.joined(keys, 'keys of a map'),
      this.joined(
        pairs.map(({ value }) => value),
        'a map',
      ),
    )
  }

  private joined(types: readonly StaticType[], what: string): StaticType {
    const [first, ...rest] = types
    if (first === undefined) return this.bindings.newVariable()
    return rest.reduce((before, type) => {
      const [one, other] = [this.bindings.resolved(before, 'dyn'), this.bindings.resolved(type, 'dyn')]
      // servers want items to be of one type, and one that is not known is another
      const isMixed = one.name !== other.name && (one.name === 'dyn' || other.name === 'dyn')
      if (isMixed || !this.bindings.isAssignable(before, type))
        throw new Refused(
          `it mixes ${typeText(one)} and ${typeText(other)} in ${what}`,
          'Write `dyn(…)` around each of them.',
        )
      return this.bindings.mostGeneral(before, type)
    }, first)
  }

  private call(call: Call): StaticType {
    const { function: name, args, target } = call
    if (name === optionalNames.select) return this.optionalField(target, args[0])
    const macro = target && this.macro(call, target)
    if (macro !== undefined) return macro
    if (name === optionalNames.index) return this.resolve('@optional_index', 'function', [target, ...args])
    if (target !== undefined && name === 'bind' && qualifiedName(target) === 'cel')
      return refuse('it calls cel.bind, which API servers do not know')
    if (target === undefined && name === 'has') return refuse('has wants a field, as in has(object.spec)')
    const given = args.map((argument) => this.check(argument))
    if (name === '_&&_' || name === '_||_') return this.logical(name, given)
    const signatures = celSignatures()
    const prefix = target && qualifiedName(target)
    const qualified = prefix === undefined ? undefined : `${prefix}.${name}`
    const isQualified = qualified !== undefined && signatures.has(qualified)
    this.convert(name, args)
    if (isQualified) return this.apply(qualified, 'function', given)
    // what stands before an unknown function may be no name at all: `math.abs(x)`
    const isUnknown =
      qualified !== undefined && !signatures.has(name) && this.lookup(prefix?.split('.')[0] ?? '') === undefined
    if (isUnknown) return this.apply(qualified, 'function', given)
    const receiver = target === undefined ? [] : [this.check(target)]
    return this.apply(name, target === undefined ? 'function' : 'method', [...receiver, ...given])
  }

  private resolve(name: string, form: Signature['form'], args: readonly (CelExpr | undefined)[]): StaticType {
    return this.apply(
      name,
      form,
      args.map((argument) => this.check(argument)),
    )
  }

  private apply(name: string, form: Signature['form'], given: readonly StaticType[]): StaticType {
    const ways = celSignatures().get(name)
    if (ways === undefined)
      return refuse(`it calls ${name}, which API servers do not know`, nearestFunction(name, form))
    let result: StaticType | undefined
    for (const way of ways) {
      if (way.form !== form) continue
      const own = new Map<string, StaticType>()
      const takes = way.takes.map((type) => this.fresh(type, own))
      if (!this.bindings.areAssignable(given, takes)) continue
      const gives = this.bindings.resolved(this.fresh(way.gives, own))
      if (result === undefined) result = gives
      else if (result.name !== 'dyn' && !isSameType(result, gives)) result = DYN
    }
    if (result !== undefined) return result
    const types = given.map((type) => typeText(this.bindings.resolved(type, 'dyn')))
    if (/^\W|_$/.test(name)) return refuse(`${shownName(name)} does not take ${types.join(' and ')}`)
    const [receiver = '', ...rest] = types
    return refuse(
      form === 'method'
        ? `there is no ${receiver}.${name}(${rest.join(', ')})`
        : `there is no ${name}(${types.join(', ')})`,
    )
  }

  /** The type with variables of its own. */
  private fresh(type: StaticType, own: Map<string, StaticType>): StaticType {
    if (type.name.startsWith('$')) {
      const known = own.get(type.name) ?? this.bindings.newVariable()
      own.set(type.name, known)
      return known
    }
    return type.of.length === 0 ? type : { ...type, of: type.of.map((part) => this.fresh(part, own)) }
  }

  private logical(name: string, given: readonly StaticType[]): StaticType {
    for (const type of given)
      if (!this.bindings.isAssignable(type, BOOL))
        refuse(`${shownName(name)} wants bool, and not ${typeText(this.bindings.resolved(type, 'dyn'))}`)
    return BOOL
  }

  private optionalField(operand: CelExpr | undefined, name: CelExpr | undefined): StaticType {
    const text = name?.exprKind.case === 'constExpr' ? name.exprKind.value.constantKind : undefined
    const type = this.field(operand, text?.case === 'stringValue' ? text.value : '')
    return type.name === 'optional_type' ? type : optionalOf(type)
  }

  /** Texts that are converted are looked at before anything is evaluated; so are regular expressions. */
  private convert(name: string, args: readonly CelExpr[]): void {
    const text = textOf(args.at(-1))
    if (text === undefined) return
    if (name === 'matches' && !isReadable('"".matches(x)', text))
      refuse('it has a regular expression that cannot be read')
    if (CONVERSIONS.has(name) && args.length === 1 && !isReadable(`${name}(x)`, text))
      refuse(`it converts a text that is no ${name}`)
  }

  private loop({ iterRange, iterVar, accuVar, accuInit, loopCondition, loopStep, result }: Loop): StaticType {
    const range = this.bindings.resolved(this.check(iterRange))
    const accu = this.check(accuInit)
    const { first } = this.itemsOf(range)
    return this.within(new Map([[accuVar, accu]]), () => {
      this.within(new Map([[iterVar, first]]), () => {
        this.wants(loopCondition, BOOL)
        this.wants(loopStep, accu)
      })
      return this.bindings.resolved(this.check(result))
    })
  }

  private wants(expr: CelExpr | undefined, type: StaticType): void {
    const found = this.check(expr)
    if (this.bindings.isAssignable(type, found)) return
    const [wanted, is] = [type, found].map((one) => typeText(this.bindings.resolved(one, 'dyn')))
    refuse(`a loop wants ${wanted ?? ''}, and not ${is ?? ''}`)
  }

  /** The items of a loop over a value: items alone, or keys and values. */
  private itemsOf(range: StaticType): { readonly first: StaticType; readonly pair: readonly [StaticType, StaticType] } {
    const [key = DYN, value = DYN] = range.of
    if (range.name === 'list') return { first: key, pair: [INT, key] }
    if (range.name === 'map') return { first: key, pair: [key, value] }
    if (range.name.startsWith('$')) this.bindings.isAssignable(DYN, range)
    else if (range.name !== 'dyn') refuse(`it goes through ${typeText(range)}, which has no items`)
    return { first: DYN, pair: [DYN, DYN] }
  }

  private within<Result>(names: TypedNames, judge: () => Result): Result {
    const outside = this.names
    this.names = new Map([...outside, ...names])
    try {
      return judge()
    } finally {
      this.names = outside
    }
  }

  /** Loops over two variables, and what optional values are made into; undefined for what is none of that. */
  private macro({ function: name, args }: Call, target: CelExpr): StaticType | undefined {
    const [first, second] = args.map((argument) =>
      argument.exprKind.case === 'identExpr' ? argument.exprKind.value.name : undefined,
    )
    const last = args.at(-1)
    if (first === undefined) return undefined
    if (args.length === 2 && (name === 'optMap' || name === 'optFlatMap')) {
      const inner = this.unwrapped(target)
      const type = this.within(new Map([[first, inner]]), () => this.check(last))
      return name === 'optMap' ? optionalOf(type) : type
    }
    if (args.length === 2 && name === 'sortBy') {
      const list = this.bindings.resolved(this.check(target))
      this.within(new Map([[first, this.itemsOf(list).first]]), () => this.check(last))
      return list
    }
    if (second === undefined || (args.length !== 3 && args.length !== 4)) return undefined
    const isPredicate = args.length === 3 && ['all', 'exists', 'existsOne', 'exists_one'].includes(name)
    if (!isPredicate && !['transformList', 'transformMap', 'transformMapEntry'].includes(name)) return undefined
    const { pair } = this.itemsOf(this.bindings.resolved(this.check(target)))
    const variables = new Map([
      [first, pair[0]],
      [second, pair[1]],
    ])
    return this.within(variables, () => {
      if (args.length === 4) this.wants(args[2], BOOL)
      if (isPredicate) {
        this.wants(last, BOOL)
        return BOOL
      }
      const type = this.check(last)
      if (name === 'transformList') return listOf(type)
      return name === 'transformMap' ? mapOf(pair[0], type) : this.bindings.resolved(type)
    })
  }
}

const constants: Readonly<Record<string, StaticType>> = {
  boolValue: BOOL,
  bytesValue: BYTES,
  doubleValue: DOUBLE,
  int64Value: INT,
  nullValue: NULL,
  stringValue: STRING,
  uint64Value: UINT,
}

function textOf(expr: CelExpr | undefined): string | undefined {
  const constant = expr?.exprKind.case === 'constExpr' ? expr.exprKind.value.constantKind : undefined
  return constant?.case === 'stringValue' ? constant.value : undefined
}

/** The argument of a call of this name; undefined for all else. */
function argumentOf({ exprKind }: CelExpr, name: string): CelExpr | undefined {
  return exprKind.case === 'callExpr' && exprKind.value.function === name ? exprKind.value.args[0] : undefined
}

/** `a.b.c` of names alone. */
function qualifiedName({ exprKind }: CelExpr): string | undefined {
  if (exprKind.case === 'identExpr') return exprKind.value.name
  if (exprKind.case !== 'selectExpr' || exprKind.value.testOnly || exprKind.value.operand === undefined)
    return undefined
  const prefix = qualifiedName(exprKind.value.operand)
  return prefix === undefined ? undefined : `${prefix}.${exprKind.value.field}`
}

function nearestFunction(name: string, form: Signature['form']): string | undefined {
  const known = [...celSignatures()].filter(([other]) => /^[a-zA-Z]/.test(other))
  const ofForm = known.filter(([, ways]) => ways.some((way) => way.form === form))
  const macros = form === 'method' ? ['all', 'exists', 'exists_one', 'filter', 'map', 'optMap'] : ['has']
  const names = [...ofForm.map(([other]) => other), ...macros]
  return (
    nearestName(name, names) ??
    nearestName(
      name,
      known.map(([other]) => other),
    )
  )
}
