import type { Unit } from '../../model/handoff.ts'
import type { UnitOrder } from './application-data.ts'

type Ordered = Pick<Unit, 'name' | 'namespace' | 'dependsOn'>

/**
 * Finds for each unit where it stands among those of its cluster and whether others wait for it: of these, or of
 * `more`.
 */
export function orderUnits(units: readonly Unit[], more: readonly Ordered[] = []): ReadonlyMap<Unit, UnitOrder> {
  const byName = new Map(units.map((unit) => [nameOf(unit.namespace, unit.name), unit]))
  const prerequisites = (unit: Ordered): readonly Unit[] =>
    unit.dependsOn.flatMap((entry) => byName.get(nameOf(entry.namespace ?? unit.namespace, entry.unit)) ?? [])
  const awaited = new Set([...units, ...more].flatMap(prerequisites))
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
  return new Map(units.map((unit) => [unit, { wave: waveOf(unit), isAwaited: awaited.has(unit) }]))
}

function nameOf(namespace: string, name: string): string {
  return `${namespace}/${name}`
}

function ownerOf({ namespace, cluster }: Unit): string {
  return nameOf(namespace, cluster?.name ?? '')
}
