import { readClassReference } from '../model/class-reference.ts'
import { textAt } from '../model/field.ts'
import type { Manifest } from '../model/manifest.ts'
import type { Dict } from '../model/value.ts'
import type { CheckedUnit } from './checked-unit.ts'

/** A Cluster, and the class that it names. */
export interface ClassedCluster {
  readonly manifest: Manifest
  readonly clusterClass: Dict
  readonly className: string
}

/** The Cluster of a unit with its class; undefined where there is none, or it is another than the release has. */
export function classOf({ cluster }: CheckedUnit): ClassedCluster | undefined {
  if (cluster?.clusterClass === undefined) return undefined
  const { manifest, clusterClass } = cluster
  const className = readClassReference(manifest.object).name
  return className === textAt(clusterClass, 'metadata', 'name') ? { manifest, clusterClass, className } : undefined
}
