import type { ObjectKey } from './kube-object.ts'

/** A kind of objects as an API server offers it. */
export interface Resource {
  /** Empty for the core ones. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** The name in paths. */
  readonly plural: string
}

/** The ConfigMaps of a cluster. */
export const configMaps: Resource = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' }

/** The Secrets of a cluster. */
export const secrets: Resource = { group: '', version: 'v1', kind: 'Secret', plural: 'secrets' }

/** The apiVersion of objects of the kind: `apps/v1`, or `v1` for the core ones. */
export function apiVersionOf({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`
}

/** Where a version of a group is, which lists its kinds. */
export function groupPath({ group, version }: Pick<Resource, 'group' | 'version'>): string {
  return group === '' ? `/api/${version}` : `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`
}

/** Where all objects of a kind are, or with a namespace those in it. */
export function collectionPath(resource: Resource, namespace: string): string {
  const part = namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`
  return `${groupPath(resource)}${part}/${encodeURIComponent(resource.plural)}`
}

/** Where one object is. */
export function objectPath(resource: Resource, { namespace, name }: ObjectKey): string {
  return `${collectionPath(resource, namespace)}/${encodeURIComponent(name)}`
}
