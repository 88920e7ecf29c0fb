/** Name and namespace, of a cluster or a ClusterStack. */
export interface ObjectName {
  readonly namespace: string
  readonly name: string
}

/** `<namespace>/<name>`: as people write it, and as a key of maps. */
export function objectPath({ namespace, name }: ObjectName): string {
  return `${namespace}/${name}`
}

/** The parts of {@link objectPath}. */
export function parseObjectPath(path: string): ObjectName {
  const slash = path.indexOf('/')
  return { namespace: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1) }
}
