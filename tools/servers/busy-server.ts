import { fieldOf, type KubeObject, refusals } from './kube-client.ts'
import type { Kube } from './kube.ts'

/** A service account. */
export interface Account {
  readonly namespace: string
  readonly name: string
}

/** Makes a service account that may do everything, and gives a token of it: priority and fairness never holds up administrators. */
export async function accountWithAllRights(kube: Kube, { namespace, name }: Account): Promise<string> {
  const [refused] = refusals(
    await kube.apply([
      { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', name, namespace }],
      },
    ]),
  )
  if (refused !== undefined) throw new Error(refused)
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const { body } = await kube.request('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: [] },
  })
  const token = fieldOf(body, 'status.token')
  if (typeof token !== 'string') throw new Error('no token')
  return token
}

/** What has the server take one request of an account at a time, and refuse the others with 429 and `Retry-After`. */
export function busyFor({ namespace, name }: Account): readonly KubeObject[] {
  const version = 'flowcontrol.apiserver.k8s.io/v1'
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'], namespaces: ['*'], clusterScope: true }
  return [
    {
      apiVersion: version,
      kind: 'PriorityLevelConfiguration',
      metadata: { name },
      spec: {
        type: 'Limited',
        limited: {
          nominalConcurrencyShares: 0,
          lendablePercent: 0,
          borrowingLimitPercent: 0,
          limitResponse: { type: 'Reject' },
        },
      },
    },
    {
      apiVersion: version,
      kind: 'FlowSchema',
      metadata: { name },
      spec: {
        priorityLevelConfiguration: { name },
        matchingPrecedence: 50,
        distinguisherMethod: { type: 'ByUser' },
        rules: [
          {
            subjects: [{ kind: 'ServiceAccount', serviceAccount: { name, namespace } }],
            resourceRules: [everything],
            nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
          },
        ],
      },
    },
  ]
}

/** Requests that were refused so, until now. */
export async function refusedAsBusy(kube: Kube, { name }: Account): Promise<number> {
  const { body } = await kube.request('GET', '/metrics')
  const lines = String(body).matchAll(/^apiserver_flowcontrol_rejected_requests_total\{(.*)\} (\S+)$/gm)
  return [...lines].reduce(
    (sum, [, labels = '', count = '']) => sum + (labels.includes(`priority_level="${name}"`) ? Number(count) : 0),
    0,
  )
}
