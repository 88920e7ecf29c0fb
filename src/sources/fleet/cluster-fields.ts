import type { Diagnostic } from '../../model/diagnostic.ts'
import type { PathStep } from '../../model/field.ts'
import { fieldAt, itemsAt } from '../../model/field.ts'
import type { Span } from '../../model/source.ts'
import type { Value } from '../../model/value.ts'

/** A Cluster, and where its fields are written. */
export interface ClusterFields {
  readonly value: Value
  readonly spanOf: (path: readonly PathStep[]) => Span
  /** Says what a value is, where messages may not repeat it; default: quotes it. */
  readonly show?: (text: string) => string
}

/** The errors and the warnings about a Cluster. */
export interface Judgement {
  readonly problems: Diagnostic[]
  readonly findings: Diagnostic[]
}

/** The paths of the groups of machines of a Cluster: its control plane, then its workers. */
export function machineGroups(cluster: Value): readonly (readonly PathStep[])[] {
  const topology = ['spec', 'topology'] as const
  const workers = (['machineDeployments', 'machinePools'] as const).flatMap((list) =>
    itemsAt(cluster, ...topology, 'workers', list).map((_, index) => [...topology, 'workers', list, index]),
  )
  const plane = [...topology, 'controlPlane']
  return fieldAt(cluster, ...plane) === undefined ? workers : [plane, ...workers]
}
