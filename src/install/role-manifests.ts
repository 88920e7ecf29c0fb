import { compareBytes } from '../codec/text/text-order.ts'
import type { InstallOptions } from '../model/install-options.ts'
import type { Json } from './json-value.ts'
import { argoRules, type Feature, knownSources, leaseRules, type RoleOptions, type RoleRule } from './roles.ts'

const RBAC = 'rbac.authorization.k8s.io'

/** The names and labels that the objects of an installation share. */
export interface Installation {
  /** Of all in its namespace, and of the lease. */
  readonly name: string
  /**
   * The prefix of names outside of the namespace: installations in other namespaces must not take each other's rights.
   */
  readonly outside: string
  readonly labels: Readonly<Record<string, string>>
  readonly features: readonly Feature[]
  readonly options: InstallOptions
}

/** The roles of the features, and who has them; in its own namespace the controller has the lease alone. */
export function roleManifests(installation: Installation): readonly Json[] {
  const { name, outside, options } = installation
  const roleOptions = roleOptionsOf(installation)
  return [
    ...installation.features.flatMap((feature) => featureManifests(feature, roleOptions, installation)),
    ...localRole({ name, namespace: options.namespace }, leaseRules(roleOptions), installation),
    ...(options.argoNamespace === ''
      ? []
      : localRole({ name: `${outside}-argocd`, namespace: options.argoNamespace }, argoRules, installation)),
  ]
}

function roleOptionsOf({ name, options }: Installation): RoleOptions {
  const { sources, migrated } = options
  return {
    lease: name,
    sources: [...new Set([...knownSources, ...sources])].toSorted(compareBytes),
    migrated: [...new Set(migrated)].toSorted(compareBytes),
  }
}

/** Rights in all namespaces, or in some; resources that lie in none need a role of their own then. */
function featureManifests(feature: Feature, roleOptions: RoleOptions, installation: Installation): readonly Json[] {
  const { namespaces } = installation.options
  const name = `${installation.outside}-${feature.name}`
  const rules = feature.rules(roleOptions)
  const everywhere = (roleName: string, part: readonly RoleRule[]): readonly Json[] =>
    part.length === 0
      ? []
      : [
          role('ClusterRole', { name: roleName }, part, installation),
          binding('ClusterRoleBinding', { name: roleName }, { kind: 'ClusterRole', name: roleName }, installation),
        ]
  if (namespaces.length === 0) return everywhere(name, rules)
  return [
    role(
      'ClusterRole',
      { name },
      rules.filter(({ scope }) => scope === 'namespace'),
      installation,
    ),
    ...namespaces.map((namespace) =>
      binding('RoleBinding', { name, namespace }, { kind: 'ClusterRole', name }, installation),
    ),
    ...everywhere(
      `${name}-cluster`,
      rules.filter(({ scope }) => scope === 'cluster'),
    ),
  ]
}

/** Rights in one namespace. */
function localRole(named: NamespacedName, rules: readonly RoleRule[], installation: Installation): readonly Json[] {
  return [
    role('Role', named, rules, installation),
    binding('RoleBinding', named, { kind: 'Role', name: named.name }, installation),
  ]
}

/** Name of an object, with its namespace if it lies in one. */
type NamespacedName = { readonly name: string; readonly namespace?: string }

function role(kind: string, named: NamespacedName, rules: readonly RoleRule[], { labels }: Installation): Json {
  return {
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata: { ...named, labels },
    rules: rules.map(({ group, resources, verbs, names }) => ({
      apiGroups: [group],
      resources,
      ...(names !== undefined && { resourceNames: names }),
      verbs,
    })),
  }
}

function binding(
  kind: string,
  named: NamespacedName,
  roleRef: { readonly kind: string; readonly name: string },
  { name, labels, options }: Installation,
): Json {
  return {
    apiVersion: `${RBAC}/v1`,
    kind,
    metadata: { ...named, labels },
    roleRef: { apiGroup: RBAC, ...roleRef },
    subjects: [{ kind: 'ServiceAccount', name, namespace: options.namespace }],
  }
}
