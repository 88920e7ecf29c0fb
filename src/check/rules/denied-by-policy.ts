import { placeIn } from '../../model/manifest.ts'
import { shownName, shownObject } from '../../model/shown-name.ts'
import type { CheckInputs } from '../check-inputs.ts'
import { nameOf } from '../changed-object.ts'
import { policyChangeJudge } from '../policy/judge-policy-changes.ts'
import { tracePolicy } from '../policy/policy-place.ts'
import { judgePolicies, type PolicyFinding } from '../policy/judge-policies.ts'
import type { Rule, RuleFinding, Severity } from '../rule.ts'

/** Objects that a ValidatingAdmissionPolicy refuses. */
export const deniedByPolicy: Rule = {
  code: 'POLICY_DENIED',
  severity: 'error',
  explanation: [
    'ValidatingAdmissionPolicies that are bound at the API server of an object are asked of it: those of the folder `policies` beside stackmason.yaml, and those among the objects that the same unit brings to the same server. In `policies/management` and `policies/workload` they count for such servers only, else for all.',
    'Match constraints, selectors, match conditions, variables and parameters are followed as on the server. What a binding says decides: `Deny` is an error, `Warn` a warning, `Audit` a note. An expression that fails denies, one of an audit annotation whatever the actions are, unless `failurePolicy` is Ignore.',
    'Objects are asked as new ones, with the defaults of the kinds that run pods, of Services and claims. Policies about changes (`oldObject`, `request`, operation UPDATE) are asked of what changes against the base, too. Pods that a Deployment makes are not asked: write the policy for Deployments.',
  ],
  begin: (inputs) => {
    const changes = policyChangeJudge(inputs)
    return {
      unit: (unit) =>
        judgePolicies(unit, inputs).findings.flatMap((found) =>
          deniedBy(found, inputs, shownObject({ ...found.manifest, namespace: found.manifest.namespace })).map(
            (finding) => ({
              ...finding,
              ...placeIn(found.manifest, 'kind'),
            }),
          ),
        ),
      change: (change) =>
        changes
          .change(change)
          .flatMap(({ after, finding, ...found }) =>
            deniedBy(found, inputs, nameOf(after)).map((denied) => ({ ...denied, ...finding })),
          ),
    }
  },
}

function deniedBy(
  { policy, binding, verdict }: Pick<PolicyFinding, 'policy' | 'binding' | 'verdict'>,
  inputs: CheckInputs,
  object: string,
): readonly Pick<RuleFinding, 'message' | 'severity' | 'trace'>[] {
  if (verdict.state !== 'denied') return []
  return [
    {
      severity: verdict.isAlways === true ? 'error' : severityOf(binding),
      message: `${object}: the policy ${shownName(policy.name)} refuses it: ${verdict.message}`,
      ...tracePolicy(policy, inputs),
    },
  ]
}

function severityOf({ actions }: PolicyFinding['binding']): Severity {
  if (actions.includes('Deny')) return 'error'
  return actions.includes('Warn') ? 'warning' : 'note'
}
