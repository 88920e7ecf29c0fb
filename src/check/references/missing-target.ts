import { formatPointer, type PathStep } from '../../model/field.ts'
import { type Manifest, placeIn } from '../../model/manifest.ts'
import { nearestName } from '../../model/nearest-name.ts'
import { shownName, shownObject } from '../../model/shown-name.ts'
import type { CheckedUnit, Destination } from '../checked-unit.ts'
import type { RuleFinding } from '../rule.ts'
import { indexOf, manifestsAt, type ObjectIndex, type Target, workloadsOf } from './object-index.ts'

/** A field of an object that names another object. */
export interface Reference {
  readonly from: Manifest
  readonly path: readonly PathStep[]
  readonly target: Target
  /** The effect of its absence: `its pods do not start`. */
  readonly effect: string
}

/** True if what stands at a path is filled in later. */
export function isLate({ deferred = [] }: Manifest, path: readonly PathStep[]): boolean {
  const pointer = formatPointer(path)
  return deferred.some((token) => token.pointer === pointer)
}

/** How a rule judges the references of the objects of workload clusters. */
export interface ReferenceCheck {
  readonly referencesOf: (manifest: Manifest) => readonly Reference[]
  /** True if every cluster has it, or something outside of any tree makes it. */
  readonly isBuiltIn: (target: Target) => boolean
}

/**
 * Judges the references of all objects of workload clusters, each target once: an error where a name nearby shows a
 * mistake, else a warning that says what it depends on. What stays as it is committed is not judged.
 */
export function missingTargets(unit: CheckedUnit, check: ReferenceCheck): readonly RuleFinding[] {
  if (unit.isKept) return []
  return workloadsOf(unit).flatMap((destination) => missingAt(unit, destination, check))
}

function missingAt(
  unit: CheckedUnit,
  destination: Destination,
  { referencesOf, isBuiltIn }: ReferenceCheck,
): readonly RuleFinding[] {
  const index = indexOf(unit, destination)
  const missing = new Map<string, { readonly first: Reference; readonly users: Set<Manifest> }>()
  for (const reference of manifestsAt(unit, destination).flatMap(referencesOf)) {
    const { from, path, target } = reference
    if (target.name === '' || isLate(from, path) || isBuiltIn(target) || index.find(target) !== undefined) continue
    if (index.mayMake(target.name)) continue
    const key = JSON.stringify([target.group, target.kind, target.namespace, target.name])
    const known = missing.get(key) ?? { first: reference, users: new Set<Manifest>() }
    missing.set(key, known)
    known.users.add(from)
  }
  return [...missing.values()].map(({ first, users }, at) =>
    describe(first, users.size, at < MOST_COMPARED ? nearest(first.target, index) : undefined),
  )
}

/** Each name is compared with all of its kind: so many at most. */
export const MOST_COMPARED = 100

function describe({ from, path, target, effect }: Reference, users: number, near: string | undefined): RuleFinding {
  const shown = shownObject({ ...target, namespace: target.namespace })
  const others =
    users === 1 ? '' : ` (so ${users === 2 ? 'does 1 more object' : `do ${String(users - 1)} more objects`})`
  return {
    message: `${shownObject({ ...from, namespace: from.namespace })} names ${shown}${others}, which nothing in the tree brings: ${effect}`,
    ...placeIn(from, ...path),
    severity: near === undefined ? 'warning' : 'error',
    hint:
      near ??
      'Correct the name, or bring the object with an addon; if something outside of the tree makes it, acknowledge this finding.',
  }
}

/** The object that was most likely meant. */
function nearest(target: Target, index: ObjectIndex): string | undefined {
  const all = index.of(target)
  const elsewhere = all.find(({ name, namespace }) => name === target.name && namespace !== target.namespace)
  if (elsewhere?.namespace !== undefined)
    return `There is one of that name in namespace ${shownName(elsewhere.namespace)}: objects find those of their own namespace only.`
  const names = all.filter(({ namespace }) => namespace === target.namespace).map(({ name }) => name)
  const name = nearName(target.name, names)
  return name === undefined ? undefined : `Did you mean ${shownName(name)}?`
}

/**
 * The name that was most likely meant: names of objects have long parts in common, so only one that differs in a letter
 * or two at one place is a mistake, and none that only goes on.
 */
export function nearName(name: string, names: readonly string[]): string | undefined {
  const near = nearestName(name, names)
  return near === undefined || near.startsWith(name) || name.startsWith(near) || !isClose(name, near) ? undefined : near
}

function isClose(name: string, near: string): boolean {
  const [short, long] = name.length < near.length ? [name, near] : [near, name]
  let start = 0
  while (start < short.length && short[start] === long[start]) start++
  let end = 0
  while (end < short.length - start && short[short.length - 1 - end] === long[long.length - 1 - end]) end++
  return long.length - start - end <= 2
}
