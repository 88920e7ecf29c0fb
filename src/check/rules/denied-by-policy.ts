import { placeIn } from '../../model/manifest.ts'
import { shownName, shownObject } from '../../model/shown-name.ts'
import type { TreeChange } from '../../model/tree-change.ts'
import { changedObjects, nameOf } from '../changed-object.ts'
import type { Destination } from '../checked-unit.ts'
import { judgeObject, judgePolicies, type PolicyFinding, type Server } from '../policy/judge-policies.ts'
import type { Binding } from '../policy/policy.ts'
import { aboutChanges } from '../policy/server-policies.ts'
import type { Rule, RuleFinding, Severity } from '../rule.ts'

/** Objects that a ValidatingAdmissionPolicy refuses. */
export const deniedByPolicy: Rule = {
  code: 'POLICY_DENIED',
  severity: 'error',
  explanation: [
    'ValidatingAdmissionPolicies that are bound at the API server of an object are asked of it: those of the folder `policies` beside stackmason.yaml, and those among the objects that the same unit brings to the same server. In `policies/management` and `policies/workload` they count for such servers only, else for all.',
    'Match constraints, selectors, match conditions, variables and parameters are followed as on the server. What a binding says decides: `Deny` is an error, `Warn` a warning, `Audit` a note. An expression that fails denies, unless `failurePolicy` is Ignore.',
    'Objects are asked as new ones, with the defaults of the kinds that run pods, of Services and claims. Policies about changes (`oldObject`, `request`, operation UPDATE) are asked of what changes against the base, too. Pods that a Deployment makes are not asked: write the policy for Deployments.',
  ],
  begin: (inputs) => {
    const servers = new Map<string, Server>()
    return {
      unit: (unit) => {
        const { findings, servers: asked } = judgePolicies(unit, inputs)
        for (const { destination, server } of asked) {
          const policies = aboutChanges(server.policies)
          if (policies.bound.length > 0) servers.set(keyOf(destination), { ...server, policies })
        }
        return findings.flatMap((found) =>
          deniedBy(found, shownObject({ ...found.manifest, namespace: found.manifest.namespace })).map((finding) => ({
            ...finding,
            ...placeIn(found.manifest, 'kind'),
          })),
        )
      },
      change: (change) => findDeniedChanges(change, servers),
    }
  },
}

function keyOf(destination: Destination): string {
  return destination === 'management' ? '' : `${destination.namespace}/${destination.name}`
}

function findDeniedChanges(change: TreeChange, servers: ReadonlyMap<string, Server>): readonly RuleFinding[] {
  if (servers.size === 0) return []
  return changedObjects(change).flatMap(({ change: { before, after, change: what }, finding }) => {
    const server = after && servers.get(keyOf(after.destination))
    if (before === undefined || after === undefined || server === undefined || what === 'renamed') return []
    return judgeObject({ ...after, old: before.object }, server).flatMap((found) =>
      deniedBy(found, nameOf(after)).map((denied) => ({ ...denied, ...finding })),
    )
  })
}

function deniedBy(
  { policy, binding, verdict }: Pick<PolicyFinding, 'policy' | 'binding' | 'verdict'>,
  object: string,
): readonly Pick<RuleFinding, 'message' | 'severity'>[] {
  if (verdict.state !== 'denied') return []
  return [
    {
      severity: severityOf(binding),
      message: `${object}: the policy ${shownName(policy.name)} refuses it: ${verdict.message}`,
    },
  ]
}

function severityOf({ actions }: Binding): Severity {
  if (actions.includes('Deny')) return 'error'
  return actions.includes('Warn') ? 'warning' : 'note'
}
