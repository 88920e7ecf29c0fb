import type { Unit } from '../../model/handoff.ts'

/** The management cluster, as destinations name it: Argo CD runs there. */
export const MANAGEMENT_SERVER = 'https://kubernetes.default.svc'

/**
 * Name of a unit's Application: `<namespace>.stack.<tag>`, `<namespace>.<cluster>.cluster`,
 * `<namespace>.<cluster>.addons`, `<namespace>.<cluster>.addons.<NN>-<addon>`, `<namespace>.<cluster>.addons-own` and
 * `<namespace>.<cluster>.addons-own.<addon>`. Namespaces, clusters and addons hold no dot and are no longer than 63, so
 * no two units get one name and none is too long for Kubernetes.
 */
export function applicationName(unit: Pick<Unit, 'namespace' | 'cluster' | 'release' | 'path'>): string {
  const { namespace, cluster } = unit
  if (cluster === undefined) return `${namespace}.stack.${unit.release}`
  const owner = `${namespace}.${cluster.name}`
  return [owner, ...unit.path.split('/').slice(3)].join('.')
}

/** Name of the Application that holds the Applications of a namespace, or those of one cluster in it. */
export function parentName(namespace: string, cluster?: string): string {
  return cluster === undefined ? `${namespace}.handoff` : `${namespace}.${cluster}.handoff`
}

/**
 * Name of the AppProject for the units of a namespace that are applied to the management cluster, or to workload
 * clusters.
 */
export function projectName({ namespace, target }: Pick<Unit, 'namespace' | 'target'>): string {
  return `${namespace}.${target}`
}

/** Name of a workload cluster in Argo CD: that of its cluster Secret, and the `name` in it. */
export function destinationName(cluster: NonNullable<Unit['cluster']>): string {
  return `${cluster.namespace}.${cluster.name}`
}
