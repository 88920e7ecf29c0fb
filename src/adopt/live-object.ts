import type { Dict } from '../model/value.ts'

/** An object as `kubectl get -o yaml` writes it. */
export interface LiveObject {
  readonly apiVersion: string
  /** '' for the core group. */
  readonly group: string
  readonly kind: string
  /** '' for cluster-scoped objects. */
  readonly namespace: string
  readonly name: string
  readonly object: Dict
  /** The file that it was read from, as people would write it. */
  readonly file: string
  /** The cluster that it runs in: '' for the management cluster, else `<namespace>/<name>` of a workload cluster. */
  readonly clusterKey: string
}

/** The identity of an object across API versions: kinds of one group never share names. */
export function identityOf(object: Omit<LiveObject, 'object' | 'file' | 'apiVersion'>): string {
  return JSON.stringify([object.clusterKey, object.group, object.kind, object.namespace, object.name])
}

/** How people call an object: `Deployment kube-system/dns`. */
export function describeLive({ kind, namespace, name }: Pick<LiveObject, 'kind' | 'namespace' | 'name'>): string {
  return `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`
}

/** The group of an apiVersion: '' for `v1`. */
export function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/')
  return slash === -1 ? '' : apiVersion.slice(0, slash)
}
