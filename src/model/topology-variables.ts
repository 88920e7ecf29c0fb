import { dictAt, fieldAt, itemsAt, type PathStep, textAt } from './field.ts'
import { Dict, type Value } from './value.ts'

/** A value that a Cluster gives to a variable of its class. */
export interface GivenVariable {
  readonly name: string
  /** Undefined where the entry has none. */
  readonly value: Value | undefined
  /** Of its entry in the Cluster. */
  readonly path: readonly PathStep[]
  /** For all machines, or for those of the control plane or of one group of workers only. */
  readonly level: 'cluster' | 'override'
}

const TOPOLOGY = ['spec', 'topology'] as const

/** Lists of groups of workers in a topology and in a class. */
export const workerLists = ['machineDeployments', 'machinePools'] as const

/** The variables that a Cluster sets, with those that its control plane and workers override. */
export function givenVariables(cluster: Dict): readonly GivenVariable[] {
  const overridden: readonly (readonly PathStep[])[] = [
    [...TOPOLOGY, 'controlPlane'],
    ...workerLists.flatMap((list) =>
      itemsAt(cluster, ...TOPOLOGY, 'workers', list).map((_, index) => [...TOPOLOGY, 'workers', list, index]),
    ),
  ]
  return [
    ...entriesAt(cluster, [...TOPOLOGY, 'variables'], 'cluster'),
    ...overridden.flatMap((path) => entriesAt(cluster, [...path, 'variables', 'overrides'], 'override')),
  ]
}

function entriesAt(cluster: Dict, path: readonly PathStep[], level: GivenVariable['level']): readonly GivenVariable[] {
  return itemsAt(cluster, ...path).map((entry, index) => ({
    name: textAt(entry, 'name'),
    value: fieldAt(entry, 'value'),
    path: [...path, index],
    level,
  }))
}

/** A variable that a class defines. */
export interface DefinedVariable {
  readonly name: string
  readonly isRequired: boolean
  /** Its `openAPIV3Schema`. */
  readonly schema: Dict
}

/** The variables of a class. */
export function definedVariables(clusterClass: Dict): readonly DefinedVariable[] {
  return itemsAt(clusterClass, 'spec', 'variables').map((entry) => ({
    name: textAt(entry, 'name'),
    isRequired: fieldAt(entry, 'required') === true,
    schema: dictAt(entry, 'schema', 'openAPIV3Schema') ?? new Dict(),
  }))
}

/** True if a program beside Cluster API defines further variables: only the running cluster knows them. */
export function definesMore(clusterClass: Dict): boolean {
  return itemsAt(clusterClass, 'spec', 'patches').some((patch) => {
    const external = dictAt(patch, 'external')
    return external?.has('discoverVariablesExtension') === true || external?.has('discoverVariables') === true
  })
}
