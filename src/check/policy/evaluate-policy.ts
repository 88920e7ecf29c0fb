import type { Dict } from '../../model/value.ts'
import { type CelInput, type CelLookup, lazyMap, readCel } from '../cel/cel-program.ts'
import type { CelBudget } from '../cel/cel-work.ts'
import { messageFrom } from '../cel/shown-message.ts'
import type { Policy } from './policy.ts'

/** A policy's verdict on an object. */
export type PolicyVerdict =
  | {
      readonly state: 'denied'
      readonly message: string
      /** True if it refuses whatever the actions of the binding are. */
      readonly isAlways?: true
    }
  /** Only a server can tell. */
  | { readonly state: 'not-evaluated'; readonly reason: string }

/** The object that a policy is asked of, and what is known around it. */
export interface PolicySubject {
  readonly object: Dict
  /** `object`, `oldObject`, `request`, `namespaceObject`, `params`. */
  readonly bindings: Readonly<Record<string, CelInput>>
  /** The same without what is secret, for messages. */
  readonly shown: () => Readonly<Record<string, CelInput>>
  readonly budget: CelBudget
}

/** The result of an expression: its value, or why there is none. */
type Answer = { readonly value: unknown } | { readonly failed: string } | { readonly unknown: string }

/** Asks a policy of an object; nothing where it is content, or not meant. */
export function evaluatePolicy(policy: Policy, subject: PolicySubject): readonly PolicyVerdict[] {
  // conditions are asked before the namespace is looked up
  const conditions = policy.conditions.map(({ expression }) =>
    ask(expression, { ...subject.bindings, namespaceObject: null }, subject.budget),
  )
  if (conditions.some((answer) => 'value' in answer && answer.value === false)) return []
  for (const answer of conditions) if ('unknown' in answer) return [notEvaluated(answer.unknown)]
  for (const answer of conditions) {
    if (!('failed' in answer)) continue
    if (!policy.failsClosed) return []
    return [{ state: 'denied', message: `a condition cannot be evaluated: ${answer.failed}` }]
  }
  const bindings = { ...subject.bindings, variables: lazyVariables(policy, subject.bindings) }
  const shown = (): PolicySubject['bindings'] => {
    const known = subject.shown()
    return { ...known, variables: lazyVariables(policy, known) }
  }
  const verdicts = policy.validations.flatMap(
    ({ expression, message, messageExpression }): readonly PolicyVerdict[] => {
      const answer = ask(expression, bindings, subject.budget)
      if ('unknown' in answer) return [notEvaluated(answer.unknown)]
      if ('failed' in answer) return failing(policy, expression, answer.failed)
      if (answer.value === true) return []
      const made = messageFrom(messageExpression, shown, subject)
      return [{ state: 'denied', message: made ?? (message || `failed expression: ${clipped(expression)}`) }]
    },
  )
  const annotations = policy.annotations.flatMap((expression): readonly PolicyVerdict[] => {
    const answer = ask(expression, bindings, subject.budget)
    if ('unknown' in answer) return policy.failsClosed ? [notEvaluated(answer.unknown)] : []
    if ('value' in answer) return []
    return failing(policy, expression, answer.failed).map((verdict) => ({ ...verdict, isAlways: true }))
  })
  return [...verdicts, ...annotations]
}

function ask(expression: string, bindings: PolicySubject['bindings'], budget: CelBudget): Answer {
  const reading = readCel(expression, Object.keys(bindings))
  if ('problem' in reading) return { unknown: `${reading.problem}: ${clipped(expression)}` }
  const result = reading.program.evaluate(bindings, budget)
  switch (result.state) {
    case 'value':
      return { value: result.value }
    case 'unknown':
      return { unknown: result.reason }
    case 'unfinished':
      return { unknown: `it takes too much work: ${clipped(expression)}` }
    case 'failed':
      return { failed: result.reason }
  }
}

function notEvaluated(reason: string): PolicyVerdict {
  return { state: 'not-evaluated', reason }
}

function failing({ failsClosed }: Policy, expression: string, reason: string): readonly PolicyVerdict[] {
  return failsClosed ? [{ state: 'denied', message: `${clipped(expression)} cannot be evaluated: ${reason}` }] : []
}

const LONGEST = 200

function clipped(expression: string): string {
  const line = expression.trim().replaceAll(/\s+/g, ' ')
  return line.length <= LONGEST ? line : `${line.slice(0, LONGEST)}…`
}

/** The variables of a policy: each is evaluated once it is read, with those before it. */
function lazyVariables(policy: Policy, bindings: PolicySubject['bindings']): CelInput {
  const known = new Map<string, () => CelLookup>()
  const map = lazyMap((name) => known.get(name)?.())
  for (const { name, expression } of policy.variables) {
    let made: CelLookup | undefined
    known.set(name, () => (made ??= variable(expression, { ...bindings, variables: map })))
  }
  return map
}

function variable(expression: string, bindings: PolicySubject['bindings']): CelLookup {
  const reading = readCel(expression, Object.keys(bindings))
  return 'problem' in reading
    ? { unknown: `${reading.problem}: ${clipped(expression)}` }
    : reading.program.input(bindings)
}
