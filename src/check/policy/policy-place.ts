import type { Diagnostic } from '../../model/diagnostic.ts'
import type { Span } from '../../model/source.ts'
import type { CheckInputs } from '../check-inputs.ts'
import type { Policy } from './policy.ts'

/** Where the policy stands, if it is of the folder `policies`; those of addons are in the tree. */
export function placeOfPolicy({ object }: Policy, { policies = [] }: CheckInputs): Span | undefined {
  return policies.find((one) => one.object === object)?.at(['metadata', 'name'])
}

/** The same as a step of a trace. */
export function tracePolicy(policy: Policy, inputs: CheckInputs): Pick<Diagnostic, 'trace'> {
  const at = placeOfPolicy(policy, inputs)
  return at === undefined ? {} : { trace: [{ what: 'the policy', at }] }
}
