import { itemsAt, textAt } from '../../model/field.ts'
import type { Manifest } from '../../model/manifest.ts'
import { missingTargets, type Reference } from '../references/missing-target.ts'
import { type Target } from '../references/object-index.ts'
import { groupOf } from '../schema/built-in-schemas.ts'
import { type Rule, type RuleFinding, unitRule } from '../rule.ts'

const RBAC = 'rbac.authorization.k8s.io'

/** Roles that bindings name and nothing brings. */
export const missingRoles: Rule = unitRule(
  {
    code: 'ROLE_MISSING',
    severity: 'warning',
    explanation: [
      'A binding to a role that is not there gives no rights: programs start, and fail with `forbidden`. Bindings in workload clusters are looked at.',
      'Known are the roles of the same cluster and those of Kubernetes: cluster-admin, admin, edit, view, `system:…` and `kubeadm:…`, and extension-apiserver-authentication-reader of kube-system.',
      'An error where a role of another namespace or of nearly that name shows a mistake, else a warning.',
      'Service accounts that a binding names are looked for, too: a warning, and only where one of nearly that name, or of that name in another namespace, shows a mistake, because who else uses the cluster is not known here.',
    ],
  },
  (unit) => [
    ...missingTargets(unit, { referencesOf, isBuiltIn }),
    // who else uses the cluster is not known: only what looks like a mistake is told, and it may be none
    ...missingTargets(unit, { referencesOf: subjectsOf, isBuiltIn: isOfCluster })
      .filter(({ severity }) => severity === 'error')
      .map((finding): RuleFinding => ({ ...finding, severity: 'warning' })),
  ],
)

function referencesOf(from: Manifest): readonly Reference[] {
  const { apiVersion, kind, namespace, object } = from
  if (groupOf(apiVersion) !== RBAC || (kind !== 'RoleBinding' && kind !== 'ClusterRoleBinding')) return []
  const role = textAt(object, 'roleRef', 'kind')
  const own = role === 'Role' && namespace !== undefined ? { namespace } : {}
  const target = { group: RBAC, kind: role, name: textAt(object, 'roleRef', 'name'), ...own }
  return [{ from, path: ['roleRef', 'name'], target, effect: 'it gives no rights' }]
}

/** The service accounts that get rights. */
function subjectsOf(from: Manifest): readonly Reference[] {
  const { apiVersion, kind, namespace: own = '', object } = from
  if (groupOf(apiVersion) !== RBAC || (kind !== 'RoleBinding' && kind !== 'ClusterRoleBinding')) return []
  return itemsAt(object, 'subjects').flatMap((subject, index): readonly Reference[] => {
    if (textAt(subject, 'kind') !== 'ServiceAccount') return []
    const namespace = textAt(subject, 'namespace') || own
    const target = { group: '', kind: 'ServiceAccount', name: textAt(subject, 'name'), namespace }
    return [{ from, path: ['subjects', index, 'name'], target, effect: 'its rights reach nobody' }]
  })
}

/** Kubernetes makes one in each namespace, and those of its controllers in kube-system. */
function isOfCluster({ namespace, name }: Target): boolean {
  return name === 'default' || (namespace === 'kube-system' && name.endsWith('-controller'))
}

const defaults: ReadonlySet<string> = new Set(['cluster-admin', 'admin', 'edit', 'view'])

function isBuiltIn({ kind, namespace, name }: Target): boolean {
  if (/^(?:system:|kubeadm:)/.test(name)) return true
  if (kind === 'ClusterRole') return defaults.has(name)
  return namespace === 'kube-system' && name === 'extension-apiserver-authentication-reader'
}
