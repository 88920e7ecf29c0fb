import { shownName } from '../../model/shown-name.ts'
import { policyChangeJudge } from '../policy/judge-policy-changes.ts'
import { judgePolicies, type PolicyFinding } from '../policy/judge-policies.ts'
import type { Rule } from '../rule.ts'

/** Policies that cannot be asked of some objects here. */
export const unevaluatedPolicies: Rule = {
  code: 'POLICY_NOT_EVALUATED',
  severity: 'note',
  explanation: [
    'A policy that cannot be evaluated here is said once for each reason, with the number of objects: it asks `authorizer` or who applies the object (`request.userInfo`), which is the GitOps tool and not known; its parameters or the labels of a namespace are not in the tree; a value is filled in later; an expression cannot be read.',
  ],
  begin: (inputs) => {
    const changes = policyChangeJudge(inputs)
    const counts = new Map<string, number>()
    return {
      unit: (unit) => {
        changes.unit(unit)
        for (const text of judgePolicies(unit, inputs).findings.flatMap(reasonIn))
          counts.set(text, (counts.get(text) ?? 0) + 1)
        return []
      },
      end: () =>
        [...counts]
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .map(([text, count]) => ({
            message: `${text} (${count === 1 ? '1 object' : `${String(count)} objects`})`,
          })),
      // those that are said already were not asked of the object as it is, either
      change: (change) =>
        [...new Set(changes.change(change).flatMap(reasonIn))]
          .filter((text) => !counts.has(text))
          .sort()
          .map((message) => ({ message })),
    }
  },
}

function reasonIn({ policy, verdict }: Pick<PolicyFinding, 'policy' | 'verdict'>): readonly string[] {
  if (verdict.state !== 'not-evaluated') return []
  return [`the policy ${shownName(policy.name)} is not evaluated, because ${verdict.reason}`]
}
