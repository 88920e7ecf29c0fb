import { Dict, GoObject, goTypeOf, type GoMethod, type Value } from '../../model/value.ts'
import { ours, say, written } from './error-text.ts'
import { templateError, type Frame, type Raw } from './execution.ts'

/** A chain of fields behind a receiver. */
export interface FieldChain {
  readonly fields: readonly string[]
  /** How the receiver is written: `$x`, `(…)`, or empty for dot. */
  readonly receiverText: string
  /** True if the receiver is an element of interface type: Go's errors name the static type. */
  readonly isReceiverBoxed: (frame: Frame) => boolean
  /** Calls a method without arguments. */
  readonly call: (frame: Frame, name: string, method: GoMethod) => Raw
  /** Calls the last field with the arguments that it has; absent when there are none. */
  readonly callLast?: (name: string, method: GoMethod) => Raw
}

/**
 * Returns the value at the end of a chain (exec.go, evalField): for each field a method's result, a map's value or an
 * object's field. Fields of `undefined` are undefined.
 * @throws TemplateError when a receiver is nil or has no such field
 */
export function evaluateChain(frame: Frame, chain: FieldChain, receiver: Raw): Raw {
  let current = receiver
  let previous: Raw
  let index = 0
  for (const name of chain.fields) {
    const before = current
    if (current === undefined) return undefined
    if (current instanceof Dict) {
      const method = current.method(name)
      if (method !== undefined) current = callMethod(frame, chain, { index, method })
      else {
        if (chain.callLast !== undefined && index === chain.fields.length - 1) {
          throw templateError(frame, say`${written(name)} is not a method but has arguments`)
        }
        const value: Value | undefined = current.get(name)
        current = value === undefined ? current.zero() : value
      }
    } else if (typeof current === 'string') {
      const value = frame.execution.options.fieldOfToken?.(current, name)
      if (value === undefined) throw fieldError(frame, chain, { index, receiver: current, previous })
      current = value
    } else if (current instanceof GoObject) current = objectField(frame, chain, { index, receiver: current, previous })
    else throw fieldError(frame, chain, { index, receiver: current, previous })
    previous = before
    index++
  }
  return current
}

/** How far a chain is evaluated. */
interface ChainState {
  readonly index: number
  readonly receiver: Value
  /** The value that `receiver` is a field of; undefined for the first. */
  readonly previous: Raw
}

function objectField(frame: Frame, chain: FieldChain, state: ChainState & { readonly receiver: GoObject }): Raw {
  const { index, receiver } = state
  const name = chain.fields[index] ?? ''
  const method = receiver.method(name)
  if (method !== undefined) return callMethod(frame, chain, { index, method })
  const value = receiver.field(name)
  if (value === undefined) throw fieldError(frame, chain, state)
  if (chain.callLast !== undefined && index === chain.fields.length - 1) {
    throw templateError(frame, say`${written(name)} has arguments but cannot be invoked as function`)
  }
  return value
}

function callMethod(
  frame: Frame,
  chain: FieldChain,
  { index, method }: { readonly index: number; readonly method: GoMethod },
): Raw {
  const name = chain.fields[index] ?? ''
  if (chain.callLast !== undefined && index === chain.fields.length - 1) return chain.callLast(name, method)
  return chain.call(frame, name, method)
}

function fieldError(frame: Frame, chain: FieldChain, { index, receiver, previous }: ChainState): Error {
  const name = chain.fields[index] ?? ''
  const fields = chain.fields.slice(0, index).map((field) => `.${field}`)
  const path = chain.receiverText + fields.join('')
  const subject = path === '' ? ours('the dot') : written(path)
  if (receiver === null) {
    const isOfValues = chain.receiverText.includes('.Values') || fields.includes('.Values')
    const hint = isOfValues
      ? say`${subject} is not set: set it in the values, or test it with \`if\` or \`with\` first.`
      : say`${subject} is not set: correct the name, or test it with \`if\` or \`with\` first.`
    return templateError(frame, say`nil pointer evaluating interface {}.${written(name)}`, { hint })
  }
  const isBoxed =
    index === 0 ? chain.isReceiverBoxed(frame) : previous instanceof Dict && previous.elementType === 'interface {}'
  const type = goTypeOf(receiver)
  const hint = say`${subject} is of type ${ours(type)}; only maps and objects have fields.`
  return templateError(
    frame,
    say`can't evaluate field ${written(name)} in type ${ours(isBoxed ? 'interface {}' : type)}`,
    receiver instanceof GoObject ? {} : { hint },
  )
}
