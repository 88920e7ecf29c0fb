import type { ParamType } from '../../model/value.ts'
import { ours, say, written, type ErrorText } from './error-text.ts'

/** The parameters of a function or method. */
export interface Parameters {
  readonly params: readonly ParamType[]
  readonly variadic?: ParamType
}

/** The type of the argument at `index`. */
export function parameterType({ params, variadic }: Parameters, index: number): ParamType {
  return params[index] ?? variadic ?? 'any'
}

/** How a function is called. */
interface Given {
  readonly name: string
  /** Arguments behind the name. */
  readonly given: number
  /** True if the pipeline adds one more. */
  readonly hasFinal: boolean
}

/** Go's message for a wrong number of arguments; undefined if the number fits (exec.go, evalCall). */
export function countProblem(
  { params, variadic }: Parameters,
  { name, given, hasFinal }: Given,
): ErrorText | undefined {
  const count = given + (hasFinal ? 1 : 0)
  const isVariadic = variadic !== undefined
  if (isVariadic ? count >= params.length : count === params.length) return undefined
  const wanted = isVariadic ? say`at least ${ours(params.length)}` : ours(params.length)
  return say`wrong number of args for ${written(name)}: want ${wanted} got ${ours(isVariadic ? given : count)}`
}
