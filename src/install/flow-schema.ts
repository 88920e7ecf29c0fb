import type { Json } from './json-value.ts'
import type { Installation } from './role-manifests.ts'

/** Before those of service accounts (9000), behind those of the system. */
const PRECEDENCE = 500

/**
 * Puts requests for the lease where the API server serves leases of its own components. Without it they wait with the
 * requests of all service accounts: while those flood the server, an instance loses its lease, and ends.
 */
export function flowSchema({ name, outside, labels, options: { namespace } }: Installation): Json {
  return {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
    kind: 'FlowSchema',
    metadata: { name: `${outside}-lease`, labels },
    spec: {
      distinguisherMethod: { type: 'ByUser' },
      matchingPrecedence: PRECEDENCE,
      priorityLevelConfiguration: { name: 'leader-election' },
      rules: [
        {
          resourceRules: [
            {
              apiGroups: ['coordination.k8s.io'],
              namespaces: [namespace],
              resources: ['leases'],
              verbs: ['create', 'get', 'update'],
            },
          ],
          subjects: [{ kind: 'ServiceAccount', serviceAccount: { name, namespace } }],
        },
      ],
    },
  }
}
