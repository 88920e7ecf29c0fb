import type { Dict } from '../../model/value.ts'
import { type CelInput, lazyMap, readCel } from '../cel/cel-program.ts'
import { messageFrom } from '../cel/shown-message.ts'
import type { Watch } from '../cel/watched-map.ts'
import type { Policy } from './policy.ts'

/** What a policy says of an object. */
export type PolicyVerdict =
  | { readonly state: 'denied'; readonly message: string }
  /** Only a server can tell. */
  | { readonly state: 'not-evaluated'; readonly reason: string }

/** The object that a policy is asked of, and what is known around it. */
export interface PolicySubject {
  readonly object: Dict
  /** `object`, `oldObject`, `request`, `namespaceObject`, `params`. */
  readonly bindings: Readonly<Record<string, CelInput>>
  /** Tells that an expression read what is not known; see {@link PolicySubject.unknown}. */
  readonly watch: Watch
}

/** What an expression gives: its value, or why there is none. */
type Answer = { readonly value: unknown } | { readonly failed: string } | { readonly unknown: string }

/** Asks a policy of an object; nothing where it is content, or not meant. */
export function evaluatePolicy(policy: Policy, subject: PolicySubject): readonly PolicyVerdict[] {
  const { watch } = subject
  const stopped: { reason?: string } = {}
  const ask = (expression: string, bindings: Readonly<Record<string, CelInput>>): Answer => {
    const reading = readCel(expression)
    if ('problem' in reading) return { unknown: `${reading.problem}: ${clipped(expression)}` }
    watch.wasRead = false
    const result = reading.program.evaluate(bindings)
    if (result.state === 'value' && result.value === true) return { value: true }
    if (stopped.reason !== undefined) return { unknown: stopped.reason }
    if (watch.wasRead) return { unknown: 'it depends on a value that is known later, or on who asks' }
    if (result.state === 'unfinished') return { unknown: `it takes too much work: ${clipped(expression)}` }
    return result.state === 'failed' ? { failed: result.reason } : { value: result.value }
  }
  const variables = lazyVariables(policy, subject, (reason) => {
    stopped.reason = reason
  })
  const bindings = { ...subject.bindings, variables }
  for (const { expression } of policy.conditions) {
    const answer = ask(expression, bindings)
    if ('unknown' in answer) return [{ state: 'not-evaluated', reason: answer.unknown }]
    if ('failed' in answer)
      return policy.failsClosed
        ? [{ state: 'denied', message: `a condition cannot be evaluated: ${answer.failed}` }]
        : []
    if (answer.value !== true) return []
  }
  return policy.validations.flatMap(({ expression, message, messageExpression }): PolicyVerdict[] => {
    const answer = ask(expression, bindings)
    if ('unknown' in answer) return [{ state: 'not-evaluated', reason: answer.unknown }]
    if ('failed' in answer)
      return policy.failsClosed
        ? [{ state: 'denied', message: `${clipped(expression)} cannot be evaluated: ${answer.failed}` }]
        : []
    if (answer.value === true) return []
    const made = messageFrom(messageExpression, bindings, subject.object)
    return [{ state: 'denied', message: made ?? (message || `failed expression: ${clipped(expression)}`) }]
  })
}

const LONGEST = 200

function clipped(expression: string): string {
  const line = expression.trim().replaceAll(/\s+/g, ' ')
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`
}

/** The variables of a policy: each is evaluated once it is read, with those before it. */
function lazyVariables(policy: Policy, { bindings }: PolicySubject, stop: (reason: string) => void): CelInput {
  const known = new Map<string, () => CelInput | undefined>()
  const map = lazyMap((name) => known.get(name)?.())
  for (const { name, expression } of policy.variables) {
    let made: { readonly value: CelInput | undefined } | undefined
    known.set(name, () => {
      if (made !== undefined) return made.value
      const reading = readCel(expression)
      if ('problem' in reading) {
        stop(`${reading.problem}: ${clipped(expression)}`)
        made = { value: undefined }
        return undefined
      }
      made = { value: reading.program.input({ ...bindings, variables: map }) }
      return made.value
    })
  }
  return map
}
