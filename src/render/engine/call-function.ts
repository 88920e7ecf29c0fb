import { StackmasonError } from '../../model/diagnostic.ts'
import type { GoMethod, ParamType, Value } from '../../model/value.ts'
import type { Node } from './ast.ts'
import { templateError, type Frame, type Raw } from './execution.ts'
import { FunctionError, type FunctionDef } from './function.ts'
import { TokenRefusedError } from './token-refused.ts'
import { describeTokens, holdsTokens } from './token-search.ts'

/** A function that works on the running execution itself: `include`, `tpl` and the like. */
export interface LateBoundFunction {
  readonly name: string
  readonly params: readonly ParamType[]
  readonly variadic?: ParamType
  readonly late: (frame: Frame, args: readonly Value[], nesting: number) => Raw
}

/** Anything that a template can call by name. */
export type TemplateFunction = FunctionDef | LateBoundFunction

/** Results shorter than this are not counted: their number is bounded by the steps. */
const countedLength = 256

/**
 * Calls a function whose arguments are converted. `node` is the whole command, which errors show.
 * @throws TemplateError for what the function throws, for tokens that it must not see, and for limits
 */
export function callFunction(
  frame: Frame,
  definition: TemplateFunction,
  call: { readonly args: readonly Value[]; readonly node: Node; readonly nesting: number },
): Raw {
  const { execution } = frame
  const { args, node } = call
  execution.step(frame)
  if ('late' in definition) return callLateBound(frame, definition, call)
  execution.callFrame = frame
  execution.callNode = node
  const { tokens } = execution.options
  if (tokens.specs.length > 0 && definition.tokens === 'refuse' && holdsTokens(args)) {
    throw refused(frame, node, {
      name: definition.name,
      args,
      problem: 'would have to know a value that is only known later',
    })
  }
  try {
    const result = definition.call(args, execution.context)
    if (typeof result === 'string' || Array.isArray(result)) {
      if (result.length > countedLength) execution.charge(result.length)
    }
    return result
  } catch (error) {
    throw callError(frame, node, { name: definition.name, args, error })
  }
}

function callLateBound(
  frame: Frame,
  definition: LateBoundFunction,
  { args, node, nesting }: { readonly args: readonly Value[]; readonly node: Node; readonly nesting: number },
): Raw {
  const before = frame.node
  frame.node = node
  const result = definition.late(frame, args, nesting)
  frame.node = before
  return result
}

/** Calls a method whose arguments are converted. @throws TemplateError as {@link callFunction} */
export function callMethod(
  frame: Frame,
  method: GoMethod,
  call: { readonly name: string; readonly args: readonly Value[]; readonly node: Node },
): Raw {
  frame.execution.step(frame)
  frame.execution.callFrame = frame
  frame.execution.callNode = call.node
  try {
    return method.call(call.args)
  } catch (error) {
    throw callError(frame, call.node, { name: call.name, args: call.args, error })
  }
}

/** What failed in a call. */
interface FailedCall {
  readonly name: string
  readonly args: readonly Value[]
  readonly error: unknown
}

/** A function's own error becomes ours; errors of templates that it called, and defects, stay as they are. */
function callError(frame: Frame, node: Node, { name, args, error }: FailedCall): unknown {
  if (error instanceof StackmasonError || !(error instanceof FunctionError)) return error
  if (error instanceof TokenRefusedError) return refused(frame, node, { name, args, problem: error.message })
  frame.node = node
  return templateError(frame, `error calling ${name}: ${error.message}`, { cause: error })
}

function refused(
  frame: Frame,
  node: Node,
  { name, args, problem }: { readonly name: string; readonly args: readonly Value[]; readonly problem: string },
): Error {
  frame.node = node
  const tokens = describeTokens(args, frame.execution.options.tokens)
  return templateError(frame, `${name} ${problem}: ${tokens}`, {
    code: 'TEMPLATE_TOKEN_REFUSED',
    hint: 'Supply the value in the fleet, or let the template pass it through unchanged.',
  })
}
