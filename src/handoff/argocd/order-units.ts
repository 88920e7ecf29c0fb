import { textAt } from '../../model/field.ts'
import type { Unit } from '../../model/handoff.ts'
import type { UnitOrder } from './application-data.ts'

/** Finds for each unit where it stands among those of its cluster, whether others wait for it, and which CRDs come with it. */
export function orderUnits(units: readonly Unit[]): ReadonlyMap<Unit, UnitOrder> {
  const byName = new Map(units.map((unit) => [nameOf(unit.namespace, unit.name), unit]))
  const prerequisites = (unit: Unit): readonly Unit[] =>
    unit.dependsOn.flatMap((entry) => byName.get(nameOf(entry.namespace ?? unit.namespace, entry.unit)) ?? [])
  const awaited = new Set(units.flatMap(prerequisites))
  const kinds = ownKinds(units)
  const waves = new Map<Unit, number>()
  const waveOf = (unit: Unit): number => {
    const known = waves.get(unit)
    if (known !== undefined) return known
    // also what a unit that waits for itself, in a circle, finds
    waves.set(unit, 0)
    const before = prerequisites(unit).filter(
      (other) => other.cluster !== undefined && ownerOf(other) === ownerOf(unit),
    )
    const wave = Math.max(0, ...before.map((other) => waveOf(other) + 1))
    waves.set(unit, wave)
    return wave
  }
  return new Map(
    units.map((unit) => [
      unit,
      { wave: waveOf(unit), isAwaited: awaited.has(unit), ownKinds: kinds.get(targetOf(unit)) ?? new Set() },
    ]),
  )
}

function nameOf(namespace: string, name: string): string {
  return `${namespace}/${name}`
}

function ownerOf({ namespace, cluster }: Unit): string {
  return nameOf(namespace, cluster?.name ?? '')
}

function targetOf(unit: Unit): string {
  return unit.target === 'management' ? '' : ownerOf(unit)
}

function ownKinds(units: readonly Unit[]): ReadonlyMap<string, ReadonlySet<string>> {
  const kinds = new Map<string, Set<string>>()
  for (const unit of units) {
    const found = kinds.get(targetOf(unit)) ?? new Set()
    kinds.set(targetOf(unit), found)
    for (const { kind, object } of unit.manifests)
      if (kind === 'CustomResourceDefinition')
        found.add(`${textAt(object, 'spec', 'group')} ${textAt(object, 'spec', 'names', 'kind')}`)
  }
  return kinds
}
