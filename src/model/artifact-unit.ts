import { CLUSTERS, STACKS } from './tree-path.ts'

/** Folder of the tree with the pins: `artifacts/<namespace>/<name>.yaml`. */
export const ARTIFACTS = 'artifacts'

/** The part of the tree that one artifact holds: all of a cluster, or of the class of a release in a namespace. */
export interface ArtifactUnit {
  readonly kind: 'cluster' | 'stack'
  readonly namespace: string
  /** Of the cluster, or of the release. */
  readonly name: string
  /** Relative to the output folder. */
  readonly folder: string
}

/** The unit that a path of the tree belongs to; undefined for what belongs to none. */
export function artifactUnitOf(path: string): ArtifactUnit | undefined {
  const [top, namespace = '', name = ''] = path.split('/')
  if (namespace === '' || name === '' || (top !== CLUSTERS && top !== STACKS)) return undefined
  return { kind: top === CLUSTERS ? 'cluster' : 'stack', namespace, name, folder: `${top}/${namespace}/${name}` }
}

/** The name of the object that pins the artifact of a unit, in its namespace. */
export function artifactName({ kind, name }: Pick<ArtifactUnit, 'kind' | 'name'>): string {
  return kind === 'cluster' ? name : `stack-${name}`
}

/** The path of the file that pins a unit. */
export function pinFile(unit: ArtifactUnit): string {
  return `${ARTIFACTS}/${unit.namespace}/${artifactName(unit)}.yaml`
}
