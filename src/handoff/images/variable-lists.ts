import { itemsAt, type PathStep } from '../../model/field.ts'
import type { Dict } from '../../model/value.ts'

/** Paths below `spec.topology`, one list of paths for the control plane and each group of machines: where their variables lie, what wins first. */
export function variableLists(topology: Dict): readonly (readonly (readonly PathStep[])[])[] {
  const groups = ['machineDeployments', 'machinePools'].flatMap((kind) =>
    itemsAt(topology, 'workers', kind).map((_, index): readonly PathStep[] => ['workers', kind, index]),
  )
  return [['controlPlane'], ...groups].map((group) => [[...group, 'variables', 'overrides'], ['variables']])
}
