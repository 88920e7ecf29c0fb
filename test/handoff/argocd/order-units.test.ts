import { describe, expect, it } from 'vitest'
import { orderUnits } from '../../../src/handoff/argocd/order-units.ts'
import type { Unit } from '../../../src/model/handoff.ts'
import { addonsUnit, clusterUnit, conditionUnit, plainAddonsUnit, stackUnit } from './sample-units.ts'

function ordered(units: readonly Unit[]): readonly string[] {
  return [...orderUnits(units)].map(
    ([{ name }, { wave, isAwaited }]) => `${name} ${String(wave)}${isAwaited ? ' awaited' : ''}`,
  )
}

describe('orderUnits', () => {
  it.each<{ readonly name: string; readonly units: readonly Unit[]; readonly want: readonly string[] }>([
    {
      name: 'stacks are awaited, clusters and addons are not',
      units: [stackUnit, clusterUnit, plainAddonsUnit],
      want: [`${stackUnit.name} 0 awaited`, 'web 0', 'batch-addons 0'],
    },
    {
      name: 'a stack of the same name in another namespace is another stack',
      units: [stackUnit, { ...stackUnit, namespace: 'team-a' }, clusterUnit],
      want: [`${stackUnit.name} 0 awaited`, `${stackUnit.name} 0`, 'web 0'],
    },
    {
      name: 'units of one cluster that wait for each other come one after the other',
      units: [{ ...conditionUnit, name: 'last', dependsOn: [{ unit: conditionUnit.name }] }, conditionUnit, addonsUnit],
      want: ['last 2', 'web-addons-02-csi 1 awaited', 'web-addons 0 awaited'],
    },
    {
      name: 'what is not there is not waited for',
      units: [clusterUnit],
      want: ['web 0'],
    },
    {
      name: 'a circle ends',
      units: [{ ...addonsUnit, dependsOn: [{ unit: conditionUnit.name }] }, conditionUnit],
      want: ['web-addons 2 awaited', 'web-addons-02-csi 1 awaited'],
    },
  ])('$name', ({ units, want }) => {
    expect(ordered(units)).toEqual(want)
  })
})
