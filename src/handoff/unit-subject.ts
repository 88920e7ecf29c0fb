import { clusterSubject, type FindingSubject } from '../model/diagnostic.ts'
import type { Unit } from '../model/handoff.ts'

/** The subject of the work on a unit: its cluster, or the release of a stack. */
export function unitSubject({ cluster, release }: Pick<Unit, 'cluster' | 'release'>): FindingSubject {
  return cluster === undefined ? { release } : clusterSubject(cluster)
}
