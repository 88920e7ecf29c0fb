/** A kind of objects as an API server offers it. */
export interface Resource {
  /** Empty for the core ones. */
  readonly group: string
  readonly version: string
  readonly kind: string
  /** What stands in paths. */
  readonly plural: string
}

/** Where all objects of a kind are, or those of a namespace. */
export function collectionPath({ group, version, plural }: Resource, namespace: string): string {
  const start = group === '' ? `/api/${version}` : `/apis/${group}/${version}`
  return `${start}${namespace === '' ? '' : `/namespaces/${namespace}`}/${plural}`
}
