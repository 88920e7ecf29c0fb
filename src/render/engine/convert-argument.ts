import { Dict, GoBytes, GoInt, elementType, goTypeOf, type ParamType, type Value } from '../../model/value.ts'
import type { ConstantNode, NilNode } from './ast.ts'
import { ours, say, written, type ErrorText } from './error-text.ts'
import { templateError, type Frame, type Raw } from './execution.ts'
import { formatNode } from './format-node.ts'
import { holdsToken } from './token-refused.ts'
import { describeTokens } from './token-search.ts'

const typeNames: Readonly<Record<ParamType, string>> = {
  any: 'interface {}',
  string: 'string',
  bool: 'bool',
  int: 'int',
  int64: 'int64',
  float64: 'float64',
  list: '[]interface {}',
  strings: '[]string',
  map: 'map[string]interface {}',
  bytes: '[]uint8',
  time: 'time.Time',
  object: 'interface {}',
}

/**
 * Returns `value` as an argument of type `type` (exec.go, validateType).
 * @throws TemplateError when Go could not assign it
 */
export function convertArgument(frame: Frame, value: Raw, type: ParamType): Value {
  if (value === undefined) return convertInvalid(frame, type)
  if (isAssignable(value, type)) return value
  if (typeof value === 'string' && holdsToken(value)) {
    const known = describeTokens([value], frame.execution.options.tokens)
    throw templateError(
      frame,
      say`a parameter of type ${ours(typeNames[type])} cannot be a value that is only known later: ${ours(known)}`,
      {
        code: 'TEMPLATE_TOKEN_REFUSED',
      },
    )
  }
  const got = value === null ? 'interface {}' : goTypeOf(value)
  throw templateError(frame, say`wrong type for value; expected ${ours(typeNames[type])}; got ${ours(got)}`)
}

function isAssignable(value: Value, type: ParamType): boolean {
  switch (type) {
    case 'any':
    case 'object':
      return true
    case 'string':
      return typeof value === 'string'
    case 'bool':
      return typeof value === 'boolean'
    case 'float64':
      return typeof value === 'number'
    case 'int':
    case 'int64':
      return value instanceof GoInt && value.kind === type
    case 'list':
      return Array.isArray(value) && elementType(value) === 'interface {}'
    case 'strings':
      return Array.isArray(value) && elementType(value) === 'string'
    case 'map':
      return value instanceof Dict && value.elementType === 'interface {}'
    case 'bytes':
      return value instanceof GoBytes
    case 'time':
      return value !== null && goTypeOf(value) === 'time.Time'
  }
}

/** Nil becomes the nil of types that have one. */
function convertInvalid(frame: Frame, type: ParamType): Value {
  if (nilTypes.has(type)) return null
  throw templateError(frame, say`invalid value; expected ${ours(typeNames[type])}`)
}

/** Types that can be nil; functions get null for it. */
const nilTypes: ReadonlySet<ParamType> = new Set<ParamType>(['any', 'object', 'list', 'strings', 'map', 'bytes'])

/**
 * Returns a function that gives the literal `node` as an argument of type `type`; a number takes the type that the
 * parameter has (exec.go, evalArg).
 * @throws TemplateError (from the returned function) when the literal does not fit
 */
export function literalArgument(node: ConstantNode | NilNode, type: ParamType): (frame: Frame) => Value {
  if (node.kind === 'nil') return nilArgument(node, type)
  const value = literalValue(node, type)
  if (value instanceof LiteralProblem) {
    return (frame) => {
      frame.node = node
      throw templateError(frame, value.message)
    }
  }
  return (frame) => {
    frame.node = node
    return value
  }
}

/** Why a literal cannot be an argument. */
class LiteralProblem {
  readonly message: ErrorText

  constructor(message: ErrorText) {
    this.message = message
  }
}

function nilArgument(node: NilNode, type: ParamType): (frame: Frame) => Value {
  return (frame) => {
    frame.node = node
    if (nilTypes.has(type)) return null
    throw templateError(frame, say`cannot assign nil to ${ours(typeNames[type])}`)
  }
}

function literalValue(node: ConstantNode, type: ParamType): Value | LiteralProblem {
  switch (type) {
    case 'any':
    case 'object':
      return untypedLiteral(node) ?? new LiteralProblem(say`${written(formatNode(node))} overflows int`)
    case 'string':
      return node.kind === 'string' ? node.text : unexpected('string', node)
    case 'bool':
      return node.kind === 'bool' ? node.value : unexpected('bool', node)
    case 'float64':
      return node.kind === 'number' ? node.number.float : unexpected('float', node)
    case 'int':
    case 'int64': {
      const int = node.kind === 'number' ? node.number.int : undefined
      if (int === undefined) return unexpected('integer', node)
      return type === 'int' ? int : new GoInt(int.value, type)
    }
    case 'list':
    case 'strings':
    case 'map':
    case 'bytes':
    case 'time':
      return new LiteralProblem(say`can't handle ${written(formatNode(node))} for arg of type ${ours(typeNames[type])}`)
  }
}

function unexpected(type: string, node: ConstantNode): LiteralProblem {
  return new LiteralProblem(say`expected ${ours(type)}; found ${written(formatNode(node))}`)
}

/** The value of a literal where nothing asks for a type; undefined when it overflows Go's int. */
export function untypedLiteral(node: ConstantNode): Value | undefined {
  if (node.kind === 'number') return node.number.ideal
  return node.kind === 'bool' ? node.value : node.text
}
