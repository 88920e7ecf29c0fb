import { shownName } from '../../model/shown-name.ts'
import type { CheckInputs } from '../check-inputs.ts'
import { policyChangeJudge } from '../policy/judge-policy-changes.ts'
import { judgePolicies, type PolicyFinding } from '../policy/judge-policies.ts'
import { placeOfPolicy } from '../policy/policy-place.ts'
import type { Noted, Rule, RuleFinding } from '../rule.ts'

/** Policies that cannot be asked of some objects here. */
export const unevaluatedPolicies: Rule = {
  code: 'POLICY_NOT_EVALUATED',
  severity: 'note',
  explanation: [
    'A policy that cannot be evaluated here is said once for each reason, with the number of objects: it asks `authorizer` or who applies the object (`request.userInfo`), which is the GitOps tool and not known; its parameters or the labels of a namespace are not in the tree; a value is filled in later; an expression cannot be read.',
    'It is a warning for a policy of the folder `policies` that would refuse objects then (`failurePolicy: Fail`, which is the default, and `Deny`), else a note.',
  ],
  begin: (inputs) => {
    const changes = policyChangeJudge(inputs)
    const reasonOf = (found: Reasoned): readonly RuleFinding[] => reasonIn(found, inputs)
    return {
      note: (unit): readonly CountedReason[] | undefined => {
        const reasons = judgePolicies(unit, inputs).findings.flatMap(reasonOf)
        return reasons.length === 0 ? undefined : counted(reasons.map((reason) => ({ reason, count: 1 })))
      },
      end: (notes: readonly Noted<readonly CountedReason[]>[]) =>
        sorted(counted(notes.flatMap(({ note }) => note))).map(({ reason, count }) => ({
          ...reason,
          message: `${reason.message} (${count === 1 ? '1 object' : `${String(count)} objects`})`,
        })),
      // those that are said already were not asked of the object as it is, either
      change: (change, notes: readonly Noted<readonly CountedReason[]>[]) => {
        const said = new Set(notes.flatMap(({ note }) => note.map(({ reason }) => reason.message)))
        const reasons = new Map(
          changes
            .change(change)
            .flatMap(reasonOf)
            .map((reason) => [reason.message, { reason }] as const),
        )
        return sorted([...reasons.values()].filter(({ reason }) => !said.has(reason.message))).map(
          ({ reason }) => reason,
        )
      },
    }
  },
}

interface CountedReason {
  readonly reason: RuleFinding
  readonly count: number
}

function counted(reasons: readonly CountedReason[]): readonly CountedReason[] {
  const counts = new Map<string, CountedReason>()
  for (const { reason, count } of reasons) {
    const known = counts.get(reason.message)
    counts.set(reason.message, { reason: known?.reason ?? reason, count: (known?.count ?? 0) + count })
  }
  return [...counts.values()]
}

type Reasoned = Pick<PolicyFinding, 'policy' | 'binding' | 'verdict'>

function sorted<Item extends { readonly reason: RuleFinding }>(items: readonly Item[]): readonly Item[] {
  return items.toSorted((one, other) => (one.reason.message < other.reason.message ? -1 : 1))
}

function reasonIn({ policy, binding, verdict }: Reasoned, inputs: CheckInputs): readonly RuleFinding[] {
  if (verdict.state !== 'not-evaluated') return []
  const at = placeOfPolicy(policy, inputs)
  const denies = at !== undefined && policy.failsClosed && binding.actions.includes('Deny')
  return [
    {
      message: `the policy ${shownName(policy.name)} is not evaluated, because ${verdict.reason}`,
      at,
      severity: denies ? 'warning' : undefined,
    },
  ]
}
