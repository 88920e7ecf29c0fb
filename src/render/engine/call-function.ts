import { StackmasonError } from '../../model/diagnostic.ts'
import type { TokenTable } from '../../model/token.ts'
import { Dict, type GoMethod, type ParamType, type Value } from '../../model/value.ts'
import { chargeLeaves } from './argument-size.ts'
import type { Node } from './ast.ts'
import { ours, say, type ErrorText } from './error-text.ts'
import { templateError, type Frame, type Raw } from './execution.ts'
import { FunctionError, type FunctionDef } from './function.ts'
import { TokenRefusedError } from './token-refused.ts'
import { parameterFunctions } from './parameter-functions.ts'
import { describeTokens, holdsParameters, holdsTokens } from './token-search.ts'

/** A function that works on the running execution itself: `include`, `tpl` and the like. */
export interface LateBoundFunction {
  readonly name: string
  readonly params: readonly ParamType[]
  readonly variadic?: ParamType
  /** `nesting` is that of the call inside its definition. */
  readonly late: (frame: Frame, args: readonly Value[], nesting: number) => Raw
}

/** Anything that a template can call by name. */
export type TemplateFunction = FunctionDef | LateBoundFunction

/** True if a function works on the running execution. */
export function isLateBound(definition: TemplateFunction): definition is LateBoundFunction {
  return 'late' in definition
}

/** A call whose arguments are converted; `node` is the whole command, which errors show. */
interface Call {
  readonly args: readonly Value[]
  readonly node: Node
}

const needsLater = say`would have to know a value that is only known later`

/** The size below which arguments are not counted: the limit of steps bounds their number. */
const countedSize = 256
/** Characters that an element of a list or map is worth. */
const elementWork = 8

/**
 * Calls a function.
 * @throws TemplateError for what the function throws, for tokens that it must not see, and for limits
 */
export function callFunction(frame: Frame, definition: FunctionDef, { args, node }: Call): Raw {
  const { execution } = frame
  execution.startCall(frame, node)
  if (execution.options.tokens.specs.length > 0 && mustKnow(definition, args, execution.options.tokens)) {
    frame.node = node
    throw refusedCall(frame, { name: definition.name, args, problem: needsLater })
  }
  try {
    if (definition.walksArguments === true) chargeLeaves(args, execution.context.charge)
    for (const arg of args) {
      const size = workOf(arg)
      if (size > countedSize) execution.weigh(size)
    }
    const result = definition.call(args, execution.context)
    const size = workOf(result)
    if (size > countedSize) execution.charge(size)
    return result
  } catch (error) {
    throw callError(frame, { name: definition.name, args, node, error })
  }
}

/** True if the function would have to know a value behind a token of its arguments. */
function mustKnow({ tokens: rule, name }: FunctionDef, args: readonly Value[], tokens: TokenTable): boolean {
  if (rule === 'refuse') return holdsTokens(args)
  return tokens.hasParameters && !parameterFunctions.has(name) && holdsParameters(args, tokens)
}

/** How much there is to read or write, in characters: an element is worth some. */
function workOf(value: Value): number {
  if (typeof value === 'string') return value.length
  if (Array.isArray(value)) return value.length * elementWork
  return value instanceof Dict ? value.size * elementWork : 0
}

/** Calls a method. @throws TemplateError as {@link callFunction} */
export function callMethod(frame: Frame, method: GoMethod, call: Call & { readonly name: string }): Raw {
  const { execution } = frame
  execution.startCall(frame, call.node)
  // what a chart's files or the cluster's APIs hold cannot be looked up by a name that nobody knows
  if (execution.options.tokens.specs.length > 0 && holdsTokens(call.args)) {
    frame.node = call.node
    throw refusedCall(frame, { ...call, problem: needsLater })
  }
  try {
    return method.call(call.args)
  } catch (error) {
    throw callError(frame, { ...call, error })
  }
}

/** A function's own error becomes ours; errors of templates that it called, and defects, stay as they are. */
function callError(frame: Frame, call: Call & { readonly name: string; readonly error: unknown }): unknown {
  const { name, node, error } = call
  if (error instanceof StackmasonError || !(error instanceof FunctionError)) return error
  frame.node = node
  if (error instanceof TokenRefusedError) return refusedCall(frame, { ...call, problem: error.text })
  return templateError(frame, error.text, { call: name, cause: error })
}

/** Returns the error for a call, at the frame's node, that would have to know a deferred value. */
export function refusedCall(
  frame: Frame,
  call: Pick<Call, 'args'> & { readonly name: string; readonly problem: ErrorText },
): Error {
  const { name, args, problem } = call
  const known = describeTokens(args, frame.execution.options.tokens)
  return templateError(frame, say`${ours(name)} ${problem}: ${ours(known)}`, {
    code: 'TEMPLATE_TOKEN_REFUSED',
    call: name,
    hint: say`Supply the value in the fleet, or let the template pass it through unchanged.`,
  })
}
