import { shownName } from '../../model/shown-name.ts'
import { judgePolicies } from '../policy/judge-policies.ts'
import type { Rule } from '../rule.ts'

/** Policies that cannot be asked of some objects here. */
export const unevaluatedPolicies: Rule = {
  code: 'POLICY_NOT_EVALUATED',
  severity: 'note',
  explanation: [
    'A policy that cannot be evaluated here is said once for each reason, with the number of objects: it asks `authorizer` or who applies the object (`request.userInfo`), which is the GitOps tool and not known; its parameters or the labels of a namespace are not in the tree; a value is filled in later; an expression cannot be read.',
  ],
  begin: (inputs) => {
    const counts = new Map<string, number>()
    return {
      unit: (unit) => {
        for (const { policy, verdict } of judgePolicies(unit, inputs).findings)
          if (verdict.state === 'not-evaluated') {
            const text = `the policy ${shownName(policy.name)} is not evaluated, because ${verdict.reason}`
            counts.set(text, (counts.get(text) ?? 0) + 1)
          }
        return []
      },
      end: () =>
        [...counts]
          .sort(([one], [other]) => (one < other ? -1 : 1))
          .map(([text, count]) => ({
            message: `${text} (${count === 1 ? '1 object' : `${String(count)} objects`})`,
          })),
    }
  },
}
